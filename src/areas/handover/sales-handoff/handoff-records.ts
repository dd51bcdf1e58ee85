import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { limitsOf } from '#libs/access/limits.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import { timerStatement } from '#libs/automation/timers.js';
import type { Checklist } from '#libs/checklists/checklist.js';
import { Checklists } from '#libs/checklists/checklists.js';
import { breaksConstraint, brokenReference, exceededPermission } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { addDays } from '#libs/kernel/civil-time.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { actionsFrom } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { beyondReach } from '#libs/resource/access/record-rights.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import type { HeldChange } from '#src/areas/sales/sales.area.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { CLOSED, handoffLife, OPEN } from './handoff.lifecycle.js';
import { type Handoff, HANDOFF_SUBJECT, handoffs, type ShownHandoff } from './handoff.js';
import { EMPTY_SUMMARY } from './handoff.parts.js';
import type { NewHandoff } from './handoff.requests.js';
import { DEFAULT_DUE_IN_DAYS, type HandoffTemplate } from './handoff-template.js';
import { HandoffsRepository } from './handoffs.repository.js';

/** Runs the next step of an accepted handoff; the key is its id. */
export const EXECUTE = 'sales.handoff.execute';

/** A deal with the fields that a handoff uses. */
export type HandedDeal = Awaited<ReturnType<DealsService['records']['readPlainly']>>;

/** Handoffs as rows: creating, locking, cancelling and showing them. */
@Injectable()
export class HandoffRecords implements OnModuleInit {
  readonly objects: GovernedObjects<Handoff>;

  constructor(
    kit: ResourceKit,
    readonly repository: HandoffsRepository,
    private readonly deals: DealsService,
    private readonly accounts: AccountsService,
    private readonly checklists: Checklists,
    private readonly calendars: CalendarsService,
  ) {
    this.objects = new GovernedObjects(handoffs, kit, {}, repository);
  }

  onModuleInit(): void {
    this.deals.heldBy((dealId, action) => this.holdOf(dealId, action));
    this.deals.whenReopenedOrLost((dealId, reason) => this.cancelLive(dealId, reason));
    this.accounts.merging.referredBy({
      noun: 'handoffs',
      isUsed: async (id) => (await this.repository.idsOfAccount(id)).length > 0,
      move: (from, into) => this.moveAccount(from, into),
    });
  }

