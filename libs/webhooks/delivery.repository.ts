import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** How long a lease lasts without being renewed: what the death of a worker costs at most. */
export const LEASE_SECONDS = 6;
/** Deliveries of one endpoint, and of one tenant, that are being worked on at a time over all workers. */
export const ENDPOINT_CAP = 10;
export const TENANT_CAP = 20;

/** Endpoints that one claim looks at. */
const LANES = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/*
 * Purpose: lease what is due, fairly. Order: in turn from tenant to tenant, in a tenant from endpoint to endpoint, in an
 * endpoint the longest due first. Hops over webhook_deliveries_due_idx from endpoint to endpoint, so that the backlog of
 * one costs the others nothing; what is leased already counts against the caps (webhook_deliveries_leased_idx). Claims
 * that run at once may exceed a cap by each other's rows. A lease that has run out is due again.
 */
const CLAIM = `
  with recursive lane (tenant_id, endpoint_id) as (
    (select tenant_id, endpoint_id from data.webhook_deliveries
      where due_at is not null and (tenant_id, endpoint_id) > ($1::uuid, $2::uuid)
      order by tenant_id, endpoint_id limit 1)
    union all
    select next.tenant_id, next.endpoint_id from lane, lateral (
      select d.tenant_id, d.endpoint_id from data.webhook_deliveries d
      where d.due_at is not null and (d.tenant_id, d.endpoint_id) > (lane.tenant_id, lane.endpoint_id)
      order by d.tenant_id, d.endpoint_id limit 1) next),
  lanes as materialized (select tenant_id, endpoint_id from lane limit ${LANES}),
  leased as materialized (
    select tenant_id, endpoint_id, count(*) as deliveries from data.webhook_deliveries
    where status = 'in_flight' and due_at > now() group by tenant_id, endpoint_id),
  busy as (select tenant_id, sum(deliveries) as deliveries from leased group by tenant_id),
  due as materialized (
    select lanes.tenant_id, lanes.endpoint_id, d.id, d.due_at
    from lanes left join leased using (tenant_id, endpoint_id), lateral (
      select id, due_at from data.webhook_deliveries
      where tenant_id = lanes.tenant_id and endpoint_id = lanes.endpoint_id and due_at <= now()
      order by due_at limit greatest(${ENDPOINT_CAP} - coalesce(leased.deliveries, 0), 0)
      for no key update skip locked) d),
  turns as (
    select *, row_number() over (partition by tenant_id, endpoint_id order by due_at) as turn from due),
  ranked as (
    select *, row_number() over (partition by tenant_id order by turn, due_at) as rank from turns),
  chosen as (
    select tenant_id, id from ranked left join busy using (tenant_id)
    where rank <= ${TENANT_CAP} - coalesce(busy.deliveries, 0) order by rank, due_at limit $3),
  claimed as (
    update data.webhook_deliveries d
    set status = 'in_flight', lease_token = $4, due_at = now() + interval '${LEASE_SECONDS} seconds'
    from chosen where d.tenant_id = chosen.tenant_id and d.id = chosen.id
    returning d.tenant_id, d.id)
  select tenant_id, id, null::uuid as endpoint_id from claimed
  union all
  (select tenant_id, null, endpoint_id from lanes order by tenant_id, endpoint_id offset ${LANES - 1})`;

const TAKE_OVER = `
  with taken as (
    update data.webhook_deliveries set lease_token = $4
    where tenant_id = $1 and id = any($2::uuid[]) and lease_token = $3
    returning id, event_id, endpoint_id, attempts)
  select taken.id, taken.endpoint_id as "endpointId", taken.attempts, e.id as "eventId", e.type as "eventType",
    e.schema_version as "schemaVersion", e.sequence::text as sequence, e.envelope, p.url, p.timeout_ms as "timeoutMs",
    p.secret_sealed as "secretSealed",
    case when p.previous_secret_expires_at > now() then p.previous_secret_sealed end as "previousSecretSealed",
    p.status = 'enabled' and p.deleted_at is null as open
  from taken
  join data.events e on e.tenant_id = $1 and e.id = taken.event_id
  join data.webhook_endpoints p on p.tenant_id = $1 and p.id = taken.endpoint_id`;

