import { AnthropicProvider } from '#libs/ai/anthropic.js';
import { OpenAiProvider } from '#libs/ai/openai.js';
import type { AiProvider, ModelCall } from '#libs/ai/provider.js';
import { OutboundClient } from '#libs/outbound/outbound-client.js';
import { SystemResolver } from '#libs/outbound/resolver.js';
import { type Answer, type ModelServer, startModelServer } from '../../harness/model-server.js';

let server: ModelServer;
let client: OutboundClient;
beforeEach(async () => {
  server = await startModelServer();
  client = new OutboundClient(
    { WEBHOOK_ALLOWED_CIDRS: ['127.0.0.0/8'], WEBHOOK_DENIED_CIDRS: [] },
    new SystemResolver(),
  );
});
afterEach(async () => {
  await client.close(0);
  await server.close();
});

const KEY = 'key-that-nobody-may-see';
const SCHEMA = {
  type: 'object',
  properties: { label: { type: 'string' } },
  required: ['label'],
  additionalProperties: false,
};

const CALL: ModelCall = {
  model: 'm-1',
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'Hello' }],
  tools: [],
  outputSchema: null,
  maxOutputTokens: 200,
  temperature: 0.3,
  idempotencyKey: 'call-1',
  timeoutMs: 5_000,
  task: { kind: 'text.generate', input: {}, records: [] },
};

const APIS = ['openai', 'anthropic'] as const;
type Api = (typeof APIS)[number];

function provider(
  api: Api,
  more: { key?: string | null; isIdempotent?: boolean; baseUrl?: string; json?: boolean } = {},
): AiProvider {
  const {
    key = KEY,
    isIdempotent = true,
    baseUrl = api === 'openai' ? `${server.url}/v1` : server.url,
    json = true,
  } = more;
  const connection = { baseUrl, key, isIdempotent, takesSchema: () => json, client };
  return api === 'openai' ? new OpenAiProvider(connection) : new AnthropicProvider(connection);
}

/** Each call has a unique key, because the server repeats its response for a known one. */
let calls = 0;
const complete = (api: Api, call: Partial<ModelCall> = {}, signal = new AbortController().signal) =>
  provider(api).complete({ ...CALL, idempotencyKey: `call-${++calls}`, ...call }, signal);

async function faultOf(api: Api, answer: Answer, call: Partial<ModelCall> = {}) {
  server.script(answer);
  return complete(api, call).then(
    (completion) => ({ completion }),
    ({ fault, isTransient, mayHaveRun, retryAfterMs, message }: Record<string, unknown>) => {
      expect(message).not.toContain(KEY);
      return { fault, isTransient, mayHaveRun, retryAfterMs };
    },
  );
}

/** Expected messages with tool calls and results, by protocol. */
interface Sent {
  tool_calls?: { id: string }[];
  tool_call_id?: string;
  content: { id?: string; tool_use_id?: string }[];
}

