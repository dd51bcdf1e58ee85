import type { QueryRunner } from 'typeorm';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { fail, triggerFunction } from './1763700000007-work-triggers.js';

/** The table of time entries. */
export async function timeEntries(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.work_time_entries',
    'work.time_entry',
    `membership_id uuid not null,
    project_id uuid,
    task_id uuid,
    work_date date not null,
    minutes integer check (minutes between 1 and 1440),
    running_since timestamptz(3),
    billable boolean not null,
    note text check (length(note) <= 5000),
    status text not null check (status in ('draft', 'submitted', 'approved', 'rejected', 'invoiced')),
    rejected_reason text,
    approved_at timestamptz(3),
    rate_minor bigint,
    amount_minor bigint,
    invoice_line_id uuid,
    constraint work_time_entries_membership_id_fkey foreign key (tenant_id, membership_id)
      references data.memberships (tenant_id, id),
    constraint work_time_entries_project_id_fkey foreign key (tenant_id, project_id)
      references data.work_projects (tenant_id, id),
    constraint work_time_entries_task_id_fkey foreign key (tenant_id, task_id)
      references data.work_tasks (tenant_id, id),
    constraint work_time_entries_task_of_project foreign key (tenant_id, project_id, task_id)
      references data.work_tasks (tenant_id, project_id, id),
    check ((running_since is null) = (minutes is not null)),
    check (running_since is null or status = 'draft'),
    check ((status in ('approved', 'invoiced')) = (approved_at is not null)),
    check ((rate_minor is null) = (amount_minor is null)),
    check (rate_minor is null or approved_at is not null),
    check ((status = 'invoiced') = (invoice_line_id is not null)),
    check (deleted_at is null or status in ('draft', 'rejected'))`,
  );
  await runner.query(
    `create unique index work_time_entries_running_idx on data.work_time_entries (tenant_id, membership_id)
       where running_since is not null and deleted_at is null`,
  );
  await runner.query(
    `create index work_time_entries_day_idx on data.work_time_entries (tenant_id, membership_id, work_date)
       include (minutes) where deleted_at is null`,
  );
  await listIndexes(runner, 'data.work_time_entries', {
    sorts: ['name', 'updated_at', 'work_date', { column: 'minutes', nullable: 'integer' }],
    filters: ['membership_id', 'project_id', 'task_id', 'status', 'work_date', 'invoice_line_id'],
    rareFilters: ['billable'],
  });
}

/** Time: approved entries stay as they are, a day has 1,440 minutes, projects and tasks know what was spent on them. */
export async function keepTime(runner: QueryRunner): Promise<void> {
  await triggerFunction(
    runner,
    'check_time_entry',
    fail('work_time_entries_approved_is_fixed', 'Approved time does not change.'),
  );
  const fixed = ['membership_id', 'project_id', 'task_id', 'work_date', 'minutes', 'billable', 'note', 'name'];
  const frozen = ['rate_minor', 'amount_minor', 'approved_at'];
  await runner.query(`
    create trigger approved before update on data.work_time_entries for each row
      when (old.status in ('approved', 'invoiced') and (new.status not in ('approved', 'invoiced')
        or ${[...fixed, ...frozen].map((column) => `new.${column} is distinct from old.${column}`).join(' or ')}))
      execute function data.check_time_entry()`);

  // The advisory lock lets the requests for one member and day come one after the other.
  await triggerFunction(
    runner,
    'check_day',
    `perform pg_advisory_xact_lock(hashtextextended(
       'work.day ' || new.tenant_id || new.membership_id || new.work_date, 0));
     if (select sum(minutes) from data.work_time_entries where tenant_id = new.tenant_id
         and membership_id = new.membership_id and work_date = new.work_date and deleted_at is null) > 1440 then
       ${fail('work_time_entries_day', 'A day has 1440 minutes.')}
     end if;
     return null;`,
  );
  await runner.query(`
    create trigger new_day after insert on data.work_time_entries for each row
      when (new.minutes is not null) execute function data.check_day()`);
  await runner.query(`
    create trigger day after update on data.work_time_entries for each row
      when (new.minutes is not null and new.deleted_at is null and (new.minutes is distinct from old.minutes
        or new.membership_id <> old.membership_id or new.work_date <> old.work_date or old.deleted_at is not null))
      execute function data.check_day()`);

  const changes = `from (values (-1, old), (1, new)) x (sign, e) where (e).id is not null and (e).deleted_at is null`;
  const counted = `filter (where (e).status <> 'rejected')`;
  const approved = `filter (where (e).status in ('approved', 'invoiced'))`;
  const unbilled = `filter (where (e).status = 'approved' and (e).billable)`;
  await triggerFunction(
    runner,
    'count_time',
    `for d in
       select (e).project_id as id, coalesce(sum(sign * (e).minutes) ${counted}, 0) as minutes,
         coalesce(sum(sign * (e).amount_minor) ${approved}, 0) as amount,
         coalesce(sum(sign * (e).minutes) ${unbilled}, 0) as unbilled,
         coalesce(sum(sign * (e).amount_minor) ${unbilled}, 0) as unbilled_amount,
         coalesce(sum(sign) ${approved}, 0) as approved
       ${changes} and (e).project_id is not null group by (e).project_id order by (e).project_id
     loop
       update data.work_projects set spent_minutes = spent_minutes + d.minutes, spent_minor = spent_minor + d.amount,
           unbilled_minutes = unbilled_minutes + d.unbilled, unbilled_minor = unbilled_minor + d.unbilled_amount,
           approved_entries = approved_entries + d.approved
         where tenant_id = new.tenant_id and id = d.id;
     end loop;
     for d in
       select (e).task_id as id, coalesce(sum(sign * (e).minutes) ${counted}, 0) as minutes
       ${changes} and (e).task_id is not null group by (e).task_id order by (e).task_id
     loop
       update data.work_tasks set spent_minutes = spent_minutes + d.minutes
         where tenant_id = new.tenant_id and id = d.id and d.minutes <> 0;
     end loop;
     return null;`,
    'd record;',
  );
  await runner.query(`
    create trigger new_figures after insert on data.work_time_entries for each row
      when (new.project_id is not null or new.task_id is not null) execute function data.count_time()`);
  await runner.query(`
    create trigger figures after update on data.work_time_entries for each row
      when ((new.project_id is not null or new.task_id is not null or old.project_id is not null
          or old.task_id is not null)
        and (new.status <> old.status or new.minutes is distinct from old.minutes
          or new.project_id is distinct from old.project_id or new.task_id is distinct from old.task_id
          or new.billable <> old.billable or new.deleted_at is distinct from old.deleted_at))
      execute function data.count_time()`);
}
