import { Injectable } from '@nestjs/common';
import { every } from '#libs/access/guard.js';
import { limitsIfHeld } from '#libs/access/limits.js';
import { Database } from '#libs/database/database.js';
import { type Statement, statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Project, projects } from './project.js';
import { isOpen } from './project.figures.js';
import { projectGuard } from './project.guard.js';
import { closedProject, unknownReference } from '../violations.js';

const NEXT_TASK = `select key, next_task_number as number from data.work_projects where tenant_id = $1 and id = $2`;
const MEMBERS = `select count(*)::integer as found from data.memberships
  where tenant_id = $1 and id = any($2::uuid[]) and status <> 'deactivated'`;
const LOCK = `select p.id from data.work_projects p where p.tenant_id = $1 and p.id =`;
const LOCK_OF_PART = {
  milestone: `${LOCK} (select project_id from data.work_milestones where tenant_id = $1 and id = $2) for no key update`,
  task: `${LOCK} (select project_id from data.work_tasks where tenant_id = $1 and id = $2) for no key update`,
  timeEntry: `${LOCK} (select project_id from data.work_time_entries where tenant_id = $1 and id = $2) for no key update`,
};

@Injectable()
export class ProjectsRepository extends ResourceRepository<Project> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Project);
  }

  /** The project that a part is to belong to, locked; null when the caller sees none outside the trash. */
  async lockForPart(transaction: Transaction, id: string): Promise<Project | null> {
    const visible = every(limitsIfHeld(projects, projects.permissions.read), projectGuard());
    const project = await this.lock(transaction, id, visible);
    return project?.deletedAt === null ? project : null;
  }

  /** As {@link lockForPart} for what only open projects get. @throws Problem 400 at `/projectId`, 409 `record_locked`. */
  async lockOpen(transaction: Transaction, id: string): Promise<Project> {
    const project = await this.lockForPart(transaction, id);
    if (!project) throw unknownReference('/projectId');
    if (!isOpen(project)) throw closedProject();
    return project;
  }

  /** Whether each of the ids, none of which stands there twice, is a member of the tenant. */
  async areMembers(ids: string[]): Promise<boolean> {
    if (ids.length === 0) return true;
    const [row] = await this.database.read<{ found: number }>(statement(MEMBERS, [currentTenant().id, ids]));
    return row!.found === ids.length;
  }

  /** The number of the next task of a project that the open transaction has locked, and the key that goes before it. */
  async nextTask(id: string): Promise<{ key: string; number: number }> {
    const [row] = await this.database.read<{ key: string; number: number }>(
      statement(NEXT_TASK, [currentTenant().id, id]),
    );
    return row!;
  }

  /**
   * The statement that locks the project of a part. It precedes the lock of the part, because changes of a project and
   * its parts take the locks in this order.
   */
  lockOfPart(part: keyof typeof LOCK_OF_PART, partId: string): Statement {
    return statement(LOCK_OF_PART[part], [currentTenant().id, partId]);
  }
}
