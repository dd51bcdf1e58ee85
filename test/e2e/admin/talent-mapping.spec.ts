import { MAX_ATTEMPTS } from '#libs/automation/retry-pauses.js';
import { DAY_MS, HOUR_MS } from '#libs/kernel/durations.js';
import type { TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';
import { acceptedOffer, act, CANDIDATES, makeCandidate, openJob } from '../talent/talent-calls.js';
import {
  change,
  EMPLOYEES,
  hired,
  type Json,
  mappingOf,
  MAPPINGS,
  newMapping,
  newTemplate,
  type Shown,
  states,
  workerOf,
} from './mapping-calls.js';

/** Talent mappings: how hired candidates become employees. */
let stage: Stage;
let tenant: TestTenant;
let work: () => Promise<void>;
beforeAll(async () => {
  stage = await Stage.open();
  work = await workerOf(stage);
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterAll(() => stage.close());

const manually = () => tenant.api.patch('/api/admin/settings', { talent: { autoApply: false } });
const dayIn = (days: number) => new Date(stage.platform.clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10);
const employee = async (id: string | null) => (await tenant.api.get<Json>(`${EMPLOYEES}/${id}`)).body;
const invitation = async (id: string | null) => (await tenant.api.get<Json>(`/api/admin/invitations/${id}`)).body;
const make = async (api: typeof tenant.api, body: object) =>
  (await api.post<Json>('/api/settings/checklist-templates', body)).body;
const counts = async () => {
  const [row] = await stage.sql<{ n: string }>(
    `select concat_ws(' ', (select count(*) from data.people_employees where tenant_id = $1),
       (select count(*) from data.invitations where tenant_id = $1), (select count(*) from data.talent_mappings where tenant_id = $1)) as n`,
    [tenant.id],
  );
  return row!.n;
};

/** Applies the mapping of a hired candidate and runs all steps that are due. */
async function applied(candidateId: string): Promise<Shown> {
  await work();
  const { id } = await mappingOf(tenant.api, candidateId);
  expect(await change(tenant.api, id, { action: 'apply' })).toMatchObject({ status: 200 });
  await work();
  return mappingOf(tenant.api, candidateId);
}

describe('a hire', () => {
  it('is applied at once by default, with the values of hire, offer and template', async () => {
    const { api } = tenant;
    await newTemplate(api, {
      match: { employmentTypes: ['part_time'] },
      defaults: { workEmail: '{{firstInitial}}{{lastName}}@acme.example' },
      fieldMap: [{ from: 'candidate.currentTitle', to: 'employee.preferredName', transform: 'uppercase' }],
    });
    const id = await hired(api);
    await api.patch(`${CANDIDATES}/${id}`, { currentTitle: 'zo' });
    await work();
    const mapping = await mappingOf(api, id);
    expect(mapping).toMatchObject({ status: 'applied', missing: [], appliedBy: { type: 'automation' } });
    expect(states(mapping)).toEqual({ employee: 'done' });
    expect(await employee(mapping.employeeId)).toMatchObject({
      status: 'pending',
      firstName: 'Zoë',
      preferredName: 'ZO',
      jobTitle: 'Astronomer',
      employmentType: 'part_time',
      startDate: '2099-01-05',
      workEmail: expect.stringMatching(/^zgross\d+@acme\.example$/),
      candidateId: id,
      mappingId: mapping.id,
    });
    expect((await api.get(`${CANDIDATES}/${id}`)).body).toMatchObject({ employeeId: mapping.employeeId });
  });

  it.each([
    ['today', 0],
    ['in the past', -20],
  ])('for a first day %s makes an active employee', async (_day, days) => {
    const id = await hired(tenant.api, dayIn(days));
    await work();
    const { employeeId } = await mappingOf(tenant.api, id);
    expect(await employee(employeeId)).toMatchObject({ status: 'active' });
  });

  it('for a first day in the past leaves the employee pending until what comes before it is done', async () => {
    const { api } = tenant;
    const checklist = { name: 'Welcome', appliesTo: 'onboarding' };
    const items = [{ key: 'visa', title: 'Visa', required: true, offsetDays: -5 }];
    const { id: onboardingTemplateId } = await make(api, { ...checklist, checklistItems: items });
    await newTemplate(api, { isDefault: true, onboardingTemplateId });
    const candidate = await hired(api, dayIn(-1));
    await work();
    const { employeeId } = await mappingOf(api, candidate);
    expect(await employee(employeeId)).toMatchObject({ status: 'pending' });
    const { body } = await api.get<{ data: Json[] }>(
      `/api/operations/checklists?subject=people.employee:${employeeId}`,
    );
    const path = `/api/operations/checklists/${body.data[0]!.id}/items/visa`;
    expect(await api.patch(path, { status: 'done' })).toMatchObject({ status: 200 });
    stage.platform.clock.advance(DAY_MS);
    await work();
    expect(await employee(employeeId)).toMatchObject({ status: 'active' });
  });

  it.each([
    ['Łukasz', 'Żółć', 'lukasz.zolc@acme.example'],
    ['Işıl', "O'Þór", 'isil.othor@acme.example'],
    ['Иван', 'Petrow', null],
    ['Ёлка-Anna', 'Smith', null],
  ])('of %s %s gets the work address %s', async (firstName, lastName, workEmail) => {
    await newTemplate(tenant.api, {
      isDefault: true,
      defaults: { workEmail: '{{firstName}}.{{lastName}}@acme.example' },
    });
    const { id } = await makeCandidate(tenant.api, { firstName, lastName });
    expect(await newMapping(tenant.api, { candidateId: id })).toMatchObject({ values: { workEmail } });
  });

  it('waits for a person if the tenant wants that', async () => {
    await manually();
    const id = await hired(tenant.api);
    await work();
    expect(await mappingOf(tenant.api, id)).toMatchObject({ status: 'ready', employeeId: null, steps: [] });
  });

  it('completes and applies the mapping prepared before it', async () => {
    const { api } = tenant;
    const { id, applicationId } = await makeCandidate(api);
    const draft = await newMapping(api, { candidateId: id, values: { jobTitle: 'Head of stars' } });
    expect(draft).toMatchObject({ status: 'draft', missing: ['startDate'], applicationId });
    await api.post(`${CANDIDATES}/${id}/hire`, { startDate: '2099-02-01', jobTitle: 'Other', force: true });
    await work();
    const mapping = await mappingOf(api, id);
    expect(mapping).toMatchObject({ id: draft.id, status: 'applied' });
    expect(await employee(mapping.employeeId)).toMatchObject({ jobTitle: 'Head of stars', startDate: '2099-02-01' });
  });

  it('is applied after the preparation of it was cancelled, but not again once somebody cancelled it', async () => {
    const { api } = tenant;
    const { id } = await makeCandidate(api);
    const draft = await newMapping(api, { candidateId: id });
    await change(api, draft.id, { action: 'cancel' });
    await api.post(`${CANDIDATES}/${id}/hire`, { startDate: '2099-02-01', force: true });
    await work();
    const mapping = await mappingOf(api, id);
    expect(mapping).toMatchObject({ status: 'applied', employeeId: expect.any(String) });
    expect(mapping.id).not.toBe(draft.id);

    const other = await makeCandidate(api);
    await api.post(`${CANDIDATES}/${other.id}/hire`, { startDate: '2099-02-01', force: true });
    const { id: unwanted } = await newMapping(api, { candidateId: other.id });
    await change(api, unwanted, { action: 'cancel' });
    await work();
    expect(await mappingOf(api, other.id)).toMatchObject({ id: unwanted, status: 'cancelled' });
  });

  it('replaces what a mapping prepared before it derived from job and template, and nothing that was set', async () => {
    const { api } = tenant;
    const department = async (name: string) => (await api.post<Json>('/api/v1/people/departments', { name })).body.id;
    const [ofJob, ofHire, chosen] = [await department('Job'), await department('Hire'), await department('Chosen')];
    const head = (await api.post<Json>(EMPLOYEES, { name: 'Grace Hopper' })).body.id;
    const managers = { managerId: head, jobTitle: 'Employee' };
    await newTemplate(api, { isDefault: true, defaults: managers });
    const job = await openJob(api, { departmentId: ofJob, employmentType: 'intern', openings: 9 });
    const prepared = async (values: object) => {
      const { id, applicationId } = await makeCandidate(api, { jobId: job.id });
      const { values: shown, ...mapping } = await newMapping(api, { candidateId: id, values });
      expect(mapping).not.toHaveProperty('given');
      expect(shown).toMatchObject({ ...managers, departmentId: ofJob, employmentType: 'intern', ...values });
      await acceptedOffer(api, applicationId!, { jobTitle: 'Astronomer', employmentType: 'part_time' });
      return { id, mappingId: mapping.id };
    };
    const result = async ({ id }: { id: string }) => {
      await act(api, `${CANDIDATES}/${id}`, 'hire', { startDate: '2099-02-01', departmentId: ofHire });
      await work();
      return employee((await mappingOf(api, id)).employeeId);
    };
    const derived = { departmentId: ofHire, jobTitle: 'Astronomer', employmentType: 'part_time', managerId: head };
    expect(await result(await prepared({}))).toMatchObject(derived);
    expect(await result(await prepared({ departmentId: chosen }))).toMatchObject({ ...derived, departmentId: chosen });
    const patched = await prepared({ departmentId: chosen });
    await change(api, patched.mappingId, { values: { departmentId: null, employmentType: 'contractor' } });
    expect(await result(patched)).toMatchObject({ ...derived, employmentType: 'contractor' });
  });

  it('with a privileged role is left to a person', async () => {
    const admin = '00000000-0000-7000-8000-000000000002';
    await newTemplate(tenant.api, { isDefault: true, createMembership: true, defaults: { roleIds: [admin] } });
    const id = await hired(tenant.api);
    await work();
    expect(await mappingOf(tenant.api, id)).toMatchObject({ status: 'ready' });
  });
});

describe('the choice of the template', () => {
  it('prefers more criteria, then age, then the default', async () => {
    const { api } = tenant;
    const standard = await newTemplate(api, { name: 'Standard', isDefault: true });
    const { id } = await makeCandidate(api, { location: { country: 'DE' } });
    const chosen = async () => (await newMapping(api, { candidateId: id, preview: true }))['templateId'];
    expect(await chosen()).toBe(standard.id);
    const german = await newTemplate(api, { match: { countries: ['AT', 'DE'] } });
    await newTemplate(api, { match: { countries: ['DE'] } });
    await newTemplate(api, { match: { countries: ['DE'], employmentTypes: ['intern'] } });
    expect(await chosen()).toBe(german.id);
    const replacing = await newTemplate(api, { name: 'New standard', isDefault: true });
    const { body } = await api.get<{ templates: Json[] }>(`${MAPPINGS}?include=templates`);
    expect(body.templates.filter(({ isDefault }) => isDefault).map((each) => each.id)).toEqual([replacing.id]);
  });

  it('is left to the hire if that names one', async () => {
    const { api } = tenant;
    await manually();
    await newTemplate(api, { isDefault: true });
    const named = await newTemplate(api, { name: 'Office', defaults: { workEmail: '{{firstName}}@acme.example' } });
    const { id, applicationId } = await makeCandidate(api, { name: 'Ada King' });
    const hire = (mappingTemplateId: string) =>
      api.post(`${CANDIDATES}/${id}/hire`, { startDate: '2099-02-01', force: true, mappingTemplateId });
    const foreign = await newTemplate((await stage.platform.tenant()).api);
    expect(await hire(foreign.id)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/mappingTemplateId', code: 'unknown_reference' }] },
    });
    expect(await hire(named.id)).toMatchObject({ status: 200 });
    expect((await api.get(`/api/v1/talent/applications/${applicationId}`)).body).toMatchObject({
      mappingTemplateId: named.id,
    });
    await work();
    expect(await mappingOf(api, id)).toMatchObject({
      templateId: named.id,
      values: { workEmail: 'ada@acme.example' },
    });
  });
});

test('the template that a hire names replaces that of a mapping prepared before, with all its effects', async () => {
  const { api } = tenant;
  const email = (domain: string) => `{{firstName}}@${domain}.example`;
  await newTemplate(api, { isDefault: true, createMembership: true, defaults: { workEmail: email('standard') } });
  const fieldMap = [{ from: 'candidate.currentTitle', to: 'employee.preferredName' }];
  const named = await newTemplate(api, { name: 'Office', fieldMap, defaults: { workEmail: email('office') } });
  const { id } = await makeCandidate(api, { name: 'Ada King', currentTitle: 'Countess' });
  const prepared = await newMapping(api, { candidateId: id, values: { jobTitle: 'Analyst' } });
  expect(prepared).toMatchObject({ values: { workEmail: 'ada@standard.example' } });
  await act(api, `${CANDIDATES}/${id}`, 'hire', { startDate: '2099-02-01', force: true, mappingTemplateId: named.id });
  await work();
  const mapping = await mappingOf(api, id);
  expect(mapping).toMatchObject({ id: prepared.id, templateId: named.id, status: 'applied' });
  expect(states(mapping)).toEqual({ employee: 'done' });
  expect(await employee(mapping.employeeId)).toMatchObject({
    workEmail: 'ada@office.example',
    preferredName: 'Countess',
    jobTitle: 'Analyst',
  });
});

describe('giving up', () => {
  it('fails the step, with its error, an audit entry and an event, and can be retried', async () => {
    const { api } = tenant;
    const candidate = await hired(api);
    await stage.sql(`create function data.test_fault() returns trigger language plpgsql as $$
      begin raise exception 'The disk is full.' using errcode = 'XX000'; end $$`);
    await stage.sql(`create trigger test_fault before insert on data.people_employees
      for each row when (new.tenant_id = '${tenant.id}') execute function data.test_fault()`);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await work();
      stage.platform.clock.advance(HOUR_MS);
    }
    const failed = await mappingOf(api, candidate);
    const step = { key: 'employee', status: 'failed', error: { code: 'internal_error', message: 'The disk is full.' } };
    expect(failed).toMatchObject({ status: 'failed', employeeId: null, steps: [step] });
    expect(await logged(failed.id)).toMatchObject([{ actor: { type: 'automation' } }]);
    await stage.sql('drop function data.test_fault cascade');
    await change(api, failed.id, { action: 'retry' });
    await work();
    expect(await mappingOf(api, candidate)).toMatchObject({ status: 'applied', steps: [{ error: null }] });
  });

  /** The failures of a mapping, which have both an event and an audit entry. */
  async function logged(id: string): Promise<Json[]> {
    const type = 'talent.mapping.failed';
    const events = await stage.sql<{ id: string }>('select id from data.events where subject_id = $1 and type = $2', [
      id,
      type,
    ]);
    const { data } = (await tenant.api.get<{ data: Json[] }>(`/api/admin/audit-logs?action=${type}`)).body;
    expect(events).toHaveLength(data.length);
    return data;
  }
});

describe('a preview', () => {
  it('shows employee and invitation, and changes nothing', async () => {
    const { api } = tenant;
    const email = '{{firstName}}.{{lastName}}@acme.example';
    await newTemplate(api, { isDefault: true, createMembership: true, defaults: { workEmail: email } });
    const { id } = await makeCandidate(api, { name: 'Ada King', email: 'ada@home.example' });
    const before = await counts();
    const body = { candidateId: id, values: { startDate: '2099-03-01' }, preview: true };
    expect(await api.post(MAPPINGS, body)).toMatchObject({
      status: 200,
      body: {
        missing: [],
        employee: { name: 'Ada King', workEmail: 'ada.king@acme.example', personalEmail: 'ada@home.example' },
        invitation: { email: 'ada.king@acme.example', sendAt: '2099-02-13T00:00:00.000Z', validDays: 30 },
      },
    });
    expect(await counts()).toBe(before);
    const recruiter = await stage.platform.key(tenant, ['talent-mappings:write', 'candidates:read']);
    expect((await recruiter.post<{ employee: object }>(MAPPINGS, body)).body.employee).not.toHaveProperty(
      'personalEmail',
    );
  });
});

describe('the invitation', () => {
  const invited = { isDefault: true, createMembership: true, copyPay: true };

  it('waits until 16 days before the start date, then for the time of the template', async () => {
    const { api } = tenant;
    await manually();
    await newTemplate(api, { ...invited, inviteDaysBeforeStart: 10 });
    const candidate = await hired(api, dayIn(40));
    const waiting = await applied(candidate);
    expect(waiting).toMatchObject({ status: 'applying', invitationId: null });
    expect(states(waiting)).toEqual({ pay: 'done', employee: 'done', invitation: 'waiting' });
    stage.platform.clock.advance(29 * DAY_MS);
    await work();
    expect(await mappingOf(api, candidate)).toMatchObject({ status: 'applying' });
    stage.platform.clock.advance(DAY_MS);
    await work();
    const mapping = await mappingOf(api, candidate);
    expect(mapping).toMatchObject({ status: 'applied' });
    expect(await invitation(mapping.invitationId)).toMatchObject({
      status: 'pending',
      email: expect.stringContaining('@home.example'),
      employeeId: mapping.employeeId,
      invitedBy: { name: 'test' },
    });
  });

  it('moves with the first day of the employee', async () => {
    const { api } = tenant;
    await newTemplate(api, { ...invited, inviteDaysBeforeStart: 10 });
    const candidate = await hired(api, dayIn(40));
    await work();
    const { employeeId } = await mappingOf(api, candidate);
    await api.patch(`${EMPLOYEES}/${employeeId}`, { startDate: dayIn(12) });
    await work();
    expect(await mappingOf(api, candidate)).toMatchObject({ status: 'applying' });
    await api.patch(`${EMPLOYEES}/${employeeId}`, { startDate: dayIn(5) });
    await work();
    expect(await mappingOf(api, candidate)).toMatchObject({ status: 'applied', invitationId: expect.any(String) });
  });

  it.each([
    ['14 days after the first day', 5, 19],
    ['30 days at most', 16, 30],
    ['7 days at least', -20, 7],
  ])('is valid until %s', async (_limit, startsIn, days) => {
    const { api } = tenant;
    await newTemplate(api, invited);
    const candidate = await hired(api, dayIn(startsIn));
    await work();
    const { expiresAt, createdAt } = await invitation((await mappingOf(api, candidate)).invitationId);
    expect(Date.parse(String(expiresAt)) - Date.parse(String(createdAt))).toBe(days * DAY_MS);
  });

  it('fails without a seat or with a taken address, and continues there on retry', async () => {
    const { api } = tenant;
    await manually();
    await newTemplate(api, invited);
    await api.post('/api/admin/invitations', { email: 'taken@acme.example' });
    const candidate = await hired(api, dayIn(5));
    await work();
    const { id } = await mappingOf(api, candidate);
    await change(api, id, { values: { workEmail: 'taken@acme.example' }, action: 'apply' });
    await work();
    const failed = await mappingOf(api, candidate);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed.steps.at(-1)).toMatchObject({ key: 'invitation', status: 'failed', error: { code: 'duplicate' } });
    await api.patch(`${EMPLOYEES}/${failed.employeeId}`, { workEmail: 'free@acme.example' });
    expect(await change(api, id, { values: { workEmail: 'free@acme.example' }, action: 'retry' })).toMatchObject({
      status: 200,
      body: { invitee: 'free@acme.example', effects: [{ key: 'invitation', status: 'planned' }] },
    });
    await work();
    expect(await mappingOf(api, candidate)).toMatchObject({ status: 'applied', employeeId: failed.employeeId });
    expect(await counts()).toBe('1 2 1');
  });
});

