// npm run bench scim: requests of identity providers. Lookups and pages with 100,000 users compared with 100, adding
// one member to a group of 50,000 compared with one of 50, invariants under concurrent requests, and the rates of a
// full cycle of 10,000 users.
import { Pool } from 'undici';
import { openDatabase } from './data.mjs';
import { cpuMs, cpuMsOfAll, median, start } from './measure.mjs';
import { addScimTenant, groupId, userId } from './scim-data.mjs';
import { query, withSite } from './site.mjs';

const USERS = Number(process.env.BENCH_USERS ?? 100_000);
const CYCLE = Number(process.env.BENCH_CYCLE ?? 10_000);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 200);
/** Large and small alternate, so that both run under the same conditions. */
const ROUNDS = 10;
const PARALLEL = 50;
const SMALL = { users: 100, groups: 10, members: 50 };
const LARGE = { users: USERS, groups: 1_000, members: USERS / 2 };
const filterOf = (filter) => `filter=${encodeURIComponent(filter)}`;
const patchOf = (...Operations) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });
const joining = (...ids) => patchOf({ op: 'add', path: 'members', value: ids.map((value) => ({ value })) });
const leaving = (id) => patchOf({ op: 'remove', path: `members[value eq "${id}"]` });
/** Connections of the cycle, equal to the number of concurrent requests. */
const CONNECTIONS = 8;

let pool;
let processes;
await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  process.stderr.write(`Seeding ${USERS} users ...\n`);
  const { client, sealer, env } = await openDatabase(adminUrl, folder);
  const tenants = {
    large: { ...LARGE, tokens: await addScimTenant(client, sealer, 'large', LARGE) },
    small: { ...SMALL, tokens: await addScimTenant(client, sealer, 'small', SMALL) },
  };
  const cycled = { tokens: await addScimTenant(client, sealer, 'cycle', { users: 1, groups: 1, members: 1 }) };
  await client.query('vacuum analyze');
  await client.end();
  const { url, child } = await start('dist/src/api/main.js', [], env);
  const [{ pid }] = await query(adminUrl, `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`);
  processes = { api: child.pid, postmaster: pid };
  pool = new Pool(url, { connections: PARALLEL });
  try {
    console.table(await sizes(tenants));
    console.table(await atOnce(tenants.large));
    console.table(await cycle(cycled));
  } finally {
    await pool.close();
  }
});

