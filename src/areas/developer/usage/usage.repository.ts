import { Injectable } from '@nestjs/common';
import type { RateClass } from '#libs/accounting/request-counts.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const SUM = `
  select date, rate_class as "rateClass", sum(counted)::bigint as requests, sum(refused)::bigint as refused,
    sum(errors)::bigint as errors
  from data.request_days where tenant_id = $1 and date between $2 and $3 group by date, rate_class`;

/** What a tenant did on one day in one class, through all processes. */
export interface DayRow {
  date: string;
  rateClass: RateClass;
  requests: number;
  refused: number;
  errors: number;
}

@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /** Days without requests are missing. */
  days(from: string, to: string): Promise<DayRow[]> {
    return this.database.read<DayRow>(statement(SUM, [currentTenant().id, from, to]));
  }
}
