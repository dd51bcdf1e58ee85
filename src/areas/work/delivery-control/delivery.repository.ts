import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import type { ListRequest } from '#libs/resource/lists/list-query.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { dayOf } from '../days.js';
import { OVERDUE_SQL, USED_MINOR_SQL } from '../projects/project.filters.js';
import { Project } from '../projects/project.js';
import { type Control, CONTROL_STATE_SQL, type Controlled, type ControlState, NO_CONTROL } from './delivery-control.js';
import { deliveryList, STALE } from './delivery-list.js';
import type { DeliveryAccount, DeliveryMilestone, DeliveryOwner, ValueAtRisk } from './delivery.dto.js';

/** Figures and names of a project that its row does not have. */
export interface Details {
  id: string;
  control: Control | null;
  controlState: ControlState;
  stale: boolean;
  overdueTasks: number;
  openBlockers: number;
  lastDue: string | null;
  nextMilestone: DeliveryMilestone | null;
  account: DeliveryAccount | null;
  owner: DeliveryOwner | null;
}

export interface Totals {
  byHealth: Record<string, number>;
  byControlState: Record<string, number>;
  lateCount: number;
  valueAtRisk: ValueAtRisk[];
}

const OPEN = `deleted_at is null and archived_at is null and category in ('backlog', 'unstarted', 'started')`;
const CONTROL = `jsonb_build_object('controlState', c.control_state, 'severity', c.severity,
  'updateRequestedAt', to_char(c.update_requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'gates', c.gates)`;
const CONTROL_OF = `
  select case when c.project_id is not null then ${CONTROL} end as control, ${CONTROL_STATE_SQL} as "controlState"
  from data.work_projects t left join data.work_delivery_controls c on c.tenant_id = $1 and c.project_id = t.id
  where t.tenant_id = $1 and t.id = $2`;
const SAVE = `insert into data.work_delivery_controls
    (tenant_id, project_id, control_state, severity, update_requested_at, gates) values ($1, $2, $3, $4, $5, $6)
  on conflict (tenant_id, project_id) do update set control_state = excluded.control_state,
    severity = excluded.severity, update_requested_at = excluded.update_requested_at, gates = excluded.gates`;
const MEMBER = `select 1 from data.memberships where tenant_id = $1 and id = $2 and status <> 'deactivated'`;

const details = (accounts: string, now: string): string => `
  select p.id, case when c.project_id is not null then ${CONTROL} end as control, shown.*,
    tasks.overdue as "overdueTasks", tasks.blockers as "openBlockers",
    greatest(tasks.last_due, goals.last_due)::text as "lastDue", next."milestone" as "nextMilestone",
    case when p.account_id is not null then jsonb_build_object('id', p.account_id, 'name',
      (select t.name from data.sales_accounts t where t.tenant_id = $1 and t.id = p.account_id and ${accounts})) end as account,
    (select jsonb_build_object('id', m.id, 'name', m.name) from data.memberships m
      where m.tenant_id = $1 and m.id = p.owner_id) as owner
  from data.work_projects p
  left join data.work_delivery_controls c on c.tenant_id = $1 and c.project_id = p.id
  cross join lateral (
    select ${CONTROL_STATE_SQL} as "controlState", ${STALE.replaceAll(':now', now)} as stale from (select p.*) t) shown
  cross join lateral (
    select (count(*) filter (where k.due_date < $3))::integer as overdue, max(k.due_date) as last_due,
      (count(*) filter (where exists (select 1 from data.work_task_blockers b
        join data.work_tasks w on w.tenant_id = $1 and w.id = b.task_id
        where b.tenant_id = $1 and b.blocker_id = k.id and w.${OPEN.replaceAll(' and ', ' and w.')})))::integer as blockers
    from data.work_tasks k where k.tenant_id = $1 and k.project_id = p.id and ${OPEN}) tasks
  cross join lateral (select max(g.due_date) as last_due from data.work_milestones g
    where g.tenant_id = $1 and g.project_id = p.id and g.status = 'open' and g.deleted_at is null) goals
  left join lateral (select jsonb_build_object('id', g.id, 'name', g.name, 'dueDate', g.due_date) as milestone
    from data.work_milestones g
    where g.tenant_id = $1 and g.project_id = p.id and g.status = 'open' and g.deleted_at is null
    order by g.due_date, g.id limit 1) next on true
  where p.tenant_id = $1 and p.id = any($2::uuid[])`;

