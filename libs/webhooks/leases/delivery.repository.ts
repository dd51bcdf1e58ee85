import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { brokenUnique } from '#libs/database/failures.js';
import type { Answer } from '#libs/database/flights/flight.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { wireBytes } from '#libs/outbox/event.js';
import { currentTenant, type TenantFacts } from '#libs/tenancy/scope.js';
import { CLAIMING, claimStatement, LEASE_SECONDS, type LanePosition, type Room } from './claim.js';
import { EndpointMemory, type EndpointSettings } from '../lanes/endpoint-memory.js';
import { GIVEN_BACK } from './given-back.js';
import { spanOf, timesOf } from '../id-span.js';
import { TROUBLED } from '../lanes/lane-health.repository.js';
import { isEntry } from './lease-owner.js';
import { moveOn } from './ordering.js';
import { ALONG_INDEX, BY_KEY, PLAN_EACH_TIME, setting } from './planning.js';
import { SendingJournal } from './sending-journal.js';
import type { OthersJournal } from './sending-statements.js';
import { settleFirstStatement, settleStatement } from '../sending/settle.js';
import type { Lease, LeasedDelivery, SettledAttempt, TakenDelivery } from './leased-delivery.js';

const FIRST: LanePosition = { tenantId: NIL_UUID, endpointId: NIL_UUID };

// One lookup by key each: `offset 0` prevents the planner from reading all ids in between for each tenant; bitmap scans
// and memoize are off. A lease lost in a server crash is equivalent to an expired one, so the commit does not wait for
// the disk.
const READING = `select ${setting({
  enable_bitmapscan: 'off',
  enable_seqscan: 'off',
  enable_memoize: 'off',
  synchronous_commit: 'off',
})}`;
const TAKE_OVER = `
    update data.webhook_queue q set lease_token = $6 from unnest($1::uuid[], $2::uuid[]) as l (tenant_id, id)
    where ${isEntry('l.tenant_id', 'l.id')} and q.lease_token = $3
    returning q.tenant_id, q.delivery_id, q.endpoint_id, q.subject_id, q.cause, q.retry`;
const KEEP = `
    select q.tenant_id, q.delivery_id, q.endpoint_id, q.subject_id, q.cause, q.retry
    from unnest($1::uuid[], $2::uuid[]) as l (tenant_id, id)
      join data.webhook_queue q on ${isEntry('l.tenant_id', 'l.id')} and q.lease_token = $3`;
const READ = (taken: string) => `
  with taken as (${taken})
  select d.tenant_id as "tenantId", d.id, d.endpoint_id as "endpointId", d.attempts, d.attempt_count as "attemptCount",
    d.generation, taken.cause, taken.retry, l.slow, taken.subject_id as "subjectId", e.id as "eventId",
    e.type as "eventType", e.schema_version as "storedVersion", d.schema_version as "schemaVersion",
    d.payload_mode as "payloadMode", d.sequence::text as sequence, e.envelope, e.traceparent, l.revision, ${TROUBLED} as troubled
  from taken
  cross join lateral (select * from data.webhook_deliveries d
    where d.tenant_id = taken.tenant_id and d.id = taken.delivery_id and d.id between $4 and $5 offset 0) d
  cross join lateral (select * from data.events e
    where e.tenant_id = d.tenant_id and e.id = d.event_id and e.id between $4 and $5 offset 0) e
  join data.webhook_lanes l on l.tenant_id = d.tenant_id and l.endpoint_id = d.endpoint_id`;

const mine = (locking: string) => `
  with mine as (
    select q.tenant_id, q.delivery_id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as l (tenant_id, id, token)
    join data.webhook_queue q on ${isEntry('l.tenant_id', 'l.id')} and q.lease_token = l.token
    ${locking})
  update data.webhook_queue q`;
const OF_MINE = `from mine where ${isEntry('mine.tenant_id', 'mine.delivery_id')}`;
// Locked rows are being settled, taken over or released, so they need no renewal.
const RENEW = `${mine('for no key update of q skip locked')} set leased_until = now() + interval '${LEASE_SECONDS} seconds'
  ${OF_MINE} returning q.delivery_id as id`;
// Waits for rows that are being renewed.
const GIVE_BACK = `${mine('for no key update of q')} set ${GIVEN_BACK} ${OF_MINE}`;
const POSTPONE = `${mine('for no key update of q')}
  set lease_token = null, leased_until = null, direct = false, due_at = now() + $4 * interval '1 millisecond' ${OF_MINE}`;

