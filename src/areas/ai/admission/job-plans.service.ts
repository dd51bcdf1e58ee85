import { Injectable } from '@nestjs/common';
import { KINDS } from '#libs/ai/kinds/kinds.js';
import type { Finding, Looking } from '#libs/ai/personal-data/kinds.js';
import { Masking, type Places } from '#libs/ai/personal-data/mask.js';
import { scan } from '#libs/ai/personal-data/scan.js';
import type { AiPolicy } from '#libs/ai/policy.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { Agent } from '../agents/agent.js';
import { AiPolicies } from '../policy/ai-policies.js';
import { type JobContent, inputHashOf } from '../jobs/job-contexts.js';
import { JobDecisions, type Verdict } from './job-decisions.service.js';
import { capOf, JobQuotes, type PricedOffer, type Quote } from './job-quotes.service.js';
import type { AiJob } from '../jobs/job.js';

/** Input of a plan: the content, and the caller's options. */
export interface PlanRequest {
  kind: string;
  agent: Agent | null;
  content: JobContent;
  targets: AiJob['targets'];
  provider: string | null;
  model: string | null;
  /** Null for the default length. */
  maxOutputTokens: number | null;
  /** Null for the default of the policy. */
  capMicros: number | null;
  /** Cost of the job so far. */
  spentMicros: number;
  /** Findings of the first planning; the content is then already treated. Null for a new job. */
  known: Finding[] | null;
  approvalRequested: boolean;
}

/** Everything that is decided before a job is created. Nothing is written yet. */
export interface Plan {
  content: JobContent;
  places: Places;
  findings: Finding[];
  inputHash: string;
  offer: PricedOffer;
  quote: Quote;
  capMicros: number;
  policy: AiPolicy;
  policyVersion: number;
  verdict: Verdict;
}

/** Maximum number of stored findings. */
const MAX_FINDINGS = 200;

/** Determines the content of a job, its cost and the policy's decision. Writes nothing. */
@Injectable()
export class JobPlans {
  constructor(
    private readonly policies: AiPolicies,
    private readonly settings: TenantSettings,
    private readonly quotes: JobQuotes,
    private readonly decisions: JobDecisions,
  ) {}

  async plan(request: PlanRequest): Promise<Plan> {
    const { kind, agent, targets } = request;
    const { version: policyVersion, policy } = await this.policies.current();
    const capMicros = capOf(request.capMicros, policy, agent);
    const offer = await this.quotes.offerOf(request);
    const { content, places, findings } = request.known
      ? { content: request.content, places: {}, findings: request.known }
      : await this.treat(policy, request.content);
    const { input, instructions, records } = content;
    const prompt = KINDS.get(kind)!.render({ kind, input, records }, instructions);
    const wantedTokens = request.maxOutputTokens ?? agent?.parameters.maxOutputTokens ?? null;
    const { spentMicros, approvalRequested } = request;
    const quote = this.quotes.quote(offer, prompt, { kind, wantedTokens, capMicros, spentMicros });
    const verdict = await this.decisions.judge(policy, {
      ...{ kind, offer, capMicros, targets, findings, approvalRequested },
      costMicros: quote.worstMicros,
      agentId: agent?.id ?? null,
      autonomy: agent?.autonomy ?? null,
    });
    const inputHash = inputHashOf(content);
    return { content, places, findings, inputHash, offer, quote, capMicros, policy, policyVersion, verdict };
  }

  /** The content to send, with placeholders for personal data if the policy requires them. */
  private async treat(
    policy: AiPolicy,
    content: JobContent,
  ): Promise<{ content: JobContent; places: Places; findings: Finding[] }> {
    const { general } = await this.settings.get();
    const looking: Looking = { kinds: policy.personalDataKinds, country: general.country };
    const findings = scan(content, looking).slice(0, MAX_FINDINGS);
    if (policy.personalData !== 'mask') return { content, places: {}, findings };
    const masking = new Masking(looking);
    const records = content.records.map((record) => ({ ...record, fields: masking.mask(record.fields) }));
    const masked = { input: masking.mask(content.input), instructions: masking.mask(content.instructions), records };
    return { content: masked, places: masking.places, findings };
  }
}
