import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { toTenThousandths } from '#libs/lines/decimal.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import type { Guard } from '#libs/resource/table.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { dayOf } from '../days.js';
import { MilestonesService } from '../milestones/milestones.service.js';
import { ProjectTemplatesService } from '../project-templates/project-templates.service.js';
import { priorityRanks } from '../ranks.js';
import { TasksService } from '../tasks/tasks.service.js';
import { invalid, requireOrder, unknownReference } from '../violations.js';
import { billingOf, mergeBilling, noBilling } from './project.billing.js';
import {
  type CancelProject,
  type CompleteProject,
  type CreateProject,
  healthRanks,
  type ProjectView,
  type SetProjectHealth,
} from './project.dto.js';
import { FIGURES, type Project } from './project.entity.js';
import { progressOf, readFigures } from './project.figures.js';
import { projectGuard } from './project.guard.js';
import { isFreeKey, keyBaseOf, keyOf } from './project.key.js';
import type { ProjectAction } from './project.lifecycle.js';
import { projectResource } from './project.resource.js';
import { planOf } from './project.plan.js';
import { ProjectsRepository } from './projects.repository.js';

type Input = Record<string, unknown>;
type OwnAction = Exclude<ProjectAction, StandardAction>;

const KEY_TRIES = 20;
const HEALTH_FIELDS = ['health', 'healthNote'];
const PLAIN_FIELDS = [
  'name',
  'key',
  'description',
  'startDate',
  'targetDate',
  'memberIds',
  'visibility',
  'accountId',
  'dealId',
  'progressMethod',
] as const;

@Injectable()
export class ProjectsService extends ResourceService<Project, ProjectView, ProjectAction> {
  protected override readonly handlers: Partial<Record<OwnAction, ActionHandler<Project>>> = {
    start: (row) => this.start(row),
    hold: () => ({ heldAt: this.now() }),
    resume: (row) => this.released(row),
    complete: (row, input: CompleteProject) => this.finish(row, input),
    reopen: () => ({ completedAt: null, cancelledAt: null, cancelledReason: null }),
    cancel: (row, input: CancelProject) => this.cancel(row, input),
    set_health: (_row, input: SetProjectHealth) => this.setHealth(input),
  };
  protected override readonly constraints = {
    work_projects_key_is_fixed: () =>
      new Problem('record_locked', 'The project has tasks, whose numbers begin with its key.'),
    work_projects_currency_is_fixed: () =>
      new Problem('record_locked', 'The project has approved time that is valued in its currency.'),
    work_projects_closed_has_no_open_task: () => new Problem('blocked', 'A task of the project is open.'),
    work_projects_deleted_has_no_approved_time: () =>
      new Problem('record_locked', 'A project with approved time cannot be deleted.'),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: ProjectsRepository,
    private readonly tasks: TasksService,
    private readonly milestones: MilestonesService,
    private readonly templates: ProjectTemplatesService,
    private readonly accounts: AccountsService,
  ) {
    super(projectResource, kit, repository);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.accounts.merging.referredBy(this, 'accountId');
  }

  /** A key that is made from the name may meet one that somebody chose: then the next one is taken. */
  override async create(input: Input): Promise<ProjectView> {
    for (let tries = 1; ; tries++)
      try {
        return await this.createOnce(input as unknown as CreateProject); // validated against it
      } catch (error) {
        const isTaken = error instanceof Problem && error.more.extensions?.['field'] === 'key';
        if (!isTaken || 'key' in input || tries === KEY_TRIES) throw error;
      }
  }

  /** `health` and `healthNote` are shorthand for the action that sets them. */
  override async update(id: string, patch: Input): Promise<ProjectView> {
    if (!HEALTH_FIELDS.some((field) => field in patch)) return super.update(id, patch);
    const others = Object.keys(patch).filter((field) => !HEALTH_FIELDS.includes(field));
    if (others.length > 0)
      throw Problem.validation(
        others.map((field) => ({
          pointer: `/${field}`,
          code: 'not_with_transition',
          detail: 'Change this field in a request of its own.',
        })),
      );
    const { health, healthNote: note } = patch;
    if (health === undefined) throw invalid('/health', 'required', 'A note is sent with the health that it explains.');
    return this.act('set_health', id, { health, ...(note === undefined ? {} : { note }) });
  }

  protected override guard(): Guard | null {
    return projectGuard();
  }

  protected override derive(row: Project): Partial<ProjectView> {
    const { backlogTasks: backlog, unstartedTasks: unstarted, startedTasks: started } = row;
    return {
      ...readFigures(row, this.now()),
      ...billingOf(row),
      health: healthRanks.wordOf(row.health),
      priority: priorityRanks.wordOf(row.priority),
      memberIds: membersOf(row),
      taskCounts: { backlog, unstarted, started, done: row.doneTasks, cancelled: row.cancelledTasks },
    };
  }

