import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

const TYPES = `'vacation', 'sick', 'personal', 'parental', 'unpaid', 'other'`;
const EMPLOYMENT_TYPES = `'full_time', 'part_time', 'contractor', 'intern', 'temporary'`;

/** Employees with their employment history, departments, time off with its policies and ledger. */
export class People1763700000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await departments(runner);
    await employees(runner);
    await employments(runner);
    await timeOff(runner);
    await tree(runner, 'people_employees', 'manager_id');
    await tree(runner, 'people_departments', 'parent_id');
    await credentialsOfMembers(runner);
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function departments(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.people_departments',
    'people.department',
    `
    parent_id uuid,
    lead_employee_id uuid,
    cost_center text check (length(cost_center) <= 60),
    search tsvector not null generated always as (${searchedWords(`name || ' ' || coalesce(cost_center, '')`)}) stored,
    constraint people_departments_parent_self check (parent_id <> id),
    constraint people_departments_parent_id_fkey foreign key (tenant_id, parent_id)
      references data.people_departments (tenant_id, id)`,
  );
  await listIndexes(runner, 'data.people_departments', {
    sorts: ['name', 'updated_at'],
    filters: ['parent_id', 'lead_employee_id'],
  });
  await searchFunction(runner, 'data.people_departments');
}

async function employees(runner: QueryRunner): Promise<void> {
  const words = `name || ' ' || employee_number || ' ' || coalesce(preferred_name, '') || ' ' || coalesce(job_title, '')
    || ' ' || coalesce(work_email, '')`;
  await recordTable(
    runner,
    'data.people_employees',
    'people.employee',
    `
    first_name text,
    last_name text,
    preferred_name text,
    employee_number text not null,
    status text not null check (status in
      ('pending', 'onboarding', 'active', 'on_leave', 'suspended', 'offboarding', 'terminated')),
    suspended_from text check (suspended_from in ('active', 'on_leave')),
    work_email text,
    job_title text,
    department_id uuid,
    manager_id uuid,
    employment_type text not null check (employment_type in (${EMPLOYMENT_TYPES})),
    employment_count integer not null check (employment_count > 0),
    location jsonb,
    country text generated always as (location ->> 'country') stored,
    start_date date,
    probation_end_date date,
    contract_end_date date,
    termination_date date,
    termination_type text check (termination_type in ('voluntary', 'involuntary', 'end_of_contract', 'other')),
    termination_reason text,
    access_removed_at timestamptz(3),
    personal_email text,
    phone text,
    address jsonb,
    date_of_birth date,
    emergency_contacts jsonb not null,
    national_id text,
    national_id_mask text,
    bank_account text,
    bank_account_mask text,
    skills jsonb not null,
    work_schedule jsonb not null,
    membership_id uuid,
    candidate_id uuid,
    mapping_id uuid,
    search tsvector not null generated always as (${searchedWords(words)}) stored,
    constraint people_employees_employee_number_key unique (tenant_id, employee_number),
    constraint people_employees_national_id_sealed check (national_id ~ '^v[0-9]+[.]'),
    constraint people_employees_bank_account_sealed check (bank_account ~ '^v[0-9]+[.]'),
    constraint people_employees_termination check
      (status <> 'terminated' or (termination_date is not null and termination_type is not null)),
    constraint people_employees_manager_self check (manager_id <> id),
    constraint people_employees_manager_id_fkey foreign key (tenant_id, manager_id)
      references data.people_employees (tenant_id, id),
    constraint people_employees_department_id_fkey foreign key (tenant_id, department_id)
      references data.people_departments (tenant_id, id),
    constraint people_employees_membership_id_fkey foreign key (tenant_id, membership_id)
      references data.memberships (tenant_id, id)`,
  );
  await runner.query(`
    alter table data.people_departments add constraint people_departments_lead_employee_id_fkey
      foreign key (tenant_id, lead_employee_id) references data.people_employees (tenant_id, id)`);
  await runner.query(`
    create unique index people_employees_work_email_key on data.people_employees (tenant_id, lower(work_email))
      where work_email is not null and status <> 'terminated' and deleted_at is null`);
  await runner.query(`
    create unique index people_employees_membership_id_key on data.people_employees (tenant_id, membership_id)
      where membership_id is not null and deleted_at is null`);
  await listIndexes(runner, 'data.people_employees', {
    sorts: ['name', 'employee_number', 'status', 'updated_at', { column: 'start_date', nullable: 'date' }],
    filters: ['status', 'department_id', 'manager_id', 'membership_id', 'start_date', 'termination_date'],
    rareFilters: ['employment_type', 'country'],
  });
  await searchFunction(runner, 'data.people_employees');
  await skills(runner);
}

