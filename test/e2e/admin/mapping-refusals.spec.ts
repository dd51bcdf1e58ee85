import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';
import { CANDIDATES, makeCandidate } from '../talent/talent-calls.js';
import {
  change,
  EMPLOYEES,
  hired,
  type Json,
  mappingOf,
  MAPPINGS,
  newMapping,
  newTemplate,
  workerOf,
} from './mapping-calls.js';

/** What talent mappings refuse, and what cancelling one reverts. */
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

const TEMPLATES = `${MAPPINGS}/templates`;
const draft = (candidateId: string, body: object = {}) =>
  tenant.api.post<Json>(MAPPINGS, { candidateId, values: { startDate: '2099-01-05' }, ...body });
const employee = async (id: string | null) => tenant.api.get<Json>(`${EMPLOYEES}/${id}`);

describe('a mapping', () => {
  it('of somebody who is not hired is not applied, but drafted', async () => {
    const { id } = await makeCandidate(tenant.api);
    const { body } = await draft(id);
    expect(body).toMatchObject({ status: 'ready' });
    expect(await change(tenant.api, body.id, { action: 'apply' })).toMatchObject({
      status: 409,
      body: { code: 'candidate_not_hired' },
    });
    expect((await mappingOf(tenant.api, id)).steps).toEqual([]);
  });

  it('is the only live one of its application', async () => {
    const { id } = await makeCandidate(tenant.api);
    const { body } = await draft(id);
    expect(await draft(id)).toMatchObject({ status: 409, body: { code: 'mapping_exists' } });
    await change(tenant.api, body.id, { action: 'cancel' });
    const answers = await Promise.all([draft(id), draft(id), draft(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('is applied once, and only with all values', async () => {
    await tenant.api.patch('/api/admin/settings', { talent: { autoApply: false } });
    const candidate = await hired(tenant.api);
    await work();
    const { id } = await mappingOf(tenant.api, candidate);
    expect(await change(tenant.api, id, { values: { startDate: null } })).toMatchObject({
      body: { status: 'draft', missing: ['startDate'] },
    });
    expect(await change(tenant.api, id, { action: 'apply' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', state: 'draft', detail: expect.stringContaining('startDate') },
    });
    const apply = { values: { startDate: '2099-01-05' }, action: 'apply' };
    const answers = await Promise.all([change(tenant.api, id, apply), change(tenant.api, id, apply)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await work();
    expect(await mappingOf(tenant.api, candidate)).toMatchObject({ status: 'applied' });
  });

  it('accepts no unknown records, and no roles beyond those of the caller', async () => {
    const { api } = tenant;
    const { id } = await makeCandidate(api);
    const unknown = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b99';
    for (const [field, value] of [
      ['departmentId', unknown],
      ['managerId', unknown],
      ['workspaceIds', [unknown]],
      ['roleIds', [unknown]],
    ] as const)
      expect(await draft(id, { values: { [field]: value } })).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'unknown_reference', pointer: expect.stringContaining(`/values/${field}`) }] },
      });
    expect(await draft(unknown)).toMatchObject({ status: 400, body: { errors: [{ pointer: '/candidateId' }] } });
    expect(await draft(id, { templateId: unknown })).toMatchObject({ status: 400 });
    const writer = await stage.platform.key(tenant, ['talent-mappings:write', 'candidates:read']);
    const roleIds = [SYSTEM_ROLE_IDS.admin];
    expect(await writer.post(MAPPINGS, { candidateId: id, values: { roleIds } })).toMatchObject({
      status: 403,
      body: { code: 'grant_exceeds_rights' },
    });
    expect(await draft(id, { name: 'No' })).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'not_with_type' }] },
    });
  });

  it('is applied and retried only with the permission for that, and an attempt without it is on record', async () => {
    await tenant.api.patch('/api/admin/settings', { talent: { autoApply: false } });
    const candidate = await hired(tenant.api);
    await work();
    const { id } = await mappingOf(tenant.api, candidate);
    const writer = await stage.platform.key(tenant, [
      'talent-mappings:read',
      'talent-mappings:write',
      'candidates:read',
    ]);
    const unknown = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b99';
    for (const [action, target] of [
      ['apply', id],
      ['retry', id],
      ['apply', unknown], // asked before it is read
    ] as const) {
      const refused = await change(writer, target, { action });
      expect(refused).toMatchObject({ status: 403, body: { requiredPermission: 'talent-mappings:apply' } });
      const entries = await tenant.api.get<{ data: Json[] }>(
        `/api/admin/audit-logs?requestId=${refused.headers.get('x-request-id')}`,
      );
      expect(entries.body.data).toMatchObject([{ action: 'admin.talent_mapping.change' }]);
    }
  });

  it('is seen only by those who see its candidate', async () => {
    const { id: workspaceId } = (await tenant.api.post<Json>('/api/admin/workspaces', { name: 'Lab' })).body;
    const inside = await makeCandidate(tenant.api, { workspaceId });
    const outside = await makeCandidate(tenant.api);
    for (const { id } of [inside, outside]) await draft(id);
    const role = { name: 'Lab', permissions: ['candidates:*@workspace', 'talent-mappings:*@workspace'] };
    const { id: roleId } = (await tenant.api.post<Json>('/api/admin/roles', role)).body;
    const { api } = await stage.platform.member(tenant, 'Lab', ['*'], {
      roles: [roleId],
      workspaces: { [workspaceId]: 'member' },
    });
    const { body } = await api.get<{ data: Json[] }>(MAPPINGS);
    expect(body.data.map(({ candidateId }) => candidateId)).toEqual([inside.id]);
    const { id } = await mappingOf(tenant.api, outside.id);
    expect(await change(api, id, { action: 'cancel' })).toMatchObject({ status: 404 });
  });
});

