import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { generateSecret, signDelivery } from '#libs/webhooks/sending/signature.js';

const current = generateSecret();
const previous = generateSecret();
const BODY = JSON.stringify({ type: 'webhook.ping', sequence: '0', data: {} });
const EVENT_ID = '0198c0de-0000-7000-8000-000000000001';

const run = (secret: string): ChildProcess =>
  spawn(process.execPath, ['receiver/example-server.mjs', '0'], {
    env: { WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'ignore'],
  });

describe('the example receiver', () => {
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    server = run(`${current},${previous}`);
    const [line]: string[] = await Promise.race([
      once(createInterface(server.stdout!), 'line'),
      once(server, 'exit').then(([code]) => Promise.reject(new Error(`It ended with code ${String(code)}`))),
    ]);
    url = line!.replace('Listening on ', '');
  });

  afterAll(async () => {
    if (server.exitCode !== null) return;
    server.kill();
    await once(server, 'exit');
  });

  const send = async (headers: Record<string, string>, body = BODY): Promise<number> =>
    (await fetch(url, { method: 'POST', headers, body })).status;
  const signed = (secret: string, eventId = EVENT_ID, timestampSeconds = Math.floor(Date.now() / 1_000)) =>
    signDelivery({ body: BODY, eventId, timestampSeconds, secret });

  it('processes an event once, even if it is resent with another time stamp and the other secret', async () => {
    expect(await send(signed(current))).toBe(202);
    expect(await send(signed(current))).toBe(200);
    expect(await send(signed(previous, EVENT_ID, Math.floor(Date.now() / 1_000) - 60))).toBe(200);
    expect(await send(signed(current, '0198c0de-0000-7000-8000-000000000002'))).toBe(202);
  });

  it('refuses unsigned, modified, replayed and oversized requests', async () => {
    const eventId = '0198c0de-0000-7000-8000-000000000003';
    const headers = signed(current, eventId);
    expect(await send({})).toBe(401);
    expect(await send(headers, `${BODY} `)).toBe(401);
    expect(await send(signed(generateSecret(), eventId))).toBe(401);
    expect(await send(signed(current, eventId, 1_750_000_000))).toBe(401);
    expect(await send({ 'x-service-signature': headers['x-service-signature'] })).toBe(401);
    expect(await send(headers, 'a'.repeat(1024 * 1024 + 1))).toBe(413);
    expect(await send(headers)).toBe(202);
  });

  it('does not start without a secret or with an incomplete one', async () => {
    for (const secret of ['', `${current},`, current.slice(0, 20)]) {
      const child = run(secret);
      child.stdout!.once('data', () => child.kill()); // it listens
      const [code]: (number | null)[] = await once(child, 'exit');
      expect(code).toBe(1);
    }
  });
});
