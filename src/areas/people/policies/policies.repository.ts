import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { TimeOffType } from '../half-days.js';
import { Policy } from './policy.entity.js';

const TERMS = `select type, accrual, half_days_per_year as "halfDaysPerYear", carry_over_half_days as "carryOverHalfDays",
    negative_half_days as "negativeHalfDays", extract(year from created_at)::integer as "sinceYear"
  from data.people_time_off_policies where tenant_id = $1 and deleted_at is null order by type`;

/** What a policy grants. */
export interface Terms {
  type: TimeOffType;
  accrual: 'monthly' | 'yearly';
  halfDaysPerYear: number;
  carryOverHalfDays: number;
  negativeHalfDays: number;
  /** First year that it counts for. */
  sinceYear: number;
}

@Injectable()
export class PoliciesRepository extends ResourceRepository<Policy> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Policy);
  }

  /** The terms of all policies of the tenant: at most one for each type. */
  terms(): Promise<Terms[]> {
    return this.database.read<Terms>(statement(TERMS, [currentTenant().id]));
  }
}