describe('cancelling', () => {
  const invited = { isDefault: true, createMembership: true };

  it('reverts an applied mapping before the start date', async () => {
    const { api } = tenant;
    await newTemplate(api, invited);
    const startDate = new Date(stage.platform.clock.nowMs() + 5 * 86_400_000).toISOString().slice(0, 10);
    const candidate = await hired(api, startDate);
    await work();
    const { id, employeeId, invitationId } = await mappingOf(api, candidate);
    expect(await change(api, id, {})).toMatchObject({ status: 200, body: { status: 'applied', effects: [] } });
    const answer = await change(api, id, { action: 'cancel', reason: 'Took another job' });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: 'cancelled',
        effects: [
          { key: 'invitation', status: 'reverted', target: { id: invitationId } },
          { key: 'employee', status: 'reverted', target: { id: employeeId } },
        ],
      },
    });
    expect(await employee(employeeId)).toMatchObject({ status: 404 });
    expect((await api.get(`/api/admin/invitations/${invitationId}`)).body).toMatchObject({ status: 'revoked' });
    expect((await api.get(`${CANDIDATES}/${candidate}`)).body).toMatchObject({ employeeId: null });
    const again = await newMapping(api, { candidateId: candidate });
    await change(api, again.id, { action: 'apply' });
    await work();
    expect(await mappingOf(api, candidate)).toMatchObject({ id: again.id, status: 'applied' });
  });

  it('keeps an employee whom somebody has changed', async () => {
    const candidate = await hired(tenant.api);
    await work();
    const { id, employeeId } = await mappingOf(tenant.api, candidate);
    await tenant.api.patch(`${EMPLOYEES}/${employeeId}`, { jobTitle: 'Star gazer' });
    expect(await change(tenant.api, id, { action: 'cancel' })).toMatchObject({
      body: { status: 'cancelled', effects: [{ key: 'employee', status: 'kept' }] },
    });
    expect(await employee(employeeId)).toMatchObject({ status: 200, body: { jobTitle: 'Star gazer' } });
  });

  it('skips what is gone for good', async () => {
    await newTemplate(tenant.api, invited);
    const startDate = new Date(stage.platform.clock.nowMs() + 5 * 86_400_000).toISOString().slice(0, 10);
    const candidate = await hired(tenant.api, startDate);
    await work();
    const { id, employeeId, invitationId } = await mappingOf(tenant.api, candidate);
    await stage.sql('update data.talent_mappings set employee_id = null where id = $1', [id]); // as once it is purged
    expect(await change(tenant.api, id, { action: 'cancel' })).toMatchObject({
      body: {
        status: 'cancelled',
        effects: [{ key: 'invitation', status: 'reverted', target: { id: invitationId } }],
      },
    });
    expect(await employee(employeeId)).toMatchObject({ status: 200 });
  });

  it('is refused from the start date on', async () => {
    const today = new Date(stage.platform.clock.nowMs()).toISOString().slice(0, 10);
    const candidate = await hired(tenant.api, today);
    await work();
    const { id } = await mappingOf(tenant.api, candidate);
    expect(await change(tenant.api, id, { action: 'cancel' })).toMatchObject({
      status: 409,
      body: { code: 'employment_begun' },
    });
  });
});

