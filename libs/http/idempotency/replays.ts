import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type AuditFact, secretShownAgain } from '#libs/audit/audit-entry.js';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { type Demand, metDemands, requireMet } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import type { StoredAnswer, Terms } from './idempotency-keys.js';

/** A stored response to be replayed, with its request. */
export interface AskedAnswer {
  /** Path of the request, without its query. */
  path: string;
  /** The operation's permission and the type of its records, from the route. */
  permission: string;
  object: string | undefined;
  params: Readonly<Record<string, string>>;
  /** The parsed body of the response; null if empty. */
  answer: unknown;
}

type AskedRoute = Pick<AskedAnswer, 'permission'> & { object?: string };

/** Checks the records in requests and responses. */
export abstract class Sights {
  /** Whether the caller may still perform the request on these records and see everything in the response. */
  abstract areOpen(asked: AskedAnswer): Promise<boolean>;
}

/** The conditions for replaying the current request's response. At the least, a replay of a secret is audited. */
export function termsOf({ showsSecret = false } = {}): Terms {
  const scope = currentScope();
  const shown = scope.shown as AuditFact[]; // nothing but libs/audit adds to them
  const facts = showsSecret && shown.length === 0 ? [secretShownAgain(scope)] : shown;
  return { required: once(metDemands()), shown: once(facts) };
}

/**
 * Decides whether a response may be replayed: the caller must still be allowed to perform the request and to see
 * everything in the response. Audited reads are audited again.
 */
@Injectable()
export class Replays {
  constructor(
    private readonly sights: Sights,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Must not run inside a transaction. @throws Problem 401, 403. */
  async permit({ url, params, route }: FastifyRequest, { status, body, terms }: StoredAnswer): Promise<void> {
    await requireMet(terms.required, this.clock.nowMs());
    // A 404 contains no data. Refusing its replay would reveal that the record exists now.
    if (status !== 404) await this.requireSight(url.split('?')[0]!, params, route!, body);
  }

  /** Audits the replay of a response whose data is audited whenever it is shown. */
  async record({ terms }: StoredAnswer): Promise<void> {
    for (const fact of terms.shown) await this.audit.record(fact);
  }

  private async requireSight(path: string, params: unknown, route: AskedRoute, body: string): Promise<void> {
    const { permission, object } = route;
    const answer: unknown = body === '' ? null : JSON.parse(body);
    const asked = { path, permission, object, params: params as Record<string, string>, answer };
    let [epoch, areOpen] = ['', false];
    while (epoch !== currentTenant().epoch) {
      ({ epoch } = currentTenant()); // if rights have changed meanwhile, it is decided again
      areOpen = await this.sights.areOpen(asked);
    }
    if (areOpen) return;
    throw new Problem('permission_denied', 'The caller may no longer perform this operation or see its response.');
  }
}

/** Removes duplicates, which a repeated unit of work adds. */
function once<T extends Demand | AuditFact>(all: readonly T[]): T[] {
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}