describe('the list', () => {
  it('is limited to mappings that start before a date', async () => {
    const { api } = tenant;
    const [early, late] = [await makeCandidate(api), await makeCandidate(api)];
    await newMapping(api, { candidateId: early.id, values: { startDate: '2099-01-05' } });
    await newMapping(api, { candidateId: late.id, values: { startDate: '2099-01-06' } });
    await newMapping(api, { candidateId: (await makeCandidate(api)).id });
    const before = async (date: string) =>
      (await api.get<{ data: Json[] }>(`${MAPPINGS}?startBefore=${date}`)).body.data.map((each) => each['candidateId']);
    expect(await before('2099-01-05')).toEqual([]);
    expect(await before('2099-01-06')).toEqual([early.id]);
    expect(await before('2099-01-07')).toEqual([late.id, early.id]);
  });
});

describe('pay', () => {
  it('is left out by automations, and the step says so', async () => {
    await newTemplate(tenant.api, { isDefault: true, copyPay: true });
    const id = await hired(tenant.api);
    await work();
    const mapping = await mappingOf(tenant.api, id);
    expect(mapping.steps[0]).toMatchObject({ key: 'pay', status: 'skipped', error: { code: 'pay_left_out' } });
    const { body } = await tenant.api.get<{ data: Json[] }>(`${EMPLOYEES}/${mapping.employeeId}/employments`);
    expect(body.data[0]).toMatchObject({ payAmountMinor: null });
  });

  it('is copied for those who may set it, and refused to others', async () => {
    const { api } = tenant;
    await manually();
    await newTemplate(api, { isDefault: true, copyPay: true });
    const candidate = await hired(api);
    await work();
    const { id } = await mappingOf(api, candidate);
    const scopes = ['talent-mappings:read', 'talent-mappings:write', 'talent-mappings:apply', 'candidates:read'];
    const without = await stage.platform.key(tenant, scopes);
    expect(await change(without, id, { action: 'apply' })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'employees.compensation:write' },
    });
    const { employeeId } = await applied(candidate);
    const { body } = await api.get<{ data: Json[] }>(`${EMPLOYEES}/${employeeId}/employments`);
    expect(body.data[0]).toMatchObject({ payAmountMinor: 7_200_000, payCurrency: 'EUR', payPeriod: 'year' });
  });
});

describe('the checklist', () => {
  it('is started for the employee', async () => {
    const { api } = tenant;
    const checklist = { name: 'Welcome', appliesTo: 'onboarding', checklistItems: [{ key: 'desk', title: 'Desk' }] };
    const { body } = await api.post<Json>('/api/settings/checklist-templates', checklist);
    await newTemplate(api, { isDefault: true, onboardingTemplateId: body.id });
    const id = await hired(api);
    await work();
    const { employeeId, steps } = await mappingOf(api, id);
    const list = await api.get<{ data: Json[] }>(`/api/operations/checklists?subject=people.employee:${employeeId}`);
    expect(list.body.data).toMatchObject([{ id: steps[1]!.target!.id, title: 'Welcome', startDate: '2099-01-05' }]);
  });
});