  protected override async draft(body: Input): Promise<Draft<Project>> {
    const input = body as unknown as CreateProject; // validated against it
    const template = input.templateId === undefined ? null : await this.templates.published(input.templateId);
    const roleIds = unique((input.roles ?? []).map(({ memberId }) => memberId));
    if (!(await this.repository.areMembers(roleIds))) throw unknownReference('/roles');
    const row = {
      name: input.name,
      description: input.description ?? null,
      health: 0,
      priority: priorityRanks.rankOf(input.priority ?? 'none'),
      startDate: input.startDate ?? null,
      targetDate: input.targetDate ?? null,
      heldSeconds: 0,
      memberIds: unique([...(input.memberIds ?? []), ...roleIds]),
      visibility: input.visibility ?? 'workspace',
      accountId: input.accountId ?? null,
      dealId: input.dealId ?? null,
      templateId: template?.id ?? null,
      progressMethod: input.progressMethod ?? 'tasks',
      ...mergeBilling(mergeBilling(noBilling(), { billing: template?.billing ?? {} }), input),
      ...Object.fromEntries(FIGURES.map((figure) => [figure, figure === 'nextMilestoneDate' ? null : 0])),
      key: await this.keyFor(input),
    };
    requireOrder(row.startDate, row.targetDate, '/targetDate');
    const progressPercent = manualPercent(input.progressPercent, row.progressMethod) ?? 0;
    return { ...row, progressPercent } as Draft<Project>; // what is not named is empty
  }

  protected override edit(row: Project, body: Input): Partial<Project> {
    const patch = body as Partial<CreateProject>;
    if (patch.key !== undefined) requireFreeKey(patch.key);
    const changes: Partial<Project> = Object.fromEntries(
      PLAIN_FIELDS.filter((field) => field in body).map((field) => [field, body[field]]),
    );
    if (patch.priority !== undefined) changes.priority = priorityRanks.rankOf(patch.priority);
    if (patch.billing !== undefined || patch.budget !== undefined) Object.assign(changes, mergeBilling(row, patch));
    const after = { ...row, ...changes };
    requireOrder(after.startDate, after.targetDate, '/targetDate');
    const percent = manualPercent(patch.progressPercent, after.progressMethod);
    return { ...changes, progressPercent: percent ?? progressOf(after) };
  }

  private async createOnce(input: CreateProject): Promise<ProjectView> {
    const { templateId, roles = [] } = input;
    if (templateId === undefined) return super.create(input as object as Input);
    return this.unit(async (transaction) => {
      const template = await this.templates.published(templateId);
      const row = await this.prepare(input as object as Input);
      const plan = planOf(template, row, { today: dayOf(this.now()), roles });
      const milestones = await this.milestones.planned(plan.milestones);
      this.add(transaction, row);
      for (const milestone of milestones) this.milestones.addPlanned(transaction, milestone);
      await this.tasks.addPlanned(transaction, row, plan.tasks(milestones));
      return this.showToCaller(await this.reread(transaction, row));
    });
  }

  private async keyFor({ key, name }: CreateProject): Promise<string> {
    if (key !== undefined) return requireFreeKey(key);
    const base = keyBaseOf(name);
    for (;;) {
      const made = keyOf(base, await this.kit.numbers.next(`work.project.key.${base}`));
      if (isFreeKey(made)) return made;
    }
  }

  private start({ startDate, targetDate }: Project): Partial<Project> {
    const today = dayOf(this.now());
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
    return { ...(await this.closed(row)), completedAt: this.now() };
  }

  private async cancel(row: Project, { reason }: CancelProject): Promise<Partial<Project>> {
    return { ...(await this.closed(row)), cancelledAt: this.now(), cancelledReason: reason };
  }

  private setHealth({ health, note = null }: SetProjectHealth): Partial<Project> {
    if (health !== 'on_track' && note === null)
      throw invalid('/note', 'required', 'A note says why, unless the project is on_track.');
    return { health: healthRanks.rankOf(health), healthNote: note, healthUpdatedAt: this.now() };
  }

  /** What closing a project brings about: its open tasks are cancelled, which changes its figures. */
  private async closed(row: Project): Promise<Partial<Project>> {
    const released = this.released(row);
    if (row.backlogTasks + row.unstartedTasks + row.startedTasks === 0) return released;
    return this.unit(async (transaction) => {
      await this.tasks.cancelOpenOf(transaction, row.id);
      const fresh = await this.reread(transaction, row);
      return { ...released, ...figuresOf(fresh), progressPercent: fresh.progressPercent };
    });
  }

  private released({ heldAt, heldSeconds }: Project): Partial<Project> {
    if (heldAt === null) return {};
    const seconds = Math.max(0, Math.floor((Date.parse(this.now()) - Date.parse(heldAt)) / 1_000));
    return { heldAt: null, heldSeconds: heldSeconds + seconds };
  }

  private async reread(transaction: Transaction, { id }: Project): Promise<Project> {
    return (await this.repository.lock(transaction, id))!;
  }
}

function membersOf({ ownerId, memberIds }: Project): string[] {
  return ownerId === null || memberIds.includes(ownerId) ? memberIds : [ownerId, ...memberIds];
}

function figuresOf(row: Project): Partial<Project> {
  return Object.fromEntries(FIGURES.map((figure) => [figure, row[figure]]));
}

function unique(ids: string[]): string[] {
  return [...new Set(ids)];
}

function requireFreeKey(key: string): string {
  if (!isFreeKey(key)) throw invalid('/key', 'reserved', `The key ${key} stands for tasks without a project.`);
  return key;
}

function manualPercent(percent: number | undefined, method: string): number | null {
  if (percent === undefined) return null;
  if (method !== 'manual')
    throw invalid('/progressPercent', 'only_with_manual', 'Progress is computed unless its method is manual.');
  return Number(toTenThousandths(percent));
}
