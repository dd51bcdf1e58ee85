import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { mustBeVisible } from '#libs/resource/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { LockOptions } from '#libs/resource/resource-recording.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import type { Guard } from '#libs/resource/table.js';
import { dayOf } from '../days.js';
import { isOpen } from '../projects/project.figures.js';
import { partGuard, secretPartGuard } from '../projects/project.guard.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { unknownReference } from '../violations.js';
import type { CreateMilestone, MilestoneView } from './milestone.dto.js';
import type { Milestone } from './milestone.entity.js';
import type { MilestoneAction } from './milestone.lifecycle.js';
import { milestoneResource } from './milestone.resource.js';
import { MilestonesRepository } from './milestones.repository.js';

type Input = Record<string, unknown>;
type Why = Parameters<ResourceService<Milestone, MilestoneView, MilestoneAction>['apply']>[4];

const CONTACT = { table: 'data.sales_contacts' };
/** What stays as it was when the milestone was reached, because it may be on an invoice. */
const FIXED_FIELDS = ['billableMinor'];

/** Milestones of projects. */
@Injectable()
export class MilestonesService extends ResourceService<Milestone, MilestoneView, MilestoneAction> {
  protected override readonly handlers: Partial<
    Record<Exclude<MilestoneAction, StandardAction>, ActionHandler<Milestone>>
  > = {
    reach: (row) => this.reach(row),
    accept: () => ({ acceptedAt: this.now() }),
  };

  constructor(
    kit: ResourceKit,
    repository: MilestonesRepository,
    private readonly projects: ProjectsRepository,
  ) {
    super(milestoneResource, kit, repository);
  }

  override async create(input: Input): Promise<MilestoneView> {
    return this.unit(async (transaction) => {
      const project = await this.projects.lockForPart(transaction, input['projectId'] as string);
      if (!project) throw unknownReference('/projectId');
      if (!isOpen(project))
        throw new Problem('record_locked', 'The project is completed or cancelled; reopen it first.');
      return this.add(transaction, await this.prepare(input));
    });
  }

  /** Rows for a project that is about to be made; they take their numbers. */
  async planned(inputs: CreateMilestone[]): Promise<Milestone[]> {
    const rows: Milestone[] = [];
    for (const input of inputs) rows.push(await this.prepare(input as object as Input));
    return rows;
  }

  /** Adds one of the {@link planned} rows. */
  addPlanned(transaction: Transaction, row: Milestone): void {
    this.addPlainly(transaction, row);
  }

  protected override guard(): Guard {
    return partGuard(false);
  }

  protected override secrecy(): Guard | null {
    return secretPartGuard();
  }

  protected override derive(row: Milestone): Partial<MilestoneView> {
    const { acceptanceRequired, acceptanceContactId, acceptedAt } = row;
    return {
      acceptance: { required: acceptanceRequired, contactId: acceptanceContactId, acceptedAt },
      isMissed: row.status === 'open' && row.dueDate !== null && row.dueDate < dayOf(this.now()),
    };
  }

  protected override async draft(body: Input): Promise<Draft<Milestone>> {
    const { acceptance, ...input } = body as unknown as CreateMilestone; // validated against it
    return {
      name: input.name,
      projectId: input.projectId,
      description: input.description ?? null,
      status: 'open',
      dueDate: input.dueDate ?? null,
      billableMinor: input.billableMinor ?? null,
      currency: null,
      acceptanceRequired: acceptance?.required ?? false,
      acceptanceContactId: acceptance?.contactId ?? null,
      reachedAt: null,
      acceptedAt: null,
    };
  }

  protected override edit(row: Milestone, body: Input): Partial<Milestone> {
    const { acceptance, ...patch } = body as Partial<CreateMilestone>;
    if (row.status !== 'open' && FIXED_FIELDS.some((field) => field in patch))
      throw new Problem('record_locked', 'The milestone is reached: its amount may be on an invoice.');
    const { required = row.acceptanceRequired, contactId = row.acceptanceContactId } = acceptance ?? {};
    return { ...patch, acceptanceRequired: required, acceptanceContactId: contactId };
  }

  protected override async lock(transaction: Transaction, id: string, options?: LockOptions): Promise<Milestone> {
    transaction.write(this.projects.lockOfPart('milestone', id));
    return super.lock(transaction, id, options);
  }

  protected override async lockPlainly(transaction: Transaction, id: string): Promise<Milestone> {
    transaction.write(this.projects.lockOfPart('milestone', id));
    return super.lockPlainly(transaction, id);
  }

  protected override add(transaction: Transaction, row: Milestone): MilestoneView {
    this.checkContact(transaction, row.acceptanceContactId);
    return super.add(transaction, row);
  }

  protected override apply(
    transaction: Transaction,
    row: Milestone,
    changes: Partial<Milestone>,
    event: string,
    why?: Why,
  ): MilestoneView {
    if (changes.acceptanceContactId !== row.acceptanceContactId)
      this.checkContact(transaction, changes.acceptanceContactId ?? null);
    return super.apply(transaction, row, changes, event, why);
  }

  private checkContact(transaction: Transaction, contactId: string | null): void {
    if (contactId !== null)
      transaction.write(mustBeVisible(this.kit.registry, CONTACT, '/acceptance/contactId', [contactId]));
  }

  private async reach({ projectId }: Milestone): Promise<Partial<Milestone>> {
    const project = (await this.projects.find(projectId))!;
    return { reachedAt: this.now(), currency: project.currency };
  }
}
