import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { acted, EMPLOYEES, type Made, makeEmployee, outcome } from './people-calls.js';

/** Field classes. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const PERSONAL = {
  personalEmail: 'ada@home.test',
  phone: '+49 30 1234567',
  address: { line1: 'Lindenstrasse 1', city: 'Berlin' },
  dateOfBirth: '1990-05-17',
  emergencyContacts: [{ name: 'Kim Okafor', phone: '+49 30 7654321' }],
};
const NATIONAL_ID = 'X9-4711-88ZQ';
const ACCOUNT = 'DE02120300000000202051';
const SENSITIVE = { nationalId: NATIONAL_ID, bankAccount: ACCOUNT };
const PAY = { payAmountMinor: 734_219, payCurrency: 'EUR', payPeriod: 'month' };

const full = () => makeEmployee(tenant.api, { ...PERSONAL, ...SENSITIVE, ...PAY });
/** Reads an employee by id and in a list, which must show the same fields. */
async function seen(api: TestTenant['api'], id: string): Promise<Record<string, unknown>> {
  const item = await api.get(`${EMPLOYEES}/${id}`);
  const list = await api.get<{ data: Record<string, unknown>[] }>(`${EMPLOYEES}?ids=${id}`);
  expect(Object.keys(list.body.data[0]!).sort()).toEqual(Object.keys(item.body).sort());
  return item.body;
}

it('shows only directory fields with the basic scope', async () => {
  const { id } = await full();
  const shown = await seen(await platform.key(tenant, ['employees:read']), id);
  expect(shown).toMatchObject({ id, status: 'active', jobTitle: null });
  for (const field of [...Object.keys(PERSONAL), ...Object.keys(SENSITIVE), 'terminationDate', 'terminationReason'])
    expect(shown).not.toHaveProperty(field);
});

it('shows personal fields and masked numbers, each with a separate scope', async () => {
  const { id } = await full();
  const personal = await seen(await platform.key(tenant, ['employees:read', 'employees.personal:read']), id);
  expect(personal).toMatchObject({ ...PERSONAL, terminationDate: null });
  expect(personal).not.toHaveProperty('nationalId');
  const sensitive = await seen(await platform.key(tenant, ['employees:read', 'employees.sensitive:read']), id);
  expect(sensitive).toMatchObject({ nationalId: '••••88ZQ', bankAccount: '••••2051' });
  expect(sensitive).not.toHaveProperty('dateOfBirth');
});

it('is not covered by a wildcard read scope', async () => {
  const { id } = await full();
  const shown = await seen(await platform.key(tenant, ['*:read']), id);
  for (const field of [...Object.keys(PERSONAL), ...Object.keys(SENSITIVE)]) expect(shown).not.toHaveProperty(field);
});

it('shows employees their own personal fields, but not sensitive ones', async () => {
  const { id: membershipId, api } = await platform.member(tenant, 'Ada', ['employees:read']);
  const { id } = await makeEmployee(tenant.api, { ...PERSONAL, ...SENSITIVE, ...PAY, membershipId });
  const { id: other } = await full();
  const own = await seen(api, id);
  expect(own).toMatchObject(PERSONAL);
  expect(own).not.toHaveProperty('bankAccount');
  expect(await seen(api, other)).not.toHaveProperty('phone');
  const history = await api.get<{ data: object[] }>(`${EMPLOYEES}/${id}/employments`);
  expect(history.body.data[0]).not.toHaveProperty('payAmountMinor');
});

it('shows managers the personal fields of their reports if the tenant enables it', async () => {
  const other = await platform.tenant();
  const manager = await platform.member(other, 'Boss', ['employees:read']);
  const boss = await makeEmployee(other.api, { membershipId: manager.id });
  const report = await makeEmployee(other.api, { ...PERSONAL, ...SENSITIVE, managerId: boss.id });
  const below = await makeEmployee(other.api, { ...PERSONAL, managerId: report.id });
  expect(await seen(manager.api, report.id)).not.toHaveProperty('phone');
  await other.api.patch('/api/admin/settings', { people: { managersSeePersonal: true } });
  const shown = await seen(manager.api, report.id);
  expect(shown).toMatchObject(PERSONAL);
  expect(shown).not.toHaveProperty('nationalId');
  expect(await seen(manager.api, below.id)).not.toHaveProperty('phone');
  await other.api.patch('/api/admin/settings', { people: { managersSeePersonal: false } });
  expect(await seen(manager.api, report.id)).not.toHaveProperty('phone');
});

