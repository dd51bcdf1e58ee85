import { statement, type Statement } from '#libs/database/statement.js';
import { CLOSED, LANE_CAP, LEASING, TENANT_CAP, UNLEASED } from '../leases/claim.js';
import type { Match } from '../relay/fan-out.js';
import { TROUBLED } from './lane-health.repository.js';
import { busyOf, claimsOf, keptOf } from '../leases/lease-owner.js';
import { ANY_WAY, BY_HASH } from '../leases/planning.js';
import type { Sending } from '../leases/sending-journal.js';

/**
 * SQL: the table `open` with the endpoints of the table `wanted` that are healthy (not slow, no open breaker, no rate
 * limit) and have no overdue deliveries. `room` is how many may be leased for each, `tenant_room` for its tenant. A
 * claim would lease new deliveries for them next. Uses `kept` and `sending` of these tenants. Lookups by key are
 * lateral with `offset 0`; no join is a nested loop over lists.
 */
export const openOf = (sending: string) => `
  claims as (${claimsOf('wanted')}),
  kept as materialized (${keptOf('claims')}),
  sending as (${sending}),
  busy as (${busyOf('wanted')}),
  open as materialized (
    select busy.tenant_id, busy.endpoint_id, l.revision, l.troubled, l.cap - busy.entries as room,
      ${TENANT_CAP} - busy.of_tenant as tenant_room
    from busy
      cross join lateral (select l.*, ${LANE_CAP} as cap, ${TROUBLED} as troubled, ${CLOSED} as closed
        from data.webhook_lanes l
        where l.tenant_id = busy.tenant_id and l.endpoint_id = busy.endpoint_id offset 0) l
      cross join lateral (select plan, is_served from directory.tenants t where t.id = busy.tenant_id offset 0) t
    where is_looked_at and not (is_sending and l.ordering = 'per_resource')
      and not l.slow and not l.closed and l.openings = 0 and l.max_per_second is null
      and not exists (select 1 from (values (false), (true)) kind (retry), lateral (
        select 1 from data.webhook_queue q
        where q.tenant_id = busy.tenant_id and q.endpoint_id = busy.endpoint_id and q.retry = kind.retry
          and not q.direct and q.due_at <= now() and ${UNLEASED}
        order by q.due_at limit 1) waiting))`;

// The reader adds deliveries without rows.
const OPEN_LANES = `
  with wanted as materialized (
    select l.tenant_id, l.endpoint_id from unnest($1::uuid[]) as w (tenant_id) cross join lateral (
      select * from data.webhook_lanes l where l.tenant_id = w.tenant_id and l.ordering = 'none' offset 0) l),
  ${openOf(`select tenant_id, endpoint_id, null::uuid as delivery_id from wanted where false`)}
  select tenant_id as "tenantId", endpoint_id as "endpointId", revision, room, tenant_room as "tenantRoom", now() as at
  from open where not troubled`;

/** An endpoint to which first attempts can be sent directly. */
export interface OpenLane {
  tenantId: string;
  endpointId: string;
  revision: number;
  /** Number of deliveries that may be started for the endpoint. */
  room: number;
  /** The same for its tenant. */
  tenantRoom: number;
  /** When this was read. */
  at: string;
}

/** Acquires the lease lock, and returns the {@link OpenLane}s of these tenants as the second to last result. */
export function openLanes(tenantIds: readonly string[]): Statement[] {
  return [LEASING, BY_HASH, statement(OPEN_LANES, [tenantIds]), ANY_WAY];
}

/**
 * The matches that can be sent directly, within the limits of their endpoints, their tenants and the process: round
 * robin over tenants, within a tenant over endpoints, within an endpoint in the order of events.
 * @param sending deliveries without rows, which also count towards the limits
 */
export function chooseOpen<M extends Match>(
  found: readonly M[],
  lanes: readonly OpenLane[],
  sending: readonly Sending[],
  most: number,
): { match: M; lane: OpenLane }[] {
  const rooms = new Map(lanes.map((lane) => [lane.endpointId, { lane, room: lane.room, taken: 0 }]));
  const tenantRooms = new Map(lanes.map(({ tenantId, tenantRoom }) => [tenantId, tenantRoom]));
  for (const { tenantId, endpointId } of sending) {
    const own = rooms.get(endpointId);
    if (own) own.room--;
    tenantRooms.set(tenantId, (tenantRooms.get(tenantId) ?? 0) - 1);
  }
  const inLane = found.flatMap((match) => {
    const own = rooms.get(match.endpoint.id);
    if (!own || own.taken >= own.room) return [];
    return [{ match, lane: own.lane, turn: own.taken++ }];
  });
  const turns = new Map<string, number>();
  const inTenant = inLane
    .toSorted((one, other) => one.turn - other.turn)
    .flatMap(({ match, lane }) => {
      const turn = turns.get(match.tenantId) ?? 0;
      if (turn >= tenantRooms.get(match.tenantId)!) return [];
      turns.set(match.tenantId, turn + 1);
      return [{ match, lane, turn }];
    });
  if (inTenant.length <= most) return inTenant;
  return inTenant.toSorted((one, other) => one.turn - other.turn).slice(0, most);
}