/** Whether the value of a project `t` is at risk, apart from its control state. */
const AT_RISK = `(t.health_word in ('at_risk', 'off_track')
  or least(t.at_risk_on, t.off_track_on) <= (:now at time zone 'UTC')::date)`;

const totals = (listed: string, deals: string, now: string): string => `
  with seen as materialized (
    select t.health_word, ${CONTROL_STATE_SQL} as control_state, ${OVERDUE_SQL.replaceAll(':now', now)} as late,
      ${AT_RISK.replaceAll(':now', now)} or t.status = 'on_hold' as risk,
      t.budget_minor, ${USED_MINOR_SQL} as used_minor, t.currency, t.deal_id
    from data.work_projects t where ${listed}),
  amounts as (
    select s.currency, greatest(s.budget_minor - s.used_minor, 0) as minor from seen s
    where s.budget_minor is not null and (s.risk or s.control_state = 'escalated')
    union all
    select t.currency, t.value_minor from seen s join data.sales_deals t on t.tenant_id = $1 and t.id = s.deal_id
    where s.budget_minor is null and t.value_minor is not null and (s.risk or s.control_state = 'escalated') and ${deals})
  select
    (select coalesce(jsonb_object_agg(x.health_word, x.n), '{}') from
      (select health_word, count(*) as n from seen group by 1) x) as "byHealth",
    (select coalesce(jsonb_object_agg(x.control_state, x.n), '{}') from
      (select control_state, count(*) as n from seen group by 1) x) as "byControlState",
    (select count(*) filter (where late)::integer from seen) as "lateCount",
    (select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'minor', x.minor) order by x.currency), '[]')
      from (select currency, least(sum(minor), ${MAX_MINOR}) as minor from amounts group by 1) x) as "valueAtRisk"`;

/** Projects under delivery control. */
@Injectable()
export class DeliveryRepository extends ResourceRepository<Project> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Project);
  }

  /** Figures of all projects that a list contains. `deals` are the deals whose value the caller may see. */
  async totals(request: ListRequest, guard: Guard | null, deals: Guard | null): Promise<Totals> {
    const values: unknown[] = [currentTenant().id];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const listed = this.table.listed(request, deliveryList, guard)(add);
    const text = totals(listed, (deals ?? everything)(add), `${add(request.now)}::timestamptz`);
    const [row] = await this.database.read<Totals>(statement(text, values));
    return row!;
  }

  /** Details of projects by their id. `accounts` are the accounts that the caller may see. */
  async details(ids: readonly string[], now: string, accounts: Guard | null): Promise<Map<string, Details>> {
    const values: unknown[] = [currentTenant().id, ids, dayOf(now)];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const text = details((accounts ?? everything)(add), `${add(now)}::timestamptz`);
    const rows = await this.database.read<Details>(statement(text, values));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Up to `limit` ids of the projects that a list contains, in a fixed order. */
  async idsOf(request: ListRequest, guard: Guard | null, limit: number): Promise<string[]> {
    const values: unknown[] = [currentTenant().id];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const listed = this.table.listed(request, deliveryList, guard)(add);
    const text = `select t.id from data.work_projects t where ${listed} order by t.id limit ${add(limit)}`;
    return (await this.database.read<{ id: string }>(statement(text, values))).map(({ id }) => id);
  }

  /** Control of a locked project. */
  async controlOf(transaction: Transaction, projectId: string): Promise<Controlled> {
    const [row] = await transaction.query<Pick<Details, 'control' | 'controlState'>>(
      statement(CONTROL_OF, [currentTenant().id, projectId]),
    );
    return { control: row!.control ?? NO_CONTROL, controlState: row!.controlState };
  }

  saveControl(transaction: Transaction, projectId: string, control: Control): void {
    const { controlState, severity, updateRequestedAt, gates } = control;
    const values = [controlState, severity, updateRequestedAt, JSON.stringify(gates)];
    transaction.write(statement(SAVE, [currentTenant().id, projectId, ...values]));
  }

  async isMember(id: string): Promise<boolean> {
    return (await this.database.read(statement(MEMBER, [currentTenant().id, id]))).length > 0;
  }
}

const everything: Guard = () => 'true';
