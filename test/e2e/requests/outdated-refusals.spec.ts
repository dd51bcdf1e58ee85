import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Answer, Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DEALS, define } from '../custom-fields/custom-field-calls.js';
import { makePipeline, PIPELINES, stage } from '../sales/deal-calls.js';

/**
 * A process never refuses a request because of what it remembers of the tenant but another process has changed. One key
 * is used in two processes: the first changes the tenant, the second has remembered how it was.
 */
let first: TestPlatform;
let second: TestPlatform;
let tenant: TestTenant;
let here: Client;
let there: Client;
beforeAll(async () => {
  first = await startPlatform();
  second = await startPlatform({ shared: first.database });
});
beforeEach(async () => {
  tenant = await first.tenant();
  here = tenant.api;
  there = second.anonymous().as({ 'x-api-key': tenant.apiKey });
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await second.close();
  await first.close();
});

const [OPEN, WON, LOST] = [stage('a', 'open'), stage('won', 'won'), stage('lost', 'lost')];
const PAY = { payAmountMinor: 1, payCurrency: 'EUR', payPeriod: 'month' };
const FILTER = { 'customFields.region': 'EMEA' };
const REPORT = { recordType: 'sales.deal', dimensions: [], measures: [{ aggregate: 'count' }], filter: FILTER };

/** Requests that name a custom field, by what they are. */
const NAMING: Record<string, (api: Client, headers?: Record<string, string>) => Promise<Answer>> = {
  'a saved view': (api, headers) =>
    api.post('/api/settings/saved-views', { name: 'EMEA', recordType: 'sales.deal', filter: FILTER }, headers),
  'a stored report': (api, headers) => api.post('/api/v1/reports/reports', { name: 'EMEA', ...REPORT }, headers),
  'a retention rule': (api, headers) =>
    api.post('/api/admin/retention', { object: 'sales.deal', retainDays: 3_000, filter: FILTER }, headers),
  'a list': (api) => api.get(`${DEALS}?customFields.region=EMEA`),
  'a record': (api, headers) => api.post(DEALS, { name: 'Acme', customFields: { region: 'EMEA' } }, headers),
};

type Send = (statements: readonly Statement[]) => Promise<unknown>;

/** The statements with which the second process has asked for the epoch of the tenant. */
function confirmations(): Statement[] {
  const database = second.app.get(Database);
  const seen: Statement[] = [];
  const inner = database as unknown as { send: Send }; // private, but all flights outside transactions pass it
  const send = inner.send.bind(database);
  inner.send = (statements) => {
    seen.push(...statements.filter(({ text, values }) => text.includes('check_epoch') && values[0] === tenant.id));
    return send(statements);
  };
  return seen;
}

describe.each(Object.entries(NAMING))('%s that names a custom field', (_what, ask) => {
  it('is accepted as soon as another process has defined the field', async () => {
    for (let i = 0; i < 2; i++) expect((await ask(there)).status).toBe(400);
    await define(here, { key: 'region' });
    const answer = await ask(there);
    expect([answer.status < 300, answer.text]).toEqual([true, expect.any(String)]);
  });
});

it('a record is accepted once under the key of a refused request', async () => {
  const key = { 'idempotency-key': 'outdated-refusal' };
  const ask = () => NAMING['a record']!(there, key);
  for (let i = 0; i < 2; i++) expect((await ask()).status).toBe(400);
  await define(here, { key: 'region' });
  const [done, again] = [await ask(), await ask()];
  expect([done.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(again.text).toBe(done.text);
});

it('a deal enters a stage that another process has added', async () => {
  const { id } = await makePipeline(here, { isDefault: true, stages: [OPEN, WON, LOST] });
  const ask = () => there.post(DEALS, { name: 'Acme', stage: 'b' });
  for (let i = 0; i < 2; i++) expect((await ask()).status).toBe(400);
  await here.patch(`${PIPELINES}/${id}`, { stages: [OPEN, stage('b', 'open'), WON, LOST] });
  expect(await ask()).toMatchObject({ status: 201, body: { stage: 'b' } });
});

it('a type is described with the field that another process has defined', async () => {
  const described = async () =>
    (await there.get<{ customFields: { key: string }[] }>('/api/discovery/types/sales.deal')).body.customFields;
  for (let i = 0; i < 2; i++) expect(await described()).toEqual([]);
  await define(here, { key: 'region' });
  expect(await described()).toMatchObject([{ key: 'region' }]);
});

describe('a refusal', () => {
  const refused = (api: Client, headers?: Record<string, string>) => NAMING['a saved view']!(api, headers);
  const keys = (set: string) =>
    asAdmin(first.database, `update directory.credentials set ${set} where tenant_id = $1`, [tenant.id]);

  it('decided from memory costs one statement; one of the input costs none, nor does one without a credential', async () => {
    for (let i = 0; i < 2; i++) await there.post(DEALS, { name: 'Acme' }); // creates the pipeline, then remembers it
    await refused(there);
    const asked = confirmations();
    expect((await refused(there)).status).toBe(400);
    expect(asked).toHaveLength(1);
    expect((await there.post('/api/settings/saved-views', { name: 1 })).status).toBe(400);
    expect((await refused(second.anonymous())).status).toBe(401);
    expect(asked).toHaveLength(1);
    expect((await there.post(DEALS, { name: 'Acme' })).status).toBe(201);
    expect(asked).toHaveLength(2);
  });

  it('is 401 once the key has been revoked', async () => {
    for (let i = 0; i < 2; i++) expect((await refused(there)).status).toBe(400);
    await keys('revoked_at = now()');
    expect(await refused(there)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(await refused(there)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('for lack of a right that has been granted since is none; before that it is audited once', async () => {
    await keys(`scopes = '{employees:read,employees:write,employees:manage}'`);
    const hire = (requestId: string) =>
      there.post('/api/v1/people/employees', { name: 'Mia', ...PAY }, { 'x-request-id': requestId });
    const audited = (requestId: string) =>
      asAdmin(first.database, `select outcome from data.audit_log where tenant_id = $1 and request_id = $2`, [
        tenant.id,
        requestId,
      ]);
    for (const requestId of ['hire-remembered', 'hire-again-00002']) {
      expect(await hire(requestId)).toMatchObject({ status: 403, body: { code: 'field_forbidden' } });
      expect(await audited(requestId)).toEqual([{ outcome: 'denied' }]);
    }
    await asAdmin(first.database, 'update directory.tenants set epoch = epoch + 1 where id = $1', [tenant.id]);
    expect((await hire('hire-outdated-03')).status).toBe(403);
    expect(await audited('hire-outdated-03')).toEqual([{ outcome: 'denied' }]);
    await keys(`scopes = '{*}'`);
    expect((await hire('hire-granted-004')).status).toBe(201);
    expect(await audited('hire-granted-004')).toEqual([{ outcome: 'success' }]);
  });
});
