import { fits } from '../kinds/check.js';
import { type AiProvider, type Completion, type ModelCall, type ModelTask, ProviderError } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { classifyText } from './classify.js';
import { draftDocument, generateText } from './documents.js';
import { extractFields } from './extract.js';
import { draftReminder, draftReply } from './letters.js';
import { narrateReport } from './narration.js';
import { suggestNextStep } from './next-step.js';
import { nextStep } from './planner.js';
import { screenCandidate } from './screening.js';
import { summarizeRecords, summarizeText } from './summary.js';
import { triageRequest } from './triage.js';

const METHODS: Record<string, (task: ModelTask) => LocalAnswer> = {
  'text.generate': generateText,
  'text.summarize': summarizeText,
  'text.classify': classifyText,
  'text.extract': extractFields,
  'record.summarize': summarizeRecords,
  'record.next_step': suggestNextStep,
  'ticket.triage': triageRequest,
  'ticket.reply_draft': draftReply,
  'invoice.reminder_draft': draftReminder,
  'candidate.screen': screenCandidate,
  'document.draft': draftDocument,
  'report.narrate': narrateReport,
};

/** Average bytes per token, as in other models. */
const TOKEN_BYTES = 4;

/**
 * The provider without network or account: extractive and rule-based methods on the task's material. The same call
 * always returns the same response.
 */
export class LocalProvider implements AiProvider {
  /** Nothing is charged twice, because a response can be recomputed. */
  readonly isIdempotent = true;

  async complete(call: ModelCall, signal: AbortSignal): Promise<Completion> {
    // Yields to other work of the process, because the methods never wait.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) throw new ProviderError('aborted', 'The call was ended before it began.', false, false);
    const { task, outputSchema, system, messages, maxOutputTokens } = call;
    const inputTokens = tokensOf(JSON.stringify([system, messages]));
    const none = { json: undefined, toolCalls: [], providerRequestId: null };
    if (task.kind === 'agent.run') {
      const plan = nextStep(call);
      if ('toolCalls' in plan) {
        const outputTokens = Math.min(tokensOf(JSON.stringify(plan.toolCalls)), maxOutputTokens);
        return {
          ...none,
          text: null,
          toolCalls: plan.toolCalls,
          usage: { inputTokens, outputTokens, cachedTokens: 0 },
          finish: 'tools',
        };
      }
      return { ...none, ...cut(plan.text, maxOutputTokens, inputTokens) };
    }
    const method = METHODS[task.kind];
    if (!method)
      throw new ProviderError('provider_request_refused', `The kind ${task.kind} is not known.`, false, false);
    const answer = method(task);
    if ('text' in answer) return { ...none, ...cut(answer.text, maxOutputTokens, inputTokens) };
    const made = cut(JSON.stringify(answer.json), maxOutputTokens, inputTokens);
    const isWhole = made.finish === 'stop' && (outputSchema === null || fits(answer.json, outputSchema));
    return { ...none, ...made, json: isWhole ? answer.json : undefined };
  }
}

/** Cuts text to at most this many tokens. */
function cut(
  text: string,
  maxOutputTokens: number,
  inputTokens: number,
): Pick<Completion, 'text' | 'usage' | 'finish'> {
  const bytes = Buffer.from(text);
  const room = maxOutputTokens * TOKEN_BYTES;
  const kept = bytes.length <= room ? text : new TextDecoder().decode(bytes.subarray(0, room), { stream: true });
  const usage = { inputTokens, outputTokens: tokensOf(kept), cachedTokens: 0 };
  return { text: kept, usage, finish: bytes.length <= room ? 'stop' : 'length' };
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);
}
