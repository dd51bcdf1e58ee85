// npm run bench: what one more area in the app costs the others. The whole app runs beside the app without `talent` (six
// collections with all that hangs on them) in alternating rounds: start, idle memory, list, item and create of deals.
import { setTimeout as wait } from 'node:timers/promises';
import { checkAnswers } from './answers.mjs';
import { prepareData } from './data.mjs';
import { cpuMs, load, median, memoryMb, start, stop, workOf } from './measure.mjs';
import { withSite } from './site.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const DEALS = Number(process.env.BENCH_DEALS ?? 100_000);
const IDLE_MS = 2_000;
const AREA = 'talent';
const APPS = {
  whole: ['bench/without-area.mjs', []],
  less: ['bench/without-area.mjs', [AREA]],
};

await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  const data = await prepareData(adminUrl, folder, DEALS);
  const found = { whole: [], less: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const app of round % 2 ? ['less', 'whole'] : ['whole', 'less']) {
      process.stderr.write(`areas: ${app}, round ${round + 1} of ${ROUNDS}\n`);
      found[app].push(await figuresOf(app, adminUrl, data));
    }
  console.table(
    Object.fromEntries(Object.keys(found.whole[0]).map((name) => [name, compare(name, found.whole, found.less)])),
  );
});

async function figuresOf(app, adminUrl, data) {
  const began = performance.now();
  const server = await start(...APPS[app], data.env);
  const figures = { 'start, ms': performance.now() - began, 'start, CPU ms': await cpuMs(server.child.pid) };
  await wait(IDLE_MS);
  figures['idle memory, MB'] = await memoryMb(server.child.pid);
  await checkArea(server.url, data, app === 'whole');
  await checkAnswers(server.url, adminUrl, data, data.foreignId);
  for (const [name, request] of Object.entries(workOf(data))) {
    await load(server, request, Math.min(1, SECONDS));
    const { rate, cpuUs } = await load(server, request, SECONDS);
    figures[`${name}, /s`] = rate;
    figures[`${name}, CPU µs`] = cpuUs;
  }
  await stop(server);
  return figures;
}

/** The area is there, or not at all. */
async function checkArea(url, { apiKey }, isThere) {
  const { status } = await fetch(`${url}/api/v1/${AREA}/candidates`, { headers: { 'x-api-key': apiKey } });
  if (status !== (isThere ? 200 : 404)) throw new Error(`The candidates answer ${status}`);
}

function compare(name, whole, less) {
  const [a, b] = [whole, less].map((rounds) => median(rounds.map((each) => each[name])));
  return { 'all areas': Math.round(a), [`without ${AREA}`]: Math.round(b), ratio: Number((a / b).toFixed(2)) };
}
