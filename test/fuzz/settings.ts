import { randomInt } from 'node:crypto';

const SHORT_CASES = 25;
const NIGHTLY_CASES = 300;
/** What `npm test` starts from, so that it says the same about the same code every time. */
const SHORT_SEED = 20_261_121;

const nightly = process.env['npm_lifecycle_event'] === 'fuzz';

/** Cases per operation: 25, or 300 in `npm run fuzz`, or what `FUZZ_CASES` says. Short paths get a fifth. */
export const CASES = Number(process.env['FUZZ_CASES'] ?? (nightly ? NIGHTLY_CASES : SHORT_CASES));

/** Where the generators start: `FUZZ_SEED`, else a new place for every `npm run fuzz` and one fixed place in `npm test`. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? (nightly ? randomInt(2 ** 31) : SHORT_SEED));
