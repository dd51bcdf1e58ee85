import { SCENARIOS } from '../../bench/faults/scenarios.mjs';
import { openDatabase, Site } from '../../bench/faults/site.mjs';
import { openFaultSite } from './fault-site.js';

const NOTHING_LOST = { lost: 0, torn: 0, unknown: 0, misnumbered: 0, survived: true };
const withRedis = SCENARIOS.redis.isPossible() ? it : it.skip;

describe('events', () => {
  withRedis('survive a Redis that is wiped and stopped', async () => {
    const { site, close } = await openFaultSite();
    try {
      const sizes = { wipes: 2, downMs: 3_000, rate: 40, tenants: 12, pauseMs: 700, answerMs: 300, concurrency: 8 };
      const figures = await SCENARIOS.redis.run(site, sizes);
      expect(figures).toMatchObject({ ...NOTHING_LOST, failed: 0 });
      expect(figures.events).toBeGreaterThan(30);
    } finally {
      await close();
    }
  });

  (SCENARIOS.disk.isPossible() ? it : it.skip)(
    'are refused while the disk is full, and nothing accepted is lost',
    async () => {
      const { site, close } = await openFaultSite();
      try {
        const figures = await SCENARIOS.disk.run(site, { creates: 30 });
        expect(figures).toMatchObject({ otherwise: 0, reads: 200, during: 'full', lines: 1, others: 0 });
        expect(figures).toMatchObject({ recovered: true, readyAgain: true, lost: 0, survived: true });
        expect(figures.refused).toBeGreaterThan(0);
      } finally {
        await close();
      }
    },
  );

  it('survive a restart of PostgreSQL, and API and worker recover by themselves', async () => {
    const database = await openDatabase();
    const site = new Site(database);
    try {
      const sizes = { modes: ['fast', 'immediate'] as const, downMs: 1_000, rate: 20, tenants: 3, pauseMs: 1_000 };
      const figures = await SCENARIOS.postgres.run(site, sizes, database);
      expect(figures).toMatchObject({ ...NOTHING_LOST, recovered: true });
      expect(figures.events).toBeGreaterThan(20);
    } finally {
      await site.close();
      await database.close();
    }
  });
});
