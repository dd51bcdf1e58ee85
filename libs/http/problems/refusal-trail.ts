import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import type { AuditFact } from '#libs/audit/audit-entry.js';
import { AuditTrail, type FindTarget } from '#libs/audit/audit-trail.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { currentScope, runInScope, Scope } from '#libs/tenancy/scope.js';

const TRIES = 2;

/**
 * Writes refusals to the audit log. A refusal is a fact about a known caller, whatever has changed since: it is written
 * in a scope of its own, in which neither the epoch of the tenant nor the caller's rights are checked again.
 */
@Injectable()
export class RefusalTrail {
  private readonly logger = new Logger('audit');
  private readonly lost: Counter;

  constructor(
    private readonly audit: AuditTrail,
    metrics: Metrics,
  ) {
    this.lost = metrics.counter('audit_refusals_lost_total', 'Refusals that could not be written to the audit log.');
  }

  /** Committed before the response is sent. Never throws: a refusal that cannot be written is counted and logged. */
  async record(fact: Omit<AuditFact, 'outcome' | 'riskLevel'>, findTarget?: FindTarget): Promise<void> {
    const outer = currentScope();
    for (let tries = 1; ; tries++)
      try {
        return await runInScope(factsOf(outer), () =>
          this.audit.record({ ...fact, outcome: 'denied', riskLevel: 'medium' }, findTarget),
        );
      } catch (error) {
        if (tries < TRIES) continue;
        this.lost.inc();
        const what = JSON.stringify({ ...fact, tenantId: outer.tenant?.id, actor: outer.actor });
        this.logger.fatal(`A refusal could not be audited: ${what}`, error instanceof Error ? error.stack : error);
        return;
      }
  }
}

/** A scope that says who asked for what, and requires nothing. */
function factsOf(outer: Scope): Scope {
  const scope = new Scope(outer.requestId);
  scope.tenant = outer.tenant;
  scope.actor = outer.actor;
  scope.clientIp = outer.clientIp;
  scope.userAgent = outer.userAgent;
  scope.traceparent = outer.traceparent;
  scope.operation = outer.operation;
  scope.correlationId = outer.correlationId;
  scope.warrant = outer.warrant;
  return scope;
}
