import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { ProposalSharingService } from '#src/areas/proposals/proposals/proposal-sharing.service.js';
import type { Proposal } from '#src/areas/proposals/proposals.area.js';
import { LinkOpeningsService, type Opened } from '#src/areas/sharing/public-links/link-openings.service.js';
import type { AcceptProposal, DeclineProposal, PublicProposal } from './public-proposal.dto.js';

/** Proposals for holders of a public link. */
@Injectable()
export class PublicProposalsService {
  constructor(
    private readonly links: LinkOpeningsService,
    private readonly sharing: ProposalSharingService,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 404, 429. */
  read(token: string, { isCounted }: { isCounted: boolean }): Promise<Opened<PublicProposal>> {
    return this.links.open(token, { purpose: 'proposal', isCounted }, async (id) =>
      this.publicOf(await this.sharing.seen(id)),
    );
  }

  /** @throws Problem 400, 404, 409 `invalid_transition`, `offer_expired`, `stale_version` or `total_negative`, 429. */
  accept(token: string, { versionNumber, options = [], ...said }: AcceptProposal): Promise<Opened<PublicProposal>> {
    const { name, email, signature = name } = said;
    return this.links.answer(token, 'proposal', async (id) =>
      this.publicOf(
        await this.sharing.accept(id, versionNumber, {
          ...{ name, email: email ?? null, signature, isPublic: true },
          options: options.map((option) => {
            const [lineId, quantity] = option.toLowerCase().split(':');
            return { lineId: lineId!, ...(quantity === undefined ? {} : { quantity: Number(quantity) }) };
          }),
        }),
      ),
    );
  }

  /** @throws Problem 404, 409 `invalid_transition` or `stale_version`, 429. */
  decline(token: string, { versionNumber, reason }: DeclineProposal): Promise<Opened<PublicProposal>> {
    return this.links.answer(token, 'proposal', async (id) =>
      this.publicOf(await this.sharing.decline(id, versionNumber, reason ?? null)),
    );
  }

  private publicOf(row: Proposal): PublicProposal {
    const { number, versionNumber, name, validUntilDate, introduction, terms, currency, taxInclusive } = row;
    const accepted = new Map(row.acceptedLineItems.map((line) => [line.id, line]));
    const isAccepted = row.acceptance !== null;
    const lineItems = isAccepted
      ? row.lineItems.flatMap((line) => {
          const taken = accepted.get(line.id);
          return taken ? [{ ...line, ...taken, isSelected: true }] : [];
        })
      : row.lineItems;
    return {
      ...{ number, versionNumber, name, validUntilDate, introduction, terms, currency, taxInclusive, lineItems },
      status: this.statusOf(row),
      netMinor: row.acceptedNetMinor ?? row.netMinor,
      totalMinor: row.acceptedTotalMinor ?? row.totalMinor,
      acceptedAt: row.acceptance?.at ?? null,
      acceptedBy: row.acceptance?.name ?? null,
    };
  }

  /** A proposal expires at its time, whether or not the worker has noted it. */
  private statusOf({ status, expiresAt }: Proposal): PublicProposal['status'] {
    if (status === 'sent' || status === 'viewed')
      return expiresAt !== null && expiresAt <= this.clock.now().toISOString() ? 'expired' : 'open';
    return status as PublicProposal['status']; // the others are of proposals that were never sent
  }
}
