import { SCENARIOS } from '../../bench/faults/scenarios.mjs';
import { openFaultSite } from './fault-site.js';

// The short form of `npm run faults -- ai`.
const { site, close } = await openFaultSite();
afterAll(close);

describe('AI jobs', () => {
  it('respect the budget, are charged once and all finish although workers are killed during calls', async () => {
    const figures = await SCENARIOS.ai.run(site, {
      ...{
        jobs: 150, // more than are finished before the first kill
        clients: 8,
        apis: 1,
        workers: 1,
        kills: 3,
        lifeMs: [500, 1_000],
        budgetShare: 0.7,
        answerMs: 200,
      },
    });
    expect(figures).toMatchObject({
      ...{ drained: true, failures: [], deadlocks: 0, lost: 0, unfinished: 0, errors: [] },
      ...{ overshoot: 0, held: 0, unequal: 0, overCap: 0 },
      ...{ paidTwice: 0, unrecorded: 0, doubtfulKeyed: 0 },
    });
    expect(figures.spent).toBe(figures.booked);
    expect(figures.refused).toBeGreaterThan(0);
    expect(figures.succeeded).toBeGreaterThan(10);
    expect(figures.repeated + figures.inDoubt).toBeGreaterThan(0);
  });
});
