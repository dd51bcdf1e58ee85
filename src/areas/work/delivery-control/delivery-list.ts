import { civilDate, id, oneOf } from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { CONTROLLED_SQL } from '../projects/project.filters.js';
import { HEALTH } from '../projects/project.parts.js';
import { CONTROL_STATE_SQL, CONTROL_STATES } from './delivery-control.js';

/** SQL of whether the health of an active project `t` was not reported for two weeks. */
export const STALE = `(t.status = 'active' and coalesce(t.health_updated_at, t.created_at) < :now - interval '14 days')`;

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
