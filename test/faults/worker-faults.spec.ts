import { SCENARIOS } from '../../bench/faults/scenarios.mjs';
import { until } from '#libs/testing/until.js';
import { call } from '../../bench/faults/site.mjs';
import { startSmtp } from '../harness/smtp.js';
import { openFaultSite } from './fault-site.js';

// The short form of `npm run faults`: the same scenarios in seconds, without limits that require an idle machine.
const { site, close } = await openFaultSite();
afterEach(() => site.endWorkers());
afterAll(close);

const NOTHING_LOST = { lost: 0, torn: 0, unknown: 0, misnumbered: 0 };

describe('events', () => {
  it('survive a worker that is killed again and again', async () => {
    const sizes = {
      kills: 3,
      steadyMs: 0,
      lifeMs: [500, 2_000] as [number, number],
      rate: 30,
      tenants: 4,
      answerMs: 300,
    };
    const figures = await SCENARIOS.worker.run(site, sizes);
    expect(figures).toMatchObject(NOTHING_LOST);
    expect(figures.events).toBeGreaterThan(30);
    expect(figures.duplicates).toBeGreaterThan(0);
  });

  it('are neither skipped nor misnumbered when transactions commit out of order', async () => {
    const figures = await SCENARIOS.commits.run(site, { writers: 20, rounds: 2, workers: 2 });
    expect(figures).toMatchObject({ inOrderOfCommit: true, skipped: 0, invented: 0, gaps: 0 });
    expect(figures.events).toBeGreaterThan(20);
  });

  it('of other tenants are not delayed by a tenant with ten times the volume whose receiver never responds', async () => {
    const figures = await SCENARIOS.timeouts.run(site, { rate: 4, seconds: 4, tenants: 3, timeoutMs: 30_000 });
    expect(figures).toMatchObject({ ...NOTHING_LOST, timedOut: 0 });
    expect(figures.attempts).toBeGreaterThan(0);
  });
});

describe('audit logs', () => {
  it('stay one tree each, without gaps, when the sealer is killed again and again', async () => {
    const figures = await SCENARIOS.sealing.run(site, { kills: 5, rate: 100, tenants: 3, steadyMs: 0 });
    expect(figures.broken).toEqual([]);
    expect(figures.entries).toBeGreaterThan(100);
  });

  it('arrive completely and in order when the worker that streams them is killed', async () => {
    const figures = await SCENARIOS.streaming.run(site, { kills: 3, rate: 20, tenants: 2, answerMs: 200 });
    expect(figures).toMatchObject({ lost: 0, foreign: 0, early: 0 });
    expect(figures.entries).toBeGreaterThan(30);
    expect(figures.duplicates).toBeGreaterThan(0);
  });
});

describe('a retention run', () => {
  it('deletes each expired record once and no held one when its worker is killed', async () => {
    const figures = await SCENARIOS.retention.run(site, { records: 1_600, held: 50, kills: 2 });
    expect(figures).toMatchObject({ status: 'succeeded', affected: figures.expected, unequal: [] });
    expect(figures.done.at(-1)).toBeLessThan(figures.expected);
  });
});

describe('a mail', () => {
  it('is sent once, whenever its worker is killed; only if the server may have it, nobody sends it again', async () => {
    const smtp = await startSmtp();
    const env = { SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@platform.example' };
    const [tenant] = await site.tenants(1);
    const api = await site.api();
    const stateOf = async (id: string) =>
      (await site.rows(`select state from data.mails where subject_id = $1`, [id]))[0]!['state'];
    const ends: unknown[] = [];
    for (const step of ['recipient', 'before the end', 'end'] as const) {
      const email = `${step.replaceAll(' ', '-')}@acme.example`;
      const { body } = await call(api, tenant!, 'POST', '/api/admin/invitations', { email });
      const { id } = (body as { data: { invitation: { id: string } }[] }).data[0]!.invitation; // as the route answers
      const lock = await site.admin.connect();
      if (step === 'before the end') {
        // The end is held back until the row can be marked, which waits for this lock.
        await lock.query('begin');
        await lock.query(`create function public.hold() returns trigger language plpgsql as $$
          begin perform pg_advisory_xact_lock(390); return new; end $$`);
        await lock.query(`create trigger hold before update on data.mails for each row
          when (new.state = 'sending') execute function public.hold()`);
        await lock.query('commit');
        await lock.query('select pg_advisory_lock(390)');
      } else smtp.ignore(step);
      const worker = await site.startWorker(env);
      await until(async () =>
        step === 'before the end'
          ? (await site.rows(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).length > 0
          : smtp.ignored > 0,
      );
      await worker.end('SIGKILL');
      smtp.disconnect();
      smtp.ignore(null);
      if (step === 'before the end') {
        // PostgreSQL may go on with what a killed client has sent: its connection is ended, so that nothing is marked.
        await site.rows(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and not granted`);
        await lock.query('select pg_advisory_unlock(390)');
        await until(async () => (await site.rows(`select 1 from pg_locks where locktype = 'advisory'`)).length === 0);
        await lock.query('drop function public.hold() cascade');
      }
      lock.release();
      const received = smtp.mails.filter(({ to }) => to.includes(email)).length;
      await site.rows(`update data.mails set due_at = now() where subject_id = $1`, [id]);
      const next = await site.startWorker(env);
      await until(async () => ['sent', 'unconfirmed'].includes(String(await stateOf(id))));
      await next.end('SIGKILL');
      ends.push([step, received, smtp.mails.filter(({ to }) => to.includes(email)).length, await stateOf(id)]);
    }
    await smtp.close();
    expect(ends).toEqual([
      ['recipient', 0, 1, 'sent'],
      ['before the end', 0, 1, 'sent'],
      ['end', 1, 1, 'unconfirmed'],
    ]);
  });
});

describe('handoffs and talent mappings', () => {
  it('take each effect once when the worker that executes them is killed', async () => {
    const figures = await SCENARIOS.handovers.run(site, { kills: 2, handoffs: 24, mappings: 24 });
    expect(figures).toMatchObject({ plans: 48, finished: true, halfDone: 0, unequal: [] });
    expect(figures.cut).toBeGreaterThan(0);
  });
});

describe('a stopping worker', () => {
  it('completes and records every attempt and exits within 10 s', async () => {
    const figures = await SCENARIOS.sigterm.run(site, { stops: 1, rate: 10, tenants: 3 });
    expect(figures).toMatchObject({
      ...NOTHING_LOST,
      failures: 0,
      leases: 0,
      cut: 0,
      halves: 0,
      unrecorded: 0,
      repeated: 0,
      abandoned: 0,
    });
    expect(figures.left).toBeGreaterThan(0);
    expect(figures.slowestMs).toBeLessThan(10_000);
  });
});
