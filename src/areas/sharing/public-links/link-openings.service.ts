import { Injectable } from '@nestjs/common';
import { linkTokenHash } from '#libs/auth/api-key.js';
import { Database } from '#libs/database/database.js';
import { TokenLimits } from '#libs/http/token-limits.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { rehearse } from '#libs/resource/records/rehearsal.js';
import { currentScope, runAsSystem } from '#libs/tenancy/scope.js';
import type { LinkPurpose } from './public-link.js';
import { PublicLinksRepository } from './public-links.repository.js';

/** Opens public links. All invalid links return the same 404, so the response reveals nothing about them. */
@Injectable()
export class LinkOpeningsService {
  constructor(
    private readonly links: PublicLinksRepository,
    private readonly limits: TokenLimits,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a link for a purpose, as the system actor in its tenant. `show` runs in the transaction that counts the use; a use
   * that is not counted is rolled back.
   * @throws Problem 404, 429.
   */
  async open<T>(
    token: string,
    { purpose, isCounted }: { purpose: LinkPurpose; isCounted: boolean },
    show: (targetId: string) => Promise<T>,
  ): Promise<T> {
    const hash = linkTokenHash(token);
    await this.limits.admit('public_link', hash);
    const placed = hash && (await this.links.byToken(hash));
    const opened =
      placed &&
      (await runAsSystem(placed.tenant, 'public link', currentScope().requestId, () =>
        this.database.transaction(async (transaction) => {
          const use = async () => {
            const targetId = await this.links.use(transaction, placed.linkId, purpose, this.clock.now().toISOString());
            return targetId === null ? null : { shown: await show(targetId) };
          };
          return isCounted ? use() : rehearse(transaction, use);
        }),
      ));
    if (!opened) throw await this.limits.failure(new Problem('not_found', 'There is no such link.'));
    return opened.shown;
  }
}
