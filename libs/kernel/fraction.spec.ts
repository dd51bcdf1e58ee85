import { percentOf } from './fraction.js';

it('a share is never rounded up to 100', () => {
  expect([percentOf(999_999, 1_000_000), percentOf(1, 1), percentOf(0, 0)]).toEqual([99.999, 100, null]);
});
