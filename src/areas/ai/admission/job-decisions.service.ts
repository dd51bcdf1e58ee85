import { Injectable } from '@nestjs/common';
import type { Finding } from '#libs/ai/personal-data/kinds.js';
import { type AiPolicy, decide, type Decision, type PolicyFacts } from '#libs/ai/policy.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Demand, Gates } from '#libs/resource/gates/gates.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import type { ModelOffer } from '../models/models.service.js';
import type { AiJob } from '../jobs/job.js';
import { RUN_GATE } from '../jobs/job.lifecycle.js';

const HOUR_MINUTES = 60;
const GATE_RULE = `gate.${RUN_GATE}`;

/** Input of the policy and the gate. */
export interface Case {
  kind: string;
  offer: Pick<ModelOffer, 'provider' | 'model' | 'api' | 'regions'>;
  /** Maximum cost, micros. */
  costMicros: number;
  capMicros: number;
  targets: AiJob['targets'];
  findings: readonly Finding[];
  agentId: string | null;
  autonomy: AiJob['autonomy'];
  approvalRequested: boolean;
}

/** The decision of the policy and of the tenant's gate, if there is one. */
export interface Verdict {
  outcome: Decision['outcome'];
  rules: string[];
  facts: PolicyFacts;
  /** The required approval; null if none is required. */
  demand: Demand | null;
}

/** Decides about jobs as the requester. Writes nothing. */
@Injectable()
export class JobDecisions {
  constructor(
    private readonly gates: Gates,
    private readonly registry: ResourceRegistry,
  ) {}

  async judge(policy: AiPolicy, job: Case): Promise<Verdict> {
    const facts = this.factsOf(job);
    const { outcome, rules, approval } = decide(policy, facts);
    if (outcome === 'deny') return { outcome, rules: [...rules], facts, demand: null };
    const gate = await this.gateOf(job, facts);
    if (gate === 'denied') return { outcome: 'deny', rules: [GATE_RULE], facts, demand: null };
    const own = approval && demandOf(approval);
    if (!gate) return { outcome, rules: [...rules], facts, demand: own };
    const demand = own ? both(own, gate) : gate;
    return { outcome: 'require_approval', rules: [...(own ? rules : []), GATE_RULE], facts, demand };
  }

  private factsOf({ kind, offer, costMicros, targets, findings, autonomy, approvalRequested }: Case): PolicyFacts {
    const areas = targets.map(({ object }) => this.registry.ofType(object)!.definition.area);
    return {
      kind,
      provider: offer.provider,
      model: offer.model,
      regions: offer.api === 'local' ? null : offer.regions,
      costMicros,
      areas: [...new Set(areas)],
      personalData: [...new Set(findings.map((finding) => finding.kind))],
      requesterRoleIds: currentPrincipal().authority.roleIds,
      autonomy,
      approvalRequested,
    };
  }

  private async gateOf(job: Case, facts: PolicyFacts): Promise<CompleteGate | 'denied' | null> {
    const { costMicros: estimatedCostMicros, regions: _, requesterRoleIds: _roles, ...rest } = facts;
    const { agentId, capMicros: costCapMicros } = job;
    try {
      return await this.gates.holding(RUN_GATE, () => ({ ...rest, agentId, costCapMicros, estimatedCostMicros }));
    } catch (error) {
      if (error instanceof Problem && error.code === 'gate_denied') return 'denied';
      throw error;
    }
  }
}

/** By default, all members with the permission to approve jobs. */
function demandOf({
  approvers,
  quorum,
  allowSelfApproval,
  expiresInMinutes,
}: NonNullable<Decision['approval']>): Demand {
  const { memberIds, roleIds, managerOfRequester } = approvers;
  const named = { memberIds: [...memberIds], roleIds: [...roleIds], managerOfRequester };
  return {
    key: RUN_GATE,
    approvers: { ...named, permission: 'ai-jobs:approve' },
    quorum,
    allowSelfApproval,
    expiresInHours: expiresInMinutes / HOUR_MINUTES,
  };
}

/** Combined requirements: approvers must satisfy both the policy and the gate. */
function both(policy: Demand, gate: Demand): Demand {
  return {
    key: RUN_GATE,
    approvers: policy.approvers,
    alsoApprovers: gate.approvers,
    quorum: Math.max(policy.quorum, gate.quorum),
    allowSelfApproval: policy.allowSelfApproval && gate.allowSelfApproval,
    expiresInHours: Math.min(policy.expiresInHours, gate.expiresInHours),
  };
}