// Decides by the current state of the endpoint, and blocks enabling it meanwhile. Otherwise a delivery could stay held
// forever.
const SET_ASIDE = `
  with endpoint as (
    select id, deleted_at from data.webhook_endpoints
    where tenant_id = $1 and id = any($2::uuid[]) and (status <> 'enabled' or deleted_at is not null)
    order by id for share),
  gone as (
    delete from data.webhook_queue q using endpoint
    where q.tenant_id = $1 and q.delivery_id = any($3::uuid[]) and q.endpoint_id = endpoint.id and q.lease_token = $4
    returning q.delivery_id, endpoint.deleted_at),
  moved as (
    update data.webhook_deliveries d
    set status = case when gone.deleted_at is null then 'held' else 'skipped' end
    from gone where d.tenant_id = $1 and d.id = gone.delivery_id and d.id between $5 and $6
      and d.status in ('pending', 'retrying'))
  select delivery_id as id from gone`;

/** Columns of a delivery, without those that all deliveries have in common. */
type TakenRow = Omit<TakenDelivery, 'token' | 'direct' | 'whole' | 'unrecorded'> & { envelope: string };

/** Leased deliveries of one tenant. */
export interface TenantLeases {
  tenant: TenantFacts;
  deliveryIds: readonly string[];
}

type LeaseKey = Pick<Lease, 'tenantId' | 'id' | 'token'>;

/** The queue of deliveries and their leases. Claims span tenants and require the `system` role. */
@Injectable()
export class DeliveryRepository {
  private after = FIRST;

  constructor(
    private readonly database: Database,
    private readonly endpoints: EndpointMemory,
    private readonly journal: SendingJournal,
  ) {}

  /** Leases due deliveries under `token`, within `room`. Each call continues with the next endpoints. */
  async claim(room: Room, token: string): Promise<Lease[]> {
    const rows = await this.database.acrossTenants(async (transaction) => {
      transaction.write(CLAIMING);
      const others = await transaction.query<OthersJournal>(this.journal.others(null));
      const sending = await this.journal.all(transaction, null, others);
      return transaction.query<Omit<Lease, 'id' | 'token' | 'direct'> & { id: string | null }>(
        claimStatement(this.after, room, token, sending),
      );
    });
    const leases: Lease[] = [];
    this.after = FIRST;
    for (const row of rows)
      if (row.id !== null) leases.push({ ...row, id: row.id, token, direct: false });
      else this.after = { tenantId: row.tenantId, endpointId: row.endpointId };
    return leases;
  }

  /** The leases under `token`, for its holder or, with a `newToken`, moved to a new one. Lost leases are missing. */
  async take(parts: readonly TenantLeases[], token: string, newToken: string | null): Promise<LeasedDelivery[]> {
    const ids = parts.flatMap(({ deliveryIds }) => deliveryIds);
    if (ids.length === 0) return [];
    const tenantIds = parts.flatMap(({ tenant, deliveryIds }) => deliveryIds.map(() => tenant.id));
    const values = [tenantIds, ids, token, ...timesOf(ids)];
    const taking =
      newToken === null ? statement(READ(KEEP), values) : statement(READ(TAKE_OVER), [...values, newToken]);
    const [, , taken] = await this.database.system([statement(READING), PLAN_EACH_TIME, taking]);
    const rows = taken!.rows as unknown as TakenRow[]; // columns are named like the members
    return this.withEndpoints(
      rows.map(({ envelope, ...row }) => ({
        ...row,
        token: newToken ?? token,
        direct: false,
        whole: wireBytes(envelope, row.sequence),
        unrecorded: null,
      })),
      new Map(parts.map(({ tenant }) => [tenant.id, tenant])),
    );
  }

  /**
   * Adds the current endpoints to deliveries of these tenants. Deliveries whose endpoint does not exist are missing.
   */
  async withEndpoints(
    taken: readonly TakenDelivery[],
    tenants: ReadonlyMap<string, TenantFacts>,
  ): Promise<LeasedDelivery[]> {
    const endpoints = await this.endpoints.find(
      taken.map(({ tenantId, endpointId, revision }) => ({ tenant: tenants.get(tenantId)!, endpointId, revision })),
    );
    const leased: LeasedDelivery[] = [];
    for (const each of taken) {
      const endpoint = endpoints.get(each.endpointId);
      if (endpoint) leased.push(withEndpoint(each, endpoint));
    }
    return leased;
  }

  /**
   * Renews leases in one statement. Returns the ids of those still held. A delivery without a row needs no renewal: it
   * gets a row with a lease before its note expires.
   */
  async renew(leases: readonly LeaseKey[]): Promise<Set<string>> {
    const entries = leases.filter((lease) => !this.journal.has(lease));
    if (entries.length === 0) return new Set();
    const [, answer] = await this.database.system([BY_KEY, statement(RENEW, columnsOf(entries))]);
    return new Set(answer!.rows.map((row) => String(row['id'])));
  }

