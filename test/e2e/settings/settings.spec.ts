import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import { Transaction } from '#libs/database/transaction.js';
import { Client } from '../../harness/client.js';
import { Contract } from '../../harness/contract.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const PATH = '/api/admin/settings';

interface Settings {
  id: string;
  version: number;
  defaults: string[];
  changed: string[];
  finance: { paymentTermsDays: number; legalEntity: Record<string, string | null>; baseCurrency: string };
  general: { timezone: string };
}

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const read = async (query = '') => (await tenant.api.get<Settings>(`${PATH}${query}`)).body;
const change = (patch: object, headers?: Record<string, string>) => tenant.api.patch<Settings>(PATH, patch, headers);

describe('reading', () => {
  test('shows defaults, and says that they are', async () => {
    const settings = await read();
    expect(settings).toMatchObject({
      id: tenant.id,
      version: 1,
      updatedAt: null,
      general: { legalName: null, country: null, timezone: 'UTC' },
      finance: { paymentTermsDays: 30, taxRounding: 'line', strictChronology: false, baseCurrency: 'USD' },
      sales: { dealReopenDays: 30 },
      features: { sales: true },
      branding: { displayName: null, primaryColor: null },
      people: { managersSeePersonal: false, leaveStatusAfterDays: 14 },
      talent: { consentMonths: 24, autoApply: true },
      gates: [],
    });
    expect(settings.defaults).toContain('finance.legalEntity.taxId');
    expect(settings.defaults).toHaveLength(61);
  });

  test('shows one section alone', async () => {
    const settings = await read('?section=sales');
    expect(settings).toMatchObject({
      sales: { dealReopenDays: 30 },
      defaults: ['sales.lostReasons', 'sales.dealReopenDays', 'sales.autoHandoff'],
    });
    expect(settings).not.toHaveProperty('finance');
    expect(await tenant.api.get(`${PATH}?section=secrets`)).toMatchObject({ status: 400 });
  });

  test('needs its scope, and changing another', async () => {
    const reader = await platform.key(tenant, ['settings:read']);
    expect(await reader.get(PATH)).toMatchObject({ status: 200 });
    expect(await reader.patch(PATH, { sales: { dealReopenDays: 1 } })).toMatchObject({ status: 403 });
    expect(await (await platform.key(tenant, ['settings:manage'])).get(PATH)).toMatchObject({ status: 403 });
  });
});

describe('a part of the settings', () => {
  const FINANCE = { finance: { paymentTermsDays: 21 } };
  const DEVELOPER = { developer: { webhookSecretGraceSeconds: 3_600 } };
  const refused = { status: 403, body: { code: 'permission_denied', requiredPermission: 'settings:manage' } };
  const as = async (role: string) => (await platform.member(tenant, `A ${role}`, ['*'], { roles: [role] })).api;

  test.each([
    ['billing', FINANCE, DEVELOPER],
    ['developer', DEVELOPER, FINANCE],
  ])('is what %s changes, and nothing else', async (role, own, other) => {
    const api = await as(role);
    expect(await api.patch(PATH, own)).toMatchObject({ status: 200, body: { version: 2, ...own } });
    const version = { version: 2 };
    for (const beyond of [
      other,
      { ...own, ...other },
      { gates: [] },
      { security: { sessionHours: 720 } },
      { sales: null },
    ])
      expect(await api.patch(PATH, { ...version, ...beyond })).toMatchObject(refused);
    expect(await read()).toMatchObject({ ...version, ...own });
    expect(await api.patch(PATH, version)).toMatchObject({ status: 200, body: { changed: [] } });
  });

  test('is for nobody else who may only read them, and for administrators all are', async () => {
    for (const role of ['manager', 'auditor'])
      for (const patch of [FINANCE, DEVELOPER, {}])
        expect(await (await as(role)).patch(PATH, patch)).toMatchObject(refused);
    expect(await (await as('admin')).patch(PATH, { ...FINANCE, ...DEVELOPER })).toMatchObject({ status: 200 });
  });

  test('can be in a role of the tenant, and is lost on the next request', async () => {
    const role = await tenant.api.post<{ id: string }>('/api/admin/roles', {
      name: 'Accounting',
      permissions: ['settings.finance:manage', 'settings:read'],
    });
    const api = await as(role.body.id);
    expect(await api.patch(PATH, FINANCE)).toMatchObject({ status: 200 });
    await tenant.api.patch(`/api/admin/roles/${role.body.id}`, { remove: ['settings.finance:manage'] });
    expect(await api.patch(PATH, FINANCE)).toMatchObject(refused);
  });

  test('of developers says how long the old secret of an endpoint signs too', async () => {
    const hook = { url: 'http://127.0.0.1:9/hook', eventTypes: ['sales.deal.created'] };
    const { id } = (await tenant.api.post<{ id: string }>('/api/webhooks/endpoints', hook)).body;
    const grace = (input: object) =>
      platform.clock.standStill(async () => {
        const path = `/api/webhooks/endpoints/${id}/rotate-secret`;
        const { body } = await tenant.api.post<{ previousSecretExpiresAt: string }>(path, { force: true, ...input });
        return (Date.parse(body.previousSecretExpiresAt) - platform.clock.nowMs()) / 1_000;
      });
    expect(await grace({})).toBe(604_800);
    await change(DEVELOPER);
    expect(await grace({})).toBe(3_600);
    expect(await grace({ graceSeconds: 60 })).toBe(60);
  });
});

