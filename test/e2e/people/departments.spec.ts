import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { together } from './together.js';
import { acted, DEPARTMENTS, EMPLOYEES, made, makeEmployee, outcome } from './people-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const make = (body: Record<string, unknown> = {}) => made(tenant.api, DEPARTMENTS, { name: 'Department', ...body });
const read = async (id: string) => (await tenant.api.get(`${DEPARTMENTS}/${id}`)).body;

describe('departments', () => {
  it('form a tree, and can be filtered by parent', async () => {
    const lead = await makeEmployee(tenant.api);
    const top = await make({ name: 'Engineering', leadEmployeeId: lead.id, costCenter: '4100' });
    const sub = await make({ name: 'Compilers', parentId: top.id });
    expect(top).toMatchObject({ object: 'people.department', parentId: null, leadEmployeeId: lead.id });
    for (const query of [`parentId=${top.id}`, 'q=compil', 'name[contains]=PILERS', `ids=${sub.id}`]) {
      const { body } = await tenant.api.get<{ data: { id: string }[] }>(`${DEPARTMENTS}?${query}`);
      expect([query, body.data.map(({ id }) => id)]).toEqual([query, [sub.id]]);
    }
  });

  it('never contain themselves, even under two concurrent requests', async () => {
    const [one, two] = [await make(), await make()];
    expect(outcome(await tenant.api.patch(`${DEPARTMENTS}/${one.id}`, { parentId: one.id }))).toEqual([
      409,
      'tree_cycle',
    ]);
    const answers = await together(platform.database, [
      () => tenant.api.patch(`${DEPARTMENTS}/${one.id}`, { parentId: two.id }),
      () => tenant.api.patch(`${DEPARTMENTS}/${two.id}`, { parentId: one.id }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect([(await read(one.id))['parentId'], (await read(two.id))['parentId']]).toContain(null);
  });

  it('cannot be deleted while they have current or planned employees or child departments', async () => {
    const department = await make();
    const path = `${DEPARTMENTS}/${department.id}`;
    const { id } = await makeEmployee(tenant.api, { departmentId: department.id });
    const goes = async () => [
      outcome(await tenant.api.post(`${path}/archive`)),
      outcome(await tenant.api.delete(path)),
    ];
    const inUse = [
      [409, 'in_use'],
      [409, 'in_use'],
    ];
    expect(await goes()).toEqual(inUse);
    await tenant.api.patch(`${EMPLOYEES}/${id}`, { departmentId: null });
    await acted(tenant.api, EMPLOYEES, id, 'change-employment', {
      effectiveDate: '2099-01-01',
      departmentId: department.id,
    });
    expect(await goes()).toEqual(inUse);
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'other' });
    const sub = await make({ parentId: department.id });
    expect(await goes()).toEqual(inUse);
    await acted(tenant.api, DEPARTMENTS, sub.id, 'archive');
    await acted(tenant.api, DEPARTMENTS, department.id, 'archive');
    const refused = await tenant.api.post(EMPLOYEES, { name: 'x', departmentId: department.id });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/departmentId' }] } });
  });
});

interface Node {
  id: string;
  reportCount: number;
  reports: Node[];
}

describe('the chart', () => {
  it('shows reporting lines to the requested depth, without terminated employees', async () => {
    const other = await platform.tenant();
    const chart = async (query = '') =>
      (await other.api.get<{ data: Node[]; isTruncated: boolean }>(`${EMPLOYEES}/org-chart${query}`)).body;
    expect(await chart()).toEqual({
      data: [],
      page: { limit: 1, hasMore: false, nextCursor: null },
      isTruncated: false,
    });
    const top = await makeEmployee(other.api, { name: 'Top' });
    const left = await makeEmployee(other.api, { name: 'A left', managerId: top.id });
    const right = await makeEmployee(other.api, { name: 'B right', managerId: top.id });
    const below = await makeEmployee(other.api, { name: 'Below', managerId: left.id });
    const gone = await makeEmployee(other.api, { name: 'Gone', managerId: left.id });
    const alone = await makeEmployee(other.api, { name: 'Alone' });
    await acted(other.api, EMPLOYEES, gone.id, 'terminate', { type: 'other' });
    const whole = await chart();
    expect(whole.data.map(({ id }) => id)).toEqual([alone.id, top.id]);
    expect(whole.data[1]).toMatchObject({
      reportCount: 2,
      reports: [
        { id: left.id, reportCount: 1, reports: [{ id: below.id, name: 'Below', managerId: left.id, reports: [] }] },
        { id: right.id, reportCount: 0, reports: [] },
      ],
    });
    expect((await chart('?depth=1')).data[1]).toMatchObject({ reportCount: 2, reports: [] });
    expect((await chart(`?rootId=${left.id}`)).data).toMatchObject([{ id: left.id, reports: [{ id: below.id }] }]);
    expect((await other.api.get(`${EMPLOYEES}/org-chart?depth=11`)).status).toBe(400);
    expect((await tenant.api.get<{ data: Node[] }>(`${EMPLOYEES}/org-chart?rootId=${top.id}`)).body.data).toEqual([]);
  });
});
