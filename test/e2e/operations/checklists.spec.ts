import type pg from 'pg';
import { toAttach } from '../../harness/files.js';
import type { Answer } from '../../harness/client.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

/** Checklists of records and their templates. */
let platform: TestPlatform;
let tenant: TestTenant;
let admin: pg.Pool;
beforeAll(async () => {
  platform = await startPlatform();
  admin = adminPool(platform.database.adminUrl, 1);
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});

type Json = Record<string, unknown> & { id: string };
type Item = Record<string, unknown>;

const TEMPLATES = '/api/settings/checklist-templates';
const CHECKLISTS = '/api/operations/checklists';
const DEALS = '/api/v1/sales/deals';
const ITEMS = [
  { key: 'scope', title: 'Scope signed', evidence: 'note', offsetDays: 1, assignee: { role: 'owner' } },
  { key: 'plan', title: 'Plan made', dependsOn: ['scope'], offsetDays: -1 },
  { key: 'lunch', title: 'Lunch', required: false },
];

const make = async (path: string, body: object): Promise<Json> => {
  const answer = await tenant.api.post<Json>(path, body);
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
  return answer.body;
};
const deal = (more: object = {}) => make(DEALS, { name: 'Rollout', value: 1000, ...more });
const template = (items: object[] = ITEMS) =>
  make(TEMPLATES, { name: 'Rollout', appliesTo: 'project', checklistItems: items });
const started = async (more: object = {}): Promise<Json> => {
  const subject = { object: 'sales.deal', id: (await deal()).id };
  return make(CHECKLISTS, { templateId: (await template()).id, subject, startDate: '2026-12-24', ...more });
};
const change = (id: string, key: string, body: object, api = tenant.api): Promise<Answer<Json>> =>
  api.patch<Json>(`${CHECKLISTS}/${id}/items/${key}`, body);
const item = (body: Json, key: string): Item => (body['items'] as Item[]).find((each) => each['key'] === key)!;

