import { id, instant, oneOf } from '#libs/http/field.js';
import { filter, type ListOptions } from '#libs/resource/lists/list-query.js';
import { CLOSED } from './handoff.lifecycle.js';
import { HANDOFF_STATUSES } from './handoff.parts.js';

/** SQL of whether a handoff `t` is neither completed nor cancelled. */
export const IS_OPEN = `t.status not in (${CLOSED.map((status) => `'${status}'`).join(', ')})`;
/** SQL of `overdue`. */
export const OVERDUE = `coalesce(${IS_OPEN} and t.due_at < :now, false)`;

export const handoffList: ListOptions = {
  filters: {
    status: filter.exact(oneOf(HANDOFF_STATUSES)),
    dealId: filter.exact(id()),
    accountId: filter.exact(id(), true),
    ownerId: { ...filter.member(true), sql: 't.owner_id' },
    deliveryOwnerId: filter.member(true),
    overdue: filter.condition(OVERDUE),
    name: filter.text(200),
    createdAt: filter.ordered(instant()),
    dueAt: filter.ordered(instant(), true),
  },
  sorts: ['createdAt', 'dueAt', 'name'],
  defaultSort: '-createdAt',
};
