import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { attempt } from '#libs/resource/records/attempt.js';
import { rehearse } from '#libs/resource/records/rehearsal.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { DateShift } from '../date-shift.js';
import { dayOf } from '../days.js';
import { MilestonesService } from '../milestones/milestones.service.js';
import type { Project } from '../projects/project.js';
import { healthRanks } from '../projects/project.parts.js';
import { ProjectsService } from '../projects/projects.service.js';
import { TasksService } from '../tasks/tasks.service.js';
import { requireOrder } from '../violations.js';
import { controlAfter } from './control-rules.js';
import {
  type DeliveryCommand,
  type DeliveryCommandResult,
  type DeliveryResult,
  type DeliveryState,
  MAX_PROJECTS,
  type ShiftedDates,
} from './delivery-command.dto.js';
import { type Control, type Controlled, gatesOf } from './delivery-control.js';
import { DeliveryControlService } from './delivery-control.service.js';
import { type Order, orderOf } from './delivery-order.js';
import { DeliveryRecorder } from './delivery-recorder.js';
import { DeliveryRepository } from './delivery.repository.js';

const NOT_APPLIED = { code: 'not_applied', detail: 'Another project was refused, so nothing was changed.' };

/** An action on one project. */
interface Assignment {
  order: Order;
  reason: string;
  guard: Guard;
  shift: DateShift | null;
}

/** Ends an attempt on all projects, and carries the results past the rollback. */
class Refused extends Error {
  constructor(readonly results: DeliveryResult[]) {
    super();
  }
}

/** Acts on many projects in one transaction. */
@Injectable()
export class DeliveryControlBulkService {
  constructor(
    private readonly repository: DeliveryRepository,
    private readonly control: DeliveryControlService,
    private readonly projects: ProjectsService,
    private readonly tasks: TasksService,
    private readonly milestones: MilestonesService,
    private readonly calendars: CalendarsService,
    private readonly recorder: DeliveryRecorder,
  ) {}

  /** @throws Problem 400 for wrong parameters and for a filter that matches too many projects. */
  async run(command: DeliveryCommand): Promise<DeliveryCommandResult> {
    const { reason, atomic = false, dryRun = false } = command;
    const order = orderOf(command);
    if (order.action === 'reassign_owner' && !(await this.repository.isMember(order.ownerId)))
      throw Problem.unknownReference('/params/ownerId');
    const guard = this.control.within('delivery:manage');
    const assignment = { order, reason, guard, shift: await this.shiftOf(order) };
    return this.projects.records.unit(async (transaction) => {
      const ids = await this.selected(command, guard);
      const each = () => this.each(transaction, ids, assignment);
      const work = () => (atomic ? allOrNone(transaction, each) : each());
      const results = await (dryRun ? rehearse(transaction, work) : work());
      const summary = {
        matched: results.length,
        changed: results.filter(isChanged).length,
        failed: results.filter(({ ok }) => !ok).length,
      };
      if (!dryRun) this.recorder.applied(transaction, command, summary);
      return { summary, results };
    });
  }

  private async shiftOf(order: Order): Promise<DateShift | null> {
    if (order.action !== 'shift_dates') return null;
    return new DateShift(await this.calendars.businessDays(), order.days, dayOf(this.projects.records.rows.now()));
  }

  private async selected({ projectIds, filter }: DeliveryCommand, guard: Guard): Promise<string[]> {
    if (projectIds) return projectIds;
    const ids = await this.repository.idsOf(this.control.requestOf({ ...filter }), guard, MAX_PROJECTS + 1);
    if (ids.length <= MAX_PROJECTS) return ids;
    const detail = `The filter matches more than ${MAX_PROJECTS} projects.`;
    throw Problem.validation([{ pointer: '/filter', code: 'too_many', detail }]);
  }

  /** Projects are locked in the order of their ids, so that two requests cannot wait for each other. */
  private async each(
    transaction: Transaction,
    ids: readonly string[],
    assignment: Assignment,
  ): Promise<DeliveryResult[]> {
    const results = new Map<string, DeliveryResult>();
    for (const id of ids.toSorted()) results.set(id, await this.one(transaction, id, assignment));
    return ids.map((id) => results.get(id)!);
  }

