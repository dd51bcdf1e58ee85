import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { linkTokenHash } from '#libs/auth/api-key.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { onceFor } from '#libs/http/idempotency/once-for.js';
import { TokenLimits } from '#libs/http/token-limits.js';
import { Clock } from '#libs/kernel/clock.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { Problem } from '#libs/kernel/problem.js';
import { Branding } from '#libs/settings/branding.js';
import { rehearse } from '#libs/resource/records/rehearsal.js';
import { type Actor, currentScope, runAsSystem } from '#libs/tenancy/scope.js';
import type { LinkPurpose } from './link-purposes.js';
import { type PlacedLink, PublicLinksRepository } from './public-links.repository.js';

/** What is shown behind a link, and in whose look. */
export interface Opened<T> {
  shown: T;
  brand: Brand;
}

const ACTOR: Actor = { type: 'system', id: null, name: 'public link' };
/** Longer than any lookup takes, so that the time tells nothing about an invalid link either. */
const REFUSAL_MS = 50;

/** Opens public links. All invalid links return the same 404, so the response reveals nothing about them. */
@Injectable()
export class LinkOpeningsService {
  constructor(
    private readonly links: PublicLinksRepository,
    private readonly limits: TokenLimits,
    private readonly branding: Branding,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a link for a purpose, as the system actor in its tenant. `show` runs in the transaction that counts the use; a use
   * that is not counted is rolled back.
   * @throws Problem 404, 429.
   */
  open<T>(
    token: string,
    { purpose, isCounted }: { purpose: LinkPurpose; isCounted: boolean },
    show: (targetId: string) => Promise<T>,
  ): Promise<Opened<T>> {
    return this.found(token, (placed) =>
      this.inside(placed, (transaction) => {
        const use = () => this.use(transaction, { id: placed.linkId, purpose, isAnswer: false }, show);
        return isCounted ? use() : rehearse(transaction, use);
      }),
    );
  }

  /**
   * Acts on the answer of somebody who has opened a link, as the system actor in its tenant, once under an idempotency key.
   * @throws Problem 404, 429, and those of `act`.
   */
  answer<T>(token: string, purpose: LinkPurpose, act: (targetId: string) => Promise<T>): Promise<Opened<T>> {
    return this.found(token, async ({ tenant, linkId: id }) => {
      let brand: Brand | null = null;
      const shown = await onceFor({ tenant, secret: token }, () => {
        currentScope().actor = ACTOR; // in the scope of the request, so that its key is kept with the effect
        return this.database.transaction(async (transaction) => {
          const opened = await this.use(transaction, { id, purpose, isAnswer: true }, act);
          if (!opened) throw noLink();
          ({ brand } = opened);
          return opened.shown;
        });
      });
      return { shown, brand: brand! }; // a replay does not come here
    });
  }

  /** Takes the same time for all invalid links. */
  private async found<T>(token: string, work: (placed: PlacedLink) => Promise<T | null>): Promise<T> {
    const hash = linkTokenHash(token);
    await this.limits.admit('public_link', hash);
    const refused = setTimeout(REFUSAL_MS, undefined, { ref: false });
    const placed = hash && (await this.links.byToken(hash));
    const opened = placed && (await work(placed).catch(nullIfGone));
    if (opened) return opened;
    await refused;
    throw await this.limits.failure(noLink());
  }

  private inside<T>({ tenant }: PlacedLink, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return runAsSystem(tenant, ACTOR.name, currentScope().requestId, () => this.database.transaction(work));
  }

  private async use<T>(
    transaction: Transaction,
    link: { id: string; purpose: LinkPurpose; isAnswer: boolean },
    work: (targetId: string) => Promise<T>,
  ): Promise<Opened<T> | null> {
    const targetId = await this.links.use(transaction, link, this.clock.now().toISOString());
    return targetId === null ? null : { shown: await work(targetId), brand: await this.branding.get() };
  }
}

const noLink = () => new Problem('not_found', 'There is no such link.');

/** A link whose record is gone is none any more. */
function nullIfGone(error: unknown): null {
  if (error instanceof Problem && error.code === 'not_found') return null;
  throw error;
}
