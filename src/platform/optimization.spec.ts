import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { optimize, postponeOptimization } from './optimization.js';

/** Bit of V8's optimization status: the function runs as optimised code. */
const OPTIMISED = 1 << 4;

let statusOf: (callee: unknown) => number;
beforeAll(() => {
  setFlagsFromString('--allow-natives-syntax');
  setFlagsFromString('--no-concurrent-recompilation'); // so that it is done when it is asked for
  statusOf = new Script('(callee) => %GetOptimizationStatus(callee)').runInThisContext() as typeof statusOf;
});
afterAll(() => {
  setFlagsFromString('--no-allow-natives-syntax');
  setFlagsFromString('--concurrent-recompilation');
  optimize();
});

const NUMBERS = Array.from({ length: 100 }, (_, i) => i);
const sum = (most: number) => NUMBERS.reduce((all, each) => all + Math.min(each, most), 0);
function isOptimisedWhenCalledOften(): boolean {
  for (let i = 0; i < 50_000; i++) sum(i);
  return (statusOf(sum) & OPTIMISED) !== 0;
}

it('is for functions that are called often once a process has started', () => {
  postponeOptimization();
  expect(isOptimisedWhenCalledOften()).toBe(false);
  optimize();
  expect(isOptimisedWhenCalledOften()).toBe(true);
});
