import { Injectable } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActorView } from '#libs/resource/types/record.dto.js';
import { runNextStep } from '#libs/steps/run-next-step.js';
import type { Step } from '#libs/steps/step.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { Mapping, mappings } from './mapping.js';
import { MappingSteps } from './mapping-steps.js';
import { MappingTemplatesService } from './mapping-templates.service.js';
import type { Plan } from './mapping-template.js';

/** Fires when the next step of a mapping is due; its key is the mapping's id. */
const STEP_DUE = 'talent.mapping.step_due';
const AUTOMATION: ActorView = { type: 'automation', id: null, name: 'Talent mapping' };
/** Fails the first open step of a mapping. */
const GIVE_UP = `
  update data.talent_mappings m set status = 'failed', version = version + 1, updated_at = $3,
    steps = (select jsonb_agg(case when s.n = o.n then s.step || $4::jsonb else s.step end order by s.n)
      from jsonb_array_elements(m.steps) with ordinality as s (step, n)
      cross join (select min(n) as n from jsonb_array_elements(m.steps) with ordinality as x (step, n)
        where step ->> 'status' not in ('done', 'skipped')) o)
  where tenant_id = $1 and id = $2 and status = 'applying'`;

type Notes = { reason?: string | null };

/** Runs the steps of mappings: each in a transaction of its own, which also records it. */
@Injectable()
export class MappingRuns {
  readonly objects: GovernedObjects<Mapping>;

  constructor(
    kit: ResourceKit,
    private readonly steps: MappingSteps,
    private readonly templates: MappingTemplatesService,
    automations: Automations,
  ) {
    this.objects = new GovernedObjects(mappings, kit);
    automations.timer({
      kind: STEP_DUE,
      fire: (id) => this.runStep(id),
      gaveUp: (id, { code, detail }) => [this.giveUp(id, { code, message: detail })],
    });
  }

  /** Starts the steps of a locked mapping, or continues at the step that failed. */
  begin(transaction: Transaction, row: Mapping, plan: Plan, notes: Notes = {}): Mapping {
    const { actor } = currentScope();
    const changes: Partial<Mapping> = {
      status: 'applying',
      steps: row.steps.length > 0 ? row.steps : this.steps.planned(plan),
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
      const assignment = { row, plan: await this.templates.planOf(row.templateId) };
      const at = this.objects.now();
      const { steps, status, until } = await runNextStep(transaction, this.steps.works, {
        record: assignment,
        steps: row.steps,
        at,
      });
      const made = { steps, employeeId: madeIn(steps, 'employee'), invitationId: madeIn(steps, 'invitation') };
      if (status === 'failed') this.objects.change(transaction, row, { ...made, status }, 'failed');
      else if (status === 'finished') this.objects.change(transaction, row, { ...made, status: 'applied' }, 'applied');
      else {
        this.objects.change(transaction, row, made);
        this.setTimer(transaction, id, until);
      }
    });
  }

  private setTimer(transaction: Transaction, key: string, dueAt: string): void {
    transaction.write(timerStatement({ kind: STEP_DUE, key, dueAt }));
  }

  private giveUp(id: string, error: { code: string; message: string }): Statement {
    const at = this.objects.now();
    const failed = JSON.stringify({ status: 'failed', target: null, error, at });
    return statement(GIVE_UP, [currentTenant().id, id, at, failed]);
  }
}

/** Id of the record that a step has created. */
function madeIn(steps: readonly Step[], key: string): string | null {
  return steps.find((step) => step.key === key)?.target?.id ?? null;
}
