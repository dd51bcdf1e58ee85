import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { DISABLE_ATTEMPTS, DISABLE_MS, type LaneHealth, WARNINGS_MS } from './lane-health.js';

/** Lanes per search for due ones. */
export const DUE_PAGE = 200;

/** Whether even good outcomes of the lane `l` must be written; returned as `isTroubled` with a lease. */
export const TROUBLED = `(l.open_until is not null or l.window_started_at is not null or l.failing_since is not null
  or cardinality(l.recent_ms) > 0)`;

const COLUMNS = `l.endpoint_id as "endpointId", l.open_until as "openUntil", l.openings,
  l.consecutive_failures as "consecutiveFailures", l.window_started_at as "windowStartedAt",
  l.window_attempts as "windowAttempts", l.window_failures as "windowFailures", l.failing_since as "failingSince",
  l.failed_attempts as "failedAttempts", l.warnings, l.last_failure_at as "lastFailureAt", l.recent_ms as "recentMs", l.slow`;
// Uses the database clock, with which the claim compares `open_until`.
const LOCK = `
  select ${COLUMNS}, l.last_success_at as "lastSuccessAt", clock_timestamp() as now
  from data.webhook_lanes l where l.tenant_id = $1 and l.endpoint_id = $2 for no key update`;
// In a healthy lane, successes are only counted, per minute.
const READ = `
  select ${COLUMNS}, greatest(l.last_success_at, delivered.minute) as "lastSuccessAt"
  from data.webhook_lanes l left join lateral (
    select s.minute from data.webhook_stats s
    where s.tenant_id = l.tenant_id and s.endpoint_id = l.endpoint_id and s.delivered > 0
    order by s.minute desc limit 1) delivered on true
  where l.tenant_id = $1 and l.endpoint_id = any($2::uuid[])`;
const SAVE = `
  update data.webhook_lanes set open_until = $3, openings = $4, consecutive_failures = $5, window_started_at = $6,
    window_attempts = $7, window_failures = $8, failing_since = $9, failed_attempts = $10, warnings = $11,
    last_success_at = $12, last_failure_at = $13, recent_ms = $14, slow = $15
  where tenant_id = $1 and endpoint_id = $2`;
const RESET = `
  update data.webhook_lanes set open_until = null, openings = 0, consecutive_failures = 0, window_started_at = null,
    window_attempts = 0, window_failures = 0, failing_since = null, failed_attempts = 0, warnings = 0, recent_ms = '{}',
    slow = false
  where tenant_id = $1 and endpoint_id = $2`;
// Uses webhook_lanes_failing_idx. $3 lists the instants before which a lane must have started to fail for the step
// after 0, 1, ... warnings.
const DUE = `
  select tenant_id as "tenantId", endpoint_id as "endpointId" from data.webhook_lanes
  where failing_since is not null and (tenant_id, endpoint_id) > ($1::uuid, $2::uuid)
    and failing_since <= ($3::timestamptz[])[warnings + 1]
    and (warnings < ${WARNINGS_MS.length} or failed_attempts >= ${DISABLE_ATTEMPTS})
  order by tenant_id, endpoint_id limit ${DUE_PAGE}`;

/** A lane as returned by {@link readLanes}: instants as text, the rest as in {@link LaneHealth}. */
export interface LaneRow extends Pick<
  LaneHealth,
  | 'openings'
  | 'consecutiveFailures'
  | 'windowAttempts'
  | 'windowFailures'
  | 'failedAttempts'
  | 'warnings'
  | 'recentMs'
  | 'slow'
> {
  endpointId: string;
  openUntil: string | null;
  windowStartedAt: string | null;
  failingSince: string | null;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
}

/** Identifies an endpoint of a tenant. */
export interface LaneKey {
  tenantId: string;
  endpointId: string;
}

/** The health of endpoints for display, one {@link LaneRow} each. */
export function readLanes(tenantId: string, endpointIds: readonly string[]): Statement {
  return statement(READ, [tenantId, endpointIds]);
}

/** Resets the health of an endpoint. Commit together with enabling it. */
export function resetLane(tenantId: string, endpointId: string): Statement {
  return statement(RESET, [tenantId, endpointId]);
}

/** Statement that stores the health of an endpoint whose lane is locked. */
export function saveLane(tenantId: string, endpointId: string, health: LaneHealth): Statement {
  return statement(SAVE, [
    tenantId,
    endpointId,
    instant(health.openUntilMs),
    health.openings,
    health.consecutiveFailures,
    instant(health.windowStartedAtMs),
    health.windowAttempts,
    health.windowFailures,
    instant(health.failingSinceMs),
    health.failedAttempts,
    health.warnings,
    instant(health.lastSuccessAtMs),
    instant(health.lastFailureAtMs),
    health.recentMs,
    health.slow,
  ]);
}

export function laneHealthOf(row: LaneRow): LaneHealth {
  const { endpointId: _e, openUntil, windowStartedAt, failingSince, lastSuccessAt, lastFailureAt, ...same } = row;
  return {
    ...same,
    openUntilMs: milliseconds(openUntil),
    windowStartedAtMs: milliseconds(windowStartedAt),
    failingSinceMs: milliseconds(failingSince),
    lastSuccessAtMs: milliseconds(lastSuccessAt),
    lastFailureAtMs: milliseconds(lastFailureAt),
  };
}

@Injectable()
export class LaneHealthRepository {
  constructor(private readonly database: Database) {}

  /**
   * The health of an endpoint of the current tenant, with its lane locked, and the database time; null if it does not
   * exist.
   */
  async lock(transaction: Transaction, endpointId: string): Promise<{ health: LaneHealth; nowMs: number } | null> {
    const query = statement(LOCK, [currentTenant().id, endpointId]);
    const [found] = await transaction.query<LaneRow & { now: string }>(query);
    if (!found) return null;
    const { now, ...row } = found;
    return { health: laneHealthOf(row), nowMs: Date.parse(now) };
  }

  /**
   * The next {@link DUE_PAGE} failing endpoints of all tenants that are due for a warning or for disabling. Requires
   * the `system` role.
   */
  async due({ tenantId, endpointId }: LaneKey, nowMs: number): Promise<LaneKey[]> {
    const since = [...WARNINGS_MS, DISABLE_MS].map((ms) => new Date(nowMs - ms).toISOString());
    return this.database.systemRead<LaneKey>(statement(DUE, [tenantId, endpointId, since]));
  }
}

function milliseconds(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant);
}

function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