it('does not allow making anyone, including oneself, a manager who would see more than the caller', async () => {
  const other = await platform.tenant();
  const manager = await platform.member(other, 'Boss', ['*'], { roles: ['manager'] });
  const boss = await makeEmployee(other.api, { membershipId: manager.id });
  const next = await makeEmployee(other.api);
  const report = await makeEmployee(other.api, PERSONAL);
  const own = await makeEmployee(other.api, { ...PERSONAL, managerId: boss.id });
  const path = `${EMPLOYEES}/${report.id}`;
  const name = { managerId: boss.id };
  expect((await manager.api.patch(path, name)).status).toBe(200); // managers see no additional fields
  expect((await manager.api.patch(path, { managerId: null })).status).toBe(200);
  await other.api.patch('/api/admin/settings', { people: { managersSeePersonal: true } });
  const refused = { status: 403, body: { code: 'field_forbidden', field: 'managerId' } };
  expect(await manager.api.patch(path, name)).toMatchObject(refused);
  expect(await manager.api.post(EMPLOYEES, { name: 'x', ...name })).toMatchObject(refused);
  const change = { effectiveDate: '2030-01-01', ...name };
  expect(await manager.api.post(`${path}/change-employment`, change)).toMatchObject(refused);
  expect(await seen(manager.api, report.id)).not.toHaveProperty('phone');
  expect((await manager.api.patch(path, { jobTitle: 'Engineer' })).status).toBe(200);
  expect((await manager.api.patch(`${EMPLOYEES}/${own.id}`, { managerId: next.id })).status).toBe(200); // visible to them until now
  expect((await other.api.patch(path, name)).status).toBe(200);
});

it('rejects writes to fields that the caller cannot read', async () => {
  const { id } = await full();
  const writer = await platform.key(tenant, ['employees:read', 'employees:write']);
  for (const body of [{ dateOfBirth: '1990-01-01' }, { bankAccount: 'DE123456789' }, { phone: null }] as object[])
    for (const answer of [
      await writer.patch(`${EMPLOYEES}/${id}`, body),
      await writer.post(EMPLOYEES, { name: 'x', ...body }),
    ])
      expect([body, ...outcome(answer)]).toEqual([body, 403, 'field_forbidden']);
  expect(outcome(await writer.post(EMPLOYEES, { name: 'x', ...PAY }))).toEqual([403, 'field_forbidden']);
  const change = { effectiveDate: '2030-01-01', ...PAY };
  expect(outcome(await writer.post(`${EMPLOYEES}/${id}/change-employment`, change))).toEqual([403, 'field_forbidden']);
  expect((await writer.patch(`${EMPLOYEES}/${id}`, { preferredName: 'Addie' })).status).toBe(200);
});

describe('the numbers', () => {
  const reveal = (api: TestTenant['api'], id: string, fields: string[]) =>
    api.post(`${EMPLOYEES}/${id}/reveal`, { fields, reason: 'Payroll of November' });

  it('are revealed by a separate call, audited before the response', async () => {
    const { id } = await full();
    const { id: none } = await makeEmployee(tenant.api);
    expect((await reveal(tenant.api, id, ['bankAccount'])).body).toEqual({ id, bankAccount: ACCOUNT });
    expect((await reveal(tenant.api, id, ['nationalId', 'bankAccount'])).body).toEqual({ id, ...SENSITIVE });
    expect((await reveal(tenant.api, none, ['nationalId'])).body).toEqual({ id: none, nationalId: null });
    const { body } = await tenant.api.get<{ data: Record<string, unknown>[] }>(
      `/api/admin/audit-logs?targetId=${id}&action=people.employee.sensitive_read`,
    );
    expect(body.data).toHaveLength(2);
    expect(body.data[1]).toMatchObject({ riskLevel: 'high', reason: 'Payroll of November', outcome: 'success' });
    expect(Object.keys(body.data[1]!['changes'] as object)).toEqual(['bankAccount']);
  });

  it('stay masked without the scope or without a reason', async () => {
    const { id } = await full();
    const writer = await platform.key(tenant, ['employees:*', 'employees.personal:read', '*:read']);
    expect(outcome(await reveal(writer, id, ['nationalId']))).toEqual([403, 'permission_denied']);
    const answer = await tenant.api.post(`${EMPLOYEES}/${id}/reveal`, { fields: ['nationalId'] });
    expect(answer.status).toBe(400);
    expect((await reveal(tenant.api, id, ['payAmountMinor'])).status).toBe(400);
  });

  it('are not revealed when the audit entry cannot be written', async () => {
    const { id } = await full();
    await asAdmin(
      platform.database,
      `create function public.break_it() returns trigger language plpgsql as
         $$ begin raise exception 'broken on purpose'; end $$;
       create trigger break_it before insert on data.audit_log for each row execute function public.break_it()`,
    );
    const answer = await reveal(tenant.api, id, ['bankAccount']);
    await asAdmin(platform.database, 'drop function public.break_it() cascade');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain(ACCOUNT);
  });

  it('cannot be replaced by their own masks', async () => {
    const { id } = await full();
    expect((await tenant.api.patch(`${EMPLOYEES}/${id}`, { nationalId: '••••88ZQ' })).status).toBe(400);
    expect((await tenant.api.patch(`${EMPLOYEES}/${id}`, { nationalId: null })).body).toMatchObject({
      nationalId: null,
    });
    expect((await reveal(tenant.api, id, ['nationalId'])).body).toEqual({ id, nationalId: null });
  });

  it('of one employee cannot be decrypted as those of another', async () => {
    const [one, two] = [await full(), await full()];
    await asAdmin(
      platform.database,
      `update data.people_employees t set national_id = o.national_id from data.people_employees o
       where t.id = $1 and o.id = $2`,
      [one.id, two.id],
    );
    expect((await reveal(tenant.api, one.id, ['nationalId'])).status).toBe(500);
  });
});

