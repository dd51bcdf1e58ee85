import { Meters } from './meters.js';
import { SlidingWindow } from './sliding-window.js';

const WINDOW_MS = 60_000;
const START_MS = 1_800_000_000_000;
const create = () => new SlidingWindow();

describe('Meters', () => {
  it('limits each key on its own', () => {
    const windows = new Meters(create);
    expect(windows.hit('a', 1, START_MS, WINDOW_MS).allowed).toBe(true);
    expect(windows.hit('a', 1, START_MS, WINDOW_MS).allowed).toBe(false);
    expect(windows.hit('b', 1, START_MS, WINDOW_MS).allowed).toBe(true);
  });

  it('forgets keys that have nothing in the window', () => {
    const windows = new Meters(create);
    for (let key = 0; key < 5_000; key++) windows.hit(`early-${key}`, 5, START_MS, WINDOW_MS);
    for (let key = 0; key < 5_000; key++) windows.hit(`late-${key}`, 5, START_MS + WINDOW_MS, WINDOW_MS);
    expect(windows.size).toBeLessThanOrEqual(5_001);
    for (let call = 0; call < 5_001; call++) windows.hit('busy', 1e6, START_MS + 2 * WINDOW_MS, WINDOW_MS);
    expect(windows.size).toBe(1);
  });

  it('peeks without making room for a key', () => {
    const windows = new Meters(create);
    expect(windows.peek('a', 3, START_MS, WINDOW_MS)).toEqual({
      allowed: true,
      remaining: 3,
      resetMs: 0,
      retryAfterMs: 0,
    });
    expect(windows.size).toBe(0);
  });

  it('lets a flood of new keys share one window and leaves the known ones alone', () => {
    const windows = new Meters(create, 100);
    for (let key = 0; key < 100; key++) windows.hit(`known-${key}`, 10, START_MS, WINDOW_MS);
    const admitted = Array.from({ length: 1_000 }, (_, key) => windows.hit(`new-${key}`, 10, START_MS, WINDOW_MS));
    expect(admitted.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(windows.size).toBe(100);
    expect(windows.hit('known-7', 10, START_MS, WINDOW_MS)).toMatchObject({ allowed: true, remaining: 8 });
  });
});
