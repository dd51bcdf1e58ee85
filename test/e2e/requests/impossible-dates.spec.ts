import { DAY_MS } from '#libs/kernel/durations.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import type { Json } from '../../matrix/operations.js';
import { acted, made, makeEmployee } from '../people/people-calls.js';
import { makeApplication, makeCandidate, openJob } from '../talent/talent-calls.js';

/** Dates that cannot be in relation to others or to now, and dates that the platform would calculate out of range. */
let platform: TestPlatform;
let tenant: TestTenant;
let nowMs: number;
beforeAll(async () => {
  platform = await startPlatform();
  nowMs = platform.clock.nowMs();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const EMPLOYEES = '/api/v1/people/employees';
/** Of one moment, so that times on the edge of a rule are exactly as far apart as they say. */
const at = (days: number) => new Date(nowMs + days * DAY_MS).toISOString();
const day = (days: number) => at(days).slice(0, 10);
const refused = (pointer: string) => ({ status: 400, body: { errors: [{ pointer, code: 'out_of_range' }] } });

interface Case {
  path: string;
  /** What a valid body needs besides the dates. */
  needs?: () => Promise<Json> | Json;
  /** Valid dates, and those that are refused together with them, by the pointer of the refusal. */
  valid: () => Json;
  refused: () => [pointer: string, dates: Json][];
}

const application = async () => {
  const { id } = await makeCandidate(tenant.api);
  const { id: jobId } = await openJob(tenant.api);
  return { applicationId: (await makeApplication(tenant.api, id, { jobId })).id };
};

const CASES: Record<string, Case> = {
  employee: {
    path: EMPLOYEES,
    needs: () => ({ name: 'Ada' }),
    valid: () => ({
      startDate: '2024-01-01',
      probationEndDate: '2024-01-01',
      contractEndDate: '2024-06-30',
      dateOfBirth: '1990-05-05',
    }),
    refused: () => [
      ['/probationEndDate', { probationEndDate: '2023-12-31' }],
      ['/contractEndDate', { contractEndDate: '2019-12-31' }],
      ['/dateOfBirth', { dateOfBirth: day(2), startDate: day(9), probationEndDate: null, contractEndDate: null }],
      ['/dateOfBirth', { dateOfBirth: '2024-01-01' }],
      ['/probationEndDate', { startDate: '2024-01-02' }],
    ],
  },
  candidate: {
    path: '/api/v1/talent/candidates',
    needs: () => ({ name: 'Ada' }),
    valid: () => ({ consent: { basis: 'consent', givenAt: at(-9), expiresAt: at(9) } }),
    refused: () => [
      ['/consent/givenAt', { consent: { basis: 'consent', givenAt: at(1), expiresAt: at(9) } }],
      ['/consent/givenAt', { consent: { basis: null, givenAt: at(1), expiresAt: null } }],
      ['/consent/expiresAt', { consent: { basis: 'consent', givenAt: at(-2), expiresAt: at(-3) } }],
    ],
  },
  contact: {
    path: '/api/v1/sales/contacts',
    needs: () => ({ name: 'Ada' }),
    valid: () => ({ consent: { email: 'subscribed', at: at(-1) } }),
    refused: () => [['/consent/at', { consent: { email: 'subscribed', at: at(1) } }]],
  },
  interview: {
    path: '/api/v1/talent/interviews',
    needs: application,
    valid: () => ({ startAt: at(1), endAt: at(2), feedbackDueAt: at(2) }),
    refused: () => [
      ['/endAt', { endAt: at(0.9) }],
      ['/endAt', { endAt: at(366), feedbackDueAt: null }],
      ['/feedbackDueAt', { feedbackDueAt: at(0) }],
      ['/feedbackDueAt', { endAt: at(1.5), feedbackDueAt: at(1.4) }],
    ],
  },
  offer: {
    path: '/api/v1/talent/offers',
    needs: application,
    valid: () => ({ expiresAt: at(3) }),
    refused: () => [['/expiresAt', { expiresAt: at(-1) }]],
  },
};

describe.each(Object.entries(CASES))('a date of the %s', (_type, { path, needs, valid, refused: wrong }) => {
  it('that cannot be is refused, new and changed', async () => {
    const more = (await needs?.()) ?? {};
    const record = await made(tenant.api, path, { ...more, ...valid() });
    for (const [pointer, dates] of wrong()) {
      expect(await tenant.api.post(path, { ...more, ...valid(), ...dates })).toMatchObject(refused(pointer));
      expect(await tenant.api.patch(`${path}/${record.id}`, dates)).toMatchObject(refused(pointer));
    }
    expect(await tenant.api.patch(`${path}/${record.id}`, { ...valid(), tags: ['kept'] })).toMatchObject({
      status: 200,
    });
  });
});

it('a change of employment after the last day is refused', async () => {
  const { id } = await makeEmployee(tenant.api);
  await acted(tenant.api, EMPLOYEES, id, 'start-offboarding', { terminationDate: day(9), type: 'other' });
  const change = (days: number) =>
    tenant.api.post(`${EMPLOYEES}/${id}/change-employment`, { effectiveDate: day(days), jobTitle: 'Lead' });
  expect(await change(10)).toMatchObject(refused('/effectiveDate'));
  expect(await change(9)).toMatchObject({ status: 200 });
});

describe('a date that the platform calculates', () => {
  const [FIRST, LAST] = ['1900-01-02', '8999-12-30'];
  const items = (offsetDays: number) => [{ key: 'one', title: 'One', offsetDays }];
  const checklist = async (appliesTo: string, offsetDays: number) =>
    (
      await made(tenant.api, '/api/settings/checklist-templates', {
        name: 'x',
        appliesTo,
        checklistItems: items(offsetDays),
      })
    ).id;
  /** A published project template with one milestone or task. */
  const template = async (parts: Json) => {
    const { id } = await made(tenant.api, '/api/v1/work/project-templates', { name: 'x', ...parts });
    await acted(tenant.api, '/api/v1/work/project-templates', id, 'publish');
    return id;
  };
  const project = async (startDate: string, parts: Json) =>
    tenant.api.post('/api/v1/work/projects', { name: 'x', startDate, templateId: await template(parts) });
  const task = (more: Json) => ({ tasks: [{ key: 'a', name: 'a', ...more }] });

  const PLACES: Record<string, (date: string, offsetDays: number) => Promise<{ status: number }>> = {
    'a task of a template': (date, offsetDays) => project(date, task({ offsetDays })),
    'the start of a task of a template': (date, offsetDays) =>
      project(date, task(offsetDays < 0 ? { offsetDays: 0, durationDays: 20 } : { offsetDays, durationDays: 0 })),
    'a milestone of a template': (date, offsetDays) =>
      project(date, { milestones: [{ key: 'm', name: 'm', offsetDays }] }),
    'the checklist of a project template': async (date, offsetDays) =>
      project(date, { checklistTemplateId: await checklist('project', offsetDays) }),
    'a checklist': async (date, offsetDays) => {
      const { id } = await made(tenant.api, '/api/v1/sales/deals', { name: 'x' });
      const templateId = await checklist('other', offsetDays);
      const subject = { object: 'sales.deal', id };
      return tenant.api.post('/api/operations/checklists', { templateId, subject, startDate: date });
    },
    'an onboarding': async (date, offsetDays) => {
      const { id } = await makeEmployee(tenant.api, { startDate: date, status: 'pending' });
      const templateId = await checklist('onboarding', offsetDays);
      return tenant.api.post(`${EMPLOYEES}/${id}/start-onboarding`, { templateId });
    },
    'an offboarding': async (date, offsetDays) => {
      const { id } = await makeEmployee(tenant.api);
      const templateId = await checklist('offboarding', offsetDays);
      const leaving = { terminationDate: date, type: 'other', templateId };
      return tenant.api.post(`${EMPLOYEES}/${id}/start-offboarding`, leaving);
    },
    'a moved offboarding': async (date, offsetDays) => {
      const { id } = await makeEmployee(tenant.api);
      const templateId = await checklist('offboarding', offsetDays);
      const leaving = { terminationDate: day(30), type: 'other', templateId };
      await acted(tenant.api, EMPLOYEES, id, 'start-offboarding', leaving);
      return tenant.api.post(`${EMPLOYEES}/${id}/change-last-day`, { terminationDate: date });
    },
  };

  /** Their offsets are never negative, or an employee who begins in the past is active at once. */
  const FORWARD = ['a task of a template', 'a milestone of a template', 'an onboarding'];

  const TRIES = Object.keys(PLACES).flatMap((place): [string, string, string, number][] => [
    ...(FORWARD.includes(place) ? [] : [[place, 'before 1900', FIRST, -10] as [string, string, string, number]]),
    [place, 'after 8999', LAST, 10],
  ]);

  it.each(TRIES)('for %s is refused %s', async (place, _what, date, offsetDays) => {
    const answer = await PLACES[place]!(date, offsetDays);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 'out_of_range' }] } });
    const inside = await PLACES[place]!('2099-06-08', offsetDays);
    expect([200, 201]).toContain(inside.status);
  });
});
