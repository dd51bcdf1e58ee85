import { DAY_SECONDS } from '../days.js';

/** Health as computed by the platform from dates, milestones and budget. */
export const COMPUTED_HEALTH = ['on_track', 'at_risk', 'off_track'] as const;
export type ComputedHealth = (typeof COMPUTED_HEALTH)[number];

const TODAY = `(:now at time zone 'UTC')::date`;
const OFF_TRACK = `t.off_track_on <= ${TODAY}`;
const AT_RISK = `t.at_risk_on <= ${TODAY}`;

/**
 * SQL filter by `healthComputed` over the row `t`. A trigger stores the dates from which a project is at risk and off
 * track, so an index can serve the filter.
 */
export const HEALTH_SQL = `((${OFF_TRACK} and 'off_track' = any(:values))
  or (not ${OFF_TRACK} and ${AT_RISK} and 'at_risk' = any(:values))
  or (not ${OFF_TRACK} and not ${AT_RISK} and 'on_track' = any(:values)))`;

/** SQL of the projects under delivery control: open ones that came from a handoff, have an account or are billable. */
export const CONTROLLED_SQL = `((t.handoff_id is not null or t.account_id is not null or t.billing_model <> 'none')
  and t.status in ('planned', 'active', 'on_hold') and t.archived_at is null and t.deleted_at is null)`;

/** SQL of `isOverdue`. The first date comparison is redundant but lets an index serve the filter. */
export const OVERDUE_SQL = `(t.status in ('planned', 'active', 'on_hold') and t.target_date is not null
  and t.target_date < ${TODAY} and t.target_date + (t.held_seconds / ${DAY_SECONDS})::integer
    < (coalesce(t.held_at, :now) at time zone 'UTC')::date)`;

/** SQL of the money that counts as spent of the budget of `t`; see `budgetUsedPercent`. */
export const USED_MINOR_SQL = 'data.project_used_minor(t.billing_model, t.spent_minor, t.invoiced_minor)';

/** SQL: `t` has used more than its budget of money or of minutes. */
export const OVER_BUDGET_SQL = `data.project_exceeds(100, t.billing_model, ${USED_MINOR_SQL}, t.budget_minor, t.spent_minutes,
  t.budget_minutes)`;

/** SQL of the projects that have any of the values as members. */
export const MEMBER_SQL = `exists (select 1 from data.work_project_members m
  where m.tenant_id = t.tenant_id and m.project_id = t.id and m.member_id = any(:values))`;
