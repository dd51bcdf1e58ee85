import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { permissionNames } from '#libs/auth/permissions.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { checkLifecycle } from '#libs/kernel/lifecycle.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { type Merge, withSurvivor } from '#libs/resource/records/merge.js';
import type { ChangeNotes } from '#libs/resource/records/object-changes.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { holdBacklog, releaseBacklog } from '#libs/webhooks/lanes/endpoint-backlog.js';
import type { HealthChange } from '#libs/webhooks/lanes/endpoint-health.js';
import { healthView } from '#libs/webhooks/lanes/lane-health-view.js';
import { FRESH, type LaneHealth } from '#libs/webhooks/lanes/lane-health.js';
import { type LaneRow, laneHealthOf, readLanes, resetLane } from '#libs/webhooks/lanes/lane-health.repository.js';
import { declareMessages } from './endpoint-messages.js';
import { type Endpoint, endpointName, endpoints, type ShownEndpoint } from './endpoint.js';
import { type DisabledReason, type EndpointAction, endpointLifecycle } from './endpoint.lifecycle.js';
import { EndpointsRepository } from './endpoints.repository.js';

type NewRow = Parameters<GovernedObjects<Endpoint>['add']>[1];

/** Webhook endpoints as rows: finds, locks, shows and changes them. Each change has an audit entry and an event. */
@Injectable()
export class EndpointRecords {
  readonly objects: GovernedObjects<Endpoint, ShownEndpoint>;

  constructor(
    kit: ResourceKit,
    private readonly repository: EndpointsRepository,
    private readonly database: Database,
    private readonly mails: MailOutbox,
    private readonly clock: Clock,
  ) {
    this.objects = new GovernedObjects(endpoints, kit, this, repository);
    declareMessages(kit.registry);
    kit.registry.followMerges((transaction, merge) => this.follow(transaction, merge));
    checkLifecycle(endpoints.type, endpointLifecycle, {
      permissions: new Set(permissionNames()),
      handlers: new Set(Object.keys(endpointLifecycle.transitions)),
    });
  }

  /** The row of an endpoint. @throws Problem 404, also if the endpoint is deleted. */
  find(id: string): Promise<Endpoint> {
    return this.objects.read(id);
  }

  /** Like {@link find}, but locks the row and checks `If-Match`. @throws Problem 404, 412. */
  lock(transaction: Transaction, id: string): Promise<Endpoint> {
    return this.objects.lock(transaction, id);
  }

  /** Endpoints as the API shows them. */
  async show(rows: readonly Endpoint[]): Promise<ShownEndpoint[]> {
    const ids = rows.map(({ id }) => id);
    const lanes = await this.database.read<LaneRow>(readLanes(currentTenant().id, ids));
    const byId = new Map(lanes.map((lane) => [lane.endpointId, laneHealthOf(lane)]));
    return rows.map((row) => this.shown(row, byId.get(row.id)!));
  }

  /** Adds a new endpoint, with its lane, to a transaction. */
  add(transaction: Transaction, own: NewRow): ShownEndpoint {
    const health = this.healthOf(own, FRESH);
    const row = this.objects.add(transaction, { ...own, health }, 'created', { subject: { name: endpointName(own) } });
    transaction.write(this.repository.addLane(row));
    return this.shown(row, FRESH);
  }

  /**
   * Adds a change of a locked endpoint to a transaction. Its waiting deliveries are held or released according to its
   * status.
   */
  async change(
    transaction: Transaction,
    row: Endpoint,
    changes: Partial<Endpoint>,
    event: string,
    notes: ChangeNotes = {},
  ): Promise<ShownEndpoint> {
    const { status = row.status, url = row.url } = changes;
    if (status === 'enabled' && row.status !== 'enabled') transaction.write(resetLane(row.tenantId, row.id));
    // Lock order: the endpoint, its lane, the rest.
    const [lane] = await transaction.query<LaneRow>(readLanes(row.tenantId, [row.id]));
    const known = laneHealthOf(lane!);
    const before = { ...row, health: this.healthOf(row, known) };
    const after = { ...changes, health: this.healthOf({ status }, known), updatedBy: currentScope().actor };
    const subject = { name: endpointName({ url }) };
    const changed = this.objects.change(transaction, before, after, event, { subject, ...notes });
    for (const move of backlogMoves(row, changed)) transaction.write(move);
    // Emails about its previous state are outdated.
    if (changed.status !== row.status || changed.deletedAt !== null)
      transaction.write(this.mails.cancel({ kinds: [endpoints.type], subjectIds: [row.id] }, changed.updatedAt));
    return this.shown(changed, known);
  }

  /** Lets filters that name a merged record name the one that remains. */
  private async follow(transaction: Transaction, merge: Merge): Promise<void> {
    const naming: Guard = (add) => `(t.deleted_at is null and position(${add(merge.from)} in t.filter::text) > 0)`;
    for (const row of await this.repository.lockAll(transaction, naming))
      await this.change(transaction, row, { filter: withSurvivor(row.filter, merge) }, 'updated');
  }

  /** Adds a transition of a locked endpoint to a transaction. The caller checks that the state allows it. */
  transit(
    transaction: Transaction,
    row: Endpoint,
    action: EndpointAction,
    disabledReason: DisabledReason | null,
  ): Promise<ShownEndpoint> {
    const { to, event, risk } = endpointLifecycle.transitions[action];
    return this.change(transaction, row, { status: to!, disabledReason }, event, { riskLevel: risk });
  }

  /**
   * Adds a change of an endpoint's health to a transaction; the endpoint itself does not change. Emails about its
   * previous state are cancelled.
   * @returns the endpoint before and after.
   */
  announce(
    transaction: Transaction,
    row: Endpoint,
    event: 'failing' | 'recovered',
    { save, before, after }: HealthChange,
  ): { before: ShownEndpoint; after: ShownEndpoint } {
    const at = this.objects.now();
    this.objects.record(transaction, {
      event,
      before: { ...row, health: this.healthOf(row, before) },
      after: { ...row, health: this.healthOf(row, after) },
      save,
      at,
      riskLevel: 'low',
      subject: { name: endpointName(row) },
    });
    transaction.write(this.mails.cancel({ kinds: [endpoints.type], subjectIds: [row.id] }, at));
    return { before: this.shown(row, before), after: this.shown(row, after) };
  }

  private shown(row: Endpoint, lane: LaneHealth): ShownEndpoint {
    const shown = this.objects.view(row);
    const { secretSealed: _s, previousSecretSealed: _p, headersSealed: _h, deletedAt: _d, ...view } = shown;
    return { ...view, health: this.healthOf(row, lane) };
  }

  private healthOf({ status }: Pick<Endpoint, 'status'>, lane: LaneHealth) {
    return healthView(lane, status === 'enabled', this.clock.nowMs());
  }
}

/** Statements for waiting deliveries after an endpoint's status has changed. */
function backlogMoves(before: Endpoint, { tenantId, id, status }: Endpoint): Statement[] {
  if (status === before.status) return [];
  return status === 'enabled' ? releaseBacklog(tenantId, id) : holdBacklog(tenantId, id);
}
