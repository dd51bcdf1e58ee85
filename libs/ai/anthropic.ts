import type {
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import { isObject } from '#libs/kernel/is-object.js';
import { callHeaders, callOptions, type ProviderConnection } from './connection.js';
import { fits, readOutput } from './kinds/check.js';
import type { AiProvider, Completion, ModelCall, ModelMessage, ModelUsage, ToolCall } from './provider.js';
import { asProviderError, invalidAnswer } from './provider-faults.js';

/** The tool whose arguments are the structured response. */
const ANSWER = 'answer';
const FINISHES: Record<string, Completion['finish']> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tools',
  refusal: 'filtered',
};

/** A provider with Anthropic's messages API. */
export class AnthropicProvider implements AiProvider {
  readonly isIdempotent: boolean;

  constructor(private readonly connection: ProviderConnection) {
    this.isIdempotent = connection.isIdempotent;
  }

  async complete(call: ModelCall, signal: AbortSignal): Promise<Completion> {
    const { options, failure } = callOptions(this.connection, call, signal);
    try {
      const { default: Anthropic } = await import('@anthropic-ai/sdk'); // loaded by processes that call it, not by the API
      const client = new Anthropic({
        ...options,
        webhookKey: null,
        openTelemetry: false,
      });
      const asTool = call.outputSchema !== null && call.tools.length === 0 && this.connection.takesSchema(call.model);
      const headers = callHeaders(this.connection, call);
      const { data, request_id: requestId } = await client.messages
        .create(bodyOf(call, asTool), { headers })
        .withResponse();
      return completionOf(data, requestId ?? null, call, asTool);
    } catch (error) {
      throw asProviderError(error, failure(), signal);
    }
  }
}

function bodyOf(call: ModelCall, asTool: boolean): MessageCreateParamsNonStreaming {
  const { model, system, messages, tools, outputSchema, maxOutputTokens, temperature } = call;
  const offered: Tool[] = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters as Tool.InputSchema,
  }));
  if (asTool)
    offered.push({ name: ANSWER, description: 'Takes the answer.', input_schema: outputSchema as Tool.InputSchema });
  return {
    model,
    stream: false,
    max_tokens: maxOutputTokens,
    messages: messagesOf(messages),
    ...(system === null ? {} : { system }),
    ...(temperature === null ? {} : { temperature: Math.min(temperature, 1) }),
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...(asTool ? { tool_choice: { type: 'tool' as const, name: ANSWER } } : {}),
  };
}

/** Results of tools that were requested together go into one message. */
function messagesOf(messages: readonly ModelMessage[]): MessageParam[] {
  const made: MessageParam[] = [];
  let results: ToolResultBlockParam[] | null = null;
  for (const message of messages) {
    if (message.role === 'tool') {
      if (results === null) made.push({ role: 'user', content: (results = []) });
      results.push({ type: 'tool_result', tool_use_id: message.toolCallId, content: message.text });
      continue;
    }
    results = null;
    if (message.role === 'user') made.push({ role: 'user', content: message.text });
    else
      made.push({
        role: 'assistant',
        content: [
          ...(message.text ? [{ type: 'text' as const, text: message.text }] : []),
          ...message.toolCalls.map(({ id, name, params }) => ({ type: 'tool_use' as const, id, name, input: params })),
        ],
      });
  }
  return made;
}

function completionOf(
  answer: Message,
  requestId: string | null,
  { outputSchema }: ModelCall,
  asTool: boolean,
): Completion {
  const usage = usageOf(answer);
  if (!Array.isArray(answer.content) || !usage)
    throw invalidAnswer('The answer of the provider lacks its content or its usage.');
  const said = answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  const calls: ToolCall[] = answer.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, name: block.name, params: isObject(block.input) ? block.input : { unreadable: block.input } }]
      : [],
  );
  const finish = FINISHES[answer.stop_reason ?? ''] ?? 'stop';
  const more = { usage, providerRequestId: requestId ?? answer.id ?? null };
  const given = asTool ? calls.find(({ name }) => name === ANSWER) : undefined;
  if (given) {
    const json = outputSchema !== null && fits(given.params, outputSchema) ? given.params : undefined;
    return {
      text: JSON.stringify(given.params),
      json,
      toolCalls: [],
      finish: finish === 'tools' ? 'stop' : finish,
      ...more,
    };
  }
  const text = said === '' ? null : said;
  return { text, json: readOutput(text, outputSchema), toolCalls: calls, finish, ...more };
}

/** Anthropic counts cache reads and writes separately from other input. */
function usageOf({ usage }: Message): ModelUsage | null {
  if (!usage) return null;
  const { input_tokens: fresh, output_tokens: outputTokens } = usage;
  const cachedTokens = usage.cache_read_input_tokens ?? 0;
  const inputTokens = fresh + cachedTokens + (usage.cache_creation_input_tokens ?? 0);
  const counts = [inputTokens, outputTokens, cachedTokens];
  return counts.every((count) => Number.isSafeInteger(count) && count >= 0)
    ? { inputTokens, outputTokens, cachedTokens }
    : null;
}
