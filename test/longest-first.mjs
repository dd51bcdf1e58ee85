import { createRequire } from 'node:module';

// Jest's own sequencer, which belongs to Jest: on a machine that has not run the suite before it goes by the size of files.
const jest = createRequire(createRequire(import.meta.url).resolve('jest'));
const { default: Sequencer } = createRequire(jest.resolve('@jest/core'))('@jest/test-sequencer');

/** Suites that go over every operation or table, or start processes: the longer first. */
const LONG = [
  'test/fuzz/operations',
  'test/bench/',
  'test/faults/', // mostly waits, so run it in parallel with CPU-bound suites
  'test/matrix/',
  'test/worker/leases',
  'test/fuzz/',
  'test/tenancy/',
  'test/worker/',
];

/** Has the long suites begin first, so that no worker is left with one of them at the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const found = LONG.findIndex((part) => path.includes(part));
      return found === -1 ? LONG.length : found;
    };
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
