import { generateKey } from '#libs/auth/api-key.js';
import type { TestTenant } from '../../harness/platform.js';
import { type Door, openDoor } from '../auth/door.js';
import { DEALS, KEYS, type Key, makeKey, withKey } from '../settings/key-calls.js';

/** The limits of people and of keys, apart from that of the plan. */
const door: Door = await openDoor();
afterAll(() => door.close());

const { platform } = door;
const UNKNOWN = '/api/v1/sales/nothing-here';

const statusesOf = async (times: number, send: () => Promise<{ status: number }>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) statuses.push((await send()).status);
  return statuses;
};
const all = (count: number, status: number): number[] => Array<number>(count).fill(status);

/** A tenant whose limits a program has used up. */
async function usedUp(): Promise<TestTenant> {
  const tenant = await platform.tenant({ reads: 3, writes: 3 });
  const program = withKey(platform, await makeKey(tenant.api, { scopes: ['deals:*'] }));
  await statusesOf(3, () => program.get(DEALS));
  await statusesOf(2, () => program.post(DEALS, { name: 'x' }));
  expect([(await tenant.api.get(DEALS)).status, (await tenant.api.post(DEALS, { name: 'x' })).status]).toEqual([
    429, 429,
  ]);
  return tenant;
}

describe('a person whose tenant has used up its limits', () => {
  it('can still see who they are, find the key that did it, limit it and revoke it', async () => {
    const tenant = await usedUp();
    const person = door.as((await door.signedIn(tenant)).token);
    expect((await person.get('/api/auth/session')).status).toBe(200);
    expect((await person.get('/api/bootstrap')).status).toBe(200);
    const listed = await person.get<{ data: Key[] }>(KEYS);
    expect(listed.status).toBe(200);
    expect(listed.headers.get('ratelimit-policy')).toBe('"person";q=60;w=60');
    const id = listed.body.data[0]!.id;
    expect((await person.get(`${KEYS}/${id}/usage`)).status).toBe(200);
    expect((await person.patch(`${KEYS}/${id}`, { readsPerMinute: 1 })).status).toBe(200);
    expect((await person.post(`${KEYS}/${id}/revoke`, {})).status).toBe(200);
    expect((await person.get(DEALS)).status).toBe(429);
  });

  it('has 60 such requests a minute, whatever the sessions, and takes none from others', async () => {
    const tenant = await platform.tenant();
    const { token, claims } = await door.signedIn(tenant);
    const again = (await door.signIn(tenant, await door.issuer.token(claims))).body.token;
    const ask = (text: string) => () => door.as(text).get('/api/auth/session');
    expect(await statusesOf(40, ask(token))).toEqual(all(40, 200));
    expect(await statusesOf(22, ask(again))).toEqual([...all(20, 200), 429, 429]);
    expect((await door.as(token).get('/api/bootstrap')).status).toBe(429);
    expect((await door.as(token).get(DEALS)).status).toBe(200);
    expect(await statusesOf(1, ask((await door.signedIn(tenant)).token))).toEqual([200]);
    platform.clock.advance(60_000);
    expect((await ask(token)()).status).toBe(200);
  });

  it('is not helped with a key, which has the limits of the plan', async () => {
    const tenant = await usedUp();
    for (const path of ['/api/auth/session', '/api/bootstrap', KEYS])
      expect((await tenant.api.get(path)).status).toBe(429);
  });
});

