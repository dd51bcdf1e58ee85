import { asAdmin } from '../../harness/database.js';
import { replaceGates } from '../../harness/gates.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';
import { DEALS, makeDeal } from '../sales/deal-calls.js';
import { template as templateOf } from './handoff-calls.js';
import { change, EMPLOYEES, hired, MAPPINGS, newMapping, newTemplate, workerOf } from './mapping-calls.js';
import { listOf, loadSample, named, referencesOf, removeSample, sendTo } from './sample-calls.js';

const JOBS = '/api/v1/talent/jobs';
const DEPARTMENTS = '/api/v1/people/departments';
const TASKS = '/api/v1/work/tasks';

let platform: TestPlatform;
let tenant: TestTenant;
let stage: Stage;
let work: () => Promise<void>;
beforeAll(async () => {
  stage = await Stage.open();
  work = await workerOf(stage);
  ({ platform } = stage);
});
afterAll(() => stage.close());
beforeEach(async () => {
  tenant = await platform.tenant();
  await loadSample(tenant.api);
});

const made = async (path: string, body: object) => {
  const { status, body: record, text } = await tenant.api.post<{ id: string }>(path, body);
  if (status !== 201) throw new Error(text);
  return record;
};
const rowsAbout = async (id: string) => {
  const text = `select id::text from data.home_approvals where tenant_id = $1 and target_id = $2
    union all select key from data.automation_runs where tenant_id = $1 and key in (
      select id::text from data.home_approvals where tenant_id = $1)
    union all select id::text from data.notifications where tenant_id = $1 and subject_type = 'core.approval'`;
  return asAdmin<{ id: string }>(platform.database, text, [tenant.id, id]);
};

describe('sample records stay', () => {
  it('if a template of talent mappings names them', async () => {
    const job = await named(tenant.api, JOBS, 'DEMO-JOB-000003');
    const department = await named(tenant.api, DEPARTMENTS, 'DEMO-DEPT-000005');
    const manager = await named(tenant.api, EMPLOYEES, 'DEMO-EMP-000001');
    const values = {
      match: { jobIds: [job.id] },
      defaults: { departmentId: department.id, managerId: manager.id },
    };
    const { id, name } = await newTemplate(tenant.api, values);
    const kept = await removeSample(tenant.api);
    expect(referencesOf(kept)).toEqual(
      expect.arrayContaining(['DEMO-DEPT-000005', 'DEMO-EMP-000001', 'DEMO-JOB-000003']),
    );
    const keeper = { object: 'talent.mapping_template', id, name, reference: null };
    expect(kept.find((each) => each.id === job.id)!.usedBy).toEqual(keeper);
    const { body } = await tenant.api.get<{ templates: object[] }>(`${MAPPINGS}?include=templates`);
    expect(body.templates.find((each) => (each as { id: string }).id === id)).toMatchObject(values);
  });

  it('while an open talent mapping names them', async () => {
    const department = await named(tenant.api, DEPARTMENTS, 'DEMO-DEPT-000005');
    const candidateId = await hired(tenant.api);
    const { id } = await newMapping(tenant.api, { candidateId, values: { departmentId: department.id } });
    const kept = await removeSample(tenant.api);
    expect(referencesOf(kept)).toEqual(['DEMO-DEPT-000005']);
    expect(kept[0]!.usedBy).toMatchObject({ object: 'talent.mapping', id });
    expect((await change(tenant.api, id, { action: 'cancel' })).status).toBe(200);
    expect(await removeSample(tenant.api)).toEqual([]);
  });

  it('while an action that waits for approval names them', async () => {
    await replaceGates(tenant.api, [{ key: 'employee.compensation_change', effect: 'require_approval' }]);
    const department = await named(tenant.api, DEPARTMENTS, 'DEMO-DEPT-000005');
    const { id } = await made(EMPLOYEES, { firstName: 'Ada', lastName: 'Byron', startDate: '2026-01-05' });
    const pay = { payAmountMinor: 7_200_000, payCurrency: 'EUR', payPeriod: 'year', effectiveDate: '2099-01-01' };
    const asked = await tenant.api.post(`${EMPLOYEES}/${id}/change-employment`, {
      ...pay,
      departmentId: department.id,
    });
    expect(asked.status).toBe(202);
    const kept = await removeSample(tenant.api);
    expect(referencesOf(kept)).toEqual(['DEMO-DEPT-000005']);
    expect(kept[0]!.usedBy).toMatchObject({ object: 'people.employee', id });
  });

  it('if a template of handoffs or a checklist comes from them', async () => {
    const template = await named(tenant.api, '/api/v1/work/project-templates', 'DEMO-PT-000001');
    const items = await named(tenant.api, '/api/settings/checklist-templates', 'DEMO-CLT-000002');
    await templateOf(tenant.api, { name: 'Ours', projectTemplateId: template.id });
    const project = await made('/api/v1/work/projects', { name: 'Ours', key: 'OURS' });
    const sample = await named(tenant.api, '/api/v1/work/projects', 'DEMO-PRJ-000003');
    for (const { id } of [project, sample])
      await made('/api/operations/checklists', { subject: { object: 'work.project', id }, templateId: items.id });
    const kept = await removeSample(tenant.api);
    expect(referencesOf(kept)).toEqual(['DEMO-CLT-000001', 'DEMO-CLT-000002', 'DEMO-PT-000001']);
    const keepers = kept.map(({ reference, usedBy }) => [reference, usedBy?.object]);
    expect(keepers).toContainEqual(['DEMO-CLT-000002', 'work.project']);
    expect(keepers).toContainEqual(['DEMO-PT-000001', 'sales.handoff_template']);
  });

  it('if an employee comes from them', async () => {
    const [mapping] = await listOf(tenant.api, MAPPINGS);
    expect((await change(tenant.api, mapping!.id, { action: 'apply' })).status).toBe(200);
    await work();
    const { employeeId } = (await listOf(tenant.api, MAPPINGS))[0]!;
    const kept = await removeSample(tenant.api);
    expect(referencesOf(kept)).toEqual(expect.arrayContaining(['DEMO-CAND-000001', 'DEMO-DEPT-000003']));
    expect(kept.find(({ id }) => id === mapping!.id)!.usedBy).toMatchObject({ object: 'people.employee' });
    expect(kept.every(({ usedBy }) => usedBy?.id === employeeId)).toBe(true);
  });

  it('if a task follows them up', async () => {
    const deal = await named(tenant.api, DEALS, 'DEMO-DEAL-000020');
    const { id } = await made(TASKS, { name: 'Call', relatedTo: { object: 'sales.deal', id: deal.id } });
    const kept = await removeSample(tenant.api);
    expect(referencesOf(kept)).toEqual(expect.arrayContaining(['DEMO-DEAL-000020', 'DEMO-ACC-000001']));
    expect(kept.every(({ usedBy }) => usedBy?.id === id)).toBe(true);
    // As a purge of the trash does.
    await asAdmin(platform.database, 'delete from data.work_tasks where tenant_id = $1 and id = $2', [tenant.id, id]);
    const again = await sendTo(tenant.api, 'load_sample_data');
    expect(again).toMatchObject({ status: 409, body: { code: 'in_use' } });
    expect(again.text).toContain('Remove the sample data again');
    expect(await removeSample(tenant.api)).toEqual([]);
  });
});

