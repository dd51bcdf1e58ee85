import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type AuditFact, secretShownAgain } from '#libs/audit/audit-entry.js';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { type Demand, metDemands, requireMet } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import type { StoredAnswer, Terms } from './idempotency-keys.js';

/** A stored answer that somebody asks for, with the request that it answers. */
export interface AskedAnswer {
  /** Path of the request, without its query. */
  path: string;
  /** What the operation asks for, and the type of the records that it does so for, as its route says. */
  permission: string;
  object: string | undefined;
  params: Readonly<Record<string, string>>;
  /** The body of the answer, read; null for an empty one. */
  answer: unknown;
}

type AskedRoute = Pick<AskedAnswer, 'permission'> & { object?: string };

/** Knows the records that answers show and are about. */
export abstract class Sights {
  /** Whether the caller may still do this to what the request is about, and see everything that the answer shows. */
  abstract areOpen(asked: AskedAnswer): Promise<boolean>;
}

/** What a replay of the answer of the running request will depend on. What shows a secret is put on record, at least. */
export function termsOf({ showsSecret = false } = {}): Terms {
  const scope = currentScope();
  const shown = scope.shown as AuditFact[]; // nothing but libs/audit adds to them
  const facts = showsSecret && shown.length === 0 ? [secretShownAgain(scope)] : shown;
  return { required: once(metDemands()), shown: once(facts) };
}

/**
 * Who may have an answer once more: whoever could do now what the first request did, and may see what the answer shows.
 */
@Injectable()
export class Replays {
  constructor(
    private readonly sights: Sights,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Not inside a transaction. @throws Problem 401, 403. */
  async permit({ url, params, route }: FastifyRequest, { status, body, terms }: StoredAnswer): Promise<void> {
    await requireMet(terms.required, this.clock.nowMs());
    // A 404 shows nothing, and neither may a refusal of it: not even that there is something now.
    if (status !== 404) await this.requireSight(url.split('?')[0]!, params, route!, body);
  }

  /** Puts on record that they are told again what is on record whenever it is shown. */
  async record({ terms }: StoredAnswer): Promise<void> {
    for (const fact of terms.shown) await this.audit.record(fact);
  }

  private async requireSight(path: string, params: unknown, route: AskedRoute, body: string): Promise<void> {
    const { permission, object } = route;
    const answer: unknown = body === '' ? null : JSON.parse(body);
    const asked = { path, permission, object, params: params as Record<string, string>, answer };
    let [epoch, areOpen] = ['', false];
    while (epoch !== currentTenant().epoch) {
      ({ epoch } = currentTenant()); // rights that turn out to have changed meanwhile decide anew
      areOpen = await this.sights.areOpen(asked);
    }
    if (areOpen) return;
    throw new Problem('permission_denied', 'The caller may no longer do this, or see what the answer shows.');
  }
}

/** Work that ran again has left the same again. */
function once<T extends Demand | AuditFact>(all: readonly T[]): T[] {
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}