describe('a key with limits of its own', () => {
  it('may make that many requests, within those of the plan', async () => {
    const tenant = await platform.tenant({ reads: 8, writes: 8 });
    const made = await makeKey(tenant.api, { scopes: ['deals:*'], readsPerMinute: 2, writesPerMinute: 1 });
    expect(made).toMatchObject({ readsPerMinute: 2, writesPerMinute: 1 });
    const key = withKey(platform, made);
    const first = await key.get(DEALS);
    expect(first.headers.get('ratelimit-policy')).toBe('"read";q=2;w=60');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
    expect(await statusesOf(3, () => key.get(DEALS))).toEqual([200, 429, 429]);
    expect(await statusesOf(2, () => key.post(DEALS, { name: 'x' }))).toEqual([201, 429]);
    expect((await key.get(DEALS)).body).toMatchObject({
      code: 'rate_limit_exceeded',
      detail: 'The key allows 2 read requests in any 60 seconds.',
    });
    // What the key was refused has used up nothing of the plan.
    expect(await statusesOf(7, () => tenant.api.get(DEALS))).toEqual([...all(6, 200), 429]);
    platform.clock.advance(60_000);
    await statusesOf(8, () => tenant.api.get(DEALS));
    const refused = await key.get(DEALS);
    expect(refused.headers.get('ratelimit-policy')).toBe('"read";q=8;w=60');
    // And what the plan has refused uses up nothing of the key.
    platform.clock.advance(60_000);
    expect(await statusesOf(2, () => key.get(DEALS))).toEqual([200, 200]);
  });

  it('keeps them over a rotation, for all its secrets together, until they are changed', async () => {
    const tenant = await platform.tenant();
    const made = await makeKey(tenant.api, { readsPerMinute: 3 });
    const before = withKey(platform, made);
    const after = withKey(platform, (await tenant.api.post<Key>(`${KEYS}/${made.id}/rotate`, {})).body);
    expect(await statusesOf(2, () => before.get(DEALS))).toEqual([200, 200]);
    expect(await statusesOf(2, () => after.get(DEALS))).toEqual([200, 429]);
    platform.clock.advance(1_000);
    const raised = await tenant.api.patch<Key>(`${KEYS}/${made.id}`, { readsPerMinute: 5 });
    expect(raised.body).toMatchObject({ readsPerMinute: 5, writesPerMinute: null });
    expect(await statusesOf(3, () => after.get(DEALS))).toEqual([200, 200, 429]);
    platform.clock.advance(1_000);
    expect((await tenant.api.patch<Key>(`${KEYS}/${made.id}`, { readsPerMinute: null })).body).toMatchObject({
      readsPerMinute: null,
    });
    expect(await statusesOf(5, () => after.get(DEALS))).toEqual(all(5, 200));
    expect((await tenant.api.get<Key>(`${KEYS}/${made.id}`)).body).toMatchObject({ readsPerMinute: null });
  });

  it('cannot have more than the plan, and cannot change its own', async () => {
    const tenant = await platform.tenant({ reads: 100, writes: 50 });
    const asked = { name: 'Shop', kind: 'service', scopes: ['deals:read'], readsPerMinute: 101, writesPerMinute: 51 };
    expect(await tenant.api.post(KEYS, asked)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/readsPerMinute' }, { pointer: '/writesPerMinute' }] },
    });
    const made = await makeKey(tenant.api, { scopes: ['api-keys:manage', 'deals:read'], readsPerMinute: 10 });
    expect(await withKey(platform, made).patch(`${KEYS}/${made.id}`, { readsPerMinute: 50 })).toMatchObject({
      status: 403,
      body: { code: 'not_by_oneself' },
    });
    expect((await withKey(platform, made).patch(`${KEYS}/${made.id}`, { name: 'Market' })).status).toBe(200);
  });
});

describe('paths that there are not', () => {
  it('count as requests of their caller', async () => {
    const tenant = await platform.tenant({ reads: 3, writes: 1 });
    const read = await tenant.api.get(UNKNOWN);
    expect([read.status, read.headers.get('ratelimit-policy')]).toEqual([404, '"read";q=3;w=60']);
    expect(await statusesOf(3, () => tenant.api.get(UNKNOWN))).toEqual([404, 404, 429]);
    expect((await tenant.api.get(DEALS)).status).toBe(429);
    expect(await statusesOf(2, () => tenant.api.post(UNKNOWN, {}))).toEqual([404, 429]);
    const other = await platform.tenant({ reads: 2, writes: 1 });
    expect(await statusesOf(2, () => other.api.send('DELETE', '/api/home', {}))).toEqual([405, 429]);
    const { token } = await door.signedIn(await platform.tenant({ reads: 1 }));
    expect(await statusesOf(2, () => door.as(token).get(UNKNOWN))).toEqual([404, 429]);
  });

  it('count as failed attempts with a credential that is not valid', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.77', 'x-api-key': generateKey('api_key').text };
    const statuses = await statusesOf(22, () => platform.anonymous().get(UNKNOWN, headers));
    expect(statuses).toEqual([...all(20, 404), 429, 429]);
  });
});
