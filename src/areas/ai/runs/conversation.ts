import { Injectable } from '@nestjs/common';
import { Masking, unmask } from '#libs/ai/personal-data/mask.js';
import { KINDS } from '#libs/ai/kinds/kinds.js';
import { stricter } from '#libs/ai/policy.js';
import type { Completion, ModelMessage } from '#libs/ai/provider.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { Agent } from '../agents/agent.js';
import { AgentsService } from '../agents/agents.service.js';
import { JobContexts, type OpenedContext } from '../jobs/job-contexts.js';
import type { ProposedAction } from '../jobs/job.parts.js';
import { AiPolicies } from '../policy/ai-policies.js';
import type { Question } from './call.js';
import { JobEnd } from './job-end.js';
import type { JobRun } from './job-run.js';
import { ModelCaller } from './model-caller.js';
import { OfferedTools } from './offered-tools.js';
import { actionIdOf, Toolbox, type ToolSetting } from './toolbox.js';

/** Default number of calls per agent. */
const DEFAULT_STEPS = 10;

/** Result of a job. */
export interface Outcome {
  output: { text: string | null; json: unknown };
  /** Proposed changes, unmodified. */
  proposals: ProposedAction[];
}

/**
 * Runs the conversation with a model. Most kinds need one call, and a second one if the response has the wrong form;
 * agents continue until they request no more tools. After a worker has died, stored responses are reused, so only calls
 * without a response are paid for again.
 */
@Injectable()
export class Conversation {
  constructor(
    private readonly contexts: JobContexts,
    private readonly caller: ModelCaller,
    private readonly tools: OfferedTools,
    private readonly toolbox: Toolbox,
    private readonly agents: AgentsService,
    private readonly policies: AiPolicies,
    private readonly settings: TenantSettings,
  ) {}

  /** @throws JobEnd, Interrupted, LeaseLost, Problem. */
  async hold(run: JobRun): Promise<Outcome> {
    const { job } = run;
    const context = await this.contexts.open(job);
    const agent = job.agentId === null ? null : await this.agents.records.find(job.agentId);
    if (job.agentId !== null && !agent) throw new JobEnd('fail', 'agent_inactive', 'The agent is not there any more.');
    return job.kind === 'agent.run' && agent ? this.withTools(run, context, agent) : this.plain(run, context, agent);
  }

  private async plain(run: JobRun, context: OpenedContext, agent: Agent | null): Promise<Outcome> {
    const question = questionOf(run, context, agent);
    let answer = await this.caller.answer(run, 1, question);
    if (isMisshapen(answer.completion, question)) {
      const messages = [...question.messages, ...repair(answer.completion)];
      answer = await this.caller.answer(run, 2, { ...question, messages });
    }
    const { completion, call } = answer;
    if (isMisshapen(completion, question))
      throw new JobEnd('fail', 'output_invalid', 'The model has not answered in the form that was asked for.');
    const output = outputOf(completion, context.places);
    const task = unmask(context.task, context.places);
    const proposed = output.json === null ? [] : KINDS.get(run.job.kind)!.proposals(output.json, task);
    const proposals = proposed.map((each, index): ProposedAction => ({
      id: actionIdOf(call.id, index),
      ...each,
      ...{ status: 'proposed', problem: null, record: null },
    }));
    return { output, proposals };
  }

  private async withTools(run: JobRun, context: OpenedContext, agent: Agent): Promise<Outcome> {
    const question = questionOf(run, context, agent);
    const setting = await this.settingOf(run, context);
    const tools = Array.from(setting.offered.values(), ({ spec }) => spec);
    const messages = [...question.messages];
    const proposals: ProposedAction[] = [];
    const steps = agent.limits.maxSteps ?? DEFAULT_STEPS;
    for (let step = 1; step <= steps; step++) {
      const answer = await this.caller.answer(run, step, { ...question, tools, messages: [...messages] });
      const { text, toolCalls } = answer.completion;
      if (toolCalls.length === 0) return { output: outputOf(answer.completion, setting.masking.places), proposals };
      proposals.push(...this.toolbox.proposals(setting, answer));
      messages.push({ role: 'assistant', text, toolCalls }, ...(await this.toolbox.results(run, setting, answer)));
    }
    throw new JobEnd('fail', 'max_steps_reached', `The agent has not come to an end in ${steps} steps.`);
  }

  private async settingOf({ job }: JobRun, { places }: OpenedContext): Promise<ToolSetting> {
    const { policy } = await this.policies.current();
    const { general } = await this.settings.get();
    const looking = { kinds: policy.personalDataKinds, country: general.country };
    const masking = new Masking(looking, { ...places });
    const personalData = stricter(job.personalData, policy.personalData);
    return { offered: await this.tools.of(job), personalData, looking, masking };
  }
}

function questionOf({ job }: JobRun, context: OpenedContext, agent: Agent | null): Question {
  const { system, messages, outputSchema, task } = context;
  const temperature = agent?.parameters.temperature ?? null;
  return { model: job.model, system, messages, tools: [], outputSchema, temperature, task };
}

/** @throws JobEnd for a response for which a retry is useless. */
function isMisshapen({ finish, json }: Completion, { outputSchema }: Question): boolean {
  if (finish === 'filtered') throw new JobEnd('fail', 'output_filtered', 'The provider keeps the answer back.');
  if (outputSchema === null || json != null) return false;
  if (finish === 'length') throw new JobEnd('fail', 'output_truncated', 'The answer is longer than it may be.');
  return true;
}

function repair({ text }: Completion): ModelMessage[] {
  return [
    { role: 'assistant', text: text ?? '', toolCalls: [] },
    {
      role: 'user',
      text: 'That is not JSON of the schema that was asked for. Answer again with that JSON and nothing else.',
    },
  ];
}

function outputOf({ finish, text, json }: Completion, places: Masking['places']): Outcome['output'] {
  if (finish === 'filtered') throw new JobEnd('fail', 'output_filtered', 'The provider keeps the answer back.');
  return { text: unmask(text, places), json: unmask(json ?? null, places) };
}
