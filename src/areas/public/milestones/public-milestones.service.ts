import { Injectable } from '@nestjs/common';
import { LinkOpeningsService, type Opened } from '#src/areas/sharing/public-links/link-openings.service.js';
import { MilestoneSharingService, type SeenMilestone } from '#src/areas/work/milestones/milestone-sharing.service.js';
import type { PublicMilestone } from './public-milestone.dto.js';

/** Milestones for holders of a public link. */
@Injectable()
export class PublicMilestonesService {
  constructor(
    private readonly links: LinkOpeningsService,
    private readonly sharing: MilestoneSharingService,
  ) {}

  /** @throws Problem 404, 429. */
  read(token: string, { isCounted }: { isCounted: boolean }): Promise<Opened<PublicMilestone>> {
    return this.links.open(token, { purpose: 'milestone', isCounted }, async (id) =>
      publicOf(await this.sharing.seen(id)),
    );
  }

  /** @throws Problem 404, 409 `invalid_transition`, 429. */
  accept(token: string, name: string): Promise<Opened<PublicMilestone>> {
    return this.links.answer(token, 'milestone', async (id) => publicOf(await this.sharing.accept(id, name)));
  }
}

function publicOf({ milestone, projectName }: SeenMilestone): PublicMilestone {
  const { name, description, status, dueDate, reachedAt, billableMinor, currency, acceptance } = milestone;
  const { acceptedAt, acceptedBy } = acceptance;
  return {
    ...{ name, description, projectName, status, dueDate, reachedAt: reachedAt!, acceptedAt, acceptedBy }, // it is not open
    amountMinor: billableMinor,
    currency: billableMinor === null ? null : currency,
  };
}
