// What a run of the suite costs, by group of suites, beside what it may cost.
import { relative, sep } from 'node:path';
import { root } from './project.mjs';

/**
 * Seconds that the suites of a group may take together, on two free cores: 12 minutes of two workers in all. A group is
 * a folder of `test`, or the unit tests of `libs` and `src`.
 */
const BUDGETS = {
  architecture: 15,
  bench: 40,
  cli: 40,
  contract: 20,
  database: 60,
  e2e: 520,
  faults: 120,
  fuzz: 50,
  libs: 40,
  matrix: 240,
  receiver: 10,
  src: 15,
  start: 50,
  tenancy: 60,
  worker: 160,
};

/** Seconds after which a suite is named, to be made cheaper or divided. */
const LONG_SUITE = 30;

/**
 * A table of the groups of a Jest report, the dearest first, and its long suites. An overrun is marked and is no failure,
 * because machines differ.
 */
export function budgetTable({ testResults }) {
  const suites = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    name: relative(root, name).split(sep).join('/'),
    tests: assertionResults.length,
    seconds: (endTime - startTime) / 1_000,
  }));
  const groups = [...new Set(suites.map(({ name }) => groupOf(name)))]
    .map((group) => [group, suites.filter(({ name }) => groupOf(name) === group)])
    .map(([group, each]) => [group, each.length, sum(each, 'tests'), sum(each, 'seconds')])
    .sort((a, b) => b[3] - a[3]);
  const lines = [
    ['group', 'suites', 'tests', 'seconds', 'budget'],
    ...groups.map(([group, count, tests, seconds]) => [
      group,
      count,
      tests,
      Math.round(seconds),
      budgetOf(group, seconds),
    ]),
    ['all', suites.length, sum(suites, 'tests'), Math.round(sum(suites, 'seconds')), sum(Object.entries(BUDGETS), 1)],
  ].map((cells) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(14) : String(cell).padStart(i === 4 ? 12 : 9))).join(''),
  );
  const long = suites
    .filter(({ seconds }) => seconds > LONG_SUITE)
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ name, seconds }) => `${name}: ${Math.round(seconds)} s`);
  return [...lines, ...long, ''].join('\n');
}

function groupOf(name) {
  const [first, second] = name.split('/');
  return first === 'test' ? second : first;
}

function budgetOf(group, seconds) {
  const budget = BUDGETS[group];
  if (budget === undefined) return 'none';
  return seconds > budget ? `${budget} over` : budget;
}

function sum(items, key) {
  return items.reduce((total, item) => total + item[key], 0);
}
