import type { MigrationInterface, QueryRunner } from 'typeorm';
import { keepAccountLive } from '#libs/database/live-reference.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';
import { keepProjects } from './1763700000007-work-projects.js';
import { keepTasks } from './1763700000007-work-tasks.js';
import { keepTime, timeEntries } from './1763700000007-work-time.js';

const SEARCH = `search tsvector not null generated always as
  (${searchedWords("name || ' ' || reference || ' ' || coalesce(description, '')")}) stored`;
const HEALTH = ['unknown', 'on_track', 'at_risk', 'off_track'];
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'];

/** SQL of the word that a rank stands for. Lists are sorted by ranks and filtered by words. */
const wordOf = (column: string, words: string[]): string =>
  `case ${column} ${words.map((word, rank) => `when ${rank} then '${word}'`).join(' ')} end`;
const DESCRIPTION = `description text check (length(description) <= 50000)`;

/** Projects with their tasks, milestones and time; templates. What the domain says can never be is refused here too. */
export class Work1763700000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await templates(runner);
    await projects(runner);
    await milestones(runner);
    await tasks(runner);
    await timeEntries(runner);
    await keepProjects(runner);
    await keepTasks(runner);
    await keepTime(runner);
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function templates(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.work_project_templates',
    'work.project_template',
    `${DESCRIPTION},
    status text not null check (status in ('draft', 'published', 'archived')),
    phases jsonb not null,
    milestones jsonb not null,
    tasks jsonb not null,
    billing jsonb,
    ${SEARCH}`,
  );
  await listIndexes(runner, 'data.work_project_templates', { sorts: ['name', 'updated_at'], filters: ['status'] });
  await searchFunction(runner, 'data.work_project_templates');
}

/** Ranks (health, priority) stand for words in their order. The figures are kept by triggers, see the rules. */
async function projects(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.work_projects',
    'work.project',
    `key text not null check (length(key) between 2 and 10),
    ${DESCRIPTION},
    status text not null check (status in ('planned', 'active', 'on_hold', 'completed', 'cancelled')),
    health integer not null check (health between 0 and 3),
    health_note text,
    health_updated_at timestamptz(3),
    health_word text generated always as (${wordOf('health', HEALTH)}) stored,
    priority integer not null check (priority between 0 and 4),
    priority_word text generated always as (${wordOf('priority', PRIORITIES)}) stored,
    start_date date,
    target_date date,
    held_at timestamptz(3),
    held_seconds bigint not null default 0 check (held_seconds >= 0),
    completed_at timestamptz(3),
    cancelled_at timestamptz(3),
    cancelled_reason text,
    member_ids jsonb not null,
    visibility text not null check (visibility in ('workspace', 'private')),
    account_id uuid,
    deal_id uuid,
    template_id uuid,
    billing_model text not null check (billing_model in ('none', 'fixed', 'time_and_materials', 'retainer')),
    budget_minor bigint check (budget_minor between 0 and 9007199254740991),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    hourly_rate_minor bigint check (hourly_rate_minor between 0 and 1000000000),
    budget_minutes integer check (budget_minutes >= 0),
    invoice_on text check (invoice_on in ('milestone', 'month_end', 'completion', 'manual')),
    progress_method text not null check (progress_method in ('tasks', 'milestones', 'manual')),
    progress_percent integer not null check (progress_percent between 0 and 1000000),
    backlog_tasks integer not null default 0,
    unstarted_tasks integer not null default 0,
    started_tasks integer not null default 0,
    done_tasks integer not null default 0,
    cancelled_tasks integer not null default 0,
    estimated_tasks integer not null default 0,
    estimate_minutes bigint not null default 0,
    done_estimate_minutes bigint not null default 0,
    milestones integer not null default 0,
    open_milestones integer not null default 0,
    unaccepted_milestones integer not null default 0,
    next_milestone_date date,
    spent_minutes bigint not null default 0,
    spent_minor bigint not null default 0,
    unbilled_minutes bigint not null default 0,
    unbilled_minor bigint not null default 0,
    approved_entries integer not null default 0,
    next_task_number integer not null default 1,
    off_track_on date not null default 'infinity',
    at_risk_on date not null default 'infinity',
    ${SEARCH},
    constraint work_projects_key_key unique (tenant_id, key),
    constraint work_projects_account_id_fkey foreign key (tenant_id, account_id)
      references data.sales_accounts (tenant_id, id),
    constraint work_projects_deal_id_fkey foreign key (tenant_id, deal_id) references data.sales_deals (tenant_id, id),
    constraint work_projects_template_id_fkey foreign key (tenant_id, template_id)
      references data.work_project_templates (tenant_id, id),
    check (target_date >= start_date),
    check ((status = 'on_hold') = (held_at is not null)),
    check ((status = 'completed') = (completed_at is not null)),
    check ((status = 'cancelled') = (cancelled_at is not null)),
    check ((status = 'cancelled') = (cancelled_reason is not null)),
    constraint work_projects_closed_has_no_open_task check
      (status not in ('completed', 'cancelled') or backlog_tasks + unstarted_tasks + started_tasks = 0),
    constraint work_projects_deleted_has_no_approved_time check
      (deleted_at is null or (status in ('planned', 'cancelled') and approved_entries = 0))`,
  );
  await keepAccountLive(runner, 'data.work_projects');
  await listIndexes(runner, 'data.work_projects', {
    sorts: [
      'name',
      'updated_at',
      'priority',
      'health',
      'progress_percent',
      { column: 'start_date', nullable: 'date' },
      { column: 'target_date', nullable: 'date' },
    ],
    filters: ['status', 'account_id', 'deal_id', 'target_date', 'start_date', 'off_track_on', 'at_risk_on'],
    rareFilters: ['health_word', 'priority_word', 'billing_model', 'visibility', 'template_id'],
  });
  await searchFunction(runner, 'data.work_projects');
  // Owner and members of each project as rows, for the filter and for private projects. Kept by a trigger.
  await runner.query(`
    create table data.work_project_members (
      tenant_id uuid not null,
      project_id uuid not null,
      member_id uuid not null,
      primary key (tenant_id, project_id, member_id),
      foreign key (tenant_id, project_id) references data.work_projects (tenant_id, id),
      foreign key (tenant_id, member_id) references data.memberships (tenant_id, id)
    )`);
  await runner.query(
    `create index work_project_members_member_idx on data.work_project_members (tenant_id, member_id, project_id)`,
  );
  await tenantTable(runner, 'data.work_project_members', { grant: 'select, insert, delete' });
}

