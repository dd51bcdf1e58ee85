import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { TimeOffType } from '../half-days.js';

const TERMS = `select type, accrual, half_days_per_year as "halfDaysPerYear", carry_over_half_days as "carryOverHalfDays",
    negative_half_days as "negativeHalfDays", extract(year from created_at)::integer as "sinceYear"
  from data.people_time_off_policies where tenant_id = $1 and deleted_at is null order by type`;

/** The terms of a policy. */
export interface Terms {
  type: TimeOffType;
  accrual: 'monthly' | 'yearly';
  halfDaysPerYear: number;
  carryOverHalfDays: number;
  negativeHalfDays: number;
  /** First year in which it applies. */
  sinceYear: number;
}

/** The {@link Terms} of all policies of the tenant: at most one for each type. */
export const allTerms = (): Statement => statement(TERMS, [currentTenant().id]);
