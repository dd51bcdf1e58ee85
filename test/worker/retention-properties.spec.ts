import fc from 'fast-check';
import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { NightlyRetention } from '#src/areas/assurance/retention/nightly.js';
import type { TestTenant } from '../harness/platform.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

/** Sequences per run; set `RETENTION_SEQUENCES` for a longer one. */
const SEQUENCES = Number(process.env['RETENTION_SEQUENCES'] ?? 60);
const SEED = Number(process.env['RETENTION_SEED'] ?? 1);
/** Sequences that share a tenant and its nights; each has its own records and holds. */
const AT_ONCE = Math.min(SEQUENCES, 100);
const REQUESTS_AT_ONCE = 8;
const RETAIN_DAYS = 20;
const TRASH_DAYS = 10;
const CANDIDATES = '/api/v1/talent/candidates';
const RETENTION = '/api/admin/retention';

type Step =
  { kind: 'create' } | { kind: 'trash' | 'hold' | 'erase'; record: number } | { kind: 'release'; hold: number };

interface Known {
  id: string;
  changedAtMs: number;
  trashedAtMs: number | null;
  isErased: boolean;
  isGone: boolean;
  holds: Set<string>;
}

const onRecord = (kind: 'trash' | 'hold' | 'erase') => fc.nat({ max: 9 }).map((record): Step => ({ kind, record }));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ kind: 'create' }),
  onRecord('trash'),
  onRecord('hold'),
  onRecord('erase'),
  fc.nat({ max: 9 }).map((hold): Step => ({ kind: 'release', hold })),
);
/** Days between the ticks of the sequences of a tenant. */
const ticks = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 2, maxLength: 6 });
/** Steps before each tick. */
const sequence = fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 6 });

let stage: Stage;
let worker: INestApplicationContext;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
});
afterAll(() => stage.close());

/** The system under test next to a model of what must exist. */
class Trial {
  private readonly records: Known[] = [];
  private readonly holds: string[] = [];

  constructor(
    private readonly tenant: TestTenant,
    private readonly steps: readonly (readonly Step[])[],
  ) {}

  /** The steps before a tick. Starts with a record. */
  async live(tick: number): Promise<void> {
    if (tick === 0) await this.create();
    for (const each of this.steps[tick] ?? []) await this.take(each);
  }

  /** Compares the records with those that exist after a tick. */
  check(present: ReadonlySet<string>): void {
    for (const record of this.records) {
      const age = (sinceMs: number) => (this.nowMs - sinceMs) / DAY_MS;
      const isDue = age(record.changedAtMs) >= RETAIN_DAYS;
      const isOver = record.trashedAtMs !== null && age(record.trashedAtMs) >= TRASH_DAYS;
      if (record.holds.size === 0) record.isGone ||= isDue || isOver;
      expect([record.id, present.has(record.id)]).toEqual([record.id, !record.isGone]);
    }
  }

