import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { matchedOf } from '#libs/webhooks/recovery/recovery-count.js';
import { statusAfterCount } from '#libs/webhooks/recovery/recovery-job.js';
import { EndpointRecords } from '../endpoints/endpoint-records.js';
import { patternViolations } from '../events/type-patterns.js';
import {
  type RecoverWebhookEndpoint,
  RECOVERY_TYPE,
  recoveryList,
  USUAL,
  type WebhookRecovery,
} from './recovery.dto.js';
import type { Recovery } from './recovery.entity.js';
import { type NewRecovery, RecoveriesRepository } from './recoveries.repository.js';
import { startRecoveryJob } from './recovery-jobs.js';

/** Recoveries send missed events to an endpoint, as jobs. */
@Injectable()
export class RecoveriesService {
  constructor(
    private readonly repository: RecoveriesRepository,
    private readonly endpoints: EndpointRecords,
    private readonly database: Database,
    private readonly events: EventCatalogue,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Starts a job that counts the events that an endpoint has missed and sends them; with `dryRun` it only counts. The
   * request itself counts as many as possible in a short time.
   * @throws Problem 404, 400 for times and event types, 409 `limit_reached` while another job runs for the endpoint.
   */
  async recover(endpointId: string, input: RecoverWebhookEndpoint): Promise<WebhookRecovery> {
    const endpoint = await this.endpoints.find(endpointId);
    const scope = await this.scopeOf(input);
    const { statuses = USUAL, dryRun = false } = input;
    const { more, afterSequence, counted, byStatus } = await this.repository.count(endpoint, scope);
    const recovery: Omit<NewRecovery, 'jobId'> = {
      ...scope,
      ...{ id: uuidv7(), endpointId, statuses: [...statuses], dryRun, counted, byStatus },
      status: statusAfterCount(more, dryRun),
      matched: matchedOf(byStatus, statuses, endpoint.status === 'enabled'),
      afterSequence: more ? afterSequence : 0,
      createdBy: currentScope().actor,
    };
    return this.database.transaction(async (transaction) => {
      await this.endpoints.lock(transaction, endpointId);
      const isOver = recovery.status === 'completed';
      if (!isOver && (await this.repository.isRunning(transaction, endpointId)))
        throw new Problem('limit_reached', 'A recovery of the endpoint is running; wait for its end or cancel it.');
      const jobId = isOver ? null : startRecoveryJob(this.jobs, transaction, recovery);
      this.repository.add(transaction, { ...recovery, jobId });
      this.audit(transaction, recovery.id, 'started');
      return this.get(recovery.id);
    });
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<WebhookRecovery> {
    const row = await this.repository.find(id);
    if (!row) throw Problem.notFound();
    return present(row);
  }

  /** The recoveries of an endpoint. @throws Problem 404. */
  async list(endpointId: string, query: Record<string, unknown>): Promise<Page<WebhookRecovery>> {
    await this.endpoints.find(endpointId);
    const { data, page } = await this.repository.pageOfEndpoint(endpointId, toListRequest(recoveryList, query));
    return { data: data.map(present), page };
  }

  /**
   * Stops a job. Deliveries that it has already queued are still sent. @throws Problem 404, 409 `invalid_transition`.
   */
  async cancel(id: string): Promise<WebhookRecovery> {
    return this.database.transaction(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (!row) throw Problem.notFound();
      if (row.finishedAt !== null) throw invalidTransition('cancel', { state: row.status }, []);
      this.repository.cancel(transaction, id);
      this.audit(transaction, id, 'cancelled');
      return this.get(id);
    });
  }

  private async scopeOf(input: RecoverWebhookEndpoint) {
    const { since: from, until: to, eventTypes = null } = input;
    const now = this.clock.now().toISOString();
    const since = new Date(from).toISOString();
    const until = to === undefined || Date.parse(to) > Date.parse(now) ? now : new Date(to).toISOString();
    const violations: Violation[] = patternViolations(this.events, eventTypes ?? [], (index) => ({
      pointer: `/eventTypes/${index}`,
    }));
    const oldest = await this.repository.oldestKept();
    if (oldest !== null && since < oldest)
      violations.push({
        pointer: '/since',
        code: 'out_of_range',
        detail: `Events are kept since ${oldest}; nothing before can be recovered.`,
      });
    if (since >= until)
      violations.push({ pointer: '/since', code: 'out_of_range', detail: `The time must begin before ${until}.` });
    if (violations.length > 0) throw Problem.validation(violations);
    return { since, until, eventTypes };
  }

  private audit(transaction: Transaction, id: string, verb: 'started' | 'cancelled'): void {
    const target = { type: RECOVERY_TYPE, id, name: null };
    const fact = { action: `${RECOVERY_TYPE}.${verb}`, target, outcome: 'success', riskLevel: 'low' } as const;
    transaction.write(auditStatement(currentScope(), fact, this.clock.now().toISOString()));
  }
}

function present({ tenantId: _t, afterSequence: _a, ...view }: Recovery): WebhookRecovery {
  return { ...view, object: RECOVERY_TYPE };
}
