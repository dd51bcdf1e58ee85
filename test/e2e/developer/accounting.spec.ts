import { jest } from '@jest/globals';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { CREDENTIAL_KINDS } from '#libs/auth/api-key.js';
import type { Principal } from '#libs/auth/principal.js';
import { Database } from '#libs/database/database.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const ENDPOINTS = '/api/webhooks/endpoints';
const ENDPOINT = { url: 'http://127.0.0.1:9/', eventTypes: ['*'] };

interface Row {
  route: string;
  method: string;
  count: number;
  c2xx: number;
  c4xx: number;
  c429: number;
  c5xx: number;
  answers: number;
  bytes: number;
  minute: Date;
}

let platform: TestPlatform;
let accounts: RequestAccounts;
beforeAll(async () => {
  platform = await startPlatform();
  accounts = platform.app.get(RequestAccounts);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

/** The figures of a tenant, summed over processes and credentials. */
function rowsOf({ id }: TestTenant): Promise<Row[]> {
  return asAdmin<Row & Record<string, unknown>>(
    platform.database,
    `select route, method, minute, sum(count)::int as count, sum(c2xx)::int as c2xx, sum(c4xx)::int as c4xx,
       sum(c429)::int as c429, sum(c5xx)::int as c5xx, sum((select sum(n) from unnest(latency) n))::int as answers,
       sum(bytes_out)::int as bytes
     from data.request_stats_minute where tenant_id = $1 group by route, method, minute order by minute, route, method`,
    [id],
  );
}

async function daysOf({ id }: TestTenant): Promise<{ rate_class: string; counted: number }[]> {
  return asAdmin(
    platform.database,
    `select rate_class, sum(counted)::int as counted from data.request_days where tenant_id = $1
     group by rate_class order by rate_class`,
    [id],
  );
}

const write = (tenant: TestTenant) => tenant.api.post(ENDPOINTS, ENDPOINT);

describe('the figures of a minute', () => {
  it('are stored by route, with response classes, latencies and bytes', async () => {
    const tenant = await platform.tenant({ reads: 4 });
    platform.clock.advance(60_000 - (platform.clock.nowMs() % 60_000)); // everything within one minute
    const made = await write(tenant);
    const item = `${ENDPOINTS}/${String(made.body['id'])}`;
    const found = await tenant.api.get(item);
    await tenant.api.get(item, { 'if-none-match': found.headers.get('etag')! });
    await tenant.api.send('HEAD', ENDPOINTS);
    const missing = await tenant.api.get(`${ENDPOINTS}/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20`);
    expect((await tenant.api.get(item)).status).toBe(429);
    await accounts.flush();
    const none = { c4xx: 0, c429: 0, c5xx: 0 };
    const size = (text: string) => Buffer.byteLength(text);
    expect((await rowsOf(tenant)).map(({ minute: _, ...row }) => row)).toEqual([
      { ...none, route: ENDPOINTS, method: 'HEAD', count: 1, c2xx: 1, answers: 1, bytes: 0 },
      { ...none, route: ENDPOINTS, method: 'POST', count: 1, c2xx: 1, answers: 1, bytes: size(made.text) },
      {
        route: `${ENDPOINTS}/:id`,
        method: 'GET',
        count: 3,
        c2xx: 2,
        c4xx: 1,
        c429: 1,
        c5xx: 0,
        answers: 3,
        bytes: size(found.text) + size(missing.text),
      },
    ]);
  });

  it('belong to the minute in which the rate limiter counted', async () => {
    const tenant = await platform.tenant();
    const minutes = [];
    for (let i = 0; i < 3; i++) {
      await write(tenant);
      minutes.push(Math.floor(platform.clock.nowMs() / 60_000) * 60_000);
      platform.clock.advance(60_000);
    }
    await accounts.flush();
    expect((await rowsOf(tenant)).map(({ minute, count }) => [minute.getTime(), count])).toEqual(
      minutes.map((minute) => [minute, 1]),
    );
  });

  it('name the credential, never its secret', async () => {
    const tenant = await platform.tenant();
    await write(tenant);
    await accounts.flush();
    const [row] = await asAdmin<{ same: boolean; kind: string }>(
      platform.database,
      `select s.credential_id = c.id as same, s.credential_kind as kind
       from data.request_stats_minute s join directory.credentials c on c.tenant_id = s.tenant_id where s.tenant_id = $1`,
      [tenant.id],
    );
    expect(row).toEqual({ same: true, kind: 'api_key' });
  });

  it('use separate rows when the clock is set back', async () => {
    const tenant = await platform.tenant();
    for (const shift of [3_600_000, -3_600_000, 0]) {
      platform.clock.advance(shift);
      await write(tenant);
      await accounts.flush();
    }
    expect(await daysOf(tenant)).toEqual([{ rate_class: 'write', counted: 3 }]);
  });
});

describe('writing them', () => {
  it('loses and doubles nothing while requests go on', async () => {
    const tenant = await platform.tenant();
    let calling = true;
    const calls = Promise.all(Array.from({ length: 8 }, () => Promise.all([write(tenant), write(tenant)]))).finally(
      () => (calling = false),
    );
    while (calling) {
      await Promise.all([accounts.flush(), accounts.flushTenant(tenant.id), accounts.flush()]);
      await daysOf(tenant);
    }
    await calls;
    await accounts.flush();
    expect((await rowsOf(tenant)).reduce((sum, { count, c2xx }) => sum + (count + c2xx) / 2, 0)).toBe(16);
    expect(await daysOf(tenant)).toEqual([{ rate_class: 'write', counted: 16 }]);
  });

  it('again after a lost confirmation counts nothing twice', async () => {
    const tenant = await platform.tenant();
    await write(tenant);
    const database = platform.app.get(Database);
    const aside = database.aside.bind(database);
    jest.spyOn(database, 'aside').mockImplementationOnce(async (statements) => {
      await aside(statements);
      throw new Error('connection lost');
    });
    await accounts.flush();
    expect(await daysOf(tenant)).toEqual([{ rate_class: 'write', counted: 1 }]);
    await write(tenant);
    await accounts.flush();
    expect(await daysOf(tenant)).toEqual([{ rate_class: 'write', counted: 2 }]);
    expect((await rowsOf(tenant)).reduce((sum, { count }) => sum + count, 0)).toBe(2);
  });

  it('late does not overwrite newer figures', async () => {
    const tenant = await platform.tenant();
    await write(tenant);
    const database = platform.app.get(Database);
    let late: Parameters<Database['aside']>[0] = [];
    jest.spyOn(database, 'aside').mockImplementationOnce((statements) => {
      late = statements;
      return Promise.reject(new Error('connection lost'));
    });
    await accounts.flush();
    expect(await daysOf(tenant)).toEqual([]);
    await write(tenant);
    await accounts.flush();
    for (const { text, values } of late) await asAdmin(platform.database, text, values);
    expect(await daysOf(tenant)).toEqual([{ rate_class: 'write', counted: 2 }]);
  });

  it('continues for other tenants when it fails for one', async () => {
    const tenants = [await platform.tenant(), await platform.tenant()];
    for (const tenant of tenants) await write(tenant);
    jest.spyOn(platform.app.get(Database), 'aside').mockRejectedValueOnce(new Error('connection lost'));
    await accounts.flush();
    const written = await Promise.all(tenants.map(daysOf));
    expect(written.map(({ length }) => length).sort()).toEqual([0, 1]);
    await accounts.flush();
    expect((await Promise.all(tenants.map(daysOf))).map(({ length }) => length)).toEqual([1, 1]);
  });
});

describe('a figure that cannot be stored', () => {
  /** A request with a kind of credential that the tables do not allow. */
  const oddity = ({ id, slug }: TestTenant) => {
    const tenant = { id, slug, plan: 'enterprise', currency: 'USD', epoch: '0' };
    const principal = { tenant, credentialId: uuidv7(), kind: 'pigeon' } as unknown as Principal; // the members that figures use
    return accounts.admitted(principal, 'write', '/odd', 'POST');
  };

  it('is dropped without delaying others', async () => {
    const [odd, other] = [await platform.tenant(), await platform.tenant()];
    oddity(odd);
    for (let i = 0; i < 5; i++) await odd.api.get(`${ENDPOINTS}?limit=${i + 1}`);
    await write(odd);
    oddity(odd);
    await write(other);
    await accounts.flush();
    expect((await rowsOf(odd)).map(({ route, method, count }) => [route, method, count])).toEqual([
      [ENDPOINTS, 'GET', 5],
      [ENDPOINTS, 'POST', 1],
    ]);
    expect(await daysOf(odd)).toEqual([
      { rate_class: 'read', counted: 5 },
      { rate_class: 'write', counted: 3 },
    ]);
    expect(await daysOf(other)).toEqual([{ rate_class: 'write', counted: 1 }]);
    expect([odd, other].map(({ id }) => accounts.waitingSince(id))).toEqual([null, null]);
    expect((await odd.api.get('/api/v1/developer/usage')).body).toMatchObject({
      totals: { read: { requests: 5 }, write: { requests: 3 } },
    });
  });

  it('of a day does not delay figures of a minute', async () => {
    const tenant = await platform.tenant();
    await write(tenant);
    const count = oddity(tenant);
    count.count.place.day.errors = 1_000; // more than the number of requests
    await accounts.flush();
    expect((await rowsOf(tenant)).map(({ method, count: requests }) => [method, requests])).toEqual([['POST', 1]]);
    expect(await daysOf(tenant)).toEqual([]);
    expect(accounts.waitingSince(tenant.id)).toBeNull();
  });
});

describe('usage', () => {
  it('uses stored figures while writing fails, and states up to when they are complete', async () => {
    const tenant = await platform.tenant();
    await write(tenant);
    await accounts.flush();
    await write(tenant);
    jest.spyOn(platform.app.get(Database), 'aside').mockRejectedValue(new Error('connection lost'));
    const { status, body } = await tenant.api.get('/api/v1/developer/usage');
    const nextMinute = (Math.floor(platform.clock.nowMs() / 60_000) + 1) * 60_000;
    expect({ status, body }).toMatchObject({ status: 200, body: { totals: { write: { requests: 1 } } } });
    expect(Date.parse(String(body['completeTo']))).toBeLessThanOrEqual(nextMinute);
    expect(accounts.waitingSince(tenant.id)).toBeLessThanOrEqual(platform.clock.nowMs());
    expect(Date.parse(String(body['completeTo']))).toBeLessThanOrEqual(accounts.waitingSince(tenant.id)!);
    jest.restoreAllMocks();
    expect((await tenant.api.get('/api/v1/developer/usage')).body).toMatchObject({
      totals: { write: { requests: 2 }, read: { requests: 1 } },
    });
  });
});

it('tables allow exactly the existing kinds of credentials', async () => {
  const constraints = await asAdmin<{ table: string; definition: string }>(
    platform.database,
    `select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint
     where contype = 'c' and pg_get_constraintdef(oid) ~ 'kind = ANY.*scim_token'`,
    [],
  );
  expect(constraints.map(({ table }) => table).sort()).toEqual([
    'data.request_stats_day',
    'data.request_stats_hour',
    'data.request_stats_minute',
    'directory.credentials',
  ]);
  for (const { table, definition } of constraints) {
    const named = [...definition.matchAll(/'(\w+)'::text/g)].map(([, kind]) => kind);
    expect([table, named.sort()]).toEqual([table, [...CREDENTIAL_KINDS].sort()]);
  }
});