describe('sensitive data', () => {
  /** Every value of the tenant in all tables, as text. */
  async function storedText(tenantId: string): Promise<Record<string, string>> {
    const tables = await asAdmin<{ name: string }>(
      platform.database,
      `select c.relname as name from pg_class c where c.relnamespace = 'data'::regnamespace
         and c.relkind in ('r', 'p') and not c.relispartition`,
    );
    const texts: Record<string, string> = {};
    for (const { name } of tables) {
      const rows = await asAdmin<{ text: string }>(
        platform.database,
        `select coalesce(string_agg(t::text, ' '), '') as text from data.${name} t where t.tenant_id = $1`,
        [tenantId],
      );
      texts[name] = rows[0]!.text;
    }
    return texts;
  }

  it('appears in no event, audit entry, stored response or search index', async () => {
    const other = await platform.tenant();
    const key = (name: string) => ({ 'idempotency-key': name });
    const answer = await other.api.post(EMPLOYEES, { name: 'Ada', ...PERSONAL, ...SENSITIVE, ...PAY }, key('one'));
    const { id } = answer.body as Made;
    expect(answer.text).not.toContain(ACCOUNT);
    const reason = 'Confidential misconduct';
    const change = { effectiveDate: '2020-01-02', ...PAY, payAmountMinor: 834_219 };
    await other.api.post(`${EMPLOYEES}/${id}/change-employment`, change, key('two'));
    await other.api.patch(`${EMPLOYEES}/${id}`, { ...SENSITIVE, phone: '+49 30 9999999' }, key('three'));
    await other.api.post(
      `${EMPLOYEES}/${id}/reveal`,
      { fields: ['nationalId', 'bankAccount'], reason: 'x' },
      key('four'),
    );
    await other.api.get(`${EMPLOYEES}/${id}/employments`);
    await other.api.post(`${EMPLOYEES}/${id}/terminate`, { type: 'involuntary', reason }, key('five'));
    const texts = await storedText(other.id);
    expect(texts['people_employees']).toContain(reason);
    expect(texts['events']).toContain('people.employee.terminated');
    expect(texts['idempotency_keys']).toContain('people.employees.reveal');
    for (const [table, text] of Object.entries(texts)) {
      for (const secret of [NATIONAL_ID, ACCOUNT, '120300000000'])
        expect([table, text.includes(secret)]).toEqual([table, false]);
      if (table !== 'people_employments') expect([table, /[78]34.?219/.test(text)]).toEqual([table, false]);
    }
    for (const table of ['events', 'audit_log', 'record_transitions'])
      for (const personal of [
        reason,
        'ada@home.test',
        '1234567',
        '9999999',
        'Lindenstrasse',
        '1990-05-17',
        'Kim',
        '88ZQ', // does not occur in ids by chance
      ])
        expect([table, personal, texts[table]!.includes(personal)]).toEqual([table, personal, false]);
    for (const word of ['DE02120300000000202051', 'Lindenstrasse', 'home', '734219']) {
      const found = await other.api.get<{ data: object[] }>(`${EMPLOYEES}?q=${word}`);
      expect([word, found.body.data]).toEqual([word, []]);
    }
  });

  it('appears in the audit log when it changes, without its value', async () => {
    const { id } = await full();
    await tenant.api.patch(`${EMPLOYEES}/${id}`, { bankAccount: 'DE999999999999', phone: '+49 30 5555555' });
    const { body } = await tenant.api.get<{ data: { changes: object }[] }>(
      `/api/admin/audit-logs?targetId=${id}&action=people.employee.updated`,
    );
    expect(body.data[0]!.changes).toMatchObject({
      bankAccount: { from: '(concealed)', to: '(concealed)' },
      phone: { from: '(concealed)', to: '(concealed)' },
    });
  });

  it('is audited when read: pay in the employment history', async () => {
    const { id } = await full();
    const reads = async () => {
      const { body } = await tenant.api.get<{ data: object[] }>(
        `/api/admin/audit-logs?targetId=${id}&action=people.employee.sensitive_read`,
      );
      return body.data.length;
    };
    await (await platform.key(tenant, ['employees:read'])).get(`${EMPLOYEES}/${id}/employments`);
    expect(await reads()).toBe(0);
    const payroll = await platform.key(tenant, ['employees:read', 'employees.compensation:read']);
    const { body } = await payroll.get<{ data: object[] }>(`${EMPLOYEES}/${id}/employments`);
    expect(body.data).toMatchObject([PAY]);
    expect(await reads()).toBe(1);
    const { id: unpaid } = await makeEmployee(tenant.api);
    await acted(tenant.api, EMPLOYEES, unpaid, 'leave');
    expect((await payroll.get(`${EMPLOYEES}/${unpaid}/employments`)).status).toBe(200);
    expect(await reads()).toBe(1);
  });
});
