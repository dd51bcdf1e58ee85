import { Injectable } from '@nestjs/common';
import { currentTenant } from '#libs/tenancy/scope.js';
import { BudgetsInScope } from './budgets-in-scope.js';
import type { AiJobEstimate } from './estimate.dto.js';
import { JobAdmissionService } from './job-admission.service.js';
import { requesterNow, scopesOf } from './job-rows.js';
import type { CreateAiJob } from '../jobs/job-requests.dto.js';

const HOUR_MINUTES = 60;

/** Estimates the cost of a job and the decision about it. Nothing is written, reserved or sent. */
@Injectable()
export class EstimatesService {
  constructor(
    private readonly admission: JobAdmissionService,
    private readonly budgets: BudgetsInScope,
  ) {}

  /**
   * @throws Problem 400, 409, 413, as when creating the job. A denial by the policy is a result here, not a problem.
   */
  async estimate(request: CreateAiJob): Promise<AiJobEstimate> {
    const { material, plan } = await this.admission.planOf(request);
    const { offer, quote, verdict, capMicros, policyVersion, findings } = plan;
    const { kind, agent } = material;
    const { provider, model } = offer;
    const { workspaceId = null } = request;
    const job = { kind: kind.key, workspaceId, agentId: agent?.id ?? null, provider, model };
    const scope = scopesOf(job, requesterNow());
    return {
      kind: kind.key,
      provider,
      model,
      maxOutputTokens: quote.maxOutputTokens,
      costCapMicros: capMicros,
      worstCaseMicros: quote.worstMicros,
      expectedMicros: quote.expectedMicros,
      currency: currentTenant().currency,
      fitsCap: quote.fits,
      decision: { outcome: verdict.outcome, rules: verdict.rules, policyVersion },
      approval: verdict.demand && {
        approvers: verdict.demand.approvers,
        alsoApprovers: verdict.demand.alsoApprovers ?? null,
        quorum: verdict.demand.quorum,
        allowSelfApproval: verdict.demand.allowSelfApproval,
        expiresInMinutes: Math.round(verdict.demand.expiresInHours * HOUR_MINUTES),
      },
      piiFindings: findings,
      budgets: await this.budgets.of(scope),
    };
  }
}
