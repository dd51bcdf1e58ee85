import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Something of a member that is due soon or overdue. */
export interface DueItem {
  memberId: string;
  kind: 'due_soon' | 'overdue';
  /** Type key and id of the record. */
  object: string;
  id: string;
  name: string;
  dueDate: string;
  /** Identifies the item and its due date. */
  once: string;
}

// Tasks belong to their assignees, or to the owner if there are none; invoices to their owner. What is open in a
// checklist no longer matters after its project has ended, or after its handoff was accepted or cancelled.
const DUE = `
  with due as (
    select 'work.task' as object, t.id, t.name, t.due_date, coalesce(a.member_id, t.owner_id) as member_id, t.id::text as key
    from data.work_tasks t left join data.work_task_assignees a on a.tenant_id = t.tenant_id and a.task_id = t.id
    where t.tenant_id = $1 and t.due_date between $2 and $4 and t.category in ('backlog', 'unstarted', 'started')
      and t.deleted_at is null and t.archived_at is null
    union all
    select 'finance.invoice', i.id, i.name, i.due_date, i.owner_id, i.id::text
    from data.finance_invoices i
    where i.tenant_id = $1 and i.due_date between $2 and $4 and i.status in ('issued', 'partially_paid', 'overdue')
      and i.deleted_at is null and i.archived_at is null
    union all
    select c.subject ->> 'object', c.subject_id, concat(item ->> 'title', ' (', c.title, ')'), (item ->> 'dueDate')::date,
      (item ->> 'assigneeId')::uuid, concat(c.id, '|', item ->> 'key')
    from data.checklists c cross join jsonb_array_elements(c.items) item
    where c.tenant_id = $1 and item ->> 'status' in ('pending', 'in_progress', 'blocked')
      and (item ->> 'dueDate')::date between $2 and $4
      and not exists (select from data.work_projects p
        where p.tenant_id = $1 and p.id = c.subject_id and p.status in ('completed', 'cancelled'))
      and not exists (select from data.sales_handoffs h
        where h.tenant_id = $1 and h.checklist_id = c.id and h.status not in ('draft', 'submitted', 'returned'))),
  named as (
    select d.*, case when d.due_date < $3 then 'overdue' else 'due_soon' end as kind from due d
    where d.member_id is not null)
  select n.member_id as "memberId", n.kind, n.object, n.id, n.name, n.due_date::text as "dueDate",
    concat(n.kind, '|', n.key, '|', n.due_date) as once
  from named n
  where not exists (select from data.notifications o
    where o.tenant_id = $1 and o.member_id = n.member_id and o.once = concat(n.kind, '|', n.key, '|', n.due_date))
  order by n.due_date, n.id, n.member_id`;

/** What is due from `from` to `until`, and overdue before `today`, of which the members have not been told. */
export function dueStatement(from: string, today: string, until: string): Statement {
  return statement(DUE, [currentTenant().id, from, today, until]);
}
