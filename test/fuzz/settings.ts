import { randomInt } from 'node:crypto';
import type { Operation } from '../matrix/operations.js';
import { isProving, topicOf } from '../matrix/sample.js';

const SHORT_CASES = 25;
const FEW_CASES = 6;
const NIGHTLY_CASES = 300;
/** What `npm test` starts from, so that it says the same about the same code every time. */
const SHORT_SEED = 20_261_121;

const nightly = process.env['npm_lifecycle_event'] === 'fuzz';
const asked = process.env['FUZZ_CASES'];

/** Cases of a property: 25, or 300 in `npm run fuzz`, or what `FUZZ_CASES` says. */
export const CASES = Number(asked ?? (nightly ? NIGHTLY_CASES : SHORT_CASES));

/** Cases of an operation. In `npm test` the proving ones get all of them and the others a few; short paths get a fifth. */
export function casesOf(operation: Operation): number {
  if (asked !== undefined) return CASES;
  if (operation.alias) return Math.ceil(CASES / 5);
  return nightly || isProving(topicOf(operation)) ? CASES : FEW_CASES;
}

/** Where the generators start: `FUZZ_SEED`, else a new place for every `npm run fuzz` and one fixed place in `npm test`. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? (nightly ? randomInt(2 ** 31) : SHORT_SEED));
