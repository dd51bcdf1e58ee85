import { randomInt } from 'node:crypto';
import type { Operation } from '../matrix/operations.js';
import type { Running } from '../matrix/running.js';
import { isProving, sampleOf, sampleOfKit, topicOf } from '../matrix/sample.js';

const SHORT_CASES = 25;
const FEW_CASES = 6;
const NIGHTLY_CASES = 300;
/** Seed of `npm test`, so that results are reproducible. */
const SHORT_SEED = 20_261_121;

const nightly = process.env['npm_lifecycle_event'] === 'fuzz';
const asked = process.env['FUZZ_CASES'];
/** `npm test` takes a sample: the contract of the resource kit is proven on a few types. */
const sampled = !nightly && asked === undefined;

/** Cases of a property: 25, or 300 in `npm run fuzz`, unless `FUZZ_CASES` is set. */
export const CASES = Number(asked ?? (nightly ? NIGHTLY_CASES : SHORT_CASES));

/** The operations to try. Short paths are rewritten to the long ones before any other processing. */
export function triedOf(platform: Running): Operation[] {
  const { operations } = platform;
  if (!sampled) return operations;
  const [short, long] = [true, false].map((alias) => operations.filter((each) => each.alias === alias));
  return [...sampleOfKit(platform, long!), ...sampleOf(short!)];
}

/** Cases of an operation: all for proving ones, a few for the others of a sample, a fifth for short paths. */
export function casesOf(operation: Operation): number {
  if (asked !== undefined) return CASES;
  if (operation.alias) return Math.ceil(CASES / 5);
  return sampled && !isProving(topicOf(operation)) ? FEW_CASES : CASES;
}

/** Seed of the generators: `FUZZ_SEED`, otherwise random in `npm run fuzz` and fixed in `npm test`. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? (nightly ? randomInt(2 ** 31) : SHORT_SEED));
