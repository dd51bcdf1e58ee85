// npm run faults [-- <names>]: injects the faults that the platform must survive and prints, for each, the promise, the
// measurement and whether the promise was kept. The exit code is 1 when a promise is broken. See docs/faults.md.
import { SCENARIOS } from './faults/scenarios.mjs';
import { openDatabase, Site } from './faults/site.mjs';
import { reserveHugePages } from './huge-pages.mjs';

/** Shared memory of each PostgreSQL. */
const SHARED_MB = 256;

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in SCENARIOS));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Available: ${Object.keys(SCENARIOS).join(', ')}.`);
  process.exit(1);
}

reserveHugePages(SHARED_MB); // until this process exits
const rows = [];
for (const name of names.length > 0 ? names : Object.keys(SCENARIOS)) {
  process.stderr.write(`${name}: ${SCENARIOS[name].fault} ...\n`);
  const row = await measure(SCENARIOS[name], sizesOf(name));
  rows.push(row);
  process.stderr.write(`  ${row.outcome}: ${row.measured}\n`);
}
const cells = rows.map(
  ({ fault, promise, measured, outcome }) => `| ${fault} | ${promise} | ${measured} | ${outcome} |`,
);
console.log(['| Fault | Promise | Measured | Outcome |', '|---|---|---|---|', ...cells].join('\n'));
process.exitCode = rows.some(({ isBroken }) => isBroken) ? 1 : 0;

/** Each on a separate database, to isolate the scenarios. */
async function measure({ fault, promise, run, judge, isPossible = () => true }, sizes) {
  if (!isPossible())
    return {
      fault,
      promise,
      measured: 'nothing: it needs redis-server on the PATH, or for `disk` the right to mount',
      outcome: 'not measured',
    };
  const database = await openDatabase();
  const site = new Site(database);
  try {
    const { measured, broken } = judge(await run(site, sizes, database));
    const outcome = broken.length > 0 ? `BROKEN: ${broken.join('; ')}` : 'kept';
    return { fault, promise, measured, outcome, isBroken: broken.length > 0 };
  } catch (error) {
    return {
      fault,
      promise,
      measured: String(error),
      outcome: 'BROKEN: the scenario could not be completed',
      isBroken: true,
    };
  } finally {
    await site.close();
    await database.close();
  }
}

/** The sizes of the full run, or overrides such as `FAULTS_WORKER_KILLS=5` or `FAULTS_REDIS_DOWN_MS=5000`. */
function sizesOf(name) {
  const sizes = Object.entries(SCENARIOS[name].sizes).map(([size, value]) => {
    const variable = `FAULTS_${name}_${size.replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase();
    const text = process.env[variable];
    if (text === undefined) return [size, value];
    return [size, Array.isArray(value) ? text.split(',').map((each) => as(value[0], each)) : as(value, text)];
  });
  return Object.fromEntries(sizes);
}

/** Parses a string as the type of the default: string, number or boolean. */
function as(value, text) {
  return typeof value === 'string' ? text : JSON.parse(text);
}