  private async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'create':
        return this.create();
      case 'trash':
      case 'erase':
      case 'hold': {
        const record = this.records[step.record % Math.max(this.records.length, 1)];
        if (record && !record.isGone) await this[step.kind](record);
        return;
      }
      case 'release':
        return this.release(step.hold);
    }
  }

  private get nowMs(): number {
    return stage.platform.clock.nowMs();
  }

  private async create(): Promise<void> {
    const { status, body } = await this.tenant.api.post<{ id: string }>(CANDIDATES, { name: 'Ada Lovelace' });
    expect(status).toBe(201);
    const fresh = { trashedAtMs: null, isErased: false, isGone: false, holds: new Set<string>() };
    this.records.push({ id: body.id, changedAtMs: this.nowMs, ...fresh });
  }

  private async trash(record: Known): Promise<void> {
    if (record.trashedAtMs !== null) return;
    const { status } = await this.tenant.api.delete(`${CANDIDATES}/${record.id}`);
    expect(status).toBe(record.holds.size > 0 ? 423 : 200);
    if (status === 200) record.trashedAtMs = record.changedAtMs = this.nowMs;
  }

  private async erase(record: Known): Promise<void> {
    if (record.trashedAtMs !== null || record.isErased) return;
    const { status } = await this.tenant.api.post(`${CANDIDATES}/${record.id}/anonymize`);
    expect(status).toBe(record.holds.size > 0 ? 423 : 200);
    if (status === 200) Object.assign(record, { isErased: true, changedAtMs: this.nowMs });
  }

  private async hold(record: Known): Promise<void> {
    const scope = { objectIds: [record.id] };
    const body = { action: 'place_hold', name: 'Matter', reason: 'Lawsuit', scope };
    const { status, body: hold } = await this.tenant.api.post<{ id: string }>(RETENTION, body);
    expect(status).toBe(200);
    record.holds.add(hold.id);
    this.holds.push(hold.id);
  }

  private async release(index: number): Promise<void> {
    const [id] = this.holds.splice(index % Math.max(this.holds.length, 1), 1);
    if (id === undefined) return;
    const body = { action: 'release_hold', id, reason: 'Settled' };
    expect((await this.tenant.api.post(RETENTION, body)).status).toBe(200);
    for (const record of this.records) record.holds.delete(id);
  }
}

/** Lets days pass, with one night of runs within the last of them. Returns the ids of the records that exist. */
async function pass(tenant: TestTenant, days: number): Promise<Set<string>> {
  stage.platform.clock.advance((days - 1) * DAY_MS);
  await worker.get(NightlyRetention).sweep();
  stage.platform.clock.advance(DAY_MS);
  await exhaust(worker);
  // On a busy machine a step may time out, and is retried later.
  const unfinished = 'select 1 from data.jobs where tenant_id = $1 and finished_at is null';
  while ((await stage.sql(unfinished, [tenant.id])).length > 0) {
    stage.platform.clock.advance(MINUTE_MS);
    await exhaust(worker);
  }
  const rows = await stage.sql<{ id: string }>(`select id from data.talent_candidates where tenant_id = $1`, [
    tenant.id,
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Runs one step after the other per trial, and several trials at once. */
async function live(trials: readonly Trial[], tick: number): Promise<void> {
  const waiting = trials.values();
  const turns = Array.from({ length: REQUESTS_AT_ONCE }, async () => {
    for (const trial of waiting) await trial.live(tick);
  });
  await Promise.all(turns);
}

it(
  `deletes no held record and leaves no expired one (seed ${SEED})`,
  async () => {
    const sequences = fc.array(sequence, { minLength: AT_ONCE, maxLength: AT_ONCE });
    await fc.assert(
      fc.asyncProperty(ticks, sequences, async (days, all) => {
        const tenant = await stage.platform.tenant({ writes: 2_000_000_000 });
        await tenant.api.patch('/api/admin/settings', { data: { trashDays: TRASH_DAYS } });
        const policy = { object: 'talent.candidate', retainDays: RETAIN_DAYS };
        expect((await tenant.api.post(RETENTION, policy)).status).toBe(200);
        const trials = all.map((steps) => new Trial(tenant, steps));
        for (const [tick, each] of days.entries()) {
          await live(trials, tick);
          const present = await pass(tenant, each);
          for (const trial of trials) trial.check(present);
        }
        // Finished tenants must not slow down the others.
        await stage.sql(`update directory.tenants set closed_at = now(), closes_at = now() where id = $1`, [tenant.id]);
        await stage.sql(`delete from data.automation_runs where tenant_id = $1`, [tenant.id]);
      }),
      // Shrinking would take longer than the test may.
      { numRuns: Math.ceil(SEQUENCES / AT_ONCE), seed: SEED, endOnFailure: true },
    );
  },
  SEQUENCES * 2_000 + 120_000,
);
