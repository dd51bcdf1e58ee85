// node scripts/canary.mjs [--once]: checks every minute, from outside, that changes result in deliveries: it makes a
// change through the API and receives its delivery. For Node 20.19 and newer. See docs/guides/watching-deliveries.md
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyWebhook } from '../receiver/verify-webhook.mjs';

/**
 * The paths of a delivery, by the rate of its endpoint: sent directly by the worker that created it, or through the
 * queue.
 */
const WAYS = { direct: null, queue: 1_000 };
const OUTCOMES = ['ok', 'missing', 'refused', 'invalid_signature', 'out_of_order'];
const ENDPOINTS = '/api/webhooks/endpoints';
const CALL_LIMIT_MS = 10_000;
const MAX_BODY_BYTES = 1024 * 1024; // a delivery has at most 256 KiB

const isUrl = (text) => URL.canParse(text) && /^https?:/.test(text);
const isWithin = (least, most) => (text) => /^\d{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most;
const [option] = process.argv.slice(2);
if (option !== undefined && option !== '--once') giveUp('The only option is --once');
const apiUrl = setting('CANARY_API', isUrl, 'the URL of the platform');
const key = setting('CANARY_KEY', (text) => /^[!-~]+$/.test(text), 'an API key with webhooks:read and webhooks:write');
const name = setting('CANARY_NAME', (text) => /^[\w.-]{1,64}$/.test(text), 'up to 64 of A-Z a-z 0-9 . _ -', 'default');
const host = setting('CANARY_HOST', () => true, 'an address of this machine', '127.0.0.1');
const port = setting('CANARY_PORT', isWithin(0, 65_535), 'a port', '4010');
const everyMs = 1_000 * setting('CANARY_EVERY_SECONDS', isWithin(1, 86_400), '1 to 86400', '60');
const limitMs = 1_000 * setting('CANARY_TIMEOUT_SECONDS', isWithin(1, 3_600), '1 to 3600', '30');

/** Identifies the endpoints of this canary: their description is this prefix and a timestamp. */
const prefix = `canary ${name} at `;
const isOwn = ({ description }) =>
  description?.startsWith(prefix) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(description.slice(prefix.length));

let endpoint = null; // its `id`, its `secret`, and the path of its `hook`
let awaited = null; // the current check: the expected `description`, and how to `settle` it
let fault = null; // why a delivery was not genuine, since the previous check
let lastSequence = -1n;
const ways = Object.keys(WAYS);
const checks = new Map(ways.flatMap((way) => OUTCOMES.map((outcome) => [`way="${way}",outcome="${outcome}"`, 0])));
const delays = new Map();
const successes = new Map(ways.map((way) => [`way="${way}"`, 0]));

function giveUp(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** A setting from the environment; an empty one counts as unset. */
function setting(variable, isValid, wanted, fallback = '') {
  const text = process.env[variable] || fallback;
  return text !== '' && isValid(text) ? text : giveUp(`${variable} has to be ${wanted}`);
}

/** The API rejected a request or did not respond. */
class Refusal extends Error {
  constructor(code, detail) {
    super(detail);
    this.code = code;
  }
}

async function call(method, path, body = undefined) {
  const url = apiUrl.replace(/\/+$/, '') + path;
  const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
  if (method === 'PATCH') headers['idempotency-key'] = randomUUID();
  const signal = AbortSignal.timeout(CALL_LIMIT_MS);
  const response = await fetch(url, { method, headers, signal, body: JSON.stringify(body) }).catch((error) => {
    throw new Refusal('no_answer', `${method} ${path}: ${error.cause?.code ?? error.message}`);
  });
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  const { code, detail = 'not an answer of the platform', errors = [] } = answer ?? {};
  const reasons = [detail, ...errors.map((each) => `${each.pointer} ${each.code}`)].join('; ');
  throw new Refusal(code, `${method} ${path}: ${response.status} ${code ?? ''}: ${reasons}`);
}

const unless = (code) => (error) => {
  if (error.code !== code) throw error;
};
const remove = (id) => call('DELETE', `${ENDPOINTS}/${id}`).catch(unless('not_found'));

/** Creates the endpoint, after removing those left by earlier runs. */
async function subscribe() {
  for (let cursor = ''; cursor !== null;) {
    const { data, page } = await call('GET', `${ENDPOINTS}?limit=200${cursor && `&cursor=${cursor}`}`);
    for (const { id } of data.filter(isOwn)) await remove(id);
    cursor = page.nextCursor;
  }
  const hook = `/hooks/${randomBytes(24).toString('base64url')}`; // new each time, like the secret
  const { id, secret, status } = await call('POST', ENDPOINTS, {
    url: publicUrl + hook,
    eventTypes: ['webhook.endpoint.updated'],
    description: prefix + new Date().toISOString(),
  });
  endpoint = { id, secret, hook };
  if (status === 'enabled') return;
  const { verified, error } = await call('POST', `${ENDPOINTS}/${id}/verify`);
  if (!verified) throw new Refusal('unverified', `The platform cannot verify ${publicUrl}: ${error}`);
}

/** Changes the endpoint, or a new one if it was deleted or disabled. Returns the time of sending. */
async function change(way, description) {
  for (const isLast of [false, true]) {
    if (endpoint === null) await subscribe();
    const { id } = endpoint;
    const sentMs = performance.now();
    const body = { description, filter: { field: 'id', op: 'eq', value: id }, maxPerSecond: WAYS[way] };
    const changed = await call('PATCH', `${ENDPOINTS}/${id}`, body).catch(unless('not_found'));
    if (changed?.status === 'enabled') return sentMs;
    if (isLast) throw new Refusal('not_enabled', `The endpoint ${id} is ${changed?.status ?? 'gone'}`);
    endpoint = null;
  }
}

/** Makes a change, waits for its delivery and prints the result. Returns whether the check passed. */
async function check(way) {
  if (stop.signal.aborted) return false;
  const at = new Date().toISOString();
  const description = prefix + at;
  const heard = new Promise((settle) => (awaited = { description, settle }));
  let limit = null;
  let result;
  try {
    const sentMs = await change(way, description);
    limit = setTimeout(awaited.settle, limitMs, { outcome: 'missing' });
    const { arrivedMs, ...found } = await heard;
    result = arrivedMs === undefined ? found : { ...found, delayMs: Math.round(arrivedMs - sentMs) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    result = { outcome: 'refused', detail: error.message };
  }
  clearTimeout(limit);
  if (result.outcome === 'stopped') return false;
  if (fault !== null) result = { outcome: 'invalid_signature', detail: fault };
  awaited = fault = null;
  report(way, at, result);
  return result.outcome === 'ok';
}

function report(way, at, result) {
  const { outcome, delayMs } = result;
  const labels = `way="${way}"`;
  checks.set(`${labels},outcome="${outcome}"`, checks.get(`${labels},outcome="${outcome}"`) + 1);
  if (delayMs !== undefined) delays.set(labels, delayMs / 1_000);
  if (outcome === 'ok') successes.set(labels, Math.floor(Date.now() / 1_000));
  process.stdout.write(`${JSON.stringify({ at, way, ...result })}\n`);
}

/** Handles a delivery; returns status and text. */
function receive(headers, body) {
  const genuine = verifyWebhook({ headers, body, secret: endpoint.secret });
  if (!genuine.ok || genuine.form !== 'standard') {
    fault = genuine.ok ? 'missing_header' : genuine.reason;
    awaited?.settle({});
    return [401];
  }
  const { type, sequence, data } = JSON.parse(body);
  if (type === 'webhook.verification') return [200, data.challenge];
  if (awaited === null || data.description !== awaited.description) return [204]; // belongs to an earlier check
  const outcome = BigInt(sequence) > lastSequence ? 'ok' : 'out_of_order';
  lastSequence = BigInt(sequence);
  awaited.settle({ outcome, sequence, arrivedMs: performance.now() });
  return [204];
}

function metrics() {
  const family = (metric, type, help, samples) => {
    const lines = Array.from(samples, ([labels, value]) => `${metric}{${labels}} ${value}\n`);
    return `# HELP ${metric} ${help}\n# TYPE ${metric} ${type}\n${lines.join('')}`;
  };
  return [
    family('webhook_canary_checks_total', 'counter', 'Checks by result.', checks),
    family('webhook_canary_delay_seconds', 'gauge', 'Time from sending the last change to its delivery.', delays),
    family(
      'webhook_canary_last_success_timestamp_seconds',
      'gauge',
      'Time of the last successful check, or 0.',
      successes,
    ),
  ].join('');
}

/** Status, text and type of a response. The hook may be published under another path prefix. */
function answer({ method, url, headers }, body) {
  if (method === 'GET' && url === '/metrics') return [200, metrics(), 'text/plain; version=0.0.4; charset=utf-8'];
  if (method === 'GET' && url === '/health/live') return [200, '{"status":"ok"}', 'application/json'];
  if (method === 'POST' && endpoint !== null && url.endsWith(endpoint.hook)) return receive(headers, body);
  return [404];
}

const server = createServer((request, response) => {
  const chunks = [];
  let length = 0;
  request.on('data', (chunk) => {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    const found = length > MAX_BODY_BYTES ? [413] : answer(request, Buffer.concat(chunks));
    const [status, text = '', type = 'text/plain'] = found;
    response.writeHead(status, { 'content-type': type }).end(text);
  });
});
await once(server.listen(port, host), 'listening').catch((error) =>
  giveUp(`The canary cannot start: ${error.message}`),
);
const ownHost = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
const ownUrl = `http://${ownHost.includes(':') ? `[${ownHost}]` : ownHost}:${server.address().port}`;
const publicUrl = setting('CANARY_URL', isUrl, 'the URL under which the platform reaches it', ownUrl).replace(
  /\/+$/,
  '',
);
if (option !== '--once') process.stderr.write(`Listening on ${ownUrl}\n`);

const stop = new AbortController();
const stopped = () => {
  stop.abort();
  awaited?.settle({ outcome: 'stopped' });
};
process.on('SIGINT', stopped).on('SIGTERM', stopped);

let passed;
do {
  const next = pause(everyMs, null, { signal: stop.signal, ref: false }).catch(() => undefined); // stopping
  passed = true;
  for (const way of ways) passed = (await check(way)) && passed;
  if (option !== '--once') await next;
} while (option !== '--once' && !stop.signal.aborted);
if (endpoint !== null) await remove(endpoint.id).catch((error) => process.stderr.write(`${error.message}\n`));
process.exitCode = option === '--once' && !passed ? 1 : 0;
server.close();
server.closeAllConnections();