test('each record that stays names the record of the tenant that needs it', async () => {
  const project = await named(tenant.api, '/api/v1/work/projects', 'DEMO-PRJ-000003');
  const task = await made(TASKS, { name: 'Ours', projectId: project.id });
  const kept = await removeSample(tenant.api);
  expect(kept.length).toBeGreaterThan(10);
  const keepers = kept.map(({ usedBy }) => usedBy);
  expect(new Set(keepers.map((each) => each?.id))).toEqual(new Set([task.id]));
  expect(keepers[0]).toMatchObject({ object: 'work.task', name: 'Ours' });
  expect(await removeSample(tenant.api)).toEqual(kept);
});

test('requests for approval of actions on removed records go with them', async () => {
  await platform.member(tenant, 'Ana');
  await replaceGates(tenant.api, [{ key: 'deal.win', effect: 'require_approval' }]);
  const deal = await named(tenant.api, DEALS, 'DEMO-DEAL-000020');
  const own = await makeDeal(tenant.api);
  for (const { id } of [deal, own]) expect((await tenant.api.post(`${DEALS}/${id}/win`)).status).toBe(202);
  const [pending] = await rowsAbout(deal.id);
  await asAdmin(
    platform.database,
    `insert into data.notifications (tenant_id, id, member_id, kind, subject_type, subject_id, title, count, in_app,
       email, created_at, updated_at)
     select tenant_id, gen_random_uuid(), id, 'approval_requested', 'core.approval', $2, 'Win', 1, true, 'daily', now(), now()
     from data.memberships where tenant_id = $1 limit 1`,
    [tenant.id, pending!.id],
  );
  await removeSample(tenant.api);
  const left = await listOf(tenant.api, '/api/home/approvals');
  expect(left.map((each) => each['target'])).toMatchObject([{ id: own.id }]);
  expect((await rowsAbout(deal.id)).map(({ id }) => id)).toEqual([left[0]!.id]); // only the timer of the other
});
