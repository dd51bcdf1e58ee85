import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** An approved time entry with a price that is on no invoice. */
export interface UnbilledEntry {
  id: string;
  name: string;
  workDate: string;
  minutes: number;
  amountMinor: number;
}

const isFree = (object: string, id: string) => `not exists (select from data.finance_invoice_sources s
    where s.tenant_id = $1 and s.object = '${object}' and s.source_id = ${id})`;
const UNBILLED = `
  select t.id, t.name, t.work_date::text as "workDate", t.minutes, t.amount_minor as "amountMinor"
  from data.work_time_entries t
  where t.tenant_id = $1 and t.project_id = $2 and t.status = 'approved' and t.billable and t.amount_minor > 0
    and t.deleted_at is null and ($3::date is null or t.work_date <= $3) and ${isFree('work.time_entry', 't.id')}
  order by t.work_date, t.id`;
// One statement, so that a milestone that is being charged counts once.
const CHARGED = `
  select ((select coalesce(sum(t.net_minor), 0) from data.finance_invoices t
      where t.tenant_id = $1 and t.project_id = $2 and t.currency = $3 and t.status <> 'void' and t.deleted_at is null)
    + (select coalesce(sum(t.billable_minor), 0) from data.work_milestones t
      where t.tenant_id = $1 and t.project_id = $2 and t.currency = $3 and t.status <> 'open' and t.deleted_at is null
        and ${isFree('work.milestone', 't.id')}))::text as charged`;

/** What the automatic invoices of a project charge for. */
@Injectable()
export class BillingRepository {
  constructor(private readonly database: Database) {}

  /** Time entries that can be charged, oldest first. @param until last day of work; null for all */
  unbilledTime(projectId: string, until: string | null): Promise<UnbilledEntry[]> {
    return this.database.read(statement(UNBILLED, [currentTenant().id, projectId, until]));
  }

  /**
   * Net total of the drafts and issued invoices of a project in a currency, and of the milestones that wait for their
   * line.
   */
  async chargedMinor(projectId: string, currency: string): Promise<bigint> {
    const values = [currentTenant().id, projectId, currency];
    const [row] = await this.database.read<{ charged: string }>(statement(CHARGED, values));
    return BigInt(row!.charged);
  }
}
