import { Injectable } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActorView } from '#libs/resource/types/record.dto.js';
import { type Plan, runPlan, type Undone, undoPlan } from '#libs/steps/plan.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { Mapping, mappings } from './mapping.js';
import { APPLIED, mappingLife } from './mapping.rules.js';
import { MappingRights } from './mapping-rights.js';
import { MappingSteps } from './mapping-steps.js';
import type { Plan as MappingPlan } from './mapping-template.js';

/** Fires when the next step of a mapping is due; its key is the mapping's id. */
const STEP_DUE = 'talent.mapping.step_due';
const AUTOMATION: ActorView = { type: 'automation', id: null, name: 'Talent mapping' };

type Notes = { reason?: string | null };

/** Runs the steps of mappings: each in a transaction of its own, which also records it. */
@Injectable()
export class MappingRuns {
  readonly objects: GovernedObjects<Mapping>;
  private readonly plan: Plan<Mapping, Mapping>;

  constructor(
    kit: ResourceKit,
    private readonly steps: MappingSteps,
    rights: MappingRights,
    automations: Automations,
  ) {
    this.objects = new GovernedObjects(mappings, kit);
    const { objects } = this;
    this.plan = {
      timer: STEP_DUE,
      onBehalf: APPLIED,
      requireKept: (row, transaction) => rights.requireKept(row, transaction),
      moves: mappingLife.transitions,
      steps: steps.works,
      unit: (work) => objects.unit(work),
      open: async (transaction, id) => {
        const row = await objects.rows.lock(transaction, id);
        return row && { row, subject: row };
      },
      lock: (transaction, id) => objects.rows.lock(transaction, id),
      change: (transaction, row, changes, event) => objects.change(transaction, row, changes, event),
      made: { employee: 'employeeId', invitation: 'invitationId' },
      now: () => objects.now(),
    };
    runPlan(automations, this.plan);
  }

  /** Starts the steps of a locked mapping, or continues at the step that failed. */
  async begin(transaction: Transaction, row: Mapping, plan: MappingPlan, notes: Notes = {}): Promise<Mapping> {
    const { actor } = currentScope();
    const changes: Partial<Mapping> = {
      status: 'applying',
      ...(await this.steps.promised(row, plan)),
      appliedBy: actor.type === 'automation' ? AUTOMATION : actor,
    };
    this.setTimer(transaction, row.id, this.objects.now());
    return this.objects.change(transaction, row, changes, 'started', notes);
  }

  /** Takes back what the steps of a locked mapping have created; returns what was undone. */
  revert(transaction: Transaction, row: Mapping): Promise<Undone[]> {
    return undoPlan(transaction, this.plan, { row, subject: row });
  }

  /** Ends a locked mapping; open steps do not run any more. */
  cancel(transaction: Transaction, row: Mapping, notes: Notes = {}): Mapping {
    transaction.write(cancelStatement({ kind: STEP_DUE, key: row.id }));
    return this.objects.change(transaction, row, { status: 'cancelled' }, 'cancelled', notes);
  }

  /** Lets a waiting step of a mapping decide anew how long it waits. */
  async reconsider(id: string): Promise<void> {
    await this.objects.unit(async (transaction) => {
      const row = await this.objects.rows.find(id);
      if (row?.status === 'applying') this.setTimer(transaction, id, this.objects.now());
    });
  }

  private setTimer(transaction: Transaction, key: string, dueAt: string): void {
    transaction.write(timerStatement({ kind: STEP_DUE, key, dueAt }));
  }
}
