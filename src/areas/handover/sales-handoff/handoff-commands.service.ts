import { Injectable } from '@nestjs/common';
import { limitsIfHeld } from '#libs/access/limits.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personBehind } from '#libs/auth/principal.js';
import { isComplete, skipsRequired } from '#libs/checklists/checklist.rules.js';
import { Checklists } from '#libs/checklists/checklists.js';
import type { Transaction } from '#libs/database/transaction.js';
import { requirePossible } from '#libs/kernel/lifecycle.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { requireCommand } from '#libs/resource/access/action-rights.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type Handoff, HANDOFF_SUBJECT } from './handoff.js';
import { type HandoffAction, handoffLife, OPEN } from './handoff.lifecycle.js';
import { HandoffAcceptance } from './handoff-acceptance.js';
import { type HandedDeal, HandoffRecords } from './handoff-records.js';
import { HandoffSteps } from './handoff-steps.js';
import {
  changeHandoff,
  type ChangeSalesHandoff,
  type HandoffEffect,
  type HandoffItemChange,
  type SalesHandoffResult,
} from './handoff.requests.js';

const READ = 'handoffs:read';
const SKIP = 'checklists:manage';
const FIELDS = ['name', 'summary', 'deliveryOwnerId', 'dueAt'] as const;
/** Maximum number of missing things in the text of a problem. */
const MAX_NAMED = 20;

/** Changes of handoffs: fields, checklist items and actions, all in one transaction. */
@Injectable()
export class HandoffCommands {
  constructor(
    private readonly handoffs: HandoffRecords,
    private readonly checklists: Checklists,
    private readonly acceptance: HandoffAcceptance,
    private readonly steps: HandoffSteps,
  ) {}

  /** @throws Problem 400, 403, 404, 409 `invalid_transition`, `handoff_incomplete`, `record_locked`, `blocked`, 412. */
  run(input: ChangeSalesHandoff): Promise<SalesHandoffResult> {
    return this.handoffs.unit(async (transaction) => {
      const { row, deal } = await this.handoffs.lock(transaction, input.id, limitsIfHeld(HANDOFF_SUBJECT, READ));
      await requireCommand(changeHandoff, input, row, (permission) => this.handoffs.requireFor(row.id, permission));
      const effects: HandoffEffect[] = [];
      const edited = await this.edit(transaction, row, input);
      if (input.checklist) effects.push(await this.changeItems(transaction, edited, input.checklist));
      const { action, reason } = input;
      const after = action ? await this.act(transaction, edited, deal, action, reason) : edited;
      if (action === 'accept' || action === 'retry') {
        this.handoffs.execute(transaction, after);
        effects.push({ type: 'execution_started', object: 'sales.handoff', id: row.id });
      }
      return { ...(await this.handoffs.show([after]))[0]!, effects };
    });
  }

  private async edit(transaction: Transaction, row: Handoff, input: ChangeSalesHandoff): Promise<Handoff> {
    if (FIELDS.every((field) => input[field] === undefined)) return row;
    refuseFixed(row);
    const { name, summary, deliveryOwnerId, dueAt } = input;
    await this.acceptance.requireToName(row, deliveryOwnerId);
    const changes: Partial<Handoff> = {};
    if (name !== undefined) changes.name = name;
    if (summary !== undefined) changes.summary = { ...row.summary, ...summary };
    if (deliveryOwnerId !== undefined) changes.deliveryOwnerId = deliveryOwnerId;
    if (dueAt !== undefined) changes.dueAt = dueAt && new Date(dueAt).toISOString();
    if (deliveryOwnerId) transaction.write(mustExist(MEMBER, '/deliveryOwnerId', [deliveryOwnerId]));
    return this.handoffs.change(transaction, row, changes);
  }

  private async changeItems(
    transaction: Transaction,
    row: Handoff,
    changes: readonly HandoffItemChange[],
  ): Promise<HandoffEffect> {
    refuseFixed(row);
    refuseTwice(changes);
    if (row.checklistId === null) throw unknownItem(0);
    let checklist = await this.checklists.objects.rows.lock(transaction, row.checklistId);
    for (const [index, { key, ...change }] of changes.entries()) {
      if (!checklist?.items.some((item) => item.key === key)) throw unknownItem(index);
      if (skipsRequired(checklist.items, key, change)) await this.handoffs.requireFor(row.id, SKIP);
      checklist = await this.checklists.change(transaction, checklist, key, change).catch((error: unknown) => {
        throw under(`/checklist/${index}`, error);
      });
    }
    return { type: 'checklist_changed', object: 'core.checklist', id: row.checklistId };
  }

