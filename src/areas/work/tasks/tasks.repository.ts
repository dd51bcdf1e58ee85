import { Injectable } from '@nestjs/common';
import { every } from '#libs/access/guard.js';
import { limitsIfHeld } from '#libs/access/limits.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { partGuard } from '../projects/project.guard.js';
import { Task, tasks } from './task.js';

const IN_THE_WAY = `
  select
    array(select b.blocker_id::text from data.work_task_blockers b
      join data.work_tasks t on t.tenant_id = b.tenant_id and t.id = b.blocker_id
      where b.tenant_id = $1 and b.task_id = $2 and t.deleted_at is null and t.category not in ('done', 'cancelled')
      order by 1 limit 100) as "openBlockerIds",
    array(select t.id::text from data.work_tasks t
      where t.tenant_id = $1 and t.parent_id = $2 and t.deleted_at is null and t.category not in ('done', 'cancelled')
      order by 1 limit 100) as "openChildIds"`;
const OPEN = `t.category in ('backlog', 'unstarted', 'started')`;
const DONE_IN_CYCLE = `select count(*)::integer as count from data.work_tasks
  where tenant_id = $1 and cycle_id = $2 and category = 'done' and deleted_at is null`;
const OPEN_FOLLOW_UPS = `select t.id from data.work_tasks t
  where t.tenant_id = $1 and t.related_id = $2 and ${OPEN} and t.deleted_at is null order by t.project_id, t.id`;
const OPEN_BY_FLOWS = `select t.id from data.work_tasks t
  where t.tenant_id = $1 and t.related_id = $2 and ${OPEN} and t.deleted_at is null
    and t.created_by ->> 'type' = 'automation'
  order by t.project_id, t.id`;
const ASSIGNED_TO = `select t.id from data.work_task_assignees a
    join data.work_tasks t on t.tenant_id = a.tenant_id and t.id = a.task_id
  where a.tenant_id = $1 and a.member_id = $2 and ${OPEN}
    and t.archived_at is null and t.deleted_at is null
  order by t.id limit $3`;
const BATCH = 500;

@Injectable()
export class TasksRepository extends ResourceRepository<Task> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Task);
  }

  /** Open blockers and open subtasks of a task. */
  async inTheWayOf(
    transaction: Transaction,
    id: string,
  ): Promise<{ openBlockerIds: string[]; openChildIds: string[] }> {
    const [row] = await transaction.query<{ openBlockerIds: string[]; openChildIds: string[] }>(
      statement(IN_THE_WAY, [currentTenant().id, id]),
    );
    return row!;
  }

  /** Some open tasks of a project, including archived ones; empty when none remain. The project must be locked. */
  async openOf(projectId: string): Promise<Task[]> {
    const query = {
      projectId,
      'category[in]': ['backlog', 'unstarted', 'started'],
      includeArchived: true,
      limit: BATCH,
    };
    const { data } = await this.page(toListRequest(tasks.list, query), tasks.list);
    return data.map((row) => ({ ...row, tenantId: currentTenant().id })); // lists leave it out
  }

  /** The open tasks of a project that have dates, locked. The project must be locked. */
  datedOpenOf(transaction: Transaction, projectId: string): Promise<Task[]> {
    return this.lockAll(
      transaction,
      (add) => `(t.project_id = ${add(projectId)} and ${OPEN}
        and (t.start_date is not null or t.due_date is not null) and t.deleted_at is null)`,
    );
  }

  /** The unfinished tasks of a cycle, including archived ones, locked. */
  openInCycle(transaction: Transaction, cycleId: string): Promise<Task[]> {
    return this.lockAll(transaction, (add) => `(t.cycle_id = ${add(cycleId)} and ${OPEN} and t.deleted_at is null)`);
  }

  /** The tasks of a cycle, including archived ones, locked. */
  allInCycle(transaction: Transaction, cycleId: string): Promise<Task[]> {
    return this.lockAll(transaction, (add) => `(t.cycle_id = ${add(cycleId)} and t.deleted_at is null)`);
  }

  /** Some tasks in a state of the tenant, including archived ones, locked. */
  inState(transaction: Transaction, stateId: string, limit: number): Promise<Task[]> {
    return this.lockAll(
      transaction,
      (add) => `(t.id = any(array(select s.id from data.work_tasks s where s.tenant_id = t.tenant_id
        and s.custom_state_id = ${add(stateId)} and s.deleted_at is null order by s.id limit ${add(limit)})))`,
    );
  }

  /** Ids of the open tasks that follow up a record. */
  async openFollowUps(recordId: string): Promise<string[]> {
    const rows = await this.database.read<{ id: string }>(statement(OPEN_FOLLOW_UPS, [currentTenant().id, recordId]));
    return rows.map(({ id }) => id);
  }

  /** Ids of the open tasks that a flow has made about a record. */
  async openByFlows(recordId: string): Promise<string[]> {
    const rows = await this.database.read<{ id: string }>(statement(OPEN_BY_FLOWS, [currentTenant().id, recordId]));
    return rows.map(({ id }) => id);
  }

  /** Number of done tasks of a cycle. */
  async doneInCycle(transaction: Transaction, cycleId: string): Promise<number> {
    const [row] = await transaction.query<{ count: number }>(statement(DONE_IN_CYCLE, [currentTenant().id, cycleId]));
    return row!.count;
  }

  /** Ids of open tasks that a member is assigned to, at most `limit`. */
  async assignedTo(transaction: Transaction, memberId: string, limit: number): Promise<string[]> {
    const query = statement(ASSIGNED_TO, [currentTenant().id, memberId, limit]);
    return (await transaction.query<{ id: string }>(query)).map(({ id }) => id);
  }

  /** The project of a visible task: null for a personal task; undefined if the task does not exist. */
  async projectOf(id: string): Promise<string | null | undefined> {
    const task = await this.find(id, every(limitsIfHeld(tasks, tasks.permissions.read), partGuard(true)));
    return task?.deletedAt === null ? task.projectId : undefined;
  }
}
