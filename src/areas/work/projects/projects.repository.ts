import { Problem } from '#libs/kernel/problem.js';
import { Injectable } from '@nestjs/common';
import { every } from '#libs/access/guard.js';
import { limitsIfHeld } from '#libs/access/limits.js';
import { Database } from '#libs/database/database.js';
import { type Statement, statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import type { Records } from '#libs/resource/records/records.js';
import type { Asked, Input } from '#libs/resource/types/decisions.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Project, projects } from './project.js';
import { isOpen } from './project.figures.js';
import { projectGuard } from './project.guard.js';
import { closedProject } from '../violations.js';

const NEXT_TASK = `select key, next_task_number as number from data.work_projects where tenant_id = $1 and id = $2`;
const MEMBERS = `select count(*)::integer as found from data.memberships
  where tenant_id = $1 and id = any($2::uuid[]) and status <> 'deactivated'`;
const LOCK = `select p.id from data.work_projects p where p.tenant_id = $1 and p.id =`;
const LOCK_OF_PART = {
  cycle: `${LOCK} (select project_id from data.work_cycles where tenant_id = $1 and id = $2) for no key update`,
  milestone: `${LOCK} (select project_id from data.work_milestones where tenant_id = $1 and id = $2) for no key update`,
  task: `${LOCK} (select project_id from data.work_tasks where tenant_id = $1 and id = $2) for no key update`,
  timeEntry: `${LOCK} (select project_id from data.work_time_entries where tenant_id = $1 and id = $2) for no key update`,
};

@Injectable()
export class ProjectsRepository extends ResourceRepository<Project> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Project);
  }

  /** Locks the project of a new part; null if none outside the trash is visible to the caller. */
  async lockForPart(transaction: Transaction, id: string): Promise<Project | null> {
    const visible = every(limitsIfHeld(projects, projects.permissions.read), projectGuard());
    const project = await this.lock(transaction, id, visible);
    return project?.deletedAt === null ? project : null;
  }

  /**
   * Like {@link lockForPart}, but requires an open project.
   * @throws Problem 400 at `/projectId`, 409 `record_locked`.
   */
  async lockOpen(transaction: Transaction, id: string): Promise<Project> {
    const project = await this.lockForPart(transaction, id);
    if (!project) throw Problem.unknownReference('/projectId');
    if (!isOpen(project)) throw closedProject();
    return project;
  }

  /**
   * Runs a request about parts of projects. A new part is created while its project is locked and open.
   * @throws Problem like {@link lockOpen}.
   */
  async aroundPart<T>(
    parts: Pick<Records<never, never, never>, 'unit'>,
    { verb, input }: Pick<Asked, 'verb' | 'input'>,
    work: (input: Input) => Promise<T>,
  ): Promise<T> {
    const { projectId } = input as { projectId?: string | null };
    if (verb !== 'create' || projectId == null) return work(input);
    return parts.unit(async (transaction) => {
      await this.lockOpen(transaction, projectId);
      return work(input);
    });
  }

  /** Whether all ids are members of the tenant. The ids must be distinct. */
  async areMembers(ids: string[]): Promise<boolean> {
    if (ids.length === 0) return true;
    const [row] = await this.database.read<{ found: number }>(statement(MEMBERS, [currentTenant().id, ids]));
    return row!.found === ids.length;
  }

  /** The next task number of a locked project, and the project key that prefixes it. */
  async nextTask(id: string): Promise<{ key: string; number: number }> {
    const [row] = await this.database.read<{ key: string; number: number }>(
      statement(NEXT_TASK, [currentTenant().id, id]),
    );
    return row!;
  }

  /**
   * The statement that locks the project of a part. It runs before the part is locked: changes to projects and to parts
   * use the same lock order.
   */
  lockOfPart(part: keyof typeof LOCK_OF_PART, partId: string): Statement {
    return statement(LOCK_OF_PART[part], [currentTenant().id, partId]);
  }
}