describe('a template', () => {
  const create = (body: object) => tenant.api.post<Json>(MAPPINGS, { type: 'template', name: 'T', ...body });

  it('accepts only known placeholders, paths and records', async () => {
    const unknown = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b99';
    const faults: [body: object, pointer: string, code: string][] = [
      [{ defaults: { workEmail: '{{nick}}@acme.example' } }, '/defaults/workEmail', 'unknown_placeholder'],
      [{ defaults: { workEmail: '{{firstName}}@acme' } }, '/defaults/workEmail', 'invalid_format'],
      [{ defaults: { jobTitle: '{{firstName' } }, '/defaults/jobTitle', 'unknown_placeholder'],
      [{ fieldMap: [{ from: 'candidate.salary', to: 'employee.phone' }] }, '/fieldMap/0/from', 'unknown_path'],
      [{ fieldMap: [{ from: 'candidate.email', to: 'employee.bankAccount' }] }, '/fieldMap/0/to', 'unknown_path'],
      [{ fieldMap: [{ from: 'candidate.phones', to: 'employee.phone' }] }, '/fieldMap/0/transform', 'invalid_value'],
      [
        { fieldMap: [{ from: 'candidate.skills', to: 'employee.phone', transform: 'trim' }] },
        '/fieldMap/0/transform',
        'invalid_value',
      ],
      [{ fieldMap: [{ from: 'candidate.headline', to: 'employee.dateOfBirth' }] }, '/fieldMap/0/from', 'invalid_type'],
      [
        { fieldMap: [{ from: 'candidate.links', to: 'employee.dateOfBirth', transform: 'first' }] },
        '/fieldMap/0/from',
        'invalid_type',
      ],
      [{ match: { jobIds: [unknown] } }, '/match/jobIds', 'unknown_reference'],
      [{ onboardingTemplateId: unknown }, '/onboardingTemplateId', 'unknown_reference'],
      [{ preview: true }, '/preview', 'not_with_type'],
    ];
    for (const [body, pointer, code] of faults)
      expect(await create(body)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });

  it('is changed, and deleted unless it is the default or in use', async () => {
    const { api } = tenant;
    const standard = await newTemplate(api, { isDefault: true });
    const other = await newTemplate(api);
    expect(await api.patch(`${TEMPLATES}/${other.id}`, { inviteDaysBeforeStart: 3 })).toMatchObject({
      body: { inviteDaysBeforeStart: 3, version: 2 },
    });
    expect(await api.delete(`${TEMPLATES}/${standard.id}`)).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
    const { id } = await makeCandidate(api);
    const { body } = await draft(id, { templateId: other.id });
    expect(await api.delete(`${TEMPLATES}/${other.id}`)).toMatchObject({ status: 409, body: { code: 'in_use' } });
    await change(api, body.id, { action: 'cancel' });
    expect(await api.delete(`${TEMPLATES}/${other.id}`)).toMatchObject({ status: 200, body: { deleted: true } });
    expect(await mappingOf(api, id)).toMatchObject({ templateId: null });
  });
});

describe('the personal data of a candidate', () => {
  it('is erased with the mapping', async () => {
    const { id } = await makeCandidate(tenant.api);
    await draft(id);
    expect(await tenant.api.post(`${CANDIDATES}/${id}/anonymize`)).toMatchObject({ status: 200 });
    expect(await mappingOf(tenant.api, id)).toBeUndefined();
  });
});