  /** One transaction; violated constraints become problems. */
  async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.objects.unit(work);
    } catch (error) {
      const pointer = brokenReference(error);
      if (pointer !== null) throw Problem.unknownReference(pointer);
      const permission = exceededPermission(error);
      if (permission !== null) throw beyondReach(permission);
      if (breaksConstraint(error, 'sales_handoffs_one_live')) throw exists();
      throw error;
    }
  }

  /**
   * Locks the deal of a handoff and then the handoff, like a deal that is reopened, and checks `If-Match`.
   * @throws Problem 404, 412.
   */
  async lock(transaction: Transaction, id: string, guard: Guard | null): Promise<{ row: Handoff; deal: HandedDeal }> {
    const found = await this.repository.find(id, guard);
    if (!found) throw Problem.notFound();
    const deal = await this.deals.records.rows.lockPlainly(transaction, found.dealId);
    return { row: await this.objects.lock(transaction, id), deal };
  }

  /** Requires a permission that covers a handoff. @throws Problem 403 `permission_denied`. */
  async requireFor(id: string, permission: string): Promise<void> {
    requirePermission(permission, { withinReach: true });
    const limits = limitsOf(HANDOFF_SUBJECT, permission);
    if (limits && !(await this.repository.find(id, limits))) throw beyondReach(permission);
  }

  /** Creates the handoff of a locked deal, with its checklist. @throws Problem 400, 403, 409 `handoff_exists`. */
  async start(
    transaction: Transaction,
    deal: HandedDeal,
    template: HandoffTemplate | null,
    input: NewHandoff & { name?: string | undefined } = {},
  ): Promise<Handoff> {
    if (await this.repository.liveOf(deal.id)) throw exists();
    const id = uuidv7();
    const deliveryOwnerId = input.deliveryOwnerId ?? (await this.ownerByRule(template, deal));
    const checklist = await this.startChecklist(transaction, deal, template, deliveryOwnerId);
    if (input.deliveryOwnerId !== undefined)
      transaction.write(mustExist(MEMBER, '/deliveryOwnerId', [input.deliveryOwnerId]));
    const row = this.objects.add(
      transaction,
      {
        ...NOTHING_YET,
        id,
        name: input.name ?? deal.name,
        dealId: deal.id,
        accountId: deal.accountId,
        workspaceId: deal.workspaceId,
        salesOwnerId: deal.ownerId,
        templateId: template?.id ?? null,
        deliveryOwnerId,
        dueAt: input.dueAt === undefined ? this.dueIn(template) : new Date(input.dueAt).toISOString(),
        summary: { ...EMPTY_SUMMARY, ...input.summary },
        requiredFields: template?.requiredFields ?? [],
        projectTemplateId: template?.projectTemplateId ?? null,
        depositPercent: template?.depositPercent ?? 0,
        checklistId: checklist?.id ?? null,
      },
      'created',
      { about: deal.id },
    );
    const limits = limitsOf(HANDOFF_SUBJECT, 'handoffs:write');
    if (limits) transaction.write(this.repository.expect(id, limits, 'handoffs:write'));
    transaction.write(this.repository.forgetSkip(deal.id));
    await this.deals.records.amend(deal.id, () => ({ handoffId: id }));
    return row;
  }

  /** Changes a locked handoff. Its audit entry is about the deal, so purging the deal erases the values in it. */
  change(
    transaction: Transaction,
    row: Handoff,
    changes: Partial<Handoff>,
    event = 'updated',
    reason?: string,
  ): Handoff {
    return this.objects.change(transaction, row, changes, event, { about: row.dealId, reason: reason ?? null });
  }

  /** Starts or continues the steps of a handoff in the worker. */
  execute(transaction: Transaction, { id }: Handoff): void {
    transaction.write(timerStatement({ kind: EXECUTE, key: id, dueAt: this.objects.now() }));
  }

  cancel(transaction: Transaction, row: Handoff, reason: string): Handoff {
    return this.change(transaction, row, { status: 'cancelled' }, 'cancelled', reason);
  }

  /** Handoffs in responses. */
  async show(rows: readonly Handoff[]): Promise<ShownHandoff[]> {
    const checklists = await this.repository.checklistsOf(rows.flatMap(({ checklistId }) => checklistId ?? []));
    const files = await this.repository.filesOf(rows.map(({ dealId }) => dealId));
    const now = this.objects.now();
    return rows.map(({ tenantId: _t, submittedByPerson: _p, promise: _a, ...row }) => ({
      ...row,
      object: handoffs.type,
      overdue: row.dueAt !== null && row.dueAt < now && !CLOSED.includes(row.status),
      checklist: checklists.get(row.checklistId ?? '') ?? [],
      files: files.get(row.dealId) ?? [],
      allowedActions: actionsFrom(handoffLife, row.status),
    }));
  }

  /** Starts the checklist of a template about the deal; null if the template has no items. */
  private async startChecklist(
    transaction: Transaction,
    deal: HandedDeal,
    template: HandoffTemplate | null,
    deliveryOwnerId: string | null,
  ): Promise<Checklist | null> {
    if (!template || template.items.length === 0) return null;
    return this.checklists.start(transaction, {
      title: template.name,
      kind: 'handoff',
      subject: { object: 'sales.deal', id: deal.id },
      templateId: null,
      startDate: this.objects.now().slice(0, 10),
      items: template.items,
      days: await this.calendars.businessDays(),
      holders: { owner: deal.ownerId, sales_owner: deal.ownerId, delivery_owner: deliveryOwnerId },
    });
  }

  /** Why a deal cannot be deleted or reopened; null if it can. */
  private async holdOf(dealId: string, action: HeldChange): Promise<string | null> {
    if (action === 'change_currency') return null;
    const live = await this.repository.liveOf(dealId);
    if (!live) return null;
    if (action === 'delete') return 'The deal has a handoff; cancel it first.';
    return OPEN.includes(live.status) ? null : 'Delivery has accepted the handoff of the deal.';
  }

  /** Cancels the handoff of a deal that is being reopened or lost, which is locked. */
  private async cancelLive(dealId: string, reason: string): Promise<void> {
    await this.unit(async (transaction) => {
      const live = await this.repository.liveOf(dealId);
      if (!live) return;
      const row = await this.repository.lock(transaction, live.id);
      this.cancel(transaction, row!, reason);
    });
  }

  private async moveAccount(from: string, into: string): Promise<void> {
    await this.unit(async (transaction) => {
      for (const row of await this.repository.lockAll(transaction, (add) => `t.account_id = ${add(from)}`))
        this.change(transaction, row, { accountId: into, promise: row.promise && { ...row.promise, accountId: into } });
    });
  }

  /** The delivery owner by the rule of a template, if that person is an active member. */
  private async ownerByRule(template: HandoffTemplate | null, deal: HandedDeal): Promise<string | null> {
    const { type, membershipId, workspaceId } = template?.deliveryOwnerRule ?? { type: 'deal_owner' };
    const found =
      type === 'member'
        ? membershipId!
        : type === 'workspace_lead'
          ? await this.repository.leadOf(workspaceId!)
          : deal.ownerId;
    return found !== null && (await this.repository.isActiveMember(found)) ? found : null;
  }

  private dueIn(template: HandoffTemplate | null): string {
    const now = this.objects.now();
    const days = template?.dueInDays ?? DEFAULT_DUE_IN_DAYS;
    return `${addDays(now.slice(0, 10), days)}${now.slice(10)}`;
  }
}

const NOTHING_YET = {
  status: 'draft',
  projectId: null,
  invoiceId: null,
  returnReason: null,
  returnCount: 0,
  submittedAt: null,
  submittedBy: null,
  submittedByPerson: null,
  acceptedAt: null,
  acceptedBy: null,
  promise: null,
  completedAt: null,
  steps: [],
} satisfies Partial<Handoff>;

function exists(): Problem {
  return new Problem('handoff_exists', 'The deal has a handoff that is not cancelled.');
}
