import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Masking, unmask } from '#libs/ai/personal-data/mask.js';
import { scan } from '#libs/ai/personal-data/scan.js';
import type { Looking } from '#libs/ai/personal-data/kinds.js';
import type { AiPolicy } from '#libs/ai/policy.js';
import type { ModelMessage, ToolCall } from '#libs/ai/provider.js';
import { Clock } from '#libs/kernel/clock.js';
import { isObject } from '#libs/kernel/is-object.js';
import { Problem } from '#libs/kernel/problem.js';
import { storableText } from '#libs/kernel/storable.js';
import { Sealer } from '#libs/sealing/sealer.js';
import type { ProposedAction } from '../jobs/job.parts.js';
import { Requesters } from '../tools/requesters.js';
import { ToolCalls } from '../tools/tool-calls.js';
import { ActionMaker } from './action-maker.js';
import { CALL_RESULTS, type ToolUse } from './call.js';
import { CallsRepository } from './calls.repository.js';
import { JobQueueRepository } from './job-queue.repository.js';
import { Interrupted } from './job-end.js';
import type { JobRun } from './job-run.js';
import type { Answer } from './model-caller.js';
import type { OfferedTool } from './offered-tools.js';

/** Maximum length of a tool result, in characters. */
const MAX_RESULT = 20_000;

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

/** Context of a conversation with tools. */
export interface ToolSetting {
  offered: ReadonlyMap<string, OfferedTool>;
  personalData: AiPolicy['personalData'];
  looking: Looking;
  /** Applied to everything that is sent. */
  masking: Masking;
}

/**
 * Executes tool calls. Reads return what the requester may see, within the agent's grants, with personal data treated
 * like that of the input. Writes become proposals, except for an autonomous agent, whose writes are applied at once.
 * The change and its record are then one transaction, so no change is applied twice.
 */
@Injectable()
export class Toolbox {
  constructor(
    private readonly calls: CallsRepository,
    private readonly queue: JobQueueRepository,
    private readonly toolCalls: ToolCalls,
    private readonly maker: ActionMaker,
    private readonly requesters: Requesters,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  /** Results of the requested tools: stored ones, or new ones. @throws LeaseLost. */
  async results(run: JobRun, setting: ToolSetting, { call, completion }: Answer): Promise<ToolMessage[]> {
    if (call.results !== null) {
      const kept = JSON.parse(await this.sealer.open(call.results, CALL_RESULTS, call.id)) as Kept; // sealed below
      setting.masking = new Masking(setting.looking, kept.places);
      return kept.messages;
    }
    const messages: ToolMessage[] = [];
    const uses: ToolUse[] = [];
    for (const [index, toolCall] of completion.toolCalls.entries()) {
      const startedMs = performance.now();
      const tool = setting.offered.get(toolCall.name) ?? null;
      const { outcome, value } = await this.use(run, setting, tool, toolCall, actionIdOf(call.id, index));
      messages.push({ role: 'tool', toolCallId: toolCall.id, text: shown(value) });
      const durationMs = Math.round(performance.now() - startedMs);
      uses.push({ key: tool?.key ?? null, outcome, at: this.clock.now().toISOString(), durationMs });
    }
    const kept: Kept = { messages, places: setting.masking.places };
    const sealed = await this.sealer.seal(JSON.stringify(kept), CALL_RESULTS, call.id);
    await this.queue.fenced(run.lease, async (transaction, { state }) => {
      if (state !== 'running') throw new Interrupted('cancelled');
      this.calls.keepResults(transaction, call.id, sealed, uses);
    });
    return messages;
  }

  /** The changes that a model has requested, with any outcome. */
  proposals({ offered, masking }: ToolSetting, { call, completion }: Answer): ProposedAction[] {
    return completion.toolCalls.flatMap((toolCall, index) => {
      const tool = offered.get(toolCall.name);
      const action = tool && proposalOf(tool, unmask(toolCall.params, masking.places), actionIdOf(call.id, index));
      return action ? [action] : [];
    });
  }

  private async use(
    run: JobRun,
    setting: ToolSetting,
    tool: OfferedTool | null,
    { params: asked }: ToolCall,
    actionId: string,
  ): Promise<{ outcome: string; value: object }> {
    try {
      if (!tool) throw new Problem('not_found', 'There is no such tool.');
      const params = unmask(asked, setting.masking.places);
      if (tool.verb === 'search' || tool.verb === 'get') {
        const found = await this.requesters.as(run.job, () => this.toolCalls.read(run.job, tool.key, params));
        return {
          outcome: 'done',
          value: treated(tool.verb === 'get' ? { record: found } : found, setting),
        };
      }
      const action = proposalOf(tool, params, actionId);
      if (!action) throw new Problem('validation_failed', 'The parameters of the tool are not complete.');
      const { status, problem, record } = run.job.autonomy === 'auto' ? await this.maker.make(run, action) : action;
      const told = { status, ...(problem ? { problem } : {}), ...(record ? { id: record.id } : {}) };
      return { outcome: problem?.code ?? status, value: treated(told, setting) };
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return { outcome: error.code, value: { error: treated({ code: error.code, detail: error.detail }, setting) } };
    }
  }
}

/** Stored results of tools. */
interface Kept {
  messages: ToolMessage[];
  places: Masking['places'];
}

/** Applies the policy for personal data: masked, withheld, or unchanged. */
function treated(value: object, { personalData, looking, masking }: ToolSetting): object {
  if (personalData === 'allow') return value;
  if (personalData === 'mask') return masking.mask(value);
  if (scan(value, looking).length === 0) return value;
  return { error: { code: 'ai_policy_denied', detail: 'The answer holds personal data, which may not leave.' } };
}

function proposalOf(tool: OfferedTool, params: Record<string, unknown>, id: string): ProposedAction | null {
  const body = params[tool.verb === 'create' ? 'record' : 'changes'];
  const { id: recordId, reason } = params;
  if (!isObject(body) || (tool.verb === 'update') !== (typeof recordId === 'string')) return null;
  if (tool.verb !== 'create' && tool.verb !== 'update') return null;
  return {
    id,
    operation: tool.key,
    target: typeof recordId === 'string' ? { object: tool.object, id: recordId } : null,
    params: body,
    reason: typeof reason === 'string' ? storableText(reason, 2_000) : '',
    status: 'proposed',
    problem: null,
    record: null,
  };
}

/** The same id for the same request, even in another worker. */
export function actionIdOf(callId: string, index: number): string {
  const hex = createHash('sha256').update(`${callId} ${index}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function shown(value: object): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_RESULT ? text : `${storableText(text, MAX_RESULT)} [cut off]`;
}
