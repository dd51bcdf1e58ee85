import { readFileSync } from 'node:fs';
import { ModulesContainer } from '@nestjs/core';
import { type Permission, permissionNames } from '#libs/auth/permissions.js';
import { Automations } from '#libs/automation/automations.js';
import { MAX_ATTEMPTS } from '#libs/automation/retry-pauses.js';
import { Database } from '#libs/database/database.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { Client } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import { VIEWER } from '../e2e/admin/people-calls.js';
import { commit, exhaust, flow, forgetRuns, happened, onBehalf, runs, set } from './automation-stage.js';
import { PROOFS } from './delayed-work.js';
import type { OfOrderer, OnBehalf } from '#libs/worker/on-behalf.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { Stage } from './stage.js';

/** What a worker gives up is never silent: it is in the list of jobs, has an event and an audit entry, and is told. */
let stage: Stage;
let tenant: TestTenant;
beforeAll(async () => {
  stage = await Stage.open();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterEach(async () => {
  await stage.stopWorkers();
  await forgetRuns(stage);
});
afterAll(() => stage.close());

type Json = Record<string, unknown> & { id: string };
const JOBS = '/api/operations/jobs';
const list = async (api: Client, path: string) => (await api.get<{ data: Json[] }>(path)).body.data;
const broken = () => Promise.reject(new Problem('record_locked', 'The thing is locked.'));
const error = { code: 'record_locked', message: 'The thing is locked.' };

/** A worker that runs what is due until everything is given up. */
async function giveUp(prepare: (worker: Awaited<ReturnType<Stage['idleWorker']>>) => Promise<void> | void) {
  const worker = await stage.idleWorker();
  await prepare(worker);
  await worker.get(EventRelay).pass();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await exhaust(worker);
    stage.platform.clock.advance(HOUR_MS);
  }
  return worker;
}

const eventsAbout = (id: string) =>
  stage.sql<{ envelope: string }>(`select envelope from data.events where tenant_id = $1 and subject_id = $2`, [
    tenant.id,
    id,
  ]);

/** The only failed job of the tenant, which has one event and one audit entry. */
async function failedJob(): Promise<Json> {
  const [job, ...others] = await list(tenant.api, `${JOBS}?status=failed`);
  expect(others).toEqual([]);
  const events = await eventsAbout(job!.id);
  expect(events.map(({ envelope }) => JSON.parse(envelope) as object)).toMatchObject([
    {
      type: 'operations.job.failed',
      data: { kind: job!['kind'], subject: job!['subject'], error: { code: error.code } },
    },
  ]);
  expect(JSON.stringify(events)).not.toContain(error.message);
  expect(await list(tenant.api, `/api/admin/audit-logs?action=operations.job.failed`)).toMatchObject([
    { target: { id: job!.id } },
  ]);
  return job!;
}

it('a flow: those who manage the tenant and the owner of the record are told, others neither see nor hear of it', async () => {
  const manager = await stage.platform.member(tenant, 'Boss', ['*'], { roles: ['admin'] });
  const owner = await stage.platform.member(tenant, 'Seller', ['*'], { roles: ['member'] });
  const other = await stage.platform.member(tenant, 'Other', ['*'], { roles: ['member'] });
  const deal = (await tenant.api.post<Json>('/api/v1/sales/deals', { name: 'Rocket', ownerId: owner.id })).body;
  await giveUp(async (worker) => {
    flow(worker, broken);
    await commit(stage, tenant, () => [happened(deal.id, {}, 'sales.deal')]);
  });
  const job = await failedJob();
  expect(job).toMatchObject({
    kind: 'test.flow',
    subject: { object: 'sales.deal', id: deal.id },
    requestedBy: { type: 'automation', name: 'test.flow' },
    error,
  });
  expect((await manager.api.get(`${JOBS}/${job.id}`)).status).toBe(200);
  expect((await owner.api.get(`${JOBS}/${job.id}`)).status).toBe(404);
  const told = async ({ api }: { api: Client }) =>
    (await list(api, '/api/home/notifications')).map(({ title }) => title);
  expect(await told(manager)).toEqual(['Given up: test.flow']);
  expect(await told(owner)).toEqual(expect.arrayContaining(['Given up about Rocket: test.flow']));
  expect(await told(other)).toEqual([]);
});

it('a timer, with the record that it names', async () => {
  const deal = (await tenant.api.post<Json>('/api/v1/sales/deals', { name: 'Rocket' })).body;
  await giveUp(async (worker) => {
    worker.get(Automations).timer({ kind: 'sales.deal.test_due', onBehalf, fire: broken });
    await set(stage, tenant, 'sales.deal.test_due', deal.id, stage.platform.clock.nowMs());
  });
  expect(await failedJob()).toMatchObject({
    kind: 'sales.deal.test_due',
    subject: { object: 'sales.deal', id: deal.id },
    error,
  });
});

it('a job, which fails itself', async () => {
  const kind = 'test.job';
  await giveUp(async (worker) => {
    const consequence = { text: 'select 1', values: [] };
    worker.get(Jobs).register({
      kind,
      permission: 'settings:manage',
      onBehalf,
      step: broken,
      ended: (transaction) => transaction.write(consequence),
    });
    await commit(stage, tenant, () => {
      const statements: { text: string; values: unknown[] }[] = [];
      worker
        .get(Jobs)
        .start({ write: (each) => void statements.push(each) }, { kind, input: {}, total: 3, phase: 'a' });
      return statements;
    });
  });
  expect(await failedJob()).toMatchObject({ kind, subject: null, progress: { total: 3, phase: 'a' }, error });
});

it('it is listed even if nobody can be told', async () => {
  await giveUp(async (worker) => {
    jest
      .spyOn(worker.get(Notifier), 'tell')
      .mockImplementation(
        () =>
          worker
            .get(Database)
            .transaction((transaction) => transaction.query({ text: 'select 1 / 0', values: [] })) as never,
      );
    flow(worker, broken);
    await commit(stage, tenant, () => [happened('thing')]);
  });
  expect(await runs(stage, tenant)).toMatchObject([{ state: 'failed' }]);
  expect(await failedJob()).toMatchObject({ subject: { object: 'test.thing', id: 'thing' } });
});

/** Orders a job of each kind that asks again; returns its id. */
const ORDERS: Record<string, (api: Client) => Promise<unknown>> = {
  'core.membership.transfer': async (api) => {
    const [from, to] = [await stage.platform.member(tenant, 'From'), await stage.platform.member(tenant, 'To')];
    const body = { status: 'deactivated', transferOwnedTo: to.id };
    const answer = await api.patch<{ effects: Json[] }>(`/api/admin/memberships/${from.id}`, body);
    return answer.body.effects.find(({ type }) => type === 'ownership_transfer')!['jobId'];
  },
  'core.retention': async (api) => {
    const policy = { object: 'sales.product', retainDays: 400 };
    const { id } = (await api.post<Json>('/api/admin/retention', policy)).body;
    return (await api.post<Json>('/api/admin/retention', { action: 'run_now', id, confirm: true })).body['jobId'];
  },
  'webhook.recovery': async (api) => {
    const { path } = await stage.endpoint(tenant, 'http://127.0.0.1:9/hook');
    const since = new Date(stage.platform.clock.nowMs() - HOUR_MS).toISOString();
    return (await api.post<Json>(`${path}/recover`, { since })).body['jobId'];
  },
};

describe('a job', () => {
  /** An owner with a protected key, who is not the last one. */
  const owner = async () => {
    await stage.platform.member(tenant, 'Other', ['*'], { roles: ['owner'] });
    const boss = await stage.platform.member(tenant, 'Boss', ['*'], { roles: ['owner'] });
    await stage.sql('update directory.credentials set allow_protected = true where member_id = $1', [boss.id]);
    return boss;
  };

  it.each(Object.entries(ORDERS))('is not done once who ordered it may not any more: %s', async (kind, order) => {
    const boss = await owner();
    const id = await order(boss.api);
    const demoted = { roleIds: [VIEWER], reason: 'Steps down' };
    expect((await tenant.api.patch(`/api/admin/memberships/${boss.id}`, demoted)).status).toBe(200);
    await exhaust(await stage.idleWorker());
    expect(await tenant.api.get(`${JOBS}/${String(id)}`)).toMatchObject({
      body: { kind, status: 'failed', error: { code: 'permission_denied' }, requestedBy: { type: 'api_key' } },
    });
  });

  it('of a member who has left is not done either', async () => {
    const boss = await owner();
    const id = await ORDERS['core.retention']!(boss.api);
    await tenant.api.patch(`/api/admin/memberships/${boss.id}`, { status: 'suspended', reason: 'Has left' });
    await exhaust(await stage.idleWorker());
    expect(await tenant.api.get(`${JOBS}/${String(id)}`)).toMatchObject({ body: { status: 'failed' } });
  });
});

describe('delayed work', () => {
  type Worker = Awaited<ReturnType<Stage['idleWorker']>>;

  const automationsOf = (worker: Worker) => {
    const all = worker.get(Automations);
    const behalfOf = (kind: string): OnBehalf => {
      try {
        return all.flow(kind).onBehalf;
      } catch {
        return all.timerOf(kind).onBehalf;
      }
    };
    return all.kinds.map((kind) => ({ kind, onBehalf: behalfOf(kind) }));
  };

  /** The worker's background work, by its classes. */
  const partsOf = (worker: Worker) =>
    [...worker.get(ModulesContainer, { strict: false }).values()]
      .flatMap((module) => [...module.providers.values()])
      .map(({ instance }) => instance)
      .filter((each) => each instanceof WorkerPart)
      .flatMap(({ work }) => work.map(({ constructor, onBehalf }) => ({ kind: constructor.name, onBehalf })));

  const declarations = async () => {
    const worker = await stage.idleWorker();
    const jobs = [...worker.get(Jobs).kinds].map(([kind, { onBehalf }]) => ({ kind, onBehalf }));
    return [...automationsOf(worker), ...jobs, ...partsOf(worker)];
  };

  it('that asks for rights again is proven by a test, and so is nothing else', async () => {
    const asking = (await declarations()).filter(({ onBehalf: { of } }) => of !== 'tenant' && of !== 'platform');
    const proves = (name: string, kind: string) =>
      name.endsWith('*') ? kind.startsWith(name.slice(0, -1)) : name === kind;
    const names = Object.keys(PROOFS);
    const proofsOf = ({ kind }: { kind: string }) => names.filter((name) => proves(name, kind));
    expect(asking.filter((each) => proofsOf(each).length !== 1)).toEqual([]);
    expect(names.filter((name) => !asking.some(({ kind }) => proves(name, kind)))).toEqual([]);
    for (const [spec, title] of Object.values(PROOFS)) expect(readFileSync(spec, 'utf8')).toContain(`'${title}'`);
    const requested = asking.filter(({ onBehalf: { of } }) => of === 'requester').map(({ kind }) => kind);
    expect(requested.sort()).toEqual(Object.keys(ORDERS).sort());
  });

  it('asks for permissions that exist', async () => {
    const named = (await declarations()).flatMap(({ onBehalf }) => {
      const { asks, told } = onBehalf as Partial<OfOrderer>;
      return [asks, told && 'holdersOf' in told ? told.holdersOf : undefined].filter(
        (each) => typeof each === 'string',
      );
    });
    expect(named).toContain('retention:manage');
    expect(named.filter((each) => !permissionNames().includes(each as Permission))).toEqual([]);
  });
});
