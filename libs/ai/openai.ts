import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { callHeaders, callOptions, type ProviderConnection } from './connection.js';
import { readOutput } from './kinds/check.js';
import { parseParams } from './tool-params.js';
import type { AiProvider, Completion, ModelCall, ModelMessage, ModelUsage } from './provider.js';
import { asProviderError, invalidAnswer } from './provider-faults.js';

/** Hosts that support only the newer name of the output limit. Others support the older one. */
const NEWER_BOUND = /(^|\.)(openai\.com|openai\.azure\.com)$/;
const FINISHES: Record<string, Completion['finish']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tools',
  function_call: 'tools',
  content_filter: 'filtered',
};

/** A provider with OpenAI's chat completions API: OpenAI itself, gateways, and self-hosted servers. */
export class OpenAiProvider implements AiProvider {
  readonly isIdempotent: boolean;

  constructor(private readonly connection: ProviderConnection) {
    this.isIdempotent = connection.isIdempotent;
  }

  async complete(call: ModelCall, signal: AbortSignal): Promise<Completion> {
    const { options, failure } = callOptions(this.connection, call, signal);
    try {
      const { default: OpenAI } = await import('openai'); // loaded by processes that call it, not by the API
      const client = new OpenAI({
        ...options,
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
      });
      const headers = callHeaders(this.connection, call);
      const { data, request_id: requestId } = await client.chat.completions
        .create(this.body(call), { headers })
        .withResponse();
      return completionOf(data, requestId, call);
    } catch (error) {
      throw asProviderError(error, failure(), signal);
    }
  }

  private body(call: ModelCall): ChatCompletionCreateParamsNonStreaming {
    const { model, system, messages, tools, outputSchema, maxOutputTokens, temperature } = call;
    const takesNewer = NEWER_BOUND.test(new URL(this.connection.baseUrl).hostname);
    const schema = { name: 'answer', schema: outputSchema as Record<string, unknown>, strict: false };
    return {
      model,
      stream: false,
      messages: [
        ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
        ...messages.map(messageOf),
      ],
      [takesNewer ? 'max_completion_tokens' : 'max_tokens']: maxOutputTokens,
      ...(temperature === null ? {} : { temperature }),
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ name, description, parameters }) => ({
              type: 'function' as const,
              function: { name, description, parameters: parameters as Record<string, unknown> },
            })),
          }),
      ...(outputSchema !== null && this.connection.takesSchema(model)
        ? { response_format: { type: 'json_schema' as const, json_schema: schema } }
        : {}),
    };
  }
}

function messageOf(message: ModelMessage): ChatCompletionMessageParam {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.text };
  const calls = message.toolCalls.map(({ id, name, params }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(params) },
  }));
  return { role: 'assistant', content: message.text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function completionOf(answer: ChatCompletion, requestId: string | null, { outputSchema }: ModelCall): Completion {
  const choice = answer.choices?.[0];
  const usage = usageOf(answer);
  if (!choice?.message || !usage) throw invalidAnswer('The answer of the provider lacks its choice or its usage.');
  const { content, tool_calls: calls = [], refusal } = choice.message;
  const toolCalls = calls.flatMap((call) =>
    call.type === 'function'
      ? [{ id: call.id, name: call.function.name, params: parseParams(call.function.arguments) }]
      : [],
  );
  const text = typeof content === 'string' && content !== '' ? content : null;
  const finish = refusal ? 'filtered' : (FINISHES[choice.finish_reason] ?? 'stop');
  return {
    text,
    json: readOutput(text, outputSchema),
    toolCalls,
    usage,
    providerRequestId: requestId ?? answer.id ?? null,
    finish: toolCalls.length > 0 && finish === 'stop' ? 'tools' : finish,
  };
}

function usageOf({ usage }: ChatCompletion): ModelUsage | null {
  if (!usage) return null;
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens, prompt_tokens_details: details } = usage;
  const cachedTokens = details?.cached_tokens ?? 0;
  const counts = [inputTokens, outputTokens, cachedTokens];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) return null;
  return { inputTokens, outputTokens, cachedTokens: Math.min(cachedTokens, inputTokens) };
}
