// npm run bench stages: the CPU time of a request in the API process by stage, from stack samples under load.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAnswers } from './answers.mjs';
import { prepareData } from './data.mjs';
import { load, start, stop, workOf } from './measure.mjs';
import { withSite } from './site.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const DEALS = Number(process.env.BENCH_DEALS ?? 100_000);

/** Functions by stage, as `file name`. A sample counts for the innermost function that belongs to a stage. */
const STAGES = {
  'garbage collection': [/^ \(garbage collector\)$/],
  admission: [/libs\/http\/(admission|slow-clients|refusal-turns|fair-share\.guard)\.js/],
  authentication: [/libs\/auth\//, /libs\/http\/credential\.guard\.js/],
  permission: [/libs\/http\/permission\.guard\.js/, /libs\/access\//],
  'rate limit, accounting': [/libs\/http\/(rate-limit|address-limits)/, /libs\/accounting\//],
  'idempotency key': [/libs\/http\/idempotency\//],
  validation: [
    /libs\/http\/(input\.guard|validation|field|money-field)\.js/,
    /node_modules\/(class-validator|validator)\//,
  ],
  'row reading': [/libs\/database\/(row-reader|values)\.js/, /^ $/], // readers are generated code, without file or name
  'database client': [/libs\/database\//, /node_modules\/(pg|pg-[a-z]+|postgres-[a-z]+)\//],
  'audit, outbox': [/libs\/(audit|outbox)\//],
  'business logic': [/libs\/(resource|kernel|tenancy|sealing|lines|automation|webhooks)\//, /src\/areas\//],
  serialisation: [/libs\/http\/serializers\.js/, /fast-json-stringify/, /^ (anonymous\d+|main)$/],
  'log, metrics': [
    /node_modules\/(pino|sonic-boom|quick-format-unescaped|prom-client)\//,
    /libs\/metrics\//,
    /logger\.js/,
  ],
  'headers, scope': [/libs\/http\//],
  'Nest, Fastify': [/node_modules\/(@nestjs|fastify|@fastify|find-my-way|rxjs|reflect-metadata)\//],
  'HTTP, sockets of both sides': [
    /node:(_http|http|net|internal\/(http|stream|net|js_stream)|stream|events|_stream)/,
    /^node:internal/,
  ],
};

/** Source maps of the bundled apps, by file. */
const maps = new Map();

await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  const data = await prepareData(adminUrl, folder, DEALS);
  const options = `--cpu-prof --cpu-prof-interval=200 --cpu-prof-dir=${folder}`;
  const server = await start('dist/src/api/main.js', [], { ...data.env, NODE_OPTIONS: options });
  await checkAnswers(server.url, adminUrl, data, data.foreignId);
  const { list, item, create } = workOf(data);
  const keyed = { ...create, key: () => randomBytes(12).toString('hex') };
  const runs = [];
  for (const [name, work] of Object.entries({ list, item, create, 'create with key': keyed })) {
    await load(server, work, SECONDS / 2); // warms up V8
    const fromUs = nowUs();
    const { cpuUs } = await load(server, work, SECONDS);
    runs.push({ name, cpuUs, fromUs, untilUs: nowUs() });
  }
  await stop(server);
  const profile = JSON.parse(
    readFileSync(
      join(
        folder,
        readdirSync(folder).find((file) => file.endsWith('.cpuprofile')),
      ),
      'utf8',
    ),
  );
  const stages = [...Object.keys(STAGES), 'other native code'];
  const found = runs.map((run) => ({ ...run, shares: sharesOf(profile, run) }));
  const cell = ({ cpuUs, shares }, stage) =>
    `${((shares[stage] ?? 0) * cpuUs).toFixed(0)} µs, ${((shares[stage] ?? 0) * 100).toFixed(1)} %`;
  const rows = stages.map((stage) => [stage, Object.fromEntries(found.map((run) => [run.name, cell(run, stage)]))]);
  rows.push(['all', Object.fromEntries(found.map(({ name, cpuUs }) => [name, `${cpuUs.toFixed(0)} µs`]))]);
  console.table(Object.fromEntries(rows));
});

/** The clock of the profiler, shared by all processes of a machine. */
function nowUs() {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** The share of each stage in the busy samples between two times. */
function sharesOf({ nodes, samples, timeDeltas, startTime }, { fromUs, untilUs }) {
  const stageOf = stagesOf(nodes);
  const sums = {};
  let sum = 0;
  let atUs = startTime;
  for (const [i, id] of samples.entries()) {
    atUs += timeDeltas[i];
    const stage = stageOf.get(id);
    if (atUs < fromUs || atUs > untilUs || stage === null) continue;
    sums[stage] = (sums[stage] ?? 0) + 1;
    sum += 1;
  }
  return Object.fromEntries(Object.entries(sums).map(([stage, count]) => [stage, count / sum]));
}

/** The stage of each profile node; null when idle. Callers precede callees. */
function stagesOf(nodes) {
  const stages = new Map();
  const above = new Map();
  for (const { id, callFrame, children = [] } of nodes) {
    const { functionName } = callFrame;
    const place = `${moduleOf(callFrame)} ${functionName}`;
    const own = Object.entries(STAGES).find(([, marks]) => marks.some((mark) => mark.test(place)))?.[0];
    const stage = functionName === '(idle)' ? null : (own ?? above.get(id) ?? 'other native code');
    stages.set(id, stage);
    for (const child of children) above.set(child, stage);
  }
  return stages;
}

/** The compiled module of a function before bundling. */
function moduleOf({ url, lineNumber, columnNumber }) {
  if (!url.startsWith('file:')) return url;
  if (!maps.has(url)) {
    const file = `${fileURLToPath(url)}.map`;
    maps.set(url, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null);
  }
  const { originalSource } = maps.get(url)?.findEntry(lineNumber, columnNumber) ?? {};
  return originalSource?.replace(/\.ts$/, '.js') ?? url;
}
