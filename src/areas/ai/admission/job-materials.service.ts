import { Injectable } from '@nestjs/common';
import { isClosed } from '#libs/access/limits.js';
import { inputViolations, targetViolations } from '#libs/ai/kinds/check.js';
import type { JobKind } from '#libs/ai/kinds/kind.js';
import { completeInput, KINDS } from '#libs/ai/kinds/kinds.js';
import type { ContextRecord } from '#libs/ai/provider.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Agent } from '../agents/agent.js';
import { AgentsService } from '../agents/agents.service.js';
import { AiPolicies } from '../policy/ai-policies.js';
import { type ResolvedPrompt, Prompts } from '../prompts/prompts.js';
import { dataScopeOf } from '../tools/data-scope.js';
import type { CreateAiJob } from '../jobs/job-requests.dto.js';
import { Targets } from '../tools/targets.js';

const MAX_INPUT_BYTES = 262_144;
const DEFAULT_KIND = 'text.generate';
const AGENT_KIND = 'agent.run';

/** The materials of a job: everything that the caller referred to, read as the caller. */
export interface Material {
  kind: JobKind;
  agent: Agent | null;
  input: Record<string, unknown>;
  instructions: string | null;
  records: ContextRecord[];
  /** The stored prompt with the main text; null if there is none. */
  prompt: ResolvedPrompt | null;
}

/** Loads everything that a job request refers to, and rejects what does not fit. Writes nothing. */
@Injectable()
export class JobMaterials {
  constructor(
    private readonly agents: AgentsService,
    private readonly prompts: Prompts,
    private readonly policies: AiPolicies,
    private readonly targets: Targets,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 400 with every violation, 409 `agent_inactive`, 413 `input_too_large`. */
  async gather(request: CreateAiJob): Promise<Material> {
    const { kind: key = DEFAULT_KIND, targets = [] } = request;
    const kind = KINDS.get(key);
    if (!kind) throw invalid('/kind', 'unknown_kind', `There is no kind ${key}; see /api/ai/models.`);
    const prompt = request.template ? await this.promptOf(request.template) : null;
    const given = inputOf(kind, request, prompt?.text ?? request.prompt);
    refuseLarge(given);
    const violations = [...inputViolations(kind, given), ...targetViolations(kind, targets)];
    if (violations.length > 0) throw Problem.validation(inPlace(violations, kind, request));
    const agent = await this.agentOf(kind, request.agentId ?? null);
    const { policy } = await this.policies.current();
    const records = await this.targets.read(targets, dataScopeOf(agent, policy.personalData));
    const input = completeInput(kind, given, this.clock.now().toISOString().slice(0, 10));
    return { kind, agent, input, instructions: agent?.instructions ?? null, records, prompt };
  }

  private promptOf({ key, label, version, variables = {} }: NonNullable<CreateAiJob['template']>) {
    const named = { ...(label === undefined ? {} : { label }), ...(version === undefined ? {} : { version }) };
    return this.prompts.resolve({ key, ...named, variables }, '/template');
  }

  private async agentOf(kind: JobKind, id: string | null): Promise<Agent | null> {
    if (id === null) {
      if (kind.key !== AGENT_KIND) return null;
      throw invalid('/agentId', 'required', 'agent.run takes an agent.');
    }
    const { definition } = this.agents.records;
    const agent = isClosed(definition, definition.permissions.read) ? null : await this.agents.records.find(id);
    if (!agent) throw invalid('/agentId', 'unknown_reference', 'There is no such record.');
    if (agent.status !== 'active' || agent.archivedAt !== null)
      throw new Problem('agent_inactive', `The agent is ${agent.status}: only an active one takes jobs.`);
    return agent;
  }
}

/** The input for the kind. @throws Problem 400 if two members of the request set the same value. */
function inputOf(
  { promptMember }: JobKind,
  { input, prompt, template }: CreateAiJob,
  text: string | undefined,
): Record<string, unknown> {
  if (prompt !== undefined && template !== undefined)
    throw invalid('/template', 'exactly_one', 'The main text comes from `prompt` or from `template`, not from both.');
  if (text === undefined) {
    if (input === undefined) throw invalid('/input', 'required', 'One of input, prompt and template is needed.');
    return input;
  }
  if (input && promptMember in input)
    throw invalid(`/input/${promptMember}`, 'exactly_one', 'The main text is given already.');
  return { ...input, [promptMember]: text };
}

/** Reports violations of a text from outside the input at its source. */
function inPlace(violations: Violation[], { promptMember }: JobKind, { prompt, template }: CreateAiJob): Violation[] {
  const place = prompt === undefined ? (template === undefined ? null : '/template') : '/prompt';
  if (place === null) return violations;
  return violations.map((each) => (each.pointer === `/input/${promptMember}` ? { ...each, pointer: place } : each));
}

function refuseLarge(input: Record<string, unknown>): void {
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > MAX_INPUT_BYTES) throw tooLarge(`The input has ${bytes} bytes; ${MAX_INPUT_BYTES} are taken.`);
}

export function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}

/** 413 for an input that is too large, alone or with its records. */
export function tooLarge(detail: string): Problem {
  return new Problem('input_too_large', detail, { errors: [{ pointer: '/input', code: 'input_too_large', detail }] });
}