async function milestones(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.work_milestones',
    'work.milestone',
    `project_id uuid not null,
    ${DESCRIPTION},
    status text not null check (status in ('open', 'reached', 'accepted')),
    due_date date,
    billable_minor bigint check (billable_minor between 0 and 9007199254740991),
    currency text check (currency ~ '^[A-Z]{3}$'),
    acceptance_required boolean not null,
    acceptance_contact_id uuid,
    reached_at timestamptz(3),
    accepted_at timestamptz(3),
    ${SEARCH},
    constraint work_milestones_of_project unique (tenant_id, project_id, id),
    constraint work_milestones_contact_fkey foreign key (tenant_id, acceptance_contact_id)
      references data.sales_contacts (tenant_id, id),
    constraint work_milestones_project_id_fkey foreign key (tenant_id, project_id)
      references data.work_projects (tenant_id, id),
    check ((status = 'open') = (reached_at is null)),
    check ((status = 'open') = (currency is null)),
    check ((status = 'accepted') = (accepted_at is not null)),
    check (deleted_at is null or status = 'open')`,
  );
  await listIndexes(runner, 'data.work_milestones', {
    sorts: ['name', 'updated_at', { column: 'due_date', nullable: 'date' }],
    filters: ['project_id', 'status', 'due_date'],
  });
  await searchFunction(runner, 'data.work_milestones');
}

async function tasks(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.work_tasks',
    'work.task',
    `project_id uuid,
    number integer check (number > 0),
    ${DESCRIPTION},
    state text not null check (state in ('backlog', 'todo', 'in_progress', 'in_review', 'done', 'cancelled')),
    category text not null generated always as (case state when 'todo' then 'unstarted' when 'in_progress' then 'started'
      when 'in_review' then 'started' else state end) stored,
    priority integer not null check (priority between 0 and 4),
    priority_word text generated always as (${wordOf('priority', PRIORITIES)}) stored,
    assignee_ids jsonb not null,
    parent_id uuid,
    start_date date,
    due_date date,
    estimate_minutes integer check (estimate_minutes > 0),
    milestone_id uuid,
    blocked_by_ids jsonb not null,
    checklist jsonb not null,
    position bigint not null,
    completed_at timestamptz(3),
    overdue_at timestamptz(3),
    spent_minutes bigint not null default 0,
    ${SEARCH},
    constraint work_tasks_number_of_project unique (tenant_id, project_id, number),
    constraint work_tasks_of_project unique (tenant_id, project_id, id),
    constraint work_tasks_project_id_fkey foreign key (tenant_id, project_id)
      references data.work_projects (tenant_id, id),
    constraint work_tasks_parent_id_fkey foreign key (tenant_id, parent_id) references data.work_tasks (tenant_id, id),
    constraint work_tasks_parent_of_project foreign key (tenant_id, project_id, parent_id)
      references data.work_tasks (tenant_id, project_id, id),
    constraint work_tasks_milestone_of_project foreign key (tenant_id, project_id, milestone_id)
      references data.work_milestones (tenant_id, project_id, id),
    check (number is null or project_id is not null),
    check (milestone_id is null or project_id is not null),
    check (due_date >= start_date),
    check ((state = 'done') = (completed_at is not null))`,
  );
  await listIndexes(runner, 'data.work_tasks', {
    sorts: [
      'name',
      'updated_at',
      'priority',
      'position',
      { column: 'start_date', nullable: 'date' },
      { column: 'due_date', nullable: 'date' },
      { column: 'completed_at', nullable: 'timestamptz' },
    ],
    filters: ['project_id', 'state', 'category', 'parent_id', 'milestone_id', 'due_date'],
    rareFilters: ['priority_word'],
  });
  await searchFunction(runner, 'data.work_tasks');
  await runner.query(`
    create table data.work_task_assignees (
      tenant_id uuid not null,
      task_id uuid not null,
      member_id uuid not null,
      primary key (tenant_id, task_id, member_id),
      foreign key (tenant_id, task_id) references data.work_tasks (tenant_id, id),
      foreign key (tenant_id, member_id) references data.memberships (tenant_id, id)
    )`);
  await runner.query(
    `create index work_task_assignees_member_idx on data.work_task_assignees (tenant_id, member_id, task_id)`,
  );
  await runner.query(`
    create table data.work_task_blockers (
      tenant_id uuid not null,
      task_id uuid not null,
      blocker_id uuid not null,
      primary key (tenant_id, task_id, blocker_id),
      foreign key (tenant_id, task_id) references data.work_tasks (tenant_id, id),
      foreign key (tenant_id, blocker_id) references data.work_tasks (tenant_id, id)
    )`);
  await runner.query(
    `create index work_task_blockers_blocker_idx on data.work_task_blockers (tenant_id, blocker_id, task_id)`,
  );
  for (const table of ['work_task_assignees', 'work_task_blockers'])
    await tenantTable(runner, `data.${table}`, { grant: 'select, insert, delete' });
}
