import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ActionHandler, Asked, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { mustBeVisible } from '#libs/resource/access/references.js';
import { followerOf } from '#libs/resource/records/referrer.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { StandardAction } from '#libs/resource/types/standard-actions.js';
import type { Guard } from '#libs/resource/lists/table.js';
import type { DateShift } from '../date-shift.js';
import { dayOf } from '../days.js';
import { partGuard, secretPartGuard } from '../projects/project.guard.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { Milestone, type MilestoneAction, type MilestoneInput, milestones, type ShownMilestone } from './milestone.js';

const CONTACT = { table: 'data.sales_contacts' };
/** Fixed when the milestone is reached, because it may be on an invoice. */
const FIXED_FIELDS = ['billableMinor'];

/** Milestones of projects. */
@Injectable()
export class MilestonesService implements Decisions<Milestone, ShownMilestone, MilestoneAction>, OnModuleInit {
  readonly actions: Partial<Record<Exclude<MilestoneAction, StandardAction>, ActionHandler<Milestone>>> = {
    reach: (row) => this.reach(row),
    accept: (_row, { acceptedBy = null }: { acceptedBy?: string | null }) => ({
      acceptedAt: this.records.rows.now(),
      acceptedBy,
    }),
  };
  readonly records: Records<Milestone, ShownMilestone, MilestoneAction>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly projects: ProjectsRepository,
  ) {
    this.records = Records.of(milestones, kit, this);
  }

  onModuleInit(): void {
    this.kit.registry.followMerges(followerOf(this.records, 'acceptanceContactId'));
  }

  /** Rows for a project that is about to be created, with their numbers assigned. */
  async planned(inputs: MilestoneInput[]): Promise<Milestone[]> {
    const rows: Milestone[] = [];
    for (const input of inputs) rows.push(await this.records.rows.draft(input));
    return rows;
  }

  /** Adds a row prepared by {@link planned}. */
  async addPlanned(transaction: Transaction, row: Milestone): Promise<void> {
    await this.records.rows.addPlainly(transaction, row);
  }

  /** Moves the due dates of the open milestones of a locked project. Returns the number of milestones that have one. */
  async shiftOpenOf(transaction: Transaction, projectId: string, shift: DateShift): Promise<number> {
    const open = await this.kit
      .rows(Milestone)
      .lockAll(
        transaction,
        (add) =>
          `(t.project_id = ${add(projectId)} and t.status = 'open' and t.due_date is not null and t.deleted_at is null)`,
      );
    for (const row of open)
      await this.records.rows.apply(transaction, row, { dueDate: shift.end(row.dueDate) }, 'updated');
    return open.length;
  }

  around<T>(asked: Asked, work: (input: Input) => Promise<T>): Promise<T> {
    return this.projects.aroundPart(this.records, asked, work);
  }

  lockFirst(transaction: Transaction, id: string): void {
    transaction.write(this.projects.lockOfPart('milestone', id));
  }

  guard(): Guard {
    return partGuard(false);
  }

  secrecy(): Guard | null {
    return secretPartGuard();
  }

  derive({ status, dueDate, ...row }: Milestone): Partial<ShownMilestone> {
    const { acceptanceRequired: required, acceptanceContactId: contactId, acceptedAt, acceptedBy } = row;
    return {
      acceptance: { required, contactId, acceptedAt, acceptedBy },
      isMissed: status === 'open' && dueDate !== null && dueDate < dayOf(this.records.rows.now()),
    };
  }

  draft({ acceptance = {}, ...input }: MilestoneInput): Draft<Milestone> {
    const { required = false, contactId = null } = acceptance;
    const draft: Partial<Milestone> = { ...input, acceptanceRequired: required, acceptanceContactId: contactId };
    return draft as Draft<Milestone>; // the rest is empty
  }

  edit(row: Milestone, { acceptance = {}, ...patch }: MilestoneInput): Partial<Milestone> {
    if (row.status !== 'open' && FIXED_FIELDS.some((field) => field in patch))
      throw new Problem('record_locked', 'The milestone is reached: its amount may be on an invoice.');
    const { required = row.acceptanceRequired, contactId = row.acceptanceContactId } = acceptance;
    return { ...patch, acceptanceRequired: required, acceptanceContactId: contactId };
  }

  checks({ acceptanceContactId: contactId }: Milestone, before: Milestone | null): Statement[] {
    if (contactId === null || contactId === before?.acceptanceContactId) return [];
    return [mustBeVisible(this.kit.registry, CONTACT, '/acceptance/contactId', [contactId])];
  }

  private async reach({ projectId }: Milestone): Promise<Partial<Milestone>> {
    const project = (await this.projects.find(projectId))!;
    return { reachedAt: this.records.rows.now(), currency: project.currency };
  }
}
