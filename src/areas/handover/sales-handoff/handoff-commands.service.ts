import { Injectable } from '@nestjs/common';
import { limitsIfHeld } from '#libs/access/limits.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personBehind } from '#libs/auth/principal.js';
import { isComplete, skipsRequired } from '#libs/checklists/checklist.rules.js';
import { Checklists } from '#libs/checklists/checklists.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type Handoff, HANDOFF_SUBJECT } from './handoff.js';
import { type HandoffAction, OPEN, refuseImpossible } from './handoff.lifecycle.js';
import { HandoffAcceptance } from './handoff-acceptance.js';
import { type HandedDeal, HandoffRecords } from './handoff-records.js';
import { HandoffSteps } from './handoff-steps.js';
import type { ChangeSalesHandoff, HandoffEffect, HandoffItemChange, SalesHandoffResult } from './handoff.requests.js';

const READ = 'handoffs:read';
const WRITE = 'handoffs:write';
const SKIP = 'checklists:manage';
const FIELDS = ['name', 'summary', 'deliveryOwnerId', 'dueAt'] as const;
/** Maximum number of missing things in the text of a problem. */
const MAX_NAMED = 20;
const WITH_REASON: readonly HandoffAction[] = ['return', 'cancel'];

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
    checkReason(input);
    return this.handoffs.unit(async (transaction) => {
      const { row, deal } = await this.handoffs.lock(transaction, input.id, limitsIfHeld(HANDOFF_SUBJECT, READ));
      const effects: HandoffEffect[] = [];
      const edited = await this.edit(transaction, row, input);
      if (input.checklist) effects.push(await this.changeItems(transaction, edited, input.checklist));
      const after = input.action ? await this.act(transaction, edited, deal, input) : edited;
      if (input.action === 'accept' || input.action === 'retry')
        effects.push({ type: 'execution_started', object: 'sales.handoff', id: row.id });
      return { ...(await this.handoffs.show([after]))[0]!, effects };
    });
  }

  private async edit(transaction: Transaction, row: Handoff, input: ChangeSalesHandoff): Promise<Handoff> {
    if (FIELDS.every((field) => input[field] === undefined)) return row;
    await this.handoffs.requireFor(row.id, WRITE);
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
    await this.handoffs.requireFor(row.id, WRITE);
    refuseFixed(row);
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
    { action, reason = '' }: ChangeSalesHandoff,
  ): Promise<Handoff> {
    await this.requireToAct(row, action!);
    refuseImpossible(row.status, action!);
    const { handoffs } = this;
    const by = { at: handoffs.objects.now(), actor: currentScope().actor };
    switch (action!) {
      case 'submit': {
        await this.requireComplete(row);
        const submittedByPerson = personBehind(currentPrincipal());
        const submitted = { submittedAt: by.at, submittedBy: by.actor, submittedByPerson };
        return handoffs.change(transaction, row, { status: 'submitted', ...submitted }, 'submitted');
      }
      case 'accept': {
        if (deal.status !== 'won') throw new Problem('deal_not_won', 'The deal has to be won first.');
        await this.requireComplete(row);
        const accepted = { acceptedAt: by.at, acceptedBy: by.actor, promise: this.acceptance.promiseOf(deal) };
        const begun = { status: 'accepted', steps: this.steps.planned() } as const;
        const after = handoffs.change(transaction, row, { ...begun, ...accepted }, 'accepted');
        this.handoffs.execute(transaction, after);
        return after;
      }
      case 'return': {
        const returned = { returnReason: reason, returnCount: row.returnCount + 1 };
        return handoffs.change(transaction, row, { status: 'returned', ...returned }, 'returned', reason);
      }
      case 'cancel':
        return this.handoffs.cancel(transaction, row, reason);
      case 'retry': {
        const promise = await this.acceptance.renewed(row, deal);
        const after = handoffs.change(transaction, row, { status: 'executing', promise });
        this.handoffs.execute(transaction, after);
        return after;
      }
    }
  }

  /** @throws Problem 403 `permission_denied`, `not_by_oneself`. */
  private async requireToAct(row: Handoff, action: HandoffAction): Promise<void> {
    if (action === 'accept') return this.acceptance.requireByAnother(row);
    return action === 'return' ? this.acceptance.require(row) : this.handoffs.requireFor(row.id, WRITE);
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

/** @throws Problem 400 if the action needs a reason, or allows none. */
function checkReason({ action, reason }: ChangeSalesHandoff): void {
  const pointer = '/reason';
  const isNeeded = action !== undefined && WITH_REASON.includes(action);
  if (isNeeded && reason === undefined)
    throw Problem.validation([{ pointer, code: 'required', detail: `Required for ${action}.` }]);
  if (!isNeeded && reason !== undefined)
    throw Problem.validation([{ pointer, code: 'not_with_action', detail: 'Only for `return` and `cancel`.' }]);
}

/** A refusal of an item with the pointers of the request. */
function under(place: string, error: unknown): unknown {
  if (!(error instanceof Problem) || !error.more.errors) return error;
  return Problem.validation(error.more.errors.map((each) => ({ ...each, pointer: `${place}${each.pointer}` })));
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