/** Skills as rows, because JSON cannot be searched by an index behind row-level security. */
async function skills(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.people_skills (
      tenant_id uuid not null,
      skill text not null,
      employee_id uuid not null,
      primary key (tenant_id, skill, employee_id)
    )`);
  await runner.query(`create index people_skills_employee_idx on data.people_skills (tenant_id, employee_id)`);
  await tenantTable(runner, 'data.people_skills', { grant: 'select, insert, delete' });
  await runner.query(`
    create function data.keep_people_skills() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      delete from data.people_skills where tenant_id = new.tenant_id and employee_id = new.id;
      insert into data.people_skills (tenant_id, skill, employee_id)
        select distinct new.tenant_id, lower(s ->> 'name'), new.id from jsonb_array_elements(new.skills) s;
      return null;
    end $$`);
  await runner.query(`
    create trigger keep_new_skills after insert on data.people_employees for each row
      when (new.skills <> '[]') execute function data.keep_people_skills()`);
  await runner.query(`
    create trigger keep_skills after update on data.people_employees for each row
      when (new.skills is distinct from old.skills) execute function data.keep_people_skills()`);
}

/**
 * What holds from a date on. The newest row that is not in the future is what the employee shows. That a
 * day has one row is asked at the end of a transaction, so that rows can change places within it.
 */
async function employments(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.people_employments (
      tenant_id uuid not null,
      id uuid not null,
      employee_id uuid not null,
      effective_date date not null,
      job_title text,
      department_id uuid,
      manager_id uuid,
      employment_type text not null check (employment_type in (${EMPLOYMENT_TYPES})),
      pay_amount_minor bigint check (pay_amount_minor >= 0),
      pay_currency text check (pay_currency ~ '^[A-Z]{3}$'),
      pay_period text check (pay_period in ('hour', 'month', 'year')),
      reason text,
      created_at timestamptz(3) not null,
      created_by jsonb not null,
      primary key (tenant_id, id),
      constraint people_employments_effective_date_key unique (tenant_id, employee_id, effective_date)
        deferrable initially deferred,
      constraint people_employments_pay check (num_nulls(pay_amount_minor, pay_currency, pay_period) in (0, 3)),
      constraint people_employments_manager_self check (manager_id <> employee_id),
      foreign key (tenant_id, employee_id) references data.people_employees (tenant_id, id),
      foreign key (tenant_id, manager_id) references data.people_employees (tenant_id, id),
      foreign key (tenant_id, department_id) references data.people_departments (tenant_id, id)
    )`);
  await runner.query(
    `create index people_employments_manager_idx on data.people_employments (tenant_id, manager_id, effective_date)`,
  );
  await tenantTable(runner, 'data.people_employments', { grant: 'select, insert, update, delete' });
}

