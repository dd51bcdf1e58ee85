import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Checklists } from '#libs/checklists/checklists.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { BusinessDays } from '#libs/kernel/business-days.js';
import { notWith, Problem } from '#libs/kernel/problem.js';
import { toTenThousandths } from '#libs/lines/decimal.js';
import type { ActionHandler, Asked, Change, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { StandardAction } from '#libs/resource/types/standard-actions.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { ChecklistTemplatesService } from '#src/areas/settings/checklist-templates/checklist-templates.service.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { dayOf } from '../days.js';
import { MilestonesService } from '../milestones/milestones.service.js';
import { ProjectTemplatesService } from '../project-templates/project-templates.service.js';
import { priorityRanks } from '../ranks.js';
import { TasksService } from '../tasks/tasks.service.js';
import { invalid, requireOrder } from '../violations.js';
import type { CancelProject, CompleteProject, SetProjectHealth } from './project.actions.js';
import { billingFrom, billingOf, mergeBilling, noBilling } from './project.billing.js';
import { figuresOf, noFigures, progressOf, readFigures } from './project.figures.js';
import { projectGuard } from './project.guard.js';
import { isFreeKey, keyBaseOf, keyOf } from './project.key.js';
import { type Project, type ProjectInput, projects, type ShownProject } from './project.js';
import type { ProjectAction } from './project.lifecycle.js';
import { healthRanks } from './project.parts.js';
import { planOf } from './project.plan.js';
import { slippageOf } from './project.slippage.js';
import { ProjectsRepository } from './projects.repository.js';

const KEY_TRIES = 20;

@Injectable()
export class ProjectsService implements Decisions<Project, ShownProject, ProjectAction>, OnModuleInit {
  readonly actions: Partial<Record<Exclude<ProjectAction, StandardAction>, ActionHandler<Project>>> = {
    start: (row) => this.start(row),
    hold: () => ({ heldAt: this.records.rows.now() }),
    resume: (row) => this.released(row),
    complete: (row, input: CompleteProject) => this.finish(row, input),
    reopen: () => ({ completedAt: null, cancelledAt: null, cancelledReason: null }),
    cancel: (row, input: CancelProject) => this.cancel(row, input),
    set_health: (_row, input: SetProjectHealth) => this.setHealth(input),
  };
  readonly constraints = {
    work_projects_key_is_fixed: () =>
      new Problem('record_locked', 'The project has tasks, whose numbers begin with its key.'),
    work_projects_currency_is_fixed: () =>
      new Problem('record_locked', 'The project has approved time that is valued in its currency.'),
    work_projects_currency_of_milestones: () =>
      new Problem('record_locked', 'The project has open milestones with amounts in its currency.'),
    work_projects_closed_has_no_open_task: () => new Problem('blocked', 'A task of the project is open.'),
    work_projects_deleted_has_no_approved_time: () =>
      new Problem('record_locked', 'A project with approved time cannot be deleted.'),
  };
  readonly records: Records<Project, ShownProject, ProjectAction>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly repository: ProjectsRepository,
    private readonly tasks: TasksService,
    private readonly milestones: MilestonesService,
    private readonly templates: ProjectTemplatesService,
    private readonly accounts: AccountsService,
    private readonly calendars: CalendarsService,
    private readonly checklists: Checklists,
    private readonly checklistTemplates: ChecklistTemplatesService,
  ) {
    this.records = Records.of(projects, kit, this, repository);
  }

  onModuleInit(): void {
    this.accounts.merging.referredBy(this.records, 'accountId');
  }

  /** If a key derived from the name exists, the next one is used. */
  async around<T>({ verb, input }: Asked<ProjectAction>, work: (input: Input) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++)
      try {
        return await work(input);
      } catch (error) {
        const isTaken = error instanceof Problem && error.more.extensions?.['field'] === 'key';
        if (verb !== 'create' || !isTaken || 'key' in input || tries === KEY_TRIES) throw error;
      }
  }

  guard(): Guard | null {
    return projectGuard();
  }

  derive(row: Project): Partial<ShownProject> {
    const { backlogTasks: backlog, unstartedTasks: unstarted, startedTasks: started } = row;
    return {
      ...readFigures(row, this.records.rows.now()),
      slippageBusinessDays: null,
      ...billingOf(row),
      health: healthRanks.wordOf(row.health),
      priority: priorityRanks.wordOf(row.priority),
      memberIds: membersOf(row),
      taskCounts: { backlog, unstarted, started, done: row.doneTasks, cancelled: row.cancelledTasks },
    };
  }

  /** Adds what takes the calendar. */
  async detail(view: ShownProject, row: Project): Promise<ShownProject> {
    const slippage = slippageOf(row, this.records.rows.now());
    if (slippage === null) return view;
    return { ...view, slippageBusinessDays: slippage.businessDays(await this.calendars.businessDays()) };
  }

  async draft(input: ProjectInput): Promise<Draft<Project>> {
    const { roles = [], billing: _, budget: __, priority = 'none', progressPercent, ...own } = input;
    const { templateId, startDate = null, targetDate = null, memberIds = [], progressMethod = 'tasks' } = own;
    const template = templateId == null ? null : await this.templates.published(templateId);
    const roleIds = unique(roles.map(({ memberId }) => memberId));
    if (!(await this.repository.areMembers(roleIds))) throw Problem.unknownReference('/roles');
    requireOrder(startDate, targetDate, '/targetDate');
    const draft: Partial<Project> = {
      ...own,
      ...noFigures(),
      ...mergeBilling(template ? billingFrom(template, input) : noBilling(), input),
      health: 0,
      priority: priorityRanks.rankOf(priority),
      heldSeconds: 0,
      memberIds: unique([...memberIds, ...roleIds]),
      progressPercent: manualPercent(progressPercent, progressMethod) ?? 0,
      key: await this.keyFor(input),
    };
    return draft as Draft<Project>; // the rest is empty
  }

  edit(row: Project, patch: ProjectInput): Partial<Project> {
    const { billing, budget, priority, progressPercent, ...own } = patch;
    const changes: Partial<Project> = own;
    if (own.key !== undefined) requireFreeKey(own.key);
    if (priority !== undefined) changes.priority = priorityRanks.rankOf(priority);
    if (billing !== undefined || budget !== undefined) Object.assign(changes, mergeBilling(row, patch));
    const after = { ...row, ...changes };
    requireOrder(after.startDate, after.targetDate, '/targetDate');
    const percent = manualPercent(progressPercent, after.progressMethod);
    return { ...changes, progressPercent: percent ?? progressOf(after) };
  }

  /** `health` and `healthNote` are shorthand for the action that sets health. */
  shorthand(patch: Input): { action: ProjectAction; input: Input } | null {
    const { health, healthNote: note, ...others } = patch;
    if (health === undefined && note === undefined) return null;
    if (Object.keys(others).length > 0)
      throw Problem.validation(
        Object.keys(others).map((field) => ({
          pointer: `/${field}`,
          ...notWith('transition', 'Change this field in a separate request.'),
        })),
      );
    if (health === undefined) throw invalid('/health', 'required', 'A note is sent with the health that it explains.');
    return { action: 'set_health', input: { health, ...(note === undefined ? {} : { note }) } };
  }

  /** Adds the milestones, tasks and checklist of the template of a new project. */
  async saved(transaction: Transaction, { before, after, input }: Change<Project>): Promise<Project> {
    if (before !== null || after.templateId === null) return after;
    const { roles = [] } = input as ProjectInput;
    const template = await this.templates.published(after.templateId);
    const start = after.startDate ?? dayOf(this.records.rows.now());
    const days = await this.calendars.businessDays();
    const plan = planOf(template, after, { start, days, roles });
    const milestones = await this.milestones.planned(plan.milestones);
    for (const milestone of milestones) await this.milestones.addPlanned(transaction, milestone);
    await this.tasks.addPlanned(transaction, after, plan.tasks(milestones));
    if (template.checklistTemplateId !== null)
      await this.startChecklist(transaction, after, {
        templateId: template.checklistTemplateId,
        startDate: start,
        days,
      });
    return this.reread(transaction, after);
  }

  private async startChecklist(
    transaction: Transaction,
    { id, ownerId }: Project,
    { templateId, ...when }: { templateId: string; startDate: string; days: BusinessDays },
  ): Promise<void> {
    const {
      name: title,
      appliesTo: kind,
      checklistItems,
    } = await this.checklistTemplates.records.readPlainly(templateId);
    const subject = { object: projects.type, id };
    this.checklists.start(transaction, {
      ...{ title, kind, templateId, subject, ...when },
      items: checklistItems,
      holders: { owner: ownerId },
    });
  }

  private async keyFor({ key, name }: ProjectInput): Promise<string> {
    if (key !== undefined) return requireFreeKey(key);
    const base = keyBaseOf(name!);
    for (;;) {
      const made = keyOf(base, await this.kit.numbers.next(`work.project.key.${base}`));
      if (isFreeKey(made)) return made;
    }
  }

  private start({ startDate, targetDate }: Project): Partial<Project> {
    const today = dayOf(this.records.rows.now());
    return { startDate: startDate ?? (targetDate !== null && targetDate < today ? targetDate : today) };
  }

  private async finish(row: Project, { force = false }: CompleteProject): Promise<Partial<Project>> {
    const openTasks = row.backlogTasks + row.unstartedTasks + row.startedTasks;
    const { openMilestones, unacceptedMilestones } = row;
    if (unacceptedMilestones > 0 || (!force && openTasks + openMilestones > 0))
      throw new Problem(
        'blocked',
        `Open tasks: ${openTasks}; open milestones: ${openMilestones}; to be accepted: ${unacceptedMilestones}.`,
      );
    return { ...(await this.closed(row)), completedAt: this.records.rows.now() };
  }

  private async cancel(row: Project, { reason }: CancelProject): Promise<Partial<Project>> {
    return { ...(await this.closed(row)), cancelledAt: this.records.rows.now(), cancelledReason: reason };
  }

  private setHealth({ health, note = null }: SetProjectHealth): Partial<Project> {
    if (health !== 'on_track' && note === null)
      throw invalid('/note', 'required', 'A note says why, unless the project is on_track.');
    return { health: healthRanks.rankOf(health), healthNote: note, healthUpdatedAt: this.records.rows.now() };
  }

  /** Closing a project cancels its open tasks, which changes its figures. */
  private async closed(row: Project): Promise<Partial<Project>> {
    const released = this.released(row);
    if (row.backlogTasks + row.unstartedTasks + row.startedTasks === 0) return released;
    return this.records.unit(async (transaction) => {
      await this.tasks.cancelOpenOf(transaction, row.id);
      const fresh = await this.reread(transaction, row);
      return { ...released, ...figuresOf(fresh), progressPercent: fresh.progressPercent };
    });
  }

  private released({ heldAt, heldSeconds }: Project): Partial<Project> {
    if (heldAt === null) return {};
    const seconds = Math.max(0, Math.floor((Date.parse(this.records.rows.now()) - Date.parse(heldAt)) / 1_000));
    return { heldAt: null, heldSeconds: heldSeconds + seconds };
  }

  private async reread(transaction: Transaction, { id }: Project): Promise<Project> {
    return (await this.repository.lock(transaction, id))!;
  }
}

function membersOf({ ownerId, memberIds }: Project): string[] {
  return ownerId === null || memberIds.includes(ownerId) ? memberIds : [ownerId, ...memberIds];
}

function unique(ids: string[]): string[] {
  return [...new Set(ids)];
}

function requireFreeKey(key: string): string {
  if (!isFreeKey(key)) throw invalid('/key', 'reserved', `The key ${key} is reserved for tasks without a project.`);
  return key;
}

function manualPercent(percent: number | undefined, method: string): number | null {
  if (percent === undefined) return null;
  if (method !== 'manual')
    throw invalid('/progressPercent', 'only_with_manual', 'Progress is computed unless its method is manual.');
  return Number(toTenThousandths(percent));
}