  private async act(
    transaction: Transaction,
    row: Handoff,
    deal: HandedDeal,
    action: HandoffAction,
    reason?: string,
  ): Promise<Handoff> {
    requirePossible(handoffLife, action, row.status);
    const { to, event } = handoffLife.transitions[action];
    const changes = await this.changesOf(action, row, deal, reason);
    return this.handoffs.change(transaction, row, { status: to!, ...changes }, event, reason);
  }

  /** What an action changes besides the status. @throws Problem 409 `deal_not_won`, `handoff_incomplete`. */
  private async changesOf(
    action: HandoffAction,
    row: Handoff,
    deal: HandedDeal,
    reason?: string,
  ): Promise<Partial<Handoff>> {
    const { actor } = currentScope();
    const at = this.handoffs.objects.now();
    switch (action) {
      case 'submit':
        await this.requireComplete(row);
        return { submittedAt: at, submittedBy: actor, submittedByPerson: personBehind(currentPrincipal()) };
      case 'accept': {
        if (deal.status !== 'won') throw new Problem('deal_not_won', 'The deal has to be won first.');
        await this.requireComplete(row);
        const promise = this.acceptance.promiseOf(deal);
        return { steps: this.steps.planned(), acceptedAt: at, acceptedBy: actor, promise };
      }
      case 'return':
        return { returnReason: reason!, returnCount: row.returnCount + 1 };
      case 'cancel':
        return {};
      case 'retry':
        return { steps: this.steps.again(row), promise: await this.acceptance.renewed(row, deal) };
    }
  }

  /** @throws Problem 409 `handoff_incomplete` with the open items and the empty fields. */
  private async requireComplete(row: Handoff): Promise<void> {
    const checklists = await this.handoffs.repository.checklistsOf(row.checklistId === null ? [] : [row.checklistId]);
    const all = checklists.get(row.checklistId ?? '') ?? [];
    const openItems = all.filter((item) => !isComplete([item])).map(({ key }) => key);
    const missingFields = row.requiredFields.filter((path) => isEmpty(valueAt(row, path)));
    if (openItems.length + missingFields.length === 0) return;
    const missing = [...missingFields, ...openItems.map((key) => `the item ${key}`)].slice(0, MAX_NAMED);
    throw new Problem('handoff_incomplete', `Missing in the handoff: ${missing.join(', ')}.`, {
      extensions: { openItems, missingFields },
    });
  }
}

/** @throws Problem 409 `record_locked`. */
function refuseFixed({ status }: Handoff): void {
  if (!OPEN.includes(status)) throw new Problem('record_locked', `A handoff that is ${status} cannot be changed.`);
}

/** A refusal of an item with the pointers of the request. */
function under(place: string, error: unknown): unknown {
  if (!(error instanceof Problem) || !error.more.errors) return error;
  return Problem.validation(error.more.errors.map((each) => ({ ...each, pointer: `${place}${each.pointer}` })));
}

/** @throws Problem 400 if an item is changed twice. */
function refuseTwice(changes: readonly HandoffItemChange[]): void {
  const keys = changes.map(({ key }) => key);
  const faults = keys.flatMap((key, index) =>
    keys.indexOf(key) < index
      ? [{ pointer: `/checklist/${index}/key`, code: 'not_unique', detail: 'The key occurs twice.' }]
      : [],
  );
  if (faults.length > 0) throw Problem.validation(faults);
}

function unknownItem(index: number): Problem {
  const fault: Violation = {
    pointer: `/checklist/${index}/key`,
    code: 'unknown_key',
    detail: 'There is no such item.',
  };
  return Problem.validation([fault]);
}

/** The value of a field by its path, such as `summary.scope`. */
function valueAt(row: Handoff, path: string): unknown {
  return path.split('.').reduce<unknown>((value, member) => (value as Record<string, unknown> | null)?.[member], row);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
