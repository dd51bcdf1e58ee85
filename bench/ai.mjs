// npm run bench: admission of AI jobs to one contended budget. Every admission is a separate transaction that reserves
// money on the budget and on the account of the plan, like the creation of a job; goal: 1,000 per second, p95 of 10 ms.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from './data.mjs';
import { load, start, stopAll } from './measure.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONNECTIONS = [2, 8];
const { generateKey } = await import('../dist/libs/auth/api-key.js');
const { startEmbeddedPostgres } = await import('../dist/libs/embedded/server.js');
const { uuidv7 } = await import('../dist/libs/kernel/id.js');
const { readSettings } = await import('../dist/libs/config/settings.js');
const { MasterKeys } = await import('../dist/libs/sealing/master-keys.js');
const { createApi } = await import('../dist/src/api/app.js');
const { ENTITIES } = await import('../dist/src/areas/entities.js');
const { Database } = await import('../dist/libs/database/database.js');
const { runAsSystem } = await import('../dist/libs/tenancy/scope.js');
const { Spending } = await import('../dist/src/areas/ai/budgets/spending.js');
const { LedgerCheck } = await import('../dist/src/areas/ai/budgets/ledger-check.js');

const folder = mkdtempSync(join(tmpdir(), 'platform-ai-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
let app;
try {
  const { client, sealer, env } = await openDatabase(postgres.url, folder);
  const settings = readSettings({ DATABASE_URL: postgres.url, LOG_LEVEL: 'error', ...env });
  const masterKeys = new MasterKeys(Buffer.from(env.MASTER_KEY, 'base64'));
  const options = { settings, masterKeys, databaseUrl: env.DATABASE_APP_URL, name: 'platform-api', entities: ENTITIES };
  ({ app } = await createApi(options));
  const rows = {};
  for (const connections of CONNECTIONS) rows[`${connections} at a time`] = await admissions(client, connections);
  console.table(rows);
  console.table({ 'jobs created by HTTP, 16 concurrently': await overHttp(client, sealer, env) });
  await client.end();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  stopAll();
  await app?.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Rates and times with a number of concurrent admissions; the figures are medians of the rounds. */
async function admissions(client, connections) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await admit(await addTenant(client), connections));
  rounds.sort((a, b) => a.rate - b.rate);
  const { rate, times, fault } = rounds[Math.floor(ROUNDS / 2)];
  times.sort((a, b) => a - b);
  const at = (share) => Number(times[Math.floor(times.length * share)].toFixed(2));
  return { 'admitted a second': Math.round(rate), 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'p99 ms': at(0.99), fault };
}

async function admit(facts, connections) {
  const [spending, database] = [app.get(Spending), app.get(Database)];
  const until = performance.now() + SECONDS * 1_000;
  const times = [];
  const worker = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      await runAsSystem(facts, 'bench', uuidv7(), () =>
        database.transaction((transaction) =>
          spending.reserve(transaction, {
            id: uuidv7(),
            jobId: uuidv7(),
            micros: 1,
            kind: 'text.generate',
            provider: 'local',
            model: 'local-1',
            workspaceId: null,
            memberId: null,
            apiKeyId: null,
            agentId: null,
            agentDayLimitMicros: null,
            expiresAt: '2100-01-01T00:00:00.000Z',
          }),
        ),
      );
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const mismatches = await runAsSystem(facts, 'bench', uuidv7(), () =>
    app.get(LedgerCheck).mismatches('2000-01-01T00:00:00.000Z'),
  );
  return { rate: times.length / SECONDS, times, fault: mismatches.length > 0 ? 'mismatch' : 'none' };
}

/** A tenant with one budget that applies to everything. */
async function addTenant(client) {
  const id = uuidv7();
  const facts = { id, slug: `bench-${id.slice(-8)}`, plan: 'enterprise', currency: 'USD', epoch: '1' };
  await client.query(
    `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
     values ($1, $2, $2, $3, 60000, 60000, now())`,
    [id, facts.slug, facts.plan],
  );
  await client.query(
    `insert into data.ai_budgets (tenant_id, id, scope_type, scope_id, period, limit_micros, hard_stop, enabled, version,
       created_at, updated_at) values ($1, $2, 'tenant', '', 'month', 1000000000, true, true, 1, now(), now())`,
    [id, uuidv7()],
  );
  return facts;
}

/** Throughput of jobs in one API process, from request to response, against one budget. */
async function overHttp(client, sealer, env) {
  const { id } = await addTenant(client);
  const { text, keyId, hash } = generateKey('api_key');
  const dataKey = sealer.firstKey(id);
  await client.query(dataKey.text, dataKey.values);
  await client.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at)
     values ($1, $2, 'api_key', $3, $1, 'bench', $4, '{*}', true, '{}', now())`,
    [uuidv7(), id, keyId, hash],
  );
  await client.query(
    `update directory.tenants set reads_per_minute = 10000000, writes_per_minute = 10000000 where id = $1`,
    [id],
  );
  await client.query(
    `insert into data.workspaces (tenant_id, id, name, key, is_default, created_at)
     values ($1, $2, 'General', 'GENERAL', true, now())`,
    [id, uuidv7()],
  );
  const target = await start('dist/src/api/main.js', [], { ...env, WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' });
  const headers = { 'x-api-key': text, 'content-type': 'application/json' };
  const send = async (method, path, body) => {
    const answer = await fetch(target.url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  // Nothing listens on this port, and without a worker nothing is sent.
  const price = { inputMicrosPer1k: 1, outputMicrosPer1k: 2 };
  await send('POST', '/api/ai/providers', { key: 'bench', api: 'openai', baseUrl: 'http://127.0.0.1:9/v1' });
  const model = { provider: 'bench', key: 'm', contextTokens: 8_000, maxOutputTokens: 1_000, prices: [price] };
  await send('POST', '/api/ai/models', model);
  await send('PATCH', '/api/ai/policy', { ratePerMinute: 10_000, concurrency: 100 });
  const body = () =>
    JSON.stringify({ provider: 'bench', model: 'm', prompt: 'Name three fruits.', maxOutputTokens: 100 });
  const { rate, cpuUs } = await load(target, { method: 'POST', path: '/api/ai/jobs', headers, body }, SECONDS);
  return { 'a second': Math.round(rate), 'API CPU µs': Math.round(cpuUs) };
}
