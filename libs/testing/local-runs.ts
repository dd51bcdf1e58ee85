import { fits, inputViolations } from '#libs/ai/kinds/check.js';
import { completeInput, KINDS } from '#libs/ai/kinds/kinds.js';
import { LocalProvider } from '#libs/ai/local/local-provider.js';
import type { Completion, ContextRecord, ModelCall } from '#libs/ai/provider.js';

export const localProvider = new LocalProvider();
export const AS_OF = '2026-11-21';

export const DEAL: ContextRecord = {
  object: 'sales.deal',
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  fields: {
    name: 'Acme renewal',
    status: 'open',
    stage: 'proposal',
    currency: 'EUR',
    amountMinor: 2_500_050,
    expectedCloseDate: '2026-11-10',
    nextStep: null,
    nextStepDate: null,
    primaryContactId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b99',
    updatedAt: '2026-11-01T10:00:00.000Z',
  },
};
/** A text in which some sentences matter more than others. */
export const NEWS = `The city council voted on Tuesday to build a new tram line to the harbour. The tram line will connect the harbour with the main station in twelve minutes. Residents had asked for better transport to the harbour for years. The weather was mild. The council expects the tram line to carry 20,000 passengers a day. A bakery near the station sells cinnamon rolls. Construction of the tram line begins in spring and costs 140 million.`;

/**
 * One call as the platform makes it, with validated input and a rendered prompt. It runs twice to check that responses
 * are deterministic.
 */
export async function runLocal(
  key: string,
  given: Record<string, unknown>,
  records: ContextRecord[] = [],
  more: Partial<ModelCall> = {},
): Promise<Completion> {
  const kind = KINDS.get(key)!;
  const violations = inputViolations(kind, given);
  if (violations.length > 0) throw new Error(`The input does not fit: ${JSON.stringify(violations)}`);
  const task = { kind: key, input: completeInput(kind, given, AS_OF), records };
  const { system, messages, outputSchema } = kind.render(task, null);
  const call: ModelCall = {
    model: 'local-1',
    system,
    messages,
    tools: [],
    outputSchema,
    maxOutputTokens: 4_096,
    temperature: null,
    idempotencyKey: 'k',
    timeoutMs: 1_000,
    task,
    ...more,
  };
  const completion = await localProvider.complete(call, new AbortController().signal);
  if (outputSchema !== null && completion.finish === 'stop' && !fits(completion.json, outputSchema))
    throw new Error(`The answer does not fit: ${JSON.stringify(completion.json)}`);
  const again = await localProvider.complete(call, new AbortController().signal);
  if (JSON.stringify(again) !== JSON.stringify(completion))
    throw new Error('The second answer differs from the first.');
  return completion;
}
