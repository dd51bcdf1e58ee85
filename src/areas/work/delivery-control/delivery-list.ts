import { civilDate, id, oneOf } from '#libs/http/field.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { CONTROLLED_SQL } from '../projects/project.filters.js';
import { HEALTH } from '../projects/project.parts.js';
import { CONTROL_STATE_SQL, CONTROL_STATES } from './delivery-control.js';

const STALE_DAYS = 14;
/** SQL of whether the health of an active project was not reported for two weeks. */
const STALE = `(t.status = 'active' and coalesce(t.health_updated_at, t.created_at) < :now - interval '${STALE_DAYS} days')`;

/** Must agree with the filter `stale`. */
export function isStale(
  row: { status: string; healthUpdatedAt: string | null; createdAt: string },
  now: string,
): boolean {
  const since = row.healthUpdatedAt ?? row.createdAt;
  return row.status === 'active' && Date.parse(now) - Date.parse(since) > STALE_DAYS * DAY_MS;
}

/** Projects under delivery control: open ones that came from a handoff, have an account or are billable. */
export const portfolio: Guard = () => CONTROLLED_SQL;

const plain = { operators: ['eq'] } as const;

export const deliveryList: ListOptions = {
  filters: {
    controlState: { ...plain, kind: oneOf(CONTROL_STATES), sql: CONTROL_STATE_SQL },
    health: { ...plain, kind: oneOf(HEALTH), sql: 't.health_word' },
    ownerId: { ...filter.member(), ...plain },
    accountId: { ...plain, kind: id() },
    workspaceId: { ...plain, kind: id() },
    dueBefore: filter.plain(civilDate(), 'lt', 't.target_date'),
    stale: filter.condition(STALE),
  },
  sorts: ['targetDate', 'name', 'health', 'priority', 'progressPercent', 'updatedAt'],
  defaultSort: 'targetDate',
};

export const DeliveryQuery = listQuery('DeliveryQuery', deliveryList);