describe('changing', () => {
  test('merges: what is not named stays, null gives back the default', async () => {
    await change({ finance: { paymentTermsDays: 14, legalEntity: { legalName: 'Acme Ltd' } } });
    const second = await change({ finance: { legalEntity: { taxId: 'GB1' } }, general: { timezone: 'Europe/Berlin' } });
    expect(second).toMatchObject({
      status: 200,
      body: {
        version: 3,
        changed: ['finance.legalEntity.taxId', 'general.timezone'],
        general: { timezone: 'Europe/Berlin' },
        finance: { paymentTermsDays: 14, legalEntity: { legalName: 'Acme Ltd', taxId: 'GB1', bank: null } },
      },
    });
    expect(second.body.defaults).not.toContain('finance.paymentTermsDays');
    const third = await change({ finance: { paymentTermsDays: null, legalEntity: null } });
    expect(third.body).toMatchObject({
      finance: { paymentTermsDays: 30, legalEntity: { legalName: null, taxId: null } },
      general: { timezone: 'Europe/Berlin' },
    });
    expect(third.body.defaults).toContain('finance.paymentTermsDays');
    expect(await read()).toMatchObject({ version: 4, finance: third.body.finance });
  });

  test('a patch that changes nothing leaves the version', async () => {
    await change({ talent: { consentMonths: 6 } });
    expect(await change({ talent: { consentMonths: 6 } })).toMatchObject({ body: { version: 2, changed: [] } });
    expect(await change({})).toMatchObject({ body: { version: 2, changed: [] } });
  });

  test.each([
    [{ sales: { dealReopenDays: -1 } }, '/sales/dealReopenDays', 'out_of_range'],
    [{ sales: { autoWin: true } }, '/sales/autoWin', 'unknown_field'],
    [{ secrets: {} }, '/secrets', 'unknown_field'],
    [{ general: { timezone: 'Mars/Olympus' } }, '/general/timezone', 'unknown_timezone'],
    [{ general: { timezone: '+01:00' } }, '/general/timezone', 'unknown_timezone'],
    [{ general: { country: 'de' } }, '/general/country', 'invalid_format'],
    [{ finance: { taxRounding: 'never' } }, '/finance/taxRounding', 'invalid_value'],
    [{ finance: { baseCurrency: 'eur' } }, '/finance/baseCurrency', 'unknown_currency'],
    [{ finance: [] }, '/finance', 'invalid_type'],
    [{ version: 0 }, '/version', 'out_of_range'],
  ])('refuses %j', async (patch, pointer, code) => {
    expect(await change(patch)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
    expect((await read()).version).toBe(1);
  });

  test('a version that is out of date is refused, in the body and in If-Match', async () => {
    await change({ sales: { dealReopenDays: 10 } });
    const stale = { status: 409, body: { code: 'stale_version', version: 2 } };
    expect(await change({ version: 1, sales: { dealReopenDays: 20 } })).toMatchObject(stale);
    expect(await change({ sales: { dealReopenDays: 20 } }, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
    expect(await change({ version: 2, sales: { dealReopenDays: 20 } }, { 'if-match': '"2"' })).toMatchObject({
      status: 200,
      body: { version: 3 },
    });
  });

  test('is audited with what it was before, and told as an event', async () => {
    await change({ sales: { dealReopenDays: 10 } });
    const { body } = await tenant.api.get<{ data: { action: string; changes: object }[] }>(
      '/api/admin/audit-logs?action=admin.settings.*',
    );
    expect(body.data).toMatchObject([
      {
        action: 'admin.settings.updated',
        target: { type: 'admin.settings', id: tenant.id },
        changes: { sales: { from: { dealReopenDays: 30 }, to: { dealReopenDays: 10 } } },
      },
    ]);
  });
});

describe('many at once', () => {
  test('lose no change of each other, also the very first ones', async () => {
    const patches = [
      { sales: { dealReopenDays: 1 } },
      { talent: { consentMonths: 2 } },
      { people: { leaveStatusAfterDays: 3 } },
      { finance: { paymentTermsDays: 4 } },
      { general: { legalName: 'Acme' } },
    ];
    const answers = await Promise.all(patches.map((patch) => change(patch)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.version)).size).toBe(5);
    expect(await read()).toMatchObject({
      version: 6,
      sales: { dealReopenDays: 1 },
      talent: { consentMonths: 2 },
      people: { leaveStatusAfterDays: 3 },
      finance: { paymentTermsDays: 4 },
      general: { legalName: 'Acme' },
    });
  });

  test('of several with one version, one wins', async () => {
    const days = [1, 2, 3, 4, 5, 6];
    const answers = await Promise.all(days.map((dealReopenDays) => change({ version: 1, sales: { dealReopenDays } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await read()).version).toBe(2);
  });
});

describe('what reads them', () => {
  test('every process acts on a change with its next request', async () => {
    const other = await startPlatform({ shared: platform.database });
    try {
      const elsewhere = new Client(other.url, tenant.api.headers, Contract.of(other.document));
      const deal = async () => {
        const answer = await elsewhere.post<{ id: string }>('/api/v1/sales/deals', { name: 'Acme' });
        return `/api/v1/sales/deals/${answer.body.id}/win`;
      };
      expect(await elsewhere.post(await deal())).toMatchObject({ status: 200 });
      await change({ gates: [{ key: 'deal.win', effect: 'deny' }] });
      expect(await elsewhere.post(await deal())).toMatchObject({ status: 403, body: { code: 'gate_denied' } });
      await change({ gates: null });
      expect(await elsewhere.post(await deal())).toMatchObject({ status: 200 });
    } finally {
      await other.close();
    }
  });

  test('a tenant without gates and fields of its own pays nothing for them', async () => {
    const database = platform.app.get(Database);
    const texts: string[] = [];
    const [read, transaction] = [database.read.bind(database), Transaction.prototype.query];
    database.read = (query) => (texts.push(query.text), read(query));
    Transaction.prototype.query = function <R extends object>(this: Transaction, query: Statement) {
      texts.push(query.text);
      return transaction.call(this, query) as Promise<R[]>;
    };
    try {
      const winOne = async () => {
        const { body } = await tenant.api.post('/api/v1/sales/deals', { name: 'Acme' });
        expect(await tenant.api.post(`/api/v1/sales/deals/${String(body['id'])}/win`)).toMatchObject({ status: 200 });
      };
      const asked = () => texts.splice(0).filter((text) => /tenant_settings|custom_fields where|approvals/.test(text));
      await winOne();
      expect(asked()).not.toEqual([]);
      await winOne();
      expect(asked()).toEqual([]);
    } finally {
      database.read = read;
      Transaction.prototype.query = transaction;
    }
  });
});
