/** One turn of a conversation with a model. `tool` carries the result of a call that the model asked for. */
export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string | null; toolCalls: readonly ToolCall[] }
  | { role: 'tool'; toolCallId: string; text: string };

/** A tool that the model may ask for. `parameters` is a JSON Schema of an object. */
export interface ToolSpec {
  /** Letters, digits, `_`: the key of the tool with `__` for each dot, e.g. `deals__search`. */
  name: string;
  description: string;
  parameters: object;
}

/** A call of a tool that a model asks for. */
export interface ToolCall {
  id: string;
  name: string;
  params: Record<string, unknown>;
}

/** A record as it is shown to a model: what the requester may see, without sensitive fields. */
export interface ContextRecord {
  object: string;
  id: string;
  fields: Record<string, unknown>;
}

/**
 * The task in the form for the offline provider. Other models get `system` and `messages`, which express the same in
 * words.
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
  /** JSON Schema of the answer; null for plain text. */
  outputSchema: object | null;
  /** Bound on the answer, 64 or more. */
  maxOutputTokens: number;
  temperature: number | null;
  /** The same for every attempt at one call. Sent where the provider honours it. */
  idempotencyKey: string;
  /** Bound on one attempt, ms. */
  timeoutMs: number;
  task: ModelTask;
}

export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  /** Of the input tokens, those that the provider had in its cache. */
  cachedTokens: number;
}

/** What came back. */
export interface Completion {
  /** Null if the model only requests tools. */
  text: string | null;
  /** The text as JSON, where the call had an output schema and the text fits it. */
  json: unknown;
  toolCalls: readonly ToolCall[];
  usage: ModelUsage;
  /** The provider's own id of the request; null where it names none. */
  providerRequestId: string | null;
  finish: 'stop' | 'length' | 'tools' | 'filtered';
}

export type ProviderFault =
  /** No answer in time. */
  | 'provider_timeout'
  /** 429, or overloaded. */
  | 'provider_rate_limited'
  /** 5xx, or the network. */
  | 'provider_unavailable'
  /** 401, 403. */
  | 'provider_credentials_refused'
  /** Another 4xx: the same call would fail again. */
  | 'provider_request_refused'
  /** An invalid answer. */
  | 'provider_answer_invalid'
  /** The outbound guard refuses that address. */
  | 'provider_address_refused'
  | 'aborted';

/** A call that brought no completion. */
export class ProviderError extends Error {
  constructor(
    readonly fault: ProviderFault,
    message: string,
    /** Whether another attempt could succeed. */
    readonly isTransient: boolean,
    /** Whether the provider may have done, and charged for, the work anyway. */
    readonly mayHaveRun: boolean,
    /** What the provider asks to wait, ms; null where it says nothing. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** Where models live: one connection to a provider, made for one tenant. */
export interface AiProvider {
  /**
   * Whether requests with the same idempotency key are executed and charged only once. Only then is a call with an
   * unknown outcome repeated.
   */
  readonly isIdempotent: boolean;
  /** Makes one attempt. @throws ProviderError */
  complete(call: ModelCall, signal: AbortSignal): Promise<Completion>;
}