// Rows that somebody else has locked are being settled or taken over: then there is nothing to renew.
const RENEW = `
  with mine as (
    select d.tenant_id, d.id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as l (tenant_id, id, token)
    join data.webhook_deliveries d on d.tenant_id = l.tenant_id and d.id = l.id and d.lease_token = l.token
    for no key update of d skip locked)
  update data.webhook_deliveries d set due_at = now() + interval '${LEASE_SECONDS} seconds'
  from mine where d.tenant_id = mine.tenant_id and d.id = mine.id returning d.id`;

const GIVE_BACK = `
  with mine as (
    select d.tenant_id, d.id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as l (tenant_id, id, token)
    join data.webhook_deliveries d on d.tenant_id = l.tenant_id and d.id = l.id and d.lease_token = l.token
    for no key update of d skip locked)
  update data.webhook_deliveries d
  set status = case d.attempts when 0 then 'pending' else 'retrying' end, due_at = now(), lease_token = null
  from mine where d.tenant_id = mine.tenant_id and d.id = mine.id`;

// Decides by the endpoint as it is now, and makes whoever enables it wait, so that nothing is held for ever.
const SET_ASIDE = `
  with endpoint as (
    select id, deleted_at from data.webhook_endpoints
    where tenant_id = $1 and id = any($2::uuid[]) and (status <> 'enabled' or deleted_at is not null)
    order by id for share)
  update data.webhook_deliveries d
  set status = case when endpoint.deleted_at is null then 'held' else 'skipped' end, due_at = null, lease_token = null
  from endpoint
  where d.tenant_id = $1 and d.id = any($3::uuid[]) and d.endpoint_id = endpoint.id and d.lease_token = $4
  returning d.id`;

// A delivery whose lease was lost is left alone, and its attempt is not recorded.
const SETTLE = `
  with result as (
    select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::uuid[], $7::timestamptz[], $8::integer[],
      $9::integer[], $10::text[], $11::text[], $12::text[]) as r (id, token, status, pause_ms, attempt_id, started_at,
      duration_ms, http_status, error, error_detail, response_excerpt)),
  settled as (
    update data.webhook_deliveries d
    set status = r.status, attempts = d.attempts + 1, lease_token = null,
        due_at = now() + r.pause_ms * interval '1 millisecond',
        delivered_at = case r.status when 'delivered' then now() end
    from result r where d.tenant_id = $1 and d.id = r.id and d.lease_token = r.token
    returning d.id, d.attempts),
  logged as (
    insert into data.webhook_attempts (tenant_id, id, delivery_id, number, started_at, duration_ms, http_status, error,
      error_detail, response_excerpt)
    select $1, r.attempt_id, s.id, s.attempts, r.started_at, r.duration_ms, r.http_status, r.error, r.error_detail,
      r.response_excerpt
    from settled s join result r on r.id = s.id)
  select id from settled`;

/** A lease on a delivery: `token` changes whenever it goes to another holder, and only its holder may settle. */
export interface Lease {
  tenantId: string;
  id: string;
  token: string;
}

/** What is needed to attempt a delivery, as it was when the lease was taken over. */
export interface LeasedDelivery {
  id: string;
  endpointId: string;
  /** Made so far. */
  attempts: number;
  eventId: string;
  eventType: string;
  schemaVersion: number;
  sequence: string;
  envelope: string;
  url: string;
  timeoutMs: number;
  secretSealed: string;
  /** Null when there is none that is still valid. */
  previousSecretSealed: string | null;
  /** Whether the endpoint takes deliveries. */
  open: boolean;
}

