import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { until } from '#libs/testing/until.js';
import { EndpointHealth } from '#libs/webhooks/lanes/endpoint-health.js';
import { LaneSweep } from '#libs/webhooks/lanes/lane-sweep.js';
import { makeRole } from '../e2e/admin/people-calls.js';
import type { TestTenant } from '../harness/platform.js';
import { type CaughtMail, startSmtp } from '../harness/smtp.js';
import type { Receiver } from './receiver.js';
import { Stage, type TestEndpoint } from './stage.js';

interface Staged {
  tenant: TestTenant;
  receiver: Receiver;
  endpoint: TestEndpoint;
  /** Host and port of the endpoint, unique per test. */
  host: string;
}

const ORIGIN = 'https://api.platform.example/acme';
const TOKEN = 'let-me-in';
/** A failure whose retry is after the end of any test. */
const REFUSED = { status: 404, headers: { 'retry-after': '3600' } };

const smtp = await startSmtp();
const stage = await Stage.open({
  SMTP_URL: smtp.url,
  MAIL_FROM: 'no-reply@platform.example',
  PUBLIC_URL: `${ORIGIN}/`,
});
afterAll(async () => {
  await stage.close();
  await smtp.close();
});

async function stageOne(tenant?: TestTenant): Promise<Staged> {
  const owner = tenant ?? (await stage.platform.tenant());
  const receiver = await stage.receiver();
  const url = `${receiver.url}?token=${TOKEN}`;
  const endpoint = await stage.endpoint(owner, url, { description: 'Billing,\nat night' });
  return { tenant: owner, receiver, endpoint, host: new URL(url).host };
}

/** Creates a member with these roles, owner by default, who wants instant mails; returns the address. */
async function reader({ tenant }: Pick<Staged, 'tenant'>, ...roles: string[]): Promise<string> {
  const { id, api } = await stage.platform.member(tenant, 'A member', ['*'], roles.length > 0 ? { roles } : {});
  await api.patch('/api/settings/notifications', { kinds: { endpoint: { email: 'instant' } } });
  return `${id}@example.test`;
}

/** Changes the row of a member. */
const alter = (address: string, changes: string) =>
  stage.sql(`update data.memberships set ${changes}, version = version + 1 where email = $1`, [address]);

/** Makes an endpoint appear to have failed for a duration. */
const failFor = ({ endpoint }: Staged, hours: number) =>
  stage.sql(
    `update data.webhook_lanes set failing_since = now() - interval '1 hour' * $2, failed_attempts = 20 where endpoint_id = $1`,
    [endpoint.id, hours],
  );

const sweep = (worker: INestApplicationContext) => worker.get(LaneSweep).pass();

/** Sends waiting mails; returns all mails sent about the endpoint so far. */
async function sent(worker: INestApplicationContext, { host }: Staged): Promise<CaughtMail[]> {
  while ((await worker.get(MailDelivery).pass()) > 0);
  return smtp.mails.filter(({ headers }) => headers['subject']!.includes(` ${host} `));
}

const addresses = (mails: readonly CaughtMail[]) => mails.flatMap(({ to }) => to).sort();
const subjects = (mails: readonly CaughtMail[]) => mails.map(({ headers }) => headers['subject']!);

/** States of the mails about an endpoint, oldest first. */
async function states({ endpoint }: Staged): Promise<string[]> {
  const rows = await stage.sql<{ state: string; content: string | null }>(
    `select state, content from data.mails where subject_id = $1 order by created_at, id`,
    [endpoint.id],
  );
  for (const { state, content } of rows) expect(content === null).toBe(state !== 'queued' && state !== 'sending');
  return rows.map(({ state }) => state);
}

/** Fails a delivery to an endpoint, and waits until that is recorded. */
async function refuse({ tenant, receiver, endpoint }: Staged): Promise<void> {
  receiver.answer = REFUSED;
  await stage.deal(tenant);
  await stage.statuses(endpoint, ['retrying']);
  await until(async () => {
    const { body } = await tenant.api.get<{ health: { failedAttempts: number } }>(endpoint.path);
    return body.health.failedAttempts === 1;
  });
}

/** Lets a delivery succeed again, and waits until the tenant was notified of the recovery. */
async function recover({ tenant, receiver, endpoint }: Staged): Promise<void> {
  receiver.answer = { status: 200 };
  await stage.deal(tenant);
  const event = `select 1 from data.events where subject_id = $1 and type = 'webhook.endpoint.recovered'`;
  await until(async () => (await stage.sql(event, [endpoint.id])).length === 1);
}

