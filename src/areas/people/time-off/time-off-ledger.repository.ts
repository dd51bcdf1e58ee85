import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { TimeOffType } from '../half-days.js';
import type { TimeOff } from './time-off.js';

const SUMS = `select type, year, kind, sum(half_days)::bigint as "halfDays" from data.people_time_off_ledger
  where tenant_id = $1 and employee_id = $2 group by type, year, kind`;
const BOOK = `insert into data.people_time_off_ledger (tenant_id, id, employee_id, time_off_id, type, year, kind, half_days,
    created_at) values ($1, $2, $3, $4, $5, $6, 'booked', $7, $8)`;
const FOLLOW = `insert into data.people_time_off_ledger (tenant_id, id, employee_id, time_off_id, type, year, kind,
    half_days, created_at)
  select tenant_id, gen_random_uuid(), employee_id, time_off_id, type, year, $3, half_days, $4
  from data.people_time_off_ledger where tenant_id = $1 and time_off_id = $2 and kind = 'booked'`;

const DIVIDE = `insert into data.people_time_off_ledger (tenant_id, id, employee_id, time_off_id, type, year, kind,
    half_days, created_at)
  select b.tenant_id, gen_random_uuid(), b.employee_id, b.time_off_id, b.type, b.year, part.kind, part.half_days, $3
  from data.people_time_off_ledger b,
    lateral (select least(b.half_days, coalesce(($4::jsonb ->> b.year::text)::integer, 0)) as used) u,
    lateral (values ('used', u.used), ('released', b.half_days - u.used)) as part (kind, half_days)
  where b.tenant_id = $1 and b.time_off_id = $2 and b.kind = 'booked' and part.half_days > 0`;

/** A sum of the ledger. */
export interface LedgerSum {
  type: TimeOffType;
  year: number;
  kind: 'booked' | 'released' | 'used';
  halfDays: number;
}

/** Ledger of time off: approved, returned and used half days. Entries are immutable. */
@Injectable()
export class TimeOffLedgerRepository {
  constructor(private readonly database: Database) {}

  /** All sums of an employee. */
  sums(employeeId: string): Promise<LedgerSum[]> {
    return this.database.read<LedgerSum>(statement(SUMS, [currentTenant().id, employeeId]));
  }

  /** The statement that books half days of a year for an absence. */
  book({ id, employeeId, type }: TimeOff, year: number, halfDays: number, at: string): Statement {
    return statement(BOOK, [currentTenant().id, uuidv7(), employeeId, id, type, year, halfDays, at]);
  }

  /** The statement that uses some of the half days booked for an absence, by year, and releases the others. */
  divide(timeOffId: string, used: ReadonlyMap<number, number>, at: string): Statement {
    return statement(DIVIDE, [currentTenant().id, timeOffId, at, JSON.stringify(Object.fromEntries(used))]);
  }

  /** The statement that releases or uses all half days booked for an absence. */
  settle(timeOffId: string, kind: 'released' | 'used', at: string): Statement {
    return statement(FOLLOW, [currentTenant().id, timeOffId, kind, at]);
  }
}
