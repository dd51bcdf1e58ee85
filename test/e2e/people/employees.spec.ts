import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { acted, dayFrom, EMPLOYEES, made, makeEmployee, outcome, type Made } from './people-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const today = () => dayFrom(platform.clock.nowMs(), 0);
const tomorrow = () => dayFrom(platform.clock.nowMs(), 1);

describe('a new employee', () => {
  it('needs only a name, is active, and has a number and a history', async () => {
    const employee = await makeEmployee(tenant.api, { name: 'Ada Maria Okafor' });
    expect(employee).toMatchObject({
      object: 'people.employee',
      name: 'Ada Maria Okafor',
      firstName: 'Ada Maria',
      lastName: 'Okafor',
      status: 'active',
      employmentType: 'full_time',
      employmentCount: 1,
      workSchedule: { weeklyMinutes: 2400, days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
      skills: [],
      membershipId: null,
    });
    expect(employee['employeeNumber']).toMatch(/^EMP-\d{5}$/);
    const { body } = await tenant.api.get<{ data: object[] }>(`${EMPLOYEES}/${employee.id}/employments`);
    expect(body.data).toMatchObject([{ effectiveDate: today(), employmentType: 'full_time', payAmountMinor: null }]);
  });

  it.each([
    [{ name: 'Madonna' }, { name: 'Madonna', firstName: null, lastName: 'Madonna' }],
    [
      { firstName: 'Ada', lastName: 'Okafor' },
      { name: 'Ada Okafor', firstName: 'Ada', lastName: 'Okafor' },
    ],
    [
      { firstName: 'Ada', lastName: 'Okafor', preferredName: 'Addie' },
      { name: 'Addie', preferredName: 'Addie' },
    ],
    [{ preferredName: 'Addie' }, { name: 'Addie', firstName: null, lastName: 'Addie' }],
    [
      { name: 'A. Okafor', firstName: 'Ada' },
      { name: 'A. Okafor', firstName: 'Ada', lastName: null },
    ],
  ])('named %j is shown as %j', async (body, shown) => {
    expect(await made(tenant.api, EMPLOYEES, body)).toMatchObject(shown);
  });

  it('without any name is rejected', async () => {
    for (const body of [{}, { firstName: 'Ada' }, { lastName: 'Okafor' }]) {
      const answer = await tenant.api.post(EMPLOYEES, body);
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/name', code: 'required' }] } });
    }
  });

  it('is pending until the first day or on request', async () => {
    expect(await makeEmployee(tenant.api, { startDate: tomorrow() })).toMatchObject({ status: 'pending' });
    expect(await makeEmployee(tenant.api, { startDate: today() })).toMatchObject({ status: 'active' });
    expect(await makeEmployee(tenant.api, { startDate: '2020-02-29' })).toMatchObject({ status: 'active' });
    expect(await makeEmployee(tenant.api, { status: 'pending' })).toMatchObject({ status: 'pending' });
    for (const startDate of ['2024-01-01', today()])
      expect(await makeEmployee(tenant.api, { status: 'pending', startDate })).toMatchObject({ status: 'active' });
    expect(outcome(await tenant.api.post(EMPLOYEES, { name: 'x', status: 'active' }))).toEqual([
      400,
      'validation_failed',
    ]);
  });

  it('starts on the current date in the tenant’s time zone', async () => {
    const other = await platform.tenant();
    for (const [timezone, shift] of [
      ['Pacific/Kiritimati', 14],
      ['Pacific/Pago_Pago', -11],
    ] as const) {
      expect((await other.api.patch('/api/admin/settings', { general: { timezone } })).status).toBe(200);
      const there = dayFrom(platform.clock.nowMs() + shift * 3_600_000, 0);
      expect(await makeEmployee(other.api, { startDate: there })).toMatchObject({ status: 'active' });
      const next = dayFrom(platform.clock.nowMs() + shift * 3_600_000, 1);
      expect(await makeEmployee(other.api, { startDate: next })).toMatchObject({ status: 'pending' });
    }
  });

  it('keeps its number forever, and the number is never reused', async () => {
    const other = await platform.tenant();
    const numbers = new Set<unknown>();
    for (let i = 0; i < 3; i++) {
      const { id, employeeNumber } = await makeEmployee(other.api, { status: 'pending' });
      numbers.add(employeeNumber);
      expect((await other.api.delete(`${EMPLOYEES}/${id}`)).status).toBe(200);
    }
    const all = await Promise.all(Array.from({ length: 20 }, () => makeEmployee(other.api)));
    for (const { employeeNumber } of all) numbers.add(employeeNumber);
    expect(numbers.size).toBe(23);
    const [{ id, employeeNumber }] = all as [Made];
    await acted(other.api, EMPLOYEES, id, 'terminate', { type: 'voluntary' });
    const back = await acted(other.api, EMPLOYEES, id, 'rehire', { startDate: tomorrow() });
    expect(back).toMatchObject({ employeeNumber, status: 'pending', employmentCount: 2 });
  });
});

describe('the list', () => {
  let other: TestTenant;
  let boss: Made;
  let ada: Made;
  let bob: Made;
  let department: Made;
  beforeAll(async () => {
    other = await platform.tenant();
    department = await made(other.api, '/api/v1/people/departments', { name: 'Research' });
    boss = await makeEmployee(other.api, { name: 'Zoe Boss', startDate: '2019-01-01' });
    ada = await makeEmployee(other.api, {
      name: 'Ada Okafor',
      jobTitle: 'Compiler engineer',
      workEmail: 'Ada@Acme.test',
      departmentId: department.id,
      managerId: boss.id,
      employmentType: 'part_time',
      location: { country: 'DE', city: 'Berlin' },
      startDate: '2020-05-01',
      skills: [{ name: 'TypeScript', level: 4 }],
      tags: ['Blue'],
    });
    const { id: membershipId } = await platform.member(other, 'Bob', [], { roles: ['member'] });
    bob = await makeEmployee(other.api, { name: 'Bob Stone', membershipId, startDate: '2021-05-01' });
    await acted(other.api, EMPLOYEES, bob.id, 'terminate', { terminationDate: '2026-01-31', type: 'voluntary' });
  });

  const ids = async (query: string): Promise<string[]> => {
    const answer = await other.api.get<{ data: { id: string }[] }>(`${EMPLOYEES}?${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.data.map(({ id }) => id);
  };

  it('supports every documented filter', async () => {
    expect(await ids('status=terminated')).toEqual([bob.id]);
    expect(await ids(`departmentId=${department.id}`)).toEqual([ada.id]);
    expect(await ids(`managerId=${boss.id}`)).toEqual([ada.id]);
    expect(await ids('managerId[isNull]=true&sort=name')).toEqual([bob.id, boss.id]);
    expect(await ids('employmentType=part_time')).toEqual([ada.id]);
    expect(await ids('location.country=DE')).toEqual([ada.id]);
    expect(await ids('location.country[isNull]=false')).toEqual([ada.id]);
    expect(await ids('startDate[gte]=2020-05-01&startDate[lt]=2021-01-01')).toEqual([ada.id]);
    expect(await ids('terminationDate[lte]=2026-02-01')).toEqual([bob.id]);
    expect(await ids('skill=typescript')).toEqual([ada.id]);
    expect(await ids('skill=TypeScript')).toEqual([ada.id]);
    expect(await ids('skill=cobol')).toEqual([]);
    expect(await ids('membershipId[isNull]=false')).toEqual([bob.id]);
    expect(await ids('tag=blue')).toEqual([ada.id]);
    expect(await ids('q=compiler')).toEqual([ada.id]);
    expect(await ids('q=acme')).toEqual([ada.id]);
    expect(await ids(`q=${String(bob['employeeNumber'])}`)).toEqual([bob.id]);
  });

  it('supports every documented sort field in both directions', async () => {
    for (const field of ['name', 'employeeNumber', 'startDate', 'createdAt', 'status']) {
      const up = await ids(`sort=${field}`);
      expect(up).toHaveLength(3);
      expect(await ids(`sort=-${field}`)).toEqual([...up].reverse());
    }
    expect(await ids('sort=name')).toEqual([ada.id, bob.id, boss.id]);
    expect(await ids('sort=startDate')).toEqual([boss.id, ada.id, bob.id]);
  });

  it('cannot be filtered or sorted by restricted fields', async () => {
    const reader = await platform.key(other, ['employees:read']);
    for (const field of ['dateOfBirth', 'nationalId', 'bankAccount', 'personalEmail', 'payAmountMinor', 'phone'])
      for (const query of [`${field}=x`, `sort=${field}`])
        expect((await other.api.get(`${EMPLOYEES}?${query}`)).status).toBe(400);
    expect(outcome(await reader.get(`${EMPLOYEES}?terminationDate[gt]=2026-01-01`))).toEqual([
      403,
      'permission_denied',
    ]);
    expect((await reader.get(`${EMPLOYEES}?startDate[gt]=2026-01-01`)).status).toBe(200);
  });
});
