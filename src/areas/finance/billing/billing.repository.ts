import { Injectable } from '@nestjs/common';
import { isUnfinished } from '#libs/automation/unfinished.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { MILESTONE_LINES } from '../invoices/milestone.flows.js';

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
const MILESTONE = 'work.milestone';
// Lines, because an invoice can charge for several projects: a milestone counts for its own one. Credits have no project;
// each takes its share of the net total. In one statement, so that a milestone whose line is being added counts once.
const CHARGED = `
  select ((select coalesce(sum(x.charged - coalesce(round(x.charged * n.credited / nullif(x.net, 0)), 0)), 0) from (
      select t.id, t.net_minor::numeric as net, sum((l.line->>'netMinor')::bigint) as charged
      from data.finance_invoices t
      cross join lateral jsonb_array_elements(t.line_items) l (line)
      left join data.work_milestones m on m.tenant_id = $1 and l.line#>>'{source,object}' = '${MILESTONE}'
        and m.id = (l.line#>>'{source,id}')::uuid
      where t.tenant_id = $1 and t.currency = $3 and t.status <> 'void' and t.deleted_at is null
        and t.id in (select i.id from data.finance_invoices i where i.tenant_id = $1 and i.project_id = $2
          union select s.invoice_id from data.finance_invoice_sources s
            join data.work_milestones o on o.tenant_id = $1 and o.id = s.source_id
          where s.tenant_id = $1 and s.object = '${MILESTONE}' and o.project_id = $2)
        and coalesce(m.project_id, t.project_id) = $2
      group by t.id, t.net_minor) x
      cross join lateral (select coalesce(sum(c.total_minor - c.tax_minor), 0) as credited
        from data.finance_credit_notes c
        where c.tenant_id = $1 and c.invoice_id = x.id and c.status in ('issued', 'applied')) n)
    + (select coalesce(sum(t.billable_minor), 0) from data.work_milestones t
      where t.tenant_id = $1 and t.project_id = $2 and t.currency = $3 and t.status <> 'open' and t.deleted_at is null
        and ${isFree(MILESTONE, 't.id')} and ${isUnfinished(MILESTONE_LINES, 't.id')}))::text as charged`;

/** What the automatic invoices of a project charge for. */
@Injectable()
export class BillingRepository {
  constructor(private readonly database: Database) {}

  /** Time entries that can be charged, oldest first. @param until last day of work; null for all */
  unbilledTime(projectId: string, until: string | null): Promise<UnbilledEntry[]> {
    return this.database.read(statement(UNBILLED, [currentTenant().id, projectId, until]));
  }

  /**
   * Net total of the lines for a project in a currency, on all drafts and invoices that are not void, less what is
   * credited of them, and of the milestones whose line is still to be added. Other reached milestones are not charged: their draft was deleted, their
   * invoice voided or credited in full, or they were reached while the project was invoiced manually.
   */
  async chargedMinor(projectId: string, currency: string): Promise<bigint> {
    const values = [currentTenant().id, projectId, currency];
    const [row] = await this.database.read<{ charged: string }>(statement(CHARGED, values));
    return BigInt(row!.charged);
  }
}