describe.each(APIS)('%s', (api) => {
  it('sends one call with key and limits, and reads the response', async () => {
    server.script({ text: 'Hi.', usage: { inputTokens: 12, outputTokens: 3, cachedTokens: 4 } });
    expect(await complete(api, { idempotencyKey: 'call-a' })).toEqual({
      text: 'Hi.',
      json: undefined,
      toolCalls: [],
      usage: { inputTokens: 12, outputTokens: 3, cachedTokens: 4 },
      providerRequestId: api === 'openai' ? 'req_1' : 'msg_1',
      finish: 'stop',
    });
    const [call] = server.calls;
    expect(call).toMatchObject({
      api,
      idempotencyKey: 'call-a',
      body: { model: 'm-1', temperature: 0.3, max_tokens: 200 },
    });
    expect(call!.path).toBe(api === 'openai' ? '/v1/chat/completions' : '/v1/messages');
    expect(call!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(call!.body)).toContain('Be brief.');
    expect(call!.body.stream).toBe(false);
  });

  it('sends no idempotency key if unsupported, and no credential if there is none', async () => {
    await provider(api, { isIdempotent: false, key: null }).complete(CALL, new AbortController().signal);
    expect(server.calls[0]!.idempotencyKey).toBeNull();
    expect(server.calls[0]!.headers).not.toHaveProperty('authorization');
  });

  it('accepts only JSON that matches the schema', async () => {
    server.script({ json: { label: 'billing' } }, { json: { label: 7 } });
    expect(await complete(api, { outputSchema: SCHEMA })).toMatchObject({
      json: { label: 'billing' },
      finish: 'stop',
      toolCalls: [],
    });
    const sent = server.calls[0]!.body;
    if (api === 'openai') expect(sent.response_format.json_schema.schema).toEqual(SCHEMA);
    else expect(sent.tools[0].input_schema).toEqual(SCHEMA);
    expect((await complete(api, { outputSchema: SCHEMA })).json).toBeUndefined();
  });

  it('extracts JSON from the text of a model without schema support', async () => {
    server.script({ text: '```json\n{"label":"billing"}\n```' });
    const { json } = await provider(api, { json: false }).complete(
      { ...CALL, outputSchema: SCHEMA },
      new AbortController().signal,
    );
    expect(json).toEqual({ label: 'billing' });
    expect(server.calls[0]!.body).not.toHaveProperty(api === 'openai' ? 'response_format' : 'tools');
  });

  it('transfers tool calls and results', async () => {
    const tools = [
      { name: 'deals__search', description: 'Search deals', parameters: { type: 'object', properties: {} } },
    ];
    server.script({
      toolCalls: [
        { name: 'deals__search', params: { q: 'Acme' } },
        { name: 'deals__search', params: {} },
      ],
    });
    const asked = await complete(api, { tools });
    expect(asked).toMatchObject({
      finish: 'tools',
      toolCalls: [{ name: 'deals__search', params: { q: 'Acme' } }, { params: {} }],
    });
    const results = asked.toolCalls.map(({ id }) => ({ role: 'tool' as const, toolCallId: id, text: '{"data":[]}' }));
    await complete(api, {
      tools,
      messages: [...CALL.messages, { role: 'assistant', text: null, toolCalls: asked.toolCalls }, ...results],
    });
    const { messages } = server.calls[1]!.body as { messages: Sent[] };
    const ids = asked.toolCalls.map(({ id }) => id);
    const [calling, ...answered] = messages.slice(api === 'openai' ? -3 : -2);
    if (api === 'openai') {
      expect(calling!.tool_calls!.map(({ id }) => id)).toEqual(ids);
      expect(answered.map((message) => message.tool_call_id)).toEqual(ids);
    } else {
      expect(calling!.content.map(({ id }) => id)).toEqual(ids);
      expect(answered[0]!.content.map((block) => block.tool_use_id)).toEqual(ids);
    }
  });

  it('reports truncated and withheld responses', async () => {
    server.script({ text: 'Half', finish: 'length' }, { finish: 'filtered' });
    expect((await complete(api)).finish).toBe('length');
    expect((await complete(api)).finish).toBe('filtered');
  });

  it.each([
    [400, 'provider_request_refused', false, false],
    [401, 'provider_credentials_refused', false, false],
    [403, 'provider_credentials_refused', false, false],
    [404, 'provider_request_refused', false, false],
    [408, 'provider_timeout', true, true],
    [409, 'provider_unavailable', true, true],
    [413, 'provider_request_refused', false, false],
    [429, 'provider_rate_limited', true, false],
    [500, 'provider_unavailable', true, true],
    [502, 'provider_unavailable', true, true],
    [503, 'provider_unavailable', true, false],
    [529, 'provider_rate_limited', true, false],
  ])('classifies %s', async (status, fault, isTransient, mayHaveRun) => {
    const found = await faultOf(api, { status, text: `Wrong key ${KEY}` });
    expect(found).toEqual({ fault, isTransient, mayHaveRun, retryAfterMs: null });
    expect(server.calls).toHaveLength(1); // the library does not retry by itself
  });

  it('reports how long to wait', async () => {
    expect(await faultOf(api, { status: 429, headers: { 'retry-after': '7' } })).toMatchObject({ retryAfterMs: 7_000 });
  });

  it('does not follow redirects', async () => {
    const found = await faultOf(api, { status: 307, headers: { location: `${server.url}/elsewhere` } });
    expect(found).toMatchObject({ fault: 'provider_request_refused' });
    expect(server.calls).toHaveLength(1);
  });

  it('detects a lost connection and a late response', async () => {
    expect(await faultOf(api, { drop: 'after' })).toMatchObject({
      fault: 'provider_unavailable',
      isTransient: true,
      mayHaveRun: true,
    });
    expect(await faultOf(api, { hang: true }, { timeoutMs: 1_000 })).toMatchObject({
      fault: 'provider_timeout',
      isTransient: true,
      mayHaveRun: true,
    });
  });

  it('refuses responses that it does not understand', async () => {
    const invalid = { fault: 'provider_answer_invalid', isTransient: false, mayHaveRun: true };
    expect(await faultOf(api, { body: '{"half":' })).toMatchObject(invalid);
    expect(await faultOf(api, { body: '{}' })).toMatchObject(invalid);
    expect(await faultOf(api, { body: '[]' })).toMatchObject(invalid);
    expect(await faultOf(api, { body: '<html></html>', headers: { 'content-type': 'text/html' } })).toMatchObject(
      invalid,
    );
    expect(await faultOf(api, { text: 'x'.repeat(2_200_000) })).toMatchObject(invalid);
    expect(await faultOf(api, { usage: { inputTokens: -1, outputTokens: 0.5 } })).toMatchObject(invalid);
  });

  it('reads a response of one megabyte', async () => {
    server.script({ text: 'ö'.repeat(500_000) });
    expect((await complete(api, { maxOutputTokens: 100_000 })).text).toHaveLength(500_000);
  });

  it('can be aborted', async () => {
    server.script({ hang: true });
    const stop = new AbortController();
    const running = complete(api, {}, stop.signal);
    while (server.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await expect(running).rejects.toMatchObject({ fault: 'aborted', isTransient: false, mayHaveRun: true });
    await expect(complete(api, {}, AbortSignal.abort())).rejects.toMatchObject({ fault: 'aborted', mayHaveRun: false });
    expect(server.calls).toHaveLength(1);
  });

  it('does not call addresses refused by the guard, and reports that nothing was sent', async () => {
    const refused = { fault: 'provider_address_refused', isTransient: false, mayHaveRun: false };
    for (const baseUrl of ['http://10.0.0.1/v1', 'https://169.254.169.254', 'http://[::ffff:10.0.0.1]'])
      await expect(provider(api, { baseUrl }).complete(CALL, new AbortController().signal)).rejects.toMatchObject(
        refused,
      );
    const { url } = server;
    await server.close();
    const nobody = provider(api, { baseUrl: url }).complete(CALL, new AbortController().signal);
    await expect(nobody).rejects.toMatchObject({ fault: 'provider_unavailable', isTransient: true, mayHaveRun: false });
    server = await startModelServer();
  });
});