describe('while an endpoint keeps failing', () => {
  it('members who can change endpoints get a mail after 1, 24 and 72 hours, and when it is disabled', async () => {
    const staged = await stageOne();
    const readers = [await reader(staged), await reader(staged, 'developer')].sort();
    const worker = await stage.idleWorker();
    const told: string[][] = [];
    for (const hours of [0.9, 1, 23, 24, 71, 72, 119, 120]) {
      await failFor(staged, hours);
      await sweep(worker);
      await sweep(worker);
      const mails = (await sent(worker, staged)).slice(told.flat().length);
      if (mails.length > 0) expect(addresses(mails)).toEqual(readers);
      told.push(subjects(mails));
    }
    const about = (what: string) => Array<string>(2).fill(`Webhook endpoint ${staged.host} ${what}`);
    expect(told).toEqual([
      [],
      about('has been failing for 1 hour'),
      [],
      about('has been failing for 24 hours'),
      [],
      about('has been failing for 72 hours'),
      [],
      about('has been disabled'),
    ]);
  });

  it('nobody else gets one: no member without permission, no inactive member, no other tenant', async () => {
    const [staged, foreign] = [await stageOne(), await stageOne()];
    const { tenant } = staged;
    const stranger = await reader(foreign);
    const readers = [
      await reader(staged, 'owner'),
      await reader(staged, 'admin'),
      await reader(staged, 'developer', 'viewer'),
      await reader(staged, await makeRole(tenant, 'Integrators', ['webhooks:write'])),
      await reader(staged, await makeRole(tenant, 'Writers', ['*:write'])),
    ];
    for (const role of ['manager', 'member', 'viewer', 'auditor', 'billing']) await reader(staged, role);
    await reader(staged, await makeRole(tenant, 'Onlookers', ['webhooks:read']));
    await reader(staged, await makeRole(tenant, 'Locals', ['webhooks:write@workspace']));
    await alter(await reader(staged), `status = 'suspended'`);
    await alter(await reader(staged), `status = 'deactivated'`);
    await alter(await reader(staged), `status = 'invited'`);
    await alter(await reader(staged), `status = 'deactivated', deleted_at = now()`);
    await alter(await reader(staged), `email = id || '@users.invalid'`);
    const worker = await stage.idleWorker();
    for (const each of [staged, foreign]) await failFor(each, 2);
    await sweep(worker);
    expect(addresses(await sent(worker, staged))).toEqual(readers.sort());
    expect(addresses(await sent(worker, foreign))).toEqual([stranger]);
  });

  it('at most the twenty longest-standing members get one', async () => {
    const staged = await stageOne();
    const readers: string[] = [];
    for (let days = 1; days <= 21; days++) {
      const address = await reader(staged);
      await alter(address, `created_at = now() - interval '${days} days'`);
      readers.push(address);
    }
    const worker = await stage.idleWorker();
    await failFor(staged, 2);
    await sweep(worker);
    expect(addresses(await sent(worker, staged))).toEqual(readers.slice(1).sort());
  });

  it('each gets one mail under concurrent sweeps', async () => {
    const staged = await Promise.all([stageOne(), stageOne(), stageOne()]);
    for (const each of staged) await reader(each);
    const workers = [await stage.idleWorker(), await stage.idleWorker()];
    for (const [hours, before] of [
      [2, []],
      [121, ['sent']],
    ] as const) {
      for (const each of staged) await failFor(each, hours);
      await Promise.all([...workers, ...workers].map((worker) => sweep(worker)));
      for (const each of staged) expect(await states(each)).toEqual([...before, 'queued']);
      for (const each of staged) expect(await sent(workers[0]!, each)).toHaveLength(before.length + 1);
    }
  });

  it('an interrupted sweep sends none', async () => {
    const staged = await stageOne();
    await reader(staged);
    const worker = await stage.idleWorker();
    const health = worker.get(EndpointHealth);
    await failFor(staged, 2);
    const real = health.announce.bind(health);
    const broken = jest.spyOn(health, 'announce').mockImplementation(async (...input) => {
      await real(...input);
      throw new Error('the process ends here');
    });
    await sweep(worker);
    expect(broken).toHaveBeenCalledTimes(1);
    broken.mockRestore();
    expect(await states(staged)).toEqual([]);
    await sweep(worker);
    expect(await states(staged)).toEqual(['queued']);
  });
});

describe('an unsent mail', () => {
  it('is replaced by the next one about the endpoint', async () => {
    const staged = await stageOne();
    await reader(staged);
    const worker = await stage.idleWorker();
    for (const [hours, before] of [
      [2, []],
      [25, ['cancelled']],
      [121, ['cancelled', 'cancelled']],
    ] as const) {
      await failFor(staged, hours);
      await sweep(worker);
      expect(await states(staged)).toEqual([...before, 'queued']);
    }
    expect(subjects(await sent(worker, staged))).toEqual([`Webhook endpoint ${staged.host} has been disabled`]);
  });

  it.each([
    ['paused', 2, (endpoint: TestEndpoint, { api }: TestTenant) => api.post(`${endpoint.path}/pause`)],
    ['disabled manually', 2, (endpoint: TestEndpoint, { api }: TestTenant) => api.post(`${endpoint.path}/disable`)],
    ['deleted', 2, (endpoint: TestEndpoint, { api }: TestTenant) => api.delete(endpoint.path)],
    ['enabled again', 121, (endpoint: TestEndpoint, { api }: TestTenant) => api.post(`${endpoint.path}/enable`)],
  ])('is cancelled when the endpoint is %s', async (_name, hours, act) => {
    const staged = await stageOne();
    const other = await stageOne(staged.tenant);
    await reader(staged);
    const worker = await stage.idleWorker();
    for (const each of [staged, other]) await failFor(each, hours);
    await sweep(worker);
    expect(await states(staged)).toEqual(['queued']);
    expect((await act(staged.endpoint, staged.tenant)).status).toBe(200);
    expect(await states(staged)).toEqual(['cancelled']);
    expect(await sent(worker, staged)).toEqual([]);
    expect(await sent(worker, other)).toHaveLength(1);
  });

  it('keeps waiting when other fields of the endpoint change', async () => {
    const staged = await stageOne();
    await reader(staged);
    const worker = await stage.idleWorker();
    await failFor(staged, 2);
    await sweep(worker);
    await staged.tenant.api.patch(staged.endpoint.path, { description: 'Billing' });
    expect(await states(staged)).toEqual(['queued']);
  });
});

