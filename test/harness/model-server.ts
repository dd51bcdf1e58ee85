import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from './client.js';

/** How the server handles a call. */
export interface Answer {
  text?: string;
  /** Sent as text, or through the answer tool. */
  json?: unknown;
  toolCalls?: { name: string; params: object }[];
  usage?: { inputTokens: number; outputTokens: number; cachedTokens?: number };
  finish?: 'stop' | 'length' | 'filtered';
  /** A status other than 200 produces an error in the format of the protocol. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent unchanged. */
  body?: string;
  delayMs?: number;
  /** The connection ends without a response; `after`: the work is done and charged. */
  drop?: 'before' | 'after';
  /** No response is ever sent; the work is done and charged. */
  hang?: boolean;
}

/** A received call. */
export interface ReceivedCall {
  api: 'openai' | 'anthropic';
  path: string;
  headers: IncomingHttpHeaders;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests inspect it freely
  body: any;
  idempotencyKey: string | null;
  /** Whether the provider did work for it, which it does not for refusals and repeated keys. */
  charged: boolean;
}

const DEFAULT: Answer = { text: 'Done.', usage: { inputTokens: 100, outputTokens: 20 } };

/** A server on the loopback interface with the protocols of OpenAI and Anthropic. */
export class ModelServer {
  readonly calls: ReceivedCall[] = [];
  private readonly scripted: Answer[] = [];
  private otherwise: Answer = DEFAULT;
  /** Responses by idempotency key, as kept by a provider that supports keys. */
  private readonly kept = new Map<string, Answer>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ModelServer> {
    const server = createServer();
    const made = new ModelServer(server);
    server.on('request', (request, response) => void made.receive(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  /** Base URL without a path. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Number of charged calls. */
  get charged(): ReceivedCall[] {
    return this.calls.filter(({ charged }) => charged);
  }

  /** Responses for the next calls in order, followed by that of {@link always}. */
  script(...answers: Answer[]): void {
    this.scripted.push(...answers);
  }

  /** Drops the unused responses of {@link script}. */
  forget(): void {
    this.scripted.length = 0;
  }

  always(answer: Answer): void {
    this.otherwise = answer;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const path = request.url ?? '/';
    const key = request.headers['idempotency-key'];
    const idempotencyKey = typeof key === 'string' ? key : null;
    const call: ReceivedCall = {
      api: path.endsWith('/messages') ? 'anthropic' : 'openai',
      path,
      headers: request.headers,
      body: text === '' ? null : JSON.parse(text),
      idempotencyKey,
      charged: false,
    };
    this.calls.push(call);
    const known = idempotencyKey === null ? undefined : this.kept.get(idempotencyKey);
    const answer = known ?? this.scripted.shift() ?? this.otherwise;
    if (answer.drop === 'before') return void request.socket.destroy();
    call.charged = known === undefined && (answer.status ?? 200) === 200;
    // A repeated key gets the lost response.
    const { drop, hang, ...rest } = answer;
    if (idempotencyKey !== null && call.charged) this.kept.set(idempotencyKey, rest);
    // eslint-disable-next-line no-restricted-syntax -- the response is delayed on purpose
    if (answer.delayMs) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
    if (drop) return void request.socket.destroy();
    if (hang) return;
    const id = `req_${this.calls.length}`;
    response.writeHead(answer.status ?? 200, {
      'content-type': 'application/json',
      'x-request-id': id,
      'request-id': id,
      ...answer.headers,
    });
    response.end(answer.body ?? JSON.stringify(documentOf(call, answer, this.calls.length)));
  }
}

export function startModelServer(): Promise<ModelServer> {
  return ModelServer.start();
}

function documentOf(call: ReceivedCall, answer: Answer, number: number): object {
  if ((answer.status ?? 200) !== 200) return errorOf(call, answer);
  return call.api === 'openai' ? asOpenAi(call, answer, number) : asAnthropic(call, answer, number);
}

function errorOf({ api }: ReceivedCall, { status, text = 'The call failed.' }: Answer): object {
  const type = `error_${status}`;
  return api === 'openai'
    ? { error: { message: text, type, code: type } }
    : { type: 'error', error: { type, message: text } };
}

function asOpenAi(
  { body }: ReceivedCall,
  { text, json, toolCalls = [], usage, finish = 'stop' }: Answer,
  number: number,
): object {
  const { inputTokens, outputTokens, cachedTokens = 0 } = usage ?? DEFAULT.usage!;
  const calls = toolCalls.map(({ name, params }, index) => ({
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(params) },
  }));
  const reasons = { stop: calls.length > 0 ? 'tool_calls' : 'stop', length: 'length', filtered: 'content_filter' };
  const content = text ?? (json === undefined ? null : JSON.stringify(json));
  return {
    id: `chatcmpl_${number}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: body.model,
    choices: [
      {
        index: 0,
        finish_reason: reasons[finish],
        message: { role: 'assistant', content, refusal: null, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
      },
    ],
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      prompt_tokens_details: { cached_tokens: cachedTokens },
    },
  };
}

function asAnthropic(
  { body }: ReceivedCall,
  { text, json, toolCalls = [], usage, finish = 'stop' }: Answer,
  number: number,
): object {
  const { inputTokens, outputTokens, cachedTokens = 0 } = usage ?? DEFAULT.usage!;
  const forced = body.tool_choice?.name as string | undefined;
  const said = text ?? (json !== undefined && forced === undefined ? JSON.stringify(json) : undefined);
  const asked = [...toolCalls, ...(json !== undefined && forced !== undefined ? [{ name: forced, params: json }] : [])];
  const reasons = { stop: asked.length > 0 ? 'tool_use' : 'end_turn', length: 'max_tokens', filtered: 'refusal' };
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [
      ...(said === undefined ? [] : [{ type: 'text', text: said }]),
      ...asked.map(({ name, params }, index) => ({
        type: 'tool_use',
        id: `toolu_${number}_${index}`,
        name,
        input: params,
      })),
    ],
    stop_reason: reasons[finish],
    stop_sequence: null,
    usage: {
      input_tokens: inputTokens - cachedTokens,
      output_tokens: outputTokens,
      cache_read_input_tokens: cachedTokens,
      cache_creation_input_tokens: 0,
    },
  };
}

/** Result of {@link connectModel}. */
export interface Connected {
  provider: string;
  model: string;
  providerId: string;
  modelId: string;
}

interface ConnectOptions {
  api?: 'openai' | 'anthropic';
  provider?: string;
  model?: string;
  idempotent?: boolean;
  region?: string | null;
  isDefault?: boolean;
  prices?: { from?: string; inputMicrosPer1k: number; outputMicrosPer1k: number; cachedMicrosPer1k?: number }[];
}

/** The value of the secret that {@link connectModel} stores. */
export const PROVIDER_KEY = 'test-key-of-the-provider';

/** Connects a tenant to the server through the API: a secret, a provider and a model with a price. */
export async function connectModel(
  client: Client,
  server: ModelServer,
  options: ConnectOptions = {},
): Promise<Connected> {
  const { api = 'openai', provider = `test-${api}`, model = 'test-model', idempotent = false, region = null } = options;
  const { isDefault = false, prices = [{ inputMicrosPer1k: 1_000, outputMicrosPer1k: 2_000 }] } = options;
  const secretName = `AI/${provider.toUpperCase()}`;
  const base = api === 'openai' ? `${server.url}/v1` : server.url;
  await made(client.post('/api/admin/secrets', { name: secretName, value: PROVIDER_KEY, kind: 'api_key' }));
  const settings = { key: provider, api, baseUrl: base, secretName, region, isIdempotent: idempotent };
  const providerId = await made(client.post('/api/ai/providers', settings));
  const limits = { contextTokens: 100_000, maxOutputTokens: 4_096 };
  const modelId = await made(client.post('/api/ai/models', { provider, key: model, ...limits, prices, isDefault }));
  return { provider, model, providerId, modelId };
}

async function made(call: Promise<{ status: number; text: string; body: Record<string, unknown> }>): Promise<string> {
  const { status, text, body } = await call;
  if (status > 201) throw new Error(text);
  return String(body['id']);
}
