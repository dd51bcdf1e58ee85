import { Injectable } from '@nestjs/common';
import { Automations, type RunFailure } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActorView } from '#libs/resource/types/record.dto.js';
import { giveUpNextStep, type PlanProgress, runNextStep } from '#libs/steps/run-next-step.js';
import type { Step } from '#libs/steps/step.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { Mapping, mappings } from './mapping.js';
import { MappingSteps } from './mapping-steps.js';
import type { Plan } from './mapping-template.js';

/** Fires when the next step of a mapping is due; its key is the mapping's id. */
const STEP_DUE = 'talent.mapping.step_due';
const AUTOMATION: ActorView = { type: 'automation', id: null, name: 'Talent mapping' };

/** Of mappings that were applied by a release that did not keep what was approved. */
const UNKNOWN = { code: 'approval_changed', detail: 'What was approved is not known any more. Retry it yourself.' };

type Notes = { reason?: string | null };

/** Runs the steps of mappings: each in a transaction of its own, which also records it. */
@Injectable()
export class MappingRuns {
  readonly objects: GovernedObjects<Mapping>;

  constructor(
    kit: ResourceKit,
    private readonly steps: MappingSteps,
    automations: Automations,
  ) {
    this.objects = new GovernedObjects(mappings, kit);
    automations.timer({
      kind: STEP_DUE,
      fire: (id) => this.runStep(id),
      gaveUp: (transaction, id, failure) => this.giveUp(transaction, id, failure),
    });
  }

  /** Starts the steps of a locked mapping, or continues at the step that failed. */
  async begin(transaction: Transaction, row: Mapping, plan: Plan, notes: Notes = {}): Promise<Mapping> {
    const { actor } = currentScope();
    const changes: Partial<Mapping> = {
      status: 'applying',
      ...(await this.steps.promised(row, plan)),
      appliedBy: actor.type === 'automation' ? AUTOMATION : actor,
    };
    this.setTimer(transaction, row.id, this.objects.now());
    return this.objects.change(transaction, row, changes, 'started', notes);
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

  private async runStep(id: string): Promise<void> {
    await this.objects.unit(async (transaction) => {
      const row = await this.objects.rows.lock(transaction, id);
      if (row?.status !== 'applying') return;
      const at = this.objects.now();
      const { promise, steps } = row;
      const progress = promise
        ? await runNextStep(transaction, this.steps.works, { record: { row, promise }, steps, at })
        : giveUpNextStep(steps, UNKNOWN, at);
      this.record(transaction, row, progress);
    });
  }

  private async giveUp(transaction: Transaction, id: string, failure: RunFailure): Promise<void> {
    const row = await this.objects.rows.lock(transaction, id);
    if (row?.status === 'applying')
      this.record(transaction, row, giveUpNextStep(row.steps, failure, this.objects.now()));
  }

  private record(transaction: Transaction, row: Mapping, { steps, status, until }: PlanProgress): void {
    const made = { steps, employeeId: madeIn(steps, 'employee'), invitationId: madeIn(steps, 'invitation') };
    if (status === 'failed') this.objects.change(transaction, row, { ...made, status }, 'failed');
    else if (status === 'finished') this.objects.change(transaction, row, { ...made, status: 'applied' }, 'applied');
    else {
      this.objects.change(transaction, row, made);
      this.setTimer(transaction, row.id, until);
    }
  }

  private setTimer(transaction: Transaction, key: string, dueAt: string): void {
    transaction.write(timerStatement({ kind: STEP_DUE, key, dueAt }));
  }
}

/** Id of the record that a step has created. */
function madeIn(steps: readonly Step[], key: string): string | null {
  return steps.find((step) => step.key === key)?.target?.id ?? null;
}