describe('with a running worker', () => {
  let worker: INestApplicationContext;
  beforeAll(async () => {
    worker = await stage.worker();
  });

  it('a warning names endpoint, start, cause and deadline, and contains no credential', async () => {
    const staged = await stageOne();
    const { tenant, endpoint, host } = staged;
    const address = await reader(staged);
    await refuse(staged);
    await failFor(staged, 25);
    const { body } = await tenant.api.get<{
      health: { failingSince: string; lastFailureAt: string; willDisableAt: string };
    }>(endpoint.path);
    await sweep(worker);
    const { text, headers } = await smtp.mailTo(address);
    const minute = (instant: string) => `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;
    const attempts = await tenant.api.get<{ data: { startedAt: string }[] }>(`${endpoint.path}/attempts`);
    for (const line of [
      `Deliveries of ${tenant.slug} to the webhook endpoint ${host} have been failing for 25 hours.`,
      `Endpoint: ${endpoint.id} (Billing, at night)`,
      `First failure: ${minute(body.health.failingSince)}`,
      'Attempts that failed since then: 20',
      `Last failure: ${minute(attempts.body.data[0]!.startedAt)}, http_status 404`,
      `Disabled at: ${minute(body.health.willDisableAt)}, unless an attempt succeeds before`,
      'as long as events are kept: 30 days.',
      `GET ${ORIGIN}${endpoint.path}/attempts`,
      `POST ${ORIGIN}${endpoint.path}/enable`,
      `POST ${ORIGIN}${endpoint.path}/recover`,
    ])
      expect(text).toContain(line);
    for (const secret of [TOKEN, 'token', '/hook', endpoint.secret, 'whsec_'])
      expect(text + JSON.stringify(headers)).not.toContain(secret);
  });

  it.each([
    ['410', { status: 410 }, 'it answered 410'],
    ['the header', { status: 200, headers: { 'webhook-delivery': 'disable' } }, '"webhook-delivery: disable"'],
  ])('an endpoint disabled by its response is reported: %s', async (_name, answer, reason) => {
    const staged = await stageOne();
    const readers = [await reader(staged), await reader(staged, 'admin')];
    await reader(staged, 'viewer');
    staged.receiver.answer = answer;
    await stage.deal(staged.tenant);
    for (const each of readers) {
      const { text, headers } = await smtp.mailTo(each);
      expect(headers['subject']).toBe(`Webhook endpoint ${staged.host} has been disabled`);
      expect(text).toContain(reason);
      expect(text).toContain('is held for the endpoint');
    }
    await until(async () => (await states(staged)).every((state) => state === 'sent'));
    expect(addresses(await sent(worker, staged))).toEqual(readers.sort());
  });

  it('recipients of a warning are notified of the recovery', async () => {
    const staged = await stageOne();
    const address = await reader(staged);
    await refuse(staged);
    await failFor(staged, 2);
    await sweep(worker);
    await until(async () => (await states(staged)).join() === 'sent');
    await recover(staged);
    await until(async () => (await states(staged)).join() === 'sent,sent');
    const mails = await sent(worker, staged);
    expect(addresses(mails)).toEqual([address, address]);
    expect(subjects(mails)[1]).toBe(`Webhook endpoint ${staged.host} works again`);
    expect(mails[1]!.text).toContain(`POST ${ORIGIN}${staged.endpoint.path}/recover`);
  });

  it('recipients of an unsent warning get no mail about the recovery', async () => {
    const staged = await stageOne();
    await reader(staged);
    await refuse(staged);
    await failFor(staged, 2);
    smtp.refuse(450);
    await sweep(worker);
    const failed = `select 1 from data.mails where subject_id = $1 and error is not null`;
    await until(async () => (await stage.sql(failed, [staged.endpoint.id])).length === 1);
    await recover(staged);
    smtp.refuse(null);
    expect(await states(staged)).toEqual(['cancelled']);
    expect(await sent(worker, staged)).toEqual([]);
  });
});
