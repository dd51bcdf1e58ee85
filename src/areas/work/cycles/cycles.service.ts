import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { addDays, civilDateAt, startOfDayMs } from '#libs/kernel/civil-time.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler, Asked, Change, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import type { StandardAction } from '#libs/resource/types/standard-actions.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { partGuard, secretPartGuard } from '../projects/project.guard.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { TasksService } from '../tasks/tasks.service.js';
import { invalid, requireOrder } from '../violations.js';
import { type Cycle, type CycleAction, cycles, type ShownCycle } from './cycle.js';

/** Fires on the first day of a cycle and after its last one. */
export const CYCLE_TIMER = 'work.cycle.turn';

const NEXT = `select id from data.work_cycles
  where tenant_id = $1 and status <> 'closed' and deleted_at is null and start_date > $2
    and (project_id = $3 or $3::uuid is null and project_id is null and workspace_id = $4)
  order by start_date, id limit 1`;

/** Cycles of projects and workspaces. */
@Injectable()
export class CyclesService implements Decisions<Cycle, ShownCycle, CycleAction> {
  readonly actions: Partial<Record<Exclude<CycleAction, StandardAction>, ActionHandler<Cycle>>> = {
    start: (row) => this.start(row),
    close: (row) => this.close(row),
  };
  readonly constraints = {
    work_cycles_overlap: () =>
      new Problem('cycle_overlap', 'Another cycle of the project includes some of these days.'),
    work_cycles_place: () => invalid('/projectId', 'required', 'A cycle needs a project or a workspace.'),
  };
  readonly records: Records<Cycle, ShownCycle, CycleAction>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly projects: ProjectsRepository,
    private readonly tasks: TasksService,
    private readonly settings: TenantSettings,
  ) {
    this.records = Records.of(cycles, kit, this);
  }

  /** Starts or closes a cycle whose time has come. */
  async turn(id: string): Promise<void> {
    const row = await this.records.find(id);
    if (!row || row.status === 'closed') return;
    const today = await this.today();
    if (row.status === 'upcoming' && row.startDate <= today) await this.records.follow('start', id);
    else if (row.status === 'current' && row.endDate < today) await this.records.follow('close', id);
    else await this.records.unit((transaction) => this.setTimer(transaction, row)); // the time zone has changed
  }

  around<T>(asked: Asked<CycleAction>, work: (input: Input) => Promise<T>): Promise<T> {
    return this.projects.aroundPart(this.records, asked, work);
  }

  /** Tasks enter cycles under the lock of their project too. */
  lockFirst(transaction: Transaction, id: string): void {
    transaction.write(this.projects.lockOfPart('cycle', id));
  }

  guard(): Guard {
    return partGuard(true);
  }

  secrecy(): Guard | null {
    return secretPartGuard();
  }

  derive({ scopeTasks: scope, doneTasks, carriedTasks }: Cycle): Partial<ShownCycle> {
    return { snapshot: scope === null ? null : { scope, done: doneTasks!, carried: carriedTasks! } };
  }

  async draft(input: Partial<Cycle>): Promise<Draft<Cycle>> {
    requireOrder(input.startDate!, input.endDate!, '/endDate');
    if (input.endDate! < (await this.today()))
      throw invalid('/endDate', 'out_of_range', 'A new cycle cannot end in the past.');
    return input as Draft<Cycle>; // the rest is empty
  }

  edit(row: Cycle, patch: Partial<Cycle>): Partial<Cycle> {
    const fixed = { upcoming: [], current: ['startDate'], closed: ['startDate', 'endDate'] }[row.status];
    if (fixed.some((field) => field in patch))
      throw new Problem('record_locked', `The dates of a ${row.status} cycle are fixed: ${fixed.join(' and ')}.`);
    const after = { ...row, ...patch };
    requireOrder(after.startDate, after.endDate, '/endDate');
    return patch;
  }

  async saved(transaction: Transaction, { before, after }: Change<Cycle>): Promise<void> {
    if (before?.deletedAt === null && after.deletedAt !== null) await this.tasks.releaseFrom(transaction, after.id);
    const decisive = ['status', 'startDate', 'endDate', 'deletedAt'] as const;
    if (decisive.some((field) => after[field] !== before?.[field])) await this.setTimer(transaction, after);
  }

  private async setTimer(transaction: Transaction, row: Cycle): Promise<void> {
    const timer = { kind: CYCLE_TIMER, key: row.id };
    if (row.status === 'closed' || row.deletedAt !== null) return transaction.write(cancelStatement(timer));
    const day = row.status === 'upcoming' ? row.startDate : addDays(row.endDate, 1);
    const { timezone } = (await this.settings.get()).general;
    transaction.write(timerStatement({ ...timer, dueAt: new Date(startOfDayMs(day, timezone)).toISOString() }));
  }

  private async start({ startDate }: Cycle): Promise<Partial<Cycle>> {
    return { startDate: earlier(startDate, await this.today()) };
  }

  /** A cycle that is closed early ends today. */
  private async close(row: Cycle): Promise<Partial<Cycle>> {
    const today = await this.today();
    return this.records.unit(async (transaction) => {
      const [next] = await transaction.query<{ id: string }>(nextOf(row));
      const { done, carried } = await this.tasks.carryOver(transaction, row.id, next?.id ?? null);
      return {
        endDate: earlier(row.endDate, today),
        closedAt: this.records.rows.now(),
        scopeTasks: done + carried,
        doneTasks: done,
        carriedTasks: carried,
      };
    });
  }

  private async today(): Promise<string> {
    return civilDateAt(this.kit.clock.nowMs(), (await this.settings.get()).general.timezone);
  }
}

/** The cycle that unfinished tasks of a cycle move to, if there is one. */
function nextOf({ startDate, projectId, workspaceId }: Cycle): Statement {
  return statement(NEXT, [currentTenant().id, startDate, projectId, workspaceId]);
}

function earlier(one: string, other: string): string {
  return one < other ? one : other;
}
