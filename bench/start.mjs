// npm run bench: time from the start of an API process on an existing database until it is ready; medians.
import { checkAnswers } from './answers.mjs';
import { prepareData } from './data.mjs';
import { cpuMs, median, start, stop } from './measure.mjs';
import { withSite } from './site.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const DEALS = 100;

await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  const data = await prepareData(adminUrl, folder, DEALS);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    process.stderr.write(`start: round ${round + 1} of ${ROUNDS}\n`);
    rounds.push(await startOnce(adminUrl, data));
  }
  const middle = (figure) => Number((median(rounds.map((each) => each[figure])) / 1_000).toFixed(2));
  console.table({
    'start to ready, s': { figure: middle('ms'), goal: 'at most 3' },
    'CPU of the process until then, s': { figure: middle('cpu'), goal: '' },
  });
});

async function startOnce(adminUrl, data) {
  const began = performance.now();
  const server = await start('dist/src/api/main.js', [], data.env);
  const ready = await fetch(`${server.url}/health/ready`);
  const figures = { ms: performance.now() - began, cpu: await cpuMs(server.child.pid) };
  if (ready.status !== 200) throw new Error(`Not ready: ${await ready.text()}`);
  await checkAnswers(server.url, adminUrl, data, data.foreignId);
  await stop(server);
  return figures;
}
