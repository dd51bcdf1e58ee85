import { SCENARIOS } from '../../bench/faults/scenarios.mjs';
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