  /** Releases leases without an attempt. The deliveries are due at once, in their previous positions. */
  async giveBack(leases: readonly LeaseKey[]): Promise<void> {
    if (leases.length > 0) await this.database.system([BY_KEY, statement(GIVE_BACK, columnsOf(leases))]);
  }

  /** Releases a lease without an attempt. The delivery is due after a pause; a row is created for it if it has none. */
  async postpone(delivery: LeasedDelivery, pauseMs: number): Promise<void> {
    await this.journal.record([delivery]);
    await this.database.system([BY_KEY, statement(POSTPONE, [...columnsOf([delivery]), pauseMs])]);
  }

  /**
   * Holds deliveries whose endpoint is paused or disabled, and skips those whose endpoint is deleted, for the current
   * tenant. They are leased under one token. Returns their ids; the endpoints of the others accept deliveries again.
   */
  async setAside(deliveries: readonly Lease[]): Promise<Set<string>> {
    const endpointIds = [...new Set(deliveries.map(({ endpointId }) => endpointId))];
    const ids = deliveries.map(({ id }) => id);
    const values = [currentTenant().id, endpointIds, ids, deliveries[0]!.token, ...spanOf(ids)];
    const [answer] = await this.database.aside([statement(SET_ASIDE, values)]);
    return new Set(answer!.rows.map((row) => String(row['id'])));
  }

  /**
   * Records attempts and their outcomes. Returns how many leases were still held.
   * @param onSent called when the statements are on their way to the database
   */
  async settle(attempts: readonly SettledAttempt[], onSent: () => void): Promise<number> {
    const failed = attempts.filter(({ status }) => status !== 'delivered');
    await this.journal.record(failed.map(({ delivery }) => delivery));
    const [first, leased] = this.split(attempts);
    const settling = leased.length > 0 ? settlingOf(leased) : [];
    const write = async (mayHaveRows: boolean): Promise<Answer[]> => {
      const making = first.length > 0 ? [settleFirstStatement(first, mayHaveRows)] : [];
      const [answers] = await this.database.severally([{ tenant: null, statements: [...making, ...settling] }], onSent);
      return answers!;
    };
    const answers = await write(false).catch((error: unknown) => {
      if (brokenUnique(error) === null) throw error;
      return write(true); // some may have rows already
    });
    const made = first.length > 0 ? answers[0]! : { rows: [], count: 0 };
    let held = made.count + (leased.length > 0 ? answers.slice(-settling.length)[1]!.count : 0);
    if (made.count < first.length) {
      const ids = new Set(made.rows.map((row) => String(row['id'])));
      const others = first.filter(({ delivery }) => !ids.has(delivery.id)); // they may be leased
      const [settled] = await this.database.severally([{ tenant: null, statements: settlingOf(others) }]);
      held += settled![1]!.count;
    }
    this.journal.recorded(attempts.map(({ delivery }) => delivery));
    return held;
  }

  /**
   * Separates attempts of deliveries without rows from the others. The former are grouped by tenant, because a tenant's
   * rows go to the same index pages.
   */
  private split(attempts: readonly SettledAttempt[]): [first: SettledAttempt[], leased: SettledAttempt[]] {
    const first = new Map<string, SettledAttempt[]>();
    const leased: SettledAttempt[] = [];
    for (const attempt of attempts) {
      const { tenantId } = attempt.delivery;
      const own = first.get(tenantId);
      if (!this.journal.has(attempt.delivery)) leased.push(attempt);
      else if (own) own.push(attempt);
      else first.set(tenantId, [attempt]);
    }
    return [[...first.values()].flat(), leased];
  }
}

/** The same object: see {@link TakenDelivery}. */
function withEndpoint(taken: TakenDelivery, endpoint: EndpointSettings): LeasedDelivery {
  const leased = taken as LeasedDelivery;
  leased.endpoint = endpoint;
  return leased;
}

function settlingOf(attempts: readonly SettledAttempt[]): Statement[] {
  const deliveries = attempts.map(({ delivery }) => delivery);
  const ordered = deliveries.filter(({ endpoint }) => endpoint.ordering === 'per_resource');
  const moving = ordered.length > 0 ? [ALONG_INDEX, moveOn(ordered)] : [];
  return [BY_KEY, settleStatement(attempts, ...spanOf(deliveries.map(({ id }) => id))), ...moving];
}

function columnsOf(leases: readonly LeaseKey[]): string[][] {
  return [leases.map(({ tenantId }) => tenantId), leases.map(({ id }) => id), leases.map(({ token }) => token)];
}
