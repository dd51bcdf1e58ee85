import fc from 'fast-check';
import type { INestApplicationContext } from '@nestjs/common';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { NightlyRetention } from '#src/areas/admin/retention/nightly.js';
import type { TestTenant } from '../harness/platform.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

/** Sequences per run; set `RETENTION_SEQUENCES` for a longer one. */
const SEQUENCES = Number(process.env['RETENTION_SEQUENCES'] ?? 6);
const DAY_MS = 86_400_000;
const RETAIN_DAYS = 20;
const TRASH_DAYS = 10;
const CANDIDATES = '/api/v1/talent/candidates';

type Step =
  | { kind: 'create' }
  | { kind: 'trash' | 'hold' | 'erase'; record: number }
  | { kind: 'release'; hold: number }
  | { kind: 'tick'; days: number };

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
  fc.integer({ min: 1, max: 15 }).map((days): Step => ({ kind: 'tick', days })),
);

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

  constructor(private readonly tenant: TestTenant) {}

  async take(step: Step): Promise<void> {
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
      case 'tick':
        return this.tick(step.days);
    }
  }

  private get nowMs(): number {
    return stage.platform.clock.nowMs();
  }

  private async create(): Promise<void> {
    const { body } = await this.tenant.api.post<{ id: string }>(CANDIDATES, { name: 'Ada Lovelace' });
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
    const { body: hold } = await this.tenant.api.post<{ id: string }>('/api/admin/retention', body);
    record.holds.add(hold.id);
    this.holds.push(hold.id);
  }

  private async release(index: number): Promise<void> {
    const [id] = this.holds.splice(index % Math.max(this.holds.length, 1), 1);
    if (id === undefined) return;
    await this.tenant.api.post('/api/admin/retention', { action: 'release_hold', id, reason: 'Settled' });
    for (const record of this.records) record.holds.delete(id);
  }

  private async tick(days: number): Promise<void> {
    stage.platform.clock.advance((days - 1) * DAY_MS);
    await worker.get(NightlyRetention).sweep();
    stage.platform.clock.advance(DAY_MS);
    await exhaust(worker.get(AutomationWorker));
    const rows = await stage.sql<{ id: string }>(`select id from data.talent_candidates where tenant_id = $1`, [
      this.tenant.id,
    ]);
    const present = new Set(rows.map(({ id }) => id));
    for (const record of this.records) {
      // The night begins somewhere within the last day.
      const age = (since: number) => (this.nowMs - since) / DAY_MS;
      const isDue = age(record.changedAtMs) >= RETAIN_DAYS;
      const isOver = record.trashedAtMs !== null && age(record.trashedAtMs) >= TRASH_DAYS;
      if (record.holds.size > 0) expect([record.id, present.has(record.id)]).toEqual([record.id, !record.isGone]);
      else record.isGone ||= isDue || isOver;
      expect([record.id, present.has(record.id)]).toEqual([record.id, !record.isGone]);
    }
  }
}

it(
  'deletes no held record and leaves no expired one',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        const tenant = await stage.platform.tenant();
        await tenant.api.patch('/api/admin/settings', { data: { trashDays: TRASH_DAYS } });
        const policy = { object: 'talent.candidate', retainDays: RETAIN_DAYS };
        expect((await tenant.api.post('/api/admin/retention', policy)).status).toBe(200);
        const trial = new Trial(tenant);
        for (const each of [{ kind: 'create' } as const, ...steps, { kind: 'tick', days: 1 } as const])
          await trial.take(each);
        // Finished tenants must not slow down the others.
        await stage.sql(`update directory.tenants set closed_at = now(), closes_at = now() where id = $1`, [tenant.id]);
        await stage.sql(`delete from data.automation_runs where tenant_id = $1`, [tenant.id]);
      }),
      { numRuns: SEQUENCES },
    );
  },
  SEQUENCES * 20_000 + 60_000,
);