/** What became of an attempt. */
export interface SettledAttempt {
  id: string;
  token: string;
  status: 'delivered' | 'retrying' | 'exhausted' | 'held';
  /** Until the next attempt, for `retrying`. */
  pauseMs: number | null;
  attemptId: string;
  startedAt: string;
  durationMs: number;
  httpStatus: number | null;
  error: string | null;
  errorDetail: string | null;
  responseExcerpt: string | null;
}

/** The queue of deliveries: who works on what. Claims span tenants and need the `system` role. */
@Injectable()
export class DeliveryRepository {
  private after: [tenantId: string, endpointId: string] = [FIRST_ID, FIRST_ID];

  constructor(private readonly database: Database) {}

  /** Leases up to `limit` due deliveries under `token`. Looks at the endpoints in turn, the next ones with each call. */
  async claim(limit: number, token: string): Promise<Lease[]> {
    const [answer] = await this.database.system([statement(CLAIM, [...this.after, limit, token])]);
    const rows = answer!.rows as { tenant_id: string; id: string | null; endpoint_id: string | null }[];
    const last = rows.find((row) => row.endpoint_id !== null);
    this.after = last ? [last.tenant_id, last.endpoint_id!] : [FIRST_ID, FIRST_ID];
    return rows.flatMap(({ tenant_id: tenantId, id }) => (id === null ? [] : [{ tenantId, id, token }]));
  }

  /** Moves leases of the tenant in scope to a new holder; those that were lost meanwhile are missing in the answer. */
  async takeOver(ids: readonly string[], token: string, newToken: string): Promise<LeasedDelivery[]> {
    const values = [currentTenant().id, ids, token, newToken];
    const [answer] = await this.database.aside([statement(TAKE_OVER, values)]);
    return answer!.rows as unknown as LeasedDelivery[]; // the columns are named as the members
  }

  /** Renews leases in one statement; answers the ids of those that are still held. */
  async renew(leases: readonly Lease[]): Promise<Set<string>> {
    const [answer] = await this.database.system([statement(RENEW, columnsOf(leases))]);
    return new Set(answer!.rows.map((row) => String(row['id'])));
  }

  /** Ends leases without an attempt; the deliveries are due at once. */
  async giveBack(leases: readonly Lease[]): Promise<void> {
    if (leases.length > 0) await this.database.system([statement(GIVE_BACK, columnsOf(leases))]);
  }

  /**
   * Holds deliveries whose endpoint is paused or disabled, skips those whose endpoint is deleted, for the tenant in scope.
   * Answers the ids of these; the endpoints of the others take deliveries again.
   */
  async setAside(deliveries: readonly { id: string; endpointId: string }[], token: string): Promise<Set<string>> {
    const endpointIds = [...new Set(deliveries.map(({ endpointId }) => endpointId))];
    const values = [currentTenant().id, endpointIds, deliveries.map(({ id }) => id), token];
    const [answer] = await this.database.aside([statement(SET_ASIDE, values)]);
    return new Set(answer!.rows.map((row) => String(row['id'])));
  }

  /** Records attempts and what became of the deliveries of the tenant in scope; answers the ids whose lease still held. */
  async settle(attempts: readonly SettledAttempt[]): Promise<Set<string>> {
    const column = <K extends keyof SettledAttempt>(name: K) => attempts.map((attempt) => attempt[name]);
    const [answer] = await this.database.aside([
      statement(SETTLE, [
        currentTenant().id,
        column('id'),
        column('token'),
        column('status'),
        column('pauseMs'),
        column('attemptId'),
        column('startedAt'),
        column('durationMs'),
        column('httpStatus'),
        column('error'),
        column('errorDetail'),
        column('responseExcerpt'),
      ]),
    ]);
    return new Set(answer!.rows.map((row) => String(row['id'])));
  }
}

function columnsOf(leases: readonly Lease[]): string[][] {
  return [leases.map(({ tenantId }) => tenantId), leases.map(({ id }) => id), leases.map(({ token }) => token)];
}
