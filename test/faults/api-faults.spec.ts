import { SCENARIOS } from '../../bench/faults/scenarios.mjs';
import { openFaultSite } from './fault-site.js';

const { site, close } = await openFaultSite();
afterAll(close);

describe('an API process that is killed during a write', () => {
  // A change whose process is killed may leave its key claimed; a create does not claim one.
  it.each([
    { write: 'create', leavesClaims: false },
    { write: 'transition', leavesClaims: true },
  ] as const)(
    'leaves all that a $write does, or nothing, and a retry has one effect',
    async ({ write, leavesClaims }) => {
      const figures = await SCENARIOS.api.run(site, { writes: [write], everyStatement: false });
      expect(figures).toMatchObject({ torn: [], repeated: [] });
      expect(figures.none).toBeGreaterThan(0);
      expect(figures.all).toBeGreaterThan(0);
      expect(figures.none + figures.all).toBe(figures.kills);
      expect(figures.claimed > 0).toBe(leavesClaims);
    },
  );
});

(SCENARIOS.revocations.isPossible() ? describe : describe.skip)('a revoked right', () => {
  it('is refused for every later request, in every process, with and without Redis', async () => {
    const figures = await SCENARIOS.revocations.run(site, { processes: 3, trials: 12 });
    expect(figures).toMatchObject({ trials: 12, withoutRedis: 6, allowed: 0 });
    expect(figures.early).toBeGreaterThanOrEqual(36);
    expect(figures.late).toBeGreaterThanOrEqual(72);
  });
});

describe('the counts of requests', () => {
  it('are never too high, miss at most ten seconds after a kill, and nothing after a stop', async () => {
    const figures = await SCENARIOS.accounting.run(site, { requests: 500, kills: 1, clients: 2, tenants: 2 });
    expect(figures).toMatchObject({ above: 0, lostAtStop: 0 });
    expect(figures.stored).toBeGreaterThan(0);
    expect(figures.stored).toBeLessThanOrEqual(figures.sent);
  });
});
