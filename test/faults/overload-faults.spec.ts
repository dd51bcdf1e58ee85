import { SCENARIOS } from '../../bench/faults/scenarios.mjs';
import { openFaultSite } from './fault-site.js';

// The short form of `npm run faults -- overload`.
const { site, close } = await openFaultSite();
afterAll(close);

describe('an overloaded API process', () => {
  it('survives, disconnects slow clients, refuses excess requests and serves the others', async () => {
    const sizes = { idle: 300, slow: 4, burst: 20, seconds: 1, places: 50, timeoutSeconds: 2 };
    const { survived, calm, idle, headers, bodies, readers, flood, burst, after } = await SCENARIOS.overload.run(
      site,
      sizes,
    );
    expect(survived).toBe(true);
    expect(idle).toMatchObject({ asked: 150, cutEarly: 0 });
    expect(idle.open).toBeGreaterThanOrEqual(150);
    for (const slow of [headers, bodies, readers]) expect(slow).toMatchObject({ clients: 4, left: 0 });
    for (const others of [calm, idle, headers, bodies, readers, flood, after]) {
      expect(others).toMatchObject({ refused: 0, failed: 0 });
      expect(others.served).toBeGreaterThan(0);
    }
    for (const many of [flood, burst]) {
      expect(many).toMatchObject({ atOnce: 1_000, otherwise: 0, cut: 0, failed: 0 });
      expect(many.done).toBeGreaterThan(0);
      expect(many.turnedAway).toBeGreaterThan(0);
    }
  });
});
