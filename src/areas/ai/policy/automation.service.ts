import { Injectable } from '@nestjs/common';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import type { Problem } from '#libs/kernel/problem.js';
import { versionAfter } from '#libs/resource/records/next-version.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { stopStatement } from '../runs/stops.js';
import { AiPauses, type AutomationState } from './ai-pauses.js';
import { AiPoliciesRepository } from './ai-policies.repository.js';
import { AUTOMATION_PATH, AUTOMATION_TYPE, type AutomationView } from './automation.dto.js';

/**
 * The kill switch: while AI work is paused, no jobs are accepted or run. Within seconds the worker cancels waiting jobs
 * and aborts running ones. */
@Injectable()
export class AutomationService {
  constructor(
    private readonly kit: ResourceKit,
    private readonly pauses: AiPauses,
    private readonly policies: AiPoliciesRepository,
  ) {}

  /** @throws Problem 409 `invalid_transition` during a pause. */
  pause(reason: string): Promise<AutomationView> {
    return this.switch('paused', reason);
  }

  /** @throws Problem 409 `invalid_transition` unless paused. */
  resume(reason: string): Promise<AutomationView> {
    return this.switch('resumed', reason);
  }

  private switch(to: 'paused' | 'resumed', reason: string): Promise<AutomationView> {
    return this.kit.database.transaction(async (transaction) => {
      await transaction.query(this.policies.oneByOne());
      const state = await this.pauses.state();
      const before = present(state);
      if (before.isPaused === (to === 'paused')) throw isSoAlready(before);
      const next: AutomationState = {
        version: versionAfter(before),
        reason: to === 'paused' ? reason : null,
        changedAt: this.kit.now(),
        changedBy: currentScope().actor,
      };
      const after = present(next);
      const { id, version } = after;
      this.kit.commits.add(transaction, {
        save: this.pauses.save(next),
        event: `${AUTOMATION_TYPE}.${to}`,
        subject: { type: AUTOMATION_TYPE, id, reference: null, version, url: AUTOMATION_PATH, name: 'AI work' },
        before,
        after,
        at: next.changedAt,
        riskLevel: 'high',
        reason,
      });
      if (to === 'paused') transaction.write(stopStatement('paused'));
      return after;
    });
  }
}

function isSoAlready({ isPaused }: AutomationView): Problem {
  const [action, state, other] = isPaused ? ['pause', 'paused', 'resume'] : ['resume', 'running', 'pause'];
  return invalidTransition(action, { state: state }, [other], `AI work is ${state} already.`);
}

function present(state: AutomationState | null): AutomationView {
  const { version = 0, reason = null, changedAt = null, changedBy = null } = state ?? {};
  const { id } = currentTenant();
  return { id, object: AUTOMATION_TYPE, version, isPaused: reason !== null, reason, changedAt, changedBy };
}