  private async one(transaction: Transaction, projectId: string, assignment: Assignment): Promise<DeliveryResult> {
    const result: DeliveryResult = { projectId, ok: true, error: null, before: null, after: null, shifted: null };
    const { tasks, projects } = this;
    const translate = (error: unknown) => tasks.records.translate(projects.records.translate(error));
    const error = await attempt(transaction, translate, async () => {
      const marks = projects.records.rules.rights.marks();
      const row = await this.repository.lock(transaction, projectId, assignment.guard, marks);
      if (!row) throw Problem.notFound();
      const current = await this.repository.controlOf(transaction, projectId);
      result.before = stateOf(row, current);
      const next = this.nextControl(assignment.order, current);
      result.shifted = await this.changeProject(transaction, row, assignment);
      if (!isDeepStrictEqual(next, current.control)) this.repository.saveControl(transaction, projectId, next);
      const after = (await this.repository.lock(transaction, projectId))!;
      result.after = stateOf(after, await this.repository.controlOf(transaction, projectId));
      if (isChanged(result)) this.recorder.changed(transaction, after, assignment, result);
    });
    return error ? { ...result, ok: false, error, after: null, shifted: null } : result;
  }

  private nextControl(order: Order, { control, controlState }: Controlled): Control {
    const { type, id } = currentScope().actor;
    const at = this.projects.records.rows.now();
    return controlAfter(order, control, controlState, { by: { type, id }, at });
  }

  /** Changes a locked project through its own service. */
  private async changeProject(
    transaction: Transaction,
    row: Project,
    assignment: Assignment,
  ): Promise<ShiftedDates | null> {
    const { order, reason, shift } = assignment;
    const { records } = this.projects;
    switch (order.action) {
      case 'hold':
        if (row.status !== 'on_hold') await records.follow('hold', row.id, { reason });
        return null;
      case 'resume':
        await records.follow('resume', row.id);
        return null;
      case 'set_health':
        await records.follow('set_health', row.id, { health: order.health, note: reason });
        return null;
      case 'reassign_owner':
        await records.amend(row.id, () => ({ ownerId: order.ownerId }));
        records.rows.expectNoGain(transaction, row);
        return null;
      case 'shift_dates':
        return this.shiftDates(transaction, row, shift!);
      default:
        return null;
    }
  }

  private async shiftDates(transaction: Transaction, row: Project, shift: DateShift): Promise<ShiftedDates> {
    const targetDate = shift.end(row.targetDate);
    requireOrder(row.startDate, targetDate, '/params/days');
    await this.projects.records.amend(row.id, () => ({ targetDate }));
    const tasks = await this.tasks.shiftOpenOf(transaction, row.id, shift);
    const milestones = await this.milestones.shiftOpenOf(transaction, row.id, shift);
    return { tasks, milestones };
  }
}

async function allOrNone(transaction: Transaction, each: () => Promise<DeliveryResult[]>): Promise<DeliveryResult[]> {
  try {
    return await transaction.savepoint(async () => {
      const results = await each();
      if (results.some(({ ok }) => !ok)) throw new Refused(results);
      return results;
    });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.results.map((result) =>
      result.ok ? { ...result, ok: false, error: NOT_APPLIED, after: null, shifted: null } : result,
    );
  }
}

function isChanged({ ok, before, after, shifted }: DeliveryResult): boolean {
  return ok && (!isDeepStrictEqual(before, after) || (shifted !== null && shifted.tasks + shifted.milestones > 0));
}

function stateOf(row: Project, { control, controlState }: Controlled): DeliveryState {
  return {
    status: row.status,
    controlState,
    severity: control.severity,
    health: healthRanks.wordOf(row.health),
    ownerId: row.ownerId,
    targetDate: row.targetDate,
    lastUpdateAt: row.healthUpdatedAt,
    updateRequestedAt: control.updateRequestedAt,
    gates: gatesOf(control),
  };
}