describe('a checklist template', () => {
  it('completes its items with defaults', async () => {
    const { checklistItems } = await template([{ key: 'a', title: 'A' }]);
    expect(checklistItems).toEqual([
      {
        key: 'a',
        title: 'A',
        description: null,
        required: true,
        assignee: null,
        offsetDays: null,
        evidence: 'none',
        dependsOn: [],
      },
    ]);
  });

  it.each([
    ['a duplicate key', [{ key: 'a' }, { key: 'a' }], '/checklistItems/1/key', 'not_unique'],
    ['an unknown key', [{ key: 'a', dependsOn: ['b'] }], '/checklistItems/0/dependsOn', 'unknown_key'],
    [
      'a cycle',
      [
        { key: 'a', dependsOn: ['b'] },
        { key: 'b', dependsOn: ['a'] },
      ],
      '/checklistItems/0/dependsOn',
      'cycle',
    ],
    ['two assignees', [{ key: 'a', assignee: {} }], '/checklistItems/0/assignee', 'invalid_value'],
    [
      'an unknown member',
      [{ key: 'a', assignee: { membershipId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' } }],
      '/checklistItems/0/assignee/membershipId',
      'unknown_reference',
    ],
  ])('refuses %s', async (_, items, pointer, code) => {
    const body = {
      name: 'Wrong',
      appliesTo: 'other',
      checklistItems: items.map((each) => ({ title: 'Do it', ...each })),
    };
    const answer = await tenant.api.post(TEMPLATES, body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });
});

describe('a checklist', () => {
  it('assigns the owner of the record and counts business days of the calendar', async () => {
    const holidays = [{ date: '2026-12-25', name: 'Christmas' }];
    const calendar = await make('/api/settings/calendars', { name: 'Office', holidays });
    await tenant.api.patch('/api/admin/settings', { general: { calendar: calendar.id } });
    const ada = await platform.member(tenant, 'Ada', ['*']);
    const subject = { object: 'sales.deal', id: (await deal({ ownerId: ada.id })).id };
    const checklist = await started({ subject });
    expect(item(checklist, 'scope')).toMatchObject({ assigneeId: ada.id, dueDate: '2026-12-28', status: 'pending' });
    expect(item(checklist, 'plan')).toMatchObject({ assigneeId: null, dueDate: '2026-12-23' });
    expect(item(checklist, 'lunch')).toMatchObject({ dueDate: null });
    const { body } = await tenant.api.get<{ data: Json[] }>(`${CHECKLISTS}?subject=sales.deal:${subject.id}`);
    expect(body.data).toEqual([checklist]);
    expect((await tenant.api.get(`${CHECKLISTS}/${checklist.id}`)).body).toEqual(checklist);
  });

  it('is complete when each required item is done or skipped, and open again when one is', async () => {
    const { id } = await started();
    expect((await change(id, 'scope', { status: 'done', note: 'Signed.' })).body).toMatchObject({ completedAt: null });
    const done = await change(id, 'plan', { status: 'done' });
    expect(done.body).toMatchObject({ completedAt: expect.any(String) as string, version: 3 });
    expect(item(done.body, 'plan')).toMatchObject({ status: 'done', changedBy: { type: 'api_key' } });
    expect((await change(id, 'plan', {})).body).toEqual(done.body);
    expect(await change(id, 'scope', { status: 'pending' })).toMatchObject({
      status: 409,
      body: { code: 'blocked', detail: 'These items depend on it; open them first: plan.' },
    });
    expect((await change(id, 'plan', { status: 'pending' })).body).toMatchObject({ completedAt: null });
    const { rows } = await admin.query<{ type: string }>(
      `select type from data.events where tenant_id = $1 and type like 'core.checklist.%' order by id`,
      [tenant.id],
    );
    expect(rows.map(({ type }) => type)).toEqual(
      ['started', 'updated', 'completed', 'reopened'].map((verb) => `core.checklist.${verb}`),
    );
  });

  it('refuses an item before those that come first, without its evidence or without a reason', async () => {
    const { id } = await started();
    expect(await change(id, 'plan', { status: 'done' })).toMatchObject({
      status: 409,
      body: { code: 'blocked', detail: 'These items come first: scope.' },
    });
    expect(await change(id, 'scope', { status: 'done' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/note', code: 'required' }] },
    });
    expect((await change(id, 'scope', { status: 'done', note: '  ' })).status).toBe(400);
    expect(await change(id, 'scope', { status: 'blocked' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/reason', code: 'required' }] },
    });
    expect(await change(id, 'nothing', { status: 'done' })).toMatchObject({ status: 404 });
    const foreign = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
    expect(await change(id, 'lunch', { fileId: foreign })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/fileId', code: 'unknown_reference' }] },
    });
  });

  it('accepts an attachment of the record as evidence', async () => {
    const subject = { object: 'sales.deal', id: (await deal()).id };
    const templateId = (await template([{ key: 'file', title: 'Contract', evidence: 'file' }])).id;
    const { id } = await started({ subject, templateId });
    const file = await toAttach(tenant.api, 'contract.pdf');
    const attachment = await make(`${DEALS}/${subject.id}/attachments`, file);
    const done = await change(id, 'file', { status: 'done', fileId: attachment.id });
    expect(done).toMatchObject({ status: 200, body: { completedAt: expect.any(String) as string } });
  });

  it('lets only managers skip a required item', async () => {
    const { id } = await started();
    const member = await platform.key(tenant, ['deals:read', 'checklists:write']);
    const skip = { status: 'skipped', reason: 'Not needed.' };
    expect((await change(id, 'lunch', skip, member)).status).toBe(200);
    expect(await change(id, 'scope', skip, member)).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'checklists:manage' },
    });
    expect((await change(id, 'scope', skip)).status).toBe(200);
  });

  it('is found only by those who can see the record, and cannot be changed with an archived one', async () => {
    const checklist = await started();
    const blind = await platform.key(tenant, ['projects:read', 'checklists:write']);
    expect((await blind.get(`${CHECKLISTS}/${checklist.id}`)).status).toBe(403);
    const subject = checklist['subject'] as { id: string };
    const other = await platform.tenant();
    expect((await other.api.get(`${CHECKLISTS}/${checklist.id}`)).status).toBe(404);
    expect((await other.api.get(`${CHECKLISTS}?subject=sales.deal:${subject.id}`)).status).toBe(404);
    await tenant.api.post(`${DEALS}/${subject.id}/archive`);
    expect(await change(checklist.id, 'lunch', { status: 'done' })).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
  });

  it('is refused without a visible record or template, and deleted once', async () => {
    const unknown = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
    const templateId = (await template()).id;
    const refused = await tenant.api.post(CHECKLISTS, { templateId, subject: { object: 'sales.deal', id: unknown } });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/subject' }] } });
    const { id, subject } = await started();
    const without = await tenant.api.post(CHECKLISTS, { templateId: unknown, subject });
    expect(without).toMatchObject({ status: 400, body: { errors: [{ pointer: '/templateId' }] } });
    expect((await tenant.api.delete(`${CHECKLISTS}/${id}`)).status).toBe(200);
    expect((await tenant.api.delete(`${CHECKLISTS}/${id}`)).status).toBe(404);
  });
});
