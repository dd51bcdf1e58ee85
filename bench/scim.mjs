// npm run bench scim: what identity providers do. Look-ups and pages at 100,000 users beside 100, one member into a
// group of 50,000 beside one of 50, and the rates of a full cycle of 10,000 users.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { openDatabase } from './data.mjs';
import { median, start, stopAll } from './measure.mjs';
import { addScimTenant, groupId, userId } from './scim-data.mjs';

const USERS = Number(process.env.BENCH_USERS ?? 100_000);
const CYCLE = Number(process.env.BENCH_CYCLE ?? 10_000);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 200);
const CONNECTIONS = 8;
const SMALL = { users: 100, groups: 10, members: 50 };
const LARGE = { users: USERS, groups: 1_000, members: USERS / 2 };
const filterOf = (filter) => `filter=${encodeURIComponent(filter)}`;
const patchOf = (...Operations) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });
const joining = (id) => patchOf({ op: 'add', path: 'members', value: [{ value: id }] });
const { startEmbeddedPostgres } = await import('../dist/libs/embedded/server.js');

const folder = mkdtempSync(join(tmpdir(), 'platform-scim-'));
const database = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
let pool;
try {
  process.stderr.write(`Seeding ${USERS} users ...\n`);
  const { client, sealer, env } = await openDatabase(database.url, folder);
  const tenants = {
    large: { ...LARGE, tokens: await addScimTenant(client, sealer, 'large', LARGE) },
    small: { ...SMALL, tokens: await addScimTenant(client, sealer, 'small', SMALL) },
  };
  const cycled = { tokens: await addScimTenant(client, sealer, 'cycle', { users: 1, groups: 1, members: 1 }) };
  await client.query('vacuum analyze');
  await client.end();
  const { url } = await start('dist/src/api/main.js', [], env);
  pool = new Pool(url, { connections: CONNECTIONS });
  console.table(await sizes(tenants));
  console.table(await cycle(cycled));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  stopAll();
  await pool?.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Calls as a provider; one that is told to wait has been given too few configurations. */
async function call({ tokens }, method, path, body) {
  const token = tokens.shift();
  tokens.push(token);
  const answer = await pool.request({
    method,
    path: `/api/scim/v2${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** What each look-up and change costs in the large tenant and in the small one. */
async function sizes(tenants) {
  const anyone = ({ users }) => 1 + Math.floor(Math.random() * users);
  const find = (filter) => (tenant) => ['GET', `/Users?${filterOf(filter(anyone(tenant)))}`];
  const page = (place) => (tenant) => ['GET', `/Users?count=50&startIndex=${place(tenant)}`];
  const operations = {
    'userName eq': find((i) => `userName eq "USER${i}@bench.example"`),
    'externalId eq': find((i) => `externalId eq "x${i}"`),
    'emails.value eq': find((i) => `emails.value eq "user${i}@bench.example"`),
    'emails[type eq "work"].value eq': find((i) => `emails[type eq "work"].value eq "user${i}@bench.example"`),
    'id eq': find((i) => `id eq "${userId(i)}"`),
    'GET by id': (tenant) => ['GET', `/Users/${userId(anyone(tenant))}`],
    'first page of 50': page(() => 1),
    'middle page of 50': page(({ users }) => Math.floor(users / 2) - 25),
    'last page of 50': page(({ users }) => users - 49),
    'group by name, no members': ({ groups }) => [
      'GET',
      `/Groups?${filterOf(`displayName eq "group ${1 + Math.floor(Math.random() * groups)}"`)}&excludedAttributes=members`,
    ],
    'is member': (tenant) => [
      'GET',
      `/Groups?${filterOf(`id eq "${groupId(1)}" and members eq "${userId(anyone(tenant))}"`)}&attributes=id`,
    ],
    'member in': ({ members }, i) => [
      'PATCH',
      `/Groups/${groupId(1)}`,
      i % 2 === 0
        ? joining(userId(members + 1))
        : patchOf({ op: 'remove', path: `members[value eq "${userId(members + 1)}"]` }),
    ],
  };
  const rows = {};
  for (const [name, operation] of Object.entries(operations)) {
    const large = await medianMs(tenants.large, operation);
    const small = await medianMs(tenants.small, operation);
    rows[name.replace(/^member in$/, 'one member in or out')] = {
      [`ms at ${USERS.toLocaleString('en')}`]: round(large),
      'ms at 100': round(small),
      ratio: round(large / small),
    };
  }
  return rows;
}

async function medianMs(tenant, operation) {
  const times = [];
  for (let i = -10; i < REQUESTS; i++) {
    const request = operation(tenant, i);
    const began = performance.now();
    await call(tenant, ...request);
    if (i >= 0) times.push(performance.now() - began);
  }
  return median(times);
}

/** A first synchronisation, and what follows it. Each step says its rate as soon as it is through. */
async function cycle(tenant) {
  const users = [];
  const group = groupId(1);
  const resource = (i) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `new${i}@bench.example`,
    externalId: `n${i}`,
    displayName: `New ${i}`,
    name: { givenName: 'New', familyName: String(i) },
    emails: [{ value: `new${i}@bench.example`, type: 'work', primary: true }],
    active: true,
  });
  const steps = {
    'create a user': async (i) => void (users[i] = (await call(tenant, 'POST', '/Users', resource(i))).id),
    'look it up': (i) => call(tenant, 'GET', `/Users?${filterOf(`userName eq "new${i}@bench.example"`)}`),
    'patch it': (i) =>
      call(tenant, 'PATCH', `/Users/${users[i]}`, patchOf({ op: 'Replace', path: 'title', value: `T ${i}` })),
    'add it to a group': (i) => call(tenant, 'PATCH', `/Groups/${group}`, joining(users[i])),
  };
  const rows = {};
  for (const [name, step] of Object.entries(steps)) {
    const times = [];
    let next = 0;
    const began = performance.now();
    const worker = async () => {
      for (let i = next++; i < CYCLE; i = next++) {
        const at = performance.now();
        await step(i);
        times.push(performance.now() - at);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
    const seconds = (performance.now() - began) / 1_000;
    times.sort((a, b) => a - b);
    process.stderr.write(`${name}: ${CYCLE} in ${seconds.toFixed(1)} s\n`);
    rows[name] = {
      'a second': Math.round(CYCLE / seconds),
      'median ms': round(median(times)),
      'p95 ms': round(times[Math.floor(CYCLE * 0.95)]),
    };
  }
  return rows;
}

function round(number) {
  return Number(number.toFixed(2));
}