/** The response to a call of a provider; a 429 means that there are too few configurations. */
async function send({ tokens }, method, path, body) {
  const token = tokens.shift();
  tokens.push(token);
  const answer = await pool.request({
    method,
    path: `/api/scim/v2${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, body: text === '' ? null : JSON.parse(text) };
}

async function call(tenant, method, path, body) {
  const answer = await send(tenant, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** The cost of each lookup and change in the large tenant and in the small one. */
async function sizes(tenants) {
  const anyone = ({ users }) => 1 + Math.floor(Math.random() * users);
  const find = (filter) => (tenant) => ['GET', `/Users?${filterOf(filter(anyone(tenant)))}`, found(1)];
  const page = (place) => (tenant) => ['GET', `/Users?count=50&startIndex=${place(tenant)}`, found(tenant.users, 50)];
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
      found(1),
    ],
    'is member': ({ members }) => [
      'GET',
      `/Groups?${filterOf(`id eq "${groupId(1)}" and members eq "${userId(anyone({ users: members }))}"`)}&attributes=id`,
      found(1),
    ],
    'one member in or out': ({ members }, i) => {
      const id = userId(members + 1);
      return ['PATCH', `/Groups/${groupId(1)}`, () => true, i % 2 === 0 ? joining(id) : leaving(id)];
    },
  };
  const rows = {};
  for (const [name, operation] of Object.entries(operations)) {
    const large = measured(tenants.large, operation);
    const small = measured(tenants.small, operation);
    for (let round = 0; round < ROUNDS; round++) for (const each of [large, small]) await each.go();
    rows[name] = {
      [`ms at ${USERS.toLocaleString('en')}`]: round2(large.ms()),
      'ms at 100': round2(small.ms()),
      ratio: round2(large.ms() / small.ms()),
      [`CPU ms at ${USERS.toLocaleString('en')}`]: round2(large.cpu()),
      'CPU ms at 100': round2(small.cpu()),
      'CPU ratio': round2(large.cpu() / small.cpu()),
    };
  }
  return rows;
}

/** Whether a response has the expected number of resources. */
function found(total, onPage = total) {
  return ({ totalResults, Resources }) => totalResults === total && Resources.length === onPage;
}

/** An operation measured in rounds: its median time, and the CPU time of API and database per operation. */
function measured(tenant, operation) {
  const times = [];
  let [spent, done] = [0, 0];
  const once = async () => {
    const [method, path, isRight = () => true, body] = operation(tenant, done++);
    const began = performance.now();
    const answer = await call(tenant, method, path, body);
    if (!isRight(answer)) throw new Error(`${method} ${path} returned a wrong response: ${JSON.stringify(answer)}`);
    return performance.now() - began;
  };
  return {
    async go() {
      for (let i = 0; i < 4; i++) await once(); // an even number: every added member must be removed
      const before = await cpuOfBoth();
      for (let i = 0; i < REQUESTS / ROUNDS; i++) times.push(await once());
      spent += (await cpuOfBoth()) - before;
    },
    ms: () => median(times),
    cpu: () => spent / times.length,
  };
}

async function cpuOfBoth() {
  return (await cpuMs(processes.api)) + (await cpuMsOfAll(processes.postmaster));
}

/** Invariants under concurrent requests; a violation ends the program. */
async function atOnce(tenant) {
  const userName = 'once@bench.example';
  const began = performance.now();
  const posts = Array.from({ length: PARALLEL }, () => send(tenant, 'POST', '/Users', resourceOf(userName, 'once')));
  const answers = await Promise.all(posts);
  const postMs = performance.now() - began;
  const made = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status, body }) => status === 409 && body.scimType === 'uniqueness');
  if (made.length !== 1 || refused.length !== PARALLEL - 1)
    throw new Error(`${PARALLEL} POSTs of one name created ${made.length} users and ${refused.length} rejections.`);
  const times = [];
  for (let i = 0; i < ROUNDS; i++) {
    const pair = [1, 2].map((place) => userId(tenant.members + 2 * i + place));
    const at = performance.now();
    await Promise.all(pair.map((id) => call(tenant, 'PATCH', `/Groups/${groupId(1)}`, joining(id))));
    times.push(performance.now() - at);
    for (const id of pair) {
      const { totalResults } = await call(
        tenant,
        'GET',
        `/Groups?${filterOf(`id eq "${groupId(1)}" and members eq "${id}"`)}&attributes=id`,
      );
      if (totalResults !== 1) throw new Error(`One of two concurrent changes of a group was lost: ${id}`);
    }
  }
  return {
    [`${PARALLEL} POSTs of one userName`]: { outcome: `1 created, ${refused.length} rejected`, ms: round2(postMs) },
    'two PATCHes of one large group': { outcome: 'both hold', ms: round2(median(times)) },
  };
}

function resourceOf(userName, key) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName,
    externalId: key,
    displayName: `New ${key}`,
    name: { givenName: 'New', familyName: key },
    emails: [{ value: userName, type: 'work', primary: true }],
    active: true,
  };
}

/**
 * A first synchronisation and later changes, until all users have left. Each step prints its rate when it ends; the
 * last row is the whole cycle, in users per second.
 */
async function cycle(tenant) {
  const users = [];
  const group = groupId(1);
  const nameOf = (i) => `new${i}@bench.example`;
  const find = (i) => call(tenant, 'GET', `/Users?${filterOf(`userName eq "${nameOf(i)}"`)}`);
  const replace = (i, path, value) =>
    call(tenant, 'PATCH', `/Users/${users[i]}`, patchOf({ op: 'Replace', path, value }));
  const steps = {
    'look for it': find,
    create: async (i) => void (users[i] = (await call(tenant, 'POST', '/Users', resourceOf(nameOf(i), `n${i}`))).id),
    'find it': find,
    'patch it': (i) => replace(i, 'title', `T ${i}`),
    'add it to a group': (i) => call(tenant, 'PATCH', `/Groups/${group}`, joining(users[i])),
    'take it out': (i) => call(tenant, 'PATCH', `/Groups/${group}`, leaving(users[i])),
    deactivate: (i) => replace(i, 'active', 'False'),
    delete: (i) => call(tenant, 'DELETE', `/Users/${users[i]}`),
  };
  const rows = {};
  let whole = 0;
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
    whole += seconds;
    times.sort((a, b) => a - b);
    process.stderr.write(`${name}: ${CYCLE} in ${seconds.toFixed(1)} s\n`);
    rows[name] = {
      'a second': Math.round(CYCLE / seconds),
      'median ms': round2(median(times)),
      'p95 ms': round2(times[Math.floor(CYCLE * 0.95)]),
    };
  }
  rows['the whole cycle'] = { 'a second': round2(CYCLE / whole) };
  return rows;
}

function round2(number) {
  return Number(number.toFixed(2));
}
