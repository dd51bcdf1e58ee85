/** One turn of a conversation with a model. `tool` is the result of a call that the model requested. */
export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string | null; toolCalls: readonly ToolCall[] }
  | { role: 'tool'; toolCallId: string; text: string };

/** A tool that the model may request. `parameters` is a JSON Schema of an object. */
export interface ToolSpec {
  /** Letters, digits, `_`: the key of the tool with `__` for each dot, e.g. `deals__search`. */
  name: string;
  description: string;
  parameters: object;
}

/** A tool call that a model requests. */
export interface ToolCall {
  id: string;
  name: string;
  params: Record<string, unknown>;
}

/** A record as shown to a model: what the requester may see, without sensitive fields. */
export interface ContextRecord {
  object: string;
  id: string;
  fields: Record<string, unknown>;
}

/**
 * The task in structured form, for the offline provider. Other models get `system` and `messages`, which express the
 * same as text.
 */
export interface ModelTask {
  /** Kind of the job, e.g. `text.summarize`. */
  kind: string;
  input: Record<string, unknown>;
  records: readonly ContextRecord[];
}

/** One request to a model. */
export interface ModelCall {
  model: string;
  system: string | null;
  messages: readonly ModelMessage[];
  tools: readonly ToolSpec[];
  /** JSON Schema of the response; null for plain text. */
  outputSchema: object | null;
  /** Maximum length of the response, 64 or more. */
  maxOutputTokens: number;
  temperature: number | null;
  /** The same for every attempt at one call. Sent if the provider supports it. */
  idempotencyKey: string;
  /** Time limit of one attempt, ms. */
  timeoutMs: number;
  task: ModelTask;
}

export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  /** Cached tokens among the input tokens. */
  cachedTokens: number;
}

/** Response of a model. */
export interface Completion {
  /** Null if the model only requests tools. */
  text: string | null;
  /** The text as JSON, if the call had an output schema and the text matches it. */
  json: unknown;
  toolCalls: readonly ToolCall[];
  usage: ModelUsage;
  /** The provider's id of the request; null if it returns none. */
  providerRequestId: string | null;
  finish: 'stop' | 'length' | 'tools' | 'filtered';
}

export type ProviderFault =
  /** No response in time. */
  | 'provider_timeout'
  /** 429, or overloaded. */
  | 'provider_rate_limited'
  /** 5xx, or a network error. */
  | 'provider_unavailable'
  /** 401, 403. */
  | 'provider_credentials_refused'
  /** Another 4xx: the same call would fail again. */
  | 'provider_request_refused'
  /** An invalid response. */
  | 'provider_answer_invalid'
  /** The outbound guard rejects the address. */
  | 'provider_address_refused'
  | 'aborted';

/** A call without a completion. */
export class ProviderError extends Error {
  constructor(
    readonly fault: ProviderFault,
    message: string,
    /** Whether another attempt could succeed. */
    readonly isTransient: boolean,
    /** Whether the provider may have executed and charged for the request anyway. */
    readonly mayHaveRun: boolean,
    /** Delay that the provider requests, ms; null if it requests none. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** A connection to a provider, created for one tenant. */
export interface AiProvider {
  /**
   * Whether requests with the same idempotency key are executed and charged only once. Only then is a call with an
   * unknown outcome repeated.
   */
  readonly isIdempotent: boolean;
  /** Makes one attempt. @throws ProviderError */
  complete(call: ModelCall, signal: AbortSignal): Promise<Completion>;
}
