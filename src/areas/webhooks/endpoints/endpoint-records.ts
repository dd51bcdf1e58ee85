import { Injectable } from '@nestjs/common';
import type { RiskLevel } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { Commits } from '#libs/resource/commits.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { holdBacklog, releaseBacklog } from '#libs/webhooks/lanes/endpoint-backlog.js';
import type { HealthChange } from '#libs/webhooks/lanes/endpoint-health.js';
import { healthView } from '#libs/webhooks/lanes/lane-health-view.js';
import { FRESH, type LaneHealth } from '#libs/webhooks/lanes/lane-health.js';
import { type LaneRow, laneHealthOf, readLanes, resetLane } from '#libs/webhooks/lanes/lane-health.repository.js';
import type { WebhookEndpointView } from './endpoint.dto.js';
import type { Endpoint } from './endpoint.entity.js';
import { type DisabledReason, ENDPOINT_TYPE, type EndpointAction, endpointLifecycle } from './endpoint.lifecycle.js';
import { EndpointsRepository } from './endpoints.repository.js';

const MAX_NAME = 200;

/** What is to be said of a change besides the change. */
interface ChangeNotes {
  riskLevel?: RiskLevel;
  /** Fields that changed and whose values nobody may see. */
  concealed?: readonly string[];
}

/** Webhook endpoints as rows: finding, locking, showing and changing them, each change with its audit entry and event. */
@Injectable()
export class EndpointRecords {
  constructor(
    private readonly repository: EndpointsRepository,
    private readonly database: Database,
    private readonly commits: Commits,
    private readonly mails: MailOutbox,
    private readonly clock: Clock,
  ) {}

  /** The row of an endpoint. @throws Problem 404, also when it is deleted. */
  async find(id: string): Promise<Endpoint> {
    const row = await this.repository.find(id);
    if (row?.deletedAt !== null) throw Problem.notFound();
    return row;
  }

  /** As {@link find}, locked, its `If-Match` checked. @throws Problem 404, 412. */
  async lock(transaction: Transaction, id: string): Promise<Endpoint> {
    const row = await this.repository.lock(transaction, id);
    if (row?.deletedAt !== null) throw Problem.notFound();
    checkPrecondition(row.version);
    return row;
  }

  /** Endpoints as the API shows them. */
  async views(rows: readonly Endpoint[]): Promise<WebhookEndpointView[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const lanes = await this.database.read<LaneRow>(readLanes(currentTenant().id, ids));
    const byId = new Map(lanes.map((lane) => [lane.endpointId, laneHealthOf(lane)]));
    return rows.map((row) => this.present(row, byId.get(row.id)!));
  }

  /** Adds a new endpoint, with its lane, to a transaction. */
  add(transaction: Transaction, row: Endpoint): WebhookEndpointView {
    const after = this.present(row, FRESH);
    this.record(transaction, 'created', { row, before: null, after, save: this.repository.insert(row) });
    transaction.write(this.repository.addLane(row));
    return after;
  }

  /** Adds a change of a locked endpoint to a transaction. What waits for it is held or released as its status says. */
  async change(
    transaction: Transaction,
    row: Endpoint,
    changes: Partial<Endpoint>,
    event: string,
    notes: ChangeNotes = {},
  ): Promise<WebhookEndpointView> {
    const { actor } = currentScope();
    const updatedAt = this.clock.now().toISOString();
    const changed = { ...row, ...changes, version: row.version + 1, updatedAt, updatedBy: actor };
    if (changed.status === 'enabled' && row.status !== 'enabled') transaction.write(resetLane(row.tenantId, row.id));
    // One lock order for everybody: the endpoint, its lane, the rest.
    const [lane] = await transaction.query<LaneRow>(readLanes(row.tenantId, [row.id]));
    const health = laneHealthOf(lane!);
    const [before, after] = [this.present(row, health), this.present(changed, health)];
    this.record(transaction, event, { row: changed, before, after, save: this.repository.replace(changed) }, notes);
    for (const move of backlogMoves(row, changed)) transaction.write(move);
    // Mails about how it was doing before are out of date.
    if (changed.status !== row.status || changed.deletedAt !== null)
      transaction.write(this.mails.cancel(row.id, updatedAt));
    return after;
  }

  /** Adds a transition of a locked endpoint to a transaction; whether its state allows it, the caller knows. */
  transit(
    transaction: Transaction,
    row: Endpoint,
    action: EndpointAction,
    disabledReason: DisabledReason | null,
  ): Promise<WebhookEndpointView> {
    const { to, event, risk } = endpointLifecycle.transitions[action];
    return this.change(transaction, row, { status: to!, disabledReason }, event, { riskLevel: risk ?? 'medium' });
  }

  /**
   * Adds to a transaction how the health of an endpoint changed, which is no change of the endpoint itself. Mails about how
   * it was before are not sent any more.
   * @returns the endpoint before and after.
   */
  announce(
    transaction: Transaction,
    row: Endpoint,
    event: 'failing' | 'recovered',
    { save, before, after }: HealthChange,
  ): { before: WebhookEndpointView; after: WebhookEndpointView } {
    const views = { before: this.present(row, before), after: this.present(row, after) };
    const at = this.clock.now().toISOString();
    this.record(transaction, event, { row: { ...row, updatedAt: at }, ...views, save }, { riskLevel: 'low' });
    transaction.write(this.mails.cancel(row.id, at));
    return views;
  }

  private record(
    transaction: Transaction,
    event: string,
    change: { row: Endpoint; before: WebhookEndpointView | null; after: WebhookEndpointView; save: Statement },
    { riskLevel = 'medium', concealed = [] }: ChangeNotes = {},
  ): void {
    const { row, before, after, save } = change;
    const { id, version } = row;
    this.commits.add(transaction, {
      save,
      event: `${ENDPOINT_TYPE}.${event}`,
      subject: { type: ENDPOINT_TYPE, id, reference: null, version, url: endpointPath(id), name: endpointName(row) },
      before,
      after,
      at: row.updatedAt,
      riskLevel,
      concealed,
    });
  }

  private present(row: Endpoint, lane: LaneHealth): WebhookEndpointView {
    const { tenantId: _t, secretSealed: _s, previousSecretSealed: _p, headersSealed: _h, deletedAt: _d, ...view } = row;
    const health = healthView(lane, row.status === 'enabled', this.clock.nowMs());
    return { ...view, object: ENDPOINT_TYPE, health };
  }
}

/** What becomes of the deliveries that wait for an endpoint when its status changes. */
function backlogMoves(before: Endpoint, { tenantId, id, status }: Endpoint): Statement[] {
  if (status === before.status) return [];
  return status === 'enabled' ? releaseBacklog(tenantId, id) : holdBacklog(tenantId, id);
}

/** Path of an endpoint in the API. */
export function endpointPath(id: string): string {
  return `/api/webhooks/endpoints/${id}`;
}

/** What the audit log calls an endpoint: its host. */
export function endpointName({ url }: Pick<Endpoint, 'url'>): string {
  return new URL(url).host.slice(0, MAX_NAME);
}
