import type { Answer } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

/** Calendars, the settings that select them, and the days counted with them. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const CALENDARS = '/api/settings/calendars';
const SETTINGS = '/api/admin/settings';
const EMPLOYEES = '/api/v1/people/employees';
const TIME_OFF = '/api/v1/people/time-off';

type Json = Record<string, unknown>;
const calendar = (more: object = {}) => tenant.api.post<Json & { id: string }>(CALENDARS, { name: 'Office', ...more });
const set = (patch: object) => tenant.api.patch(SETTINGS, patch);
const employee = async (more: object = {}) => {
  const body = { firstName: 'Ada', lastName: 'Lovelace', jobTitle: 'Engineer', ...more };
  const answer = await tenant.api.post<Json & { id: string }>(EMPLOYEES, body);
  expect(answer.status).toBe(201);
  return answer.body;
};
const away = (employeeId: string, startDate: string, endDate: string): Promise<Answer<Json>> =>
  tenant.api.post(TIME_OFF, { employeeId, type: 'vacation', startDate, endDate });
const NEW_YEAR = { date: '2027-01-01', name: "New Year's Day" }; // a Friday

describe('a calendar', () => {
  it('defaults to standard hours in the time zone of the tenant', async () => {
    await set({ general: { timezone: 'Europe/Berlin' } });
    const { status, body } = await calendar();
    expect({ status, body }).toMatchObject({ status: 201, body: { timezone: 'Europe/Berlin', holidays: [] } });
    expect(body['workingHours']).toEqual([1, 2, 3, 4, 5].map((weekday) => ({ weekday, from: '09:00', to: '17:00' })));
  });

  it('sorts hours and holidays by time', async () => {
    const hours = [
      { weekday: 2, from: '13:00', to: '24:00' },
      { weekday: 2, from: '08:00', to: '13:00' },
      { weekday: 1, from: '09:00', to: '17:00' },
    ];
    const { body } = await calendar({
      workingHours: hours,
      holidays: [NEW_YEAR, { date: '2026-12-25', name: 'Christmas' }],
    });
    expect(body['workingHours']).toEqual([...hours].reverse());
    expect(body['holidays']).toMatchObject([{ date: '2026-12-25' }, { date: '2027-01-01' }]);
  });

  it.each([
    [{ workingHours: [{ weekday: 8, from: '09:00', to: '17:00' }] }, '/workingHours/0/weekday', 'out_of_range'],
    [{ workingHours: [{ weekday: 1, from: '9:00', to: '17:00' }] }, '/workingHours/0/from', 'too_short'],
    [{ workingHours: [{ weekday: 1, from: '25:00', to: '26:00' }] }, '/workingHours/0/from', 'invalid_format'],
    [{ workingHours: [{ weekday: 1, from: '17:00', to: '09:00' }] }, '/workingHours/0/to', 'out_of_range'],
    [
      {
        workingHours: [
          { weekday: 1, from: '09:00', to: '12:00' },
          { weekday: 1, from: '11:59', to: '17:00' },
        ],
      },
      '/workingHours/1',
      'not_unique',
    ],
    [{ holidays: [NEW_YEAR, NEW_YEAR] }, '/holidays/1/date', 'not_unique'],
    [{ holidays: [{ date: '2027-02-30', name: 'Never' }] }, '/holidays/0/date', 'invalid_date'],
    [{ timezone: 'Mars/Olympus' }, '/timezone', 'unknown_timezone'],
  ])('refuses %j', async (more, pointer, code) => {
    const made = (await calendar()).body;
    for (const answer of [await calendar(more), await tenant.api.patch(`${CALENDARS}/${made.id}`, more)]) {
      expect(answer).toMatchObject({ status: 400 });
      expect(answer.body['errors']).toContainEqual(expect.objectContaining({ pointer, code }));
    }
  });

  it('requires the permission for settings', async () => {
    const as = async (role: string) => (await platform.member(tenant, `A ${role}`, ['*'], { roles: [role] })).api;
    const { id } = (await calendar()).body;
    expect(await (await as('manager')).get(`${CALENDARS}/${id}`)).toMatchObject({ status: 200 });
    expect(await (await as('manager')).post(CALENDARS, { name: 'Mine' })).toMatchObject({ status: 403 });
    expect(await (await as('billing')).patch(`${CALENDARS}/${id}`, { name: 'Mine' })).toMatchObject({ status: 403 });
    expect(await (await as('member')).get(CALENDARS)).toMatchObject({ status: 403 });
    expect(await (await as('admin')).patch(`${CALENDARS}/${id}`, { name: 'Ours' })).toMatchObject({ status: 200 });
  });
});

describe('settings', () => {
  const refused = (pointer: string) => ({ status: 400, body: { errors: [{ pointer, code: 'unknown_reference' }] } });

  it('accept only existing, unarchived calendars of the tenant', async () => {
    const other = await platform.tenant();
    const foreign = await other.api.post<{ id: string }>(CALENDARS, { name: 'Theirs' });
    const { id } = (await calendar()).body;
    expect(await set({ general: { calendar: foreign.body.id } })).toMatchObject(refused('/general/calendar'));
    await tenant.api.post(`${CALENDARS}/${id}/archive`);
    expect(await set({ people: { holidayCalendar: id } })).toMatchObject(refused('/people/holidayCalendar'));
    await tenant.api.post(`${CALENDARS}/${id}/unarchive`);
    expect(await set({ people: { holidayCalendar: id } })).toMatchObject({ status: 200 });
  });

  it('prevent archiving a calendar that they use', async () => {
    const { id } = (await calendar()).body;
    const inUse = { status: 409, body: { code: 'in_use' } };
    for (const [section, key] of [
      ['general', 'calendar'],
      ['people', 'holidayCalendar'],
    ] as const) {
      await set({ [section]: { [key]: id } });
      expect(await tenant.api.post(`${CALENDARS}/${id}/archive`)).toMatchObject(inUse);
      await set({ [section]: { [key]: null } });
    }
    expect(await tenant.api.post(`${CALENDARS}/${id}/archive`)).toMatchObject({ status: 200 });
  });

  it('never use a calendar that is archived concurrently', async () => {
    for (let i = 0; i < 8; i++) {
      const { id } = (await calendar()).body;
      const [named, archived] = await Promise.all([
        set({ general: { calendar: id } }),
        tenant.api.post(`${CALENDARS}/${id}/archive`),
      ]);
      expect([named.status, archived.status].sort()).toEqual(named.status === 200 ? [200, 409] : [200, 400]);
      await set({ general: { calendar: null } });
    }
  });
});

describe('time off', () => {
  it('excludes the holidays of the people calendar, or else of the tenant calendar', async () => {
    const { id } = await employee();
    const days = async (start: string, end: string) => (await away(id, start, end)).body['days'];
    expect(await days('2026-12-28', '2027-01-03')).toBe(5);
    await set({ general: { calendar: (await calendar({ holidays: [NEW_YEAR] })).body.id } });
    expect(await days('2027-12-27', '2028-01-02')).toBe(5);
    const second = await employee();
    expect((await away(second.id, '2026-12-28', '2027-01-03')).body['days']).toBe(4);
    const holidays = [NEW_YEAR, { date: '2026-12-31', name: "New Year's Eve" }];
    await set({ people: { holidayCalendar: (await calendar({ holidays })).body.id } });
    const third = await employee();
    expect((await away(third.id, '2026-12-28', '2027-01-03')).body['days']).toBe(3);
    expect(await away(third.id, '2027-06-05', '2027-06-06')).toMatchObject({ status: 400 });
  });

  it('is recounted on approval; approved time off stays unchanged', async () => {
    const { id } = await employee();
    const holidayCalendar = (await calendar()).body.id;
    await set({ people: { holidayCalendar } });
    const [first, second] = [await away(id, '2026-12-28', '2027-01-03'), await away(id, '2027-01-04', '2027-01-08')];
    const path = (answer: Answer<Json>) => `${TIME_OFF}/${String(answer.body['id'])}`;
    expect(await tenant.api.post(`${path(second)}/approve`)).toMatchObject({ body: { days: 5 } });
    const holidays = [NEW_YEAR, { date: '2027-01-06', name: 'Epiphany' }];
    await tenant.api.patch(`${CALENDARS}/${holidayCalendar}`, { holidays });
    expect(await tenant.api.post(`${path(first)}/approve`)).toMatchObject({ body: { days: 4 } });
    expect(await tenant.api.get(path(second))).toMatchObject({ body: { days: 5 } });
  });

  it('excludes the holidays of the calendar of the employee, or else of the department', async () => {
    const days = async (id: string) => (await away(id, '2026-12-28', '2027-01-03')).body['days'];
    const make = async (path: string, body: object) =>
      (await tenant.api.post<Json & { id: string }>(path, body)).body.id;
    const eve = { date: '2026-12-31', name: "New Year's Eve" };
    const place = (await calendar({ holidays: [NEW_YEAR] })).body.id;
    const own = (await calendar({ holidays: [NEW_YEAR, eve] })).body.id;
    const departmentId = await make('/api/v1/people/departments', { name: 'Berlin', calendarId: place });
    const [plain, inBerlin] = [await employee(), await employee({ departmentId })];
    const special = await employee({ departmentId, calendarId: own });
    expect([await days(plain.id), await days(inBerlin.id), await days(special.id)]).toEqual([5, 4, 3]);
    const inUse = { status: 409, body: { code: 'in_use' } };
    for (const id of [place, own]) expect(await tenant.api.post(`${CALENDARS}/${id}/archive`)).toMatchObject(inUse);
    await tenant.api.patch(`${EMPLOYEES}/${special.id}`, { calendarId: null });
    expect(await tenant.api.post(`${CALENDARS}/${own}/archive`)).toMatchObject({ status: 200 });
    const answer = await tenant.api.patch(`${EMPLOYEES}/${special.id}`, { calendarId: own });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/calendarId' }] } });
  });

  it('requires at least one working day', async () => {
    await set({ general: { calendar: (await calendar({ holidays: [NEW_YEAR] })).body.id } });
    const { id } = await employee();
    expect(await away(id, '2027-01-01', '2027-01-03')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/endDate', code: 'no_work_day' }] },
    });
  });
});

describe('the work week', () => {
  const scheduleOf = async (more: object = {}) => (await employee(more))['workSchedule'];

  it('of new employees comes from their own calendar, else from the settings, else is Monday to Friday', async () => {
    const usual = { weeklyMinutes: 2400, days: ['mon', 'tue', 'wed', 'thu', 'fri'] };
    expect(await scheduleOf()).toEqual(usual);
    const workingHours = [
      { weekday: 7, from: '08:00', to: '12:00' },
      { weekday: 1, from: '08:00', to: '12:00' },
      { weekday: 1, from: '13:00', to: '17:30' },
    ];
    await set({ general: { calendar: (await calendar({ workingHours })).body.id } });
    expect(await scheduleOf()).toEqual({ weeklyMinutes: 750, days: ['mon', 'sun'] });
    await set({ people: { workWeek: ['tue', 'sat'] } });
    expect(await scheduleOf()).toEqual({ weeklyMinutes: 960, days: ['tue', 'sat'] });
    const saturday = [{ weekday: 6, from: '08:00', to: '12:00' }];
    const calendarId = (await calendar({ workingHours: saturday })).body.id;
    expect(await scheduleOf({ calendarId })).toEqual({ weeklyMinutes: 240, days: ['sat'] });
    const own = { weeklyMinutes: 60, days: ['wed'] };
    expect(await scheduleOf({ workSchedule: own })).toEqual(own);
    expect(await set({ people: { workWeek: [] } })).toMatchObject({ status: 400 });
  });
});