async function timeOff(runner: QueryRunner): Promise<void> {
  await runner.query(`create extension if not exists btree_gist with schema public`);
  await recordTable(
    runner,
    'data.people_time_off_policies',
    'people.time_off_policy',
    `
    type text not null check (type in (${TYPES})),
    accrual text not null check (accrual in ('monthly', 'yearly')),
    half_days_per_year integer not null check (half_days_per_year between 0 and 732),
    carry_over_half_days integer not null check (carry_over_half_days between 0 and 732),
    negative_half_days integer not null check (negative_half_days between 0 and 732)`,
  );
  await runner.query(`
    create unique index people_time_off_policies_type_key on data.people_time_off_policies (tenant_id, type)
      where deleted_at is null`);
  await listIndexes(runner, 'data.people_time_off_policies', { sorts: ['name', 'updated_at', 'type'] });

  // A day has two halves, so that a morning and an afternoon of one day do not overlap.
  await recordTable(
    runner,
    'data.people_time_off',
    'people.time_off',
    `
    employee_id uuid not null,
    type text not null check (type in (${TYPES})),
    start_date date not null,
    end_date date not null,
    start_half boolean not null,
    end_half boolean not null,
    half_days integer not null check (half_days > 0),
    note text,
    status text not null check (status in ('cancelled', 'rejected', 'requested', 'approved', 'taken')),
    decided_at timestamptz(3),
    constraint people_time_off_dates check (start_date <= end_date
      and (start_date < end_date or not (start_half and end_half))),
    constraint people_time_off_overlap exclude using gist (tenant_id with =, employee_id with =,
      int4range((start_date - date '2000-01-01') * 2 + start_half::integer,
        (end_date - date '2000-01-01') * 2 + 2 - end_half::integer) with &&)
      where (status in ('requested', 'approved', 'taken') and deleted_at is null),
    constraint people_time_off_employee_id_fkey foreign key (tenant_id, employee_id)
      references data.people_employees (tenant_id, id)`,
  );
  await listIndexes(runner, 'data.people_time_off', {
    sorts: ['name', 'updated_at', 'start_date', 'end_date'],
    filters: ['employee_id', 'status', 'type'],
  });

  await runner.query(`
    create table data.people_time_off_ledger (
      tenant_id uuid not null,
      id uuid not null,
      employee_id uuid not null,
      time_off_id uuid not null,
      type text not null check (type in (${TYPES})),
      year integer not null check (year between 1000 and 9999),
      kind text not null check (kind in ('booked', 'released', 'used')),
      half_days integer not null check (half_days > 0),
      created_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint people_time_off_ledger_once unique (tenant_id, time_off_id, year, kind),
      foreign key (tenant_id, employee_id) references data.people_employees (tenant_id, id),
      foreign key (tenant_id, time_off_id) references data.people_time_off (tenant_id, id)
    )`);
  await runner.query(
    `create index people_time_off_ledger_employee_idx on data.people_time_off_ledger (tenant_id, employee_id, type, year)`,
  );
  await tenantTable(runner, 'data.people_time_off_ledger', { grant: 'select, insert' });
}

/**
 * Keeps a table free of circles: who moves a row below another one waits for whoever else does, then looks at what they
 * have done. A new row cannot close a circle, since nothing is below it yet.
 */
async function tree(runner: QueryRunner, table: string, parent: string): Promise<void> {
  await runner.query(`
    create function data.keep_${table}_tree() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended('${table}|' || new.tenant_id::text, 0));
      if exists (
        with recursive above (id) as (
          select new.${parent}
          union select x.${parent} from data.${table} x join above on above.id = x.id
            where x.tenant_id = new.tenant_id and x.${parent} is not null)
        select 1 from above where above.id = new.id)
      then
        raise exception 'the rows lead in a circle' using errcode = '23514', constraint = '${table}_tree';
      end if;
      return null;
    end $$`);
  // Not before the update: that would lock the row as if its keys changed, and keep those from it who refer to it.
  await runner.query(`
    create trigger keep_tree after update on data.${table} for each row
      when (new.${parent} is not null and new.${parent} is distinct from old.${parent})
      execute function data.keep_${table}_tree()`);
}

/** Revokes the keys of a member of the tenant in context; the roles of the apps have no rights in the directory. */
async function credentialsOfMembers(runner: QueryRunner): Promise<void> {
  const { lookup } = migrationRoles();
  await runner.query(
    `create index credentials_member_idx on directory.credentials (tenant_id, member_id) where member_id is not null`,
  );
  await runner.query(`grant update (revoked_at) on directory.credentials to ${lookup}`);
  await runner.query(`
    create function directory.revoke_member(member uuid, at timestamptz)
      returns table (credential_id uuid, credential_kind text, credential_name text)
      language sql security definer set search_path = pg_catalog as $$
      update directory.credentials c set revoked_at = at
        where c.tenant_id = current_setting('app.tenant_id')::uuid and c.member_id = member and c.revoked_at is null
        returning c.id, c.kind, c.name $$`);
  await definerFunction(runner, 'directory.revoke_member(uuid, timestamptz)');
}
