// npm run bench: resident memory of an API process: idle after startup, and while it serves a million requests, a mix
// of lists, items and creates.
import { setTimeout as wait } from 'node:timers/promises';
import { checkAnswers } from './answers.mjs';
import { prepareData } from './data.mjs';
import { fire, memoryMb, start, workOf } from './measure.mjs';
import { withSite } from './site.mjs';

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 1_000_000);
const DEALS = Number(process.env.BENCH_DEALS ?? 100_000);
const IDLE_SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const STEPS = 10;

await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  const data = await prepareData(adminUrl, folder, DEALS);
  const server = await start('dist/src/api/main.js', [], data.env);
  await wait(IDLE_SECONDS * 1_000);
  const idle = await memoryMb(server.child.pid);
  const rows = { idle: { MB: Math.round(idle), goal: 'at most 180' } };
  await checkAnswers(server.url, adminUrl, data, data.foreignId);
  const work = Object.values(workOf(data));
  const amount = Math.ceil(REQUESTS / STEPS);
  const steps = [];
  for (let step = 1; step <= STEPS; step++) {
    process.stderr.write(`memory: ${step * amount} of ${STEPS * amount} requests\n`);
    await fire(server, work, { amount });
    steps.push(await memoryMb(server.child.pid));
    rows[`after ${(step * amount).toLocaleString('en')} requests`] = { MB: Math.round(steps.at(-1)), goal: '' };
  }
  await checkAnswers(server.url, adminUrl, data, data.foreignId);
  const grown = Math.max(...steps.slice(STEPS / 2)) / Math.max(...steps.slice(0, STEPS / 2));
  rows['peak of the second half / of the first'] = { MB: Number(grown.toFixed(2)), goal: 'flat: at most 1.05' };
  console.table(rows);
});
