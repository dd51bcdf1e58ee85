import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { auditOf, eventsOf } from '../../harness/written.js';
import { added, dealPath, type Page, walk } from './timeline-calls.js';

const NOWHERE = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

interface Comment {
  id: string;
  body: string;
  version: number;
  parentId: string | null;
  authorId: string | null;
  mentions: string[];
  visibility: string;
}

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const comment = (path: string, body: object = {}, api = tenant.api) =>
  added<Comment>(api, `${path}/comments`, { body: 'a comment', ...body });

describe('a comment', () => {
  it('is created with its author, and recorded in audit log and outbox', async () => {
    const path = await dealPath(tenant.api, 'Acme');
    const ada = await platform.member(tenant, 'Ada');
    const made = await ada.api.post<Comment>(`${path}/comments`, { body: '**Hi**', mentions: [ada.id] });
    const { id } = made.body;
    expect(made.body).toMatchObject({ body: '**Hi**', visibility: 'internal', authorId: ada.id, mentions: [ada.id] });
    expect(made.headers.get('location')).toBe(`${path}/comments/${id}`);
    expect(made.headers.get('etag')).toBe('"1"');
    const [event] = await eventsOf(platform, tenant, id);
    expect(event).toMatchObject({ type: 'core.comment.created', data: { id, body: '**Hi**' }, changes: null });
    const [entry] = await auditOf(platform, tenant, id);
    expect(entry).toMatchObject({ action: 'core.comment.created', target: { name: 'comment of Acme' } });
  });

  it('can be edited by its author only, with any key', async () => {
    const path = await dealPath(tenant.api);
    const [ada, bob] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Bob')];
    const { id } = await comment(path, {}, ada.api);
    const item = `${path}/comments/${id}`;
    for (const api of [bob.api, tenant.api])
      expect(await api.patch(item, { body: 'not mine' })).toMatchObject({
        status: 403,
        body: { code: 'permission_denied' },
      });
    const second = await platform.key(tenant, ['deals:read', 'comments:write'], { memberId: ada.id });
    const edited = await second.patch<Comment>(item, { body: 'edited', visibility: 'customer' });
    expect(edited.body).toMatchObject({ body: 'edited', visibility: 'customer', version: 2, authorId: ada.id });
    const [, event] = await eventsOf(platform, tenant, id);
    expect(event).toMatchObject({
      type: 'core.comment.updated',
      changes: { body: { from: 'a comment', to: 'edited' }, visibility: { from: 'internal', to: 'customer' } },
    });
    expect(await second.patch(item, { body: 'edited' })).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await eventsOf(platform, tenant, id)).toHaveLength(2);
  });

  it('of a service key can be edited by any service key: they act for the tenant', async () => {
    const path = await dealPath(tenant.api);
    const { id } = await comment(path);
    const other = await platform.key(tenant, ['deals:read', 'comments:write']);
    expect((await other.patch(`${path}/comments/${id}`, { body: 'x' })).status).toBe(200);
  });

  it('can be deleted by its author or with the permission to manage comments', async () => {
    const path = await dealPath(tenant.api);
    const ada = await platform.member(tenant, 'Ada');
    const [first, second] = [await comment(path, {}, ada.api), await comment(path, {}, ada.api)];
    const bob = await platform.member(tenant, 'Bob', ['deals:read', 'comments:write']);
    const refused = await bob.api.delete(`${path}/comments/${first.id}`);
    expect(refused).toMatchObject({ status: 403, body: { requiredPermission: 'comments:manage' } });
    const eve = await platform.member(tenant, 'Eve', ['deals:read', 'comments:write', 'comments:manage']);
    expect((await eve.api.delete(`${path}/comments/${first.id}`)).body).toMatchObject({ id: first.id, deleted: true });
    expect((await ada.api.delete(`${path}/comments/${second.id}`)).status).toBe(200);
    expect((await ada.api.delete(`${path}/comments/${second.id}`)).status).toBe(404);
    expect((await ada.api.patch(`${path}/comments/${second.id}`, { body: 'x' })).status).toBe(404);
    expect(await walk(tenant.api, `${path}/comments`, 10)).toEqual([]);
  });

  it('is not overwritten from a stale version', async () => {
    const path = await dealPath(tenant.api);
    const item = `${path}/comments/${(await comment(path)).id}`;
    const edits = ['one', 'two'].map((body) => tenant.api.patch(item, { body }, { 'if-match': '"1"' }));
    expect((await Promise.all(edits)).map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('can be added to an archived record, not to a deleted one', async () => {
    const path = await dealPath(tenant.api);
    await tenant.api.post(`${path}/archive`);
    const { id } = await comment(path);
    expect((await tenant.api.patch(`${path}/comments/${id}`, { body: 'x' })).status).toBe(200);
    await tenant.api.delete(path);
    for (const answer of [
      await tenant.api.post(`${path}/comments`, { body: 'x' }),
      await tenant.api.get(`${path}/comments`),
      await tenant.api.patch(`${path}/comments/${id}`, { body: 'y' }),
    ])
      expect(answer.status).toBe(404);
  });

  it('can mention existing members only', async () => {
    const path = await dealPath(tenant.api);
    const foreign = await platform.member(await platform.tenant(), 'Mallory');
    for (const mentions of [[NOWHERE], [foreign.id]])
      expect(await tenant.api.post(`${path}/comments`, { body: 'x', mentions })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/mentions', code: 'unknown_reference' }] },
      });
    const item = `${path}/comments/${(await comment(path)).id}`;
    expect((await tenant.api.patch(item, { mentions: [NOWHERE] })).status).toBe(400);
  });
});

describe('a reply', () => {
  it('belongs to a comment on the same record, and remains when that is deleted', async () => {
    const path = await dealPath(tenant.api);
    const parent = await comment(path);
    const answer = await comment(path, { parentId: parent.id });
    expect(answer.parentId).toBe(parent.id);
    await tenant.api.delete(`${path}/comments/${parent.id}`);
    expect((await walk<Comment>(tenant.api, `${path}/comments`, 10)).map(({ id }) => id)).toEqual([answer.id]);
  });

  it('is rejected for a reply, a deleted comment, and a comment on another record or of another tenant', async () => {
    const path = await dealPath(tenant.api);
    const parent = await comment(path);
    const answer = await comment(path, { parentId: parent.id });
    const deleted = await comment(path);
    await tenant.api.delete(`${path}/comments/${deleted.id}`);
    const elsewhere = await comment(await dealPath(tenant.api));
    const { api } = await platform.tenant();
    const foreign = await comment(await dealPath(api), {}, api);
    for (const [parentId, code] of [
      [answer.id, 'invalid_value'],
      [deleted.id, 'unknown_reference'],
      [elsewhere.id, 'unknown_reference'],
      [foreign.id, 'unknown_reference'],
      [NOWHERE, 'unknown_reference'],
    ])
      expect(await tenant.api.post(`${path}/comments`, { body: 'x', parentId })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/parentId', code }] },
      });
  });
});

describe('the database itself', () => {
  it('rejects a reply to a reply, and one to a comment on another record', async () => {
    const path = await dealPath(tenant.api);
    const parent = await comment(path);
    const answer = await comment(path, { parentId: parent.id });
    const elsewhere = await comment(await dealPath(tenant.api));
    const move = (parentId: string) =>
      asAdmin(
        platform.database,
        `insert into data.comments (tenant_id, id, object, record_id, version, created_at, created_by, parent_id, body,
           visibility, mentions, updated_at, updated_by)
         select tenant_id, gen_random_uuid(), object, record_id, 1, now(), '{}', $2, 'x', 'internal', '{}', now(), '{}'
         from data.comments where id = $1`,
        [parent.id, parentId],
      );
    await move(parent.id);
    for (const id of [answer.id, elsewhere.id]) await expect(move(id)).rejects.toThrow('foreign key');
  });
});

describe('the list', () => {
  it('has every comment once, newest or oldest first', async () => {
    const path = await dealPath(tenant.api);
    await comment(await dealPath(tenant.api), { body: 'elsewhere' });
    for (let i = 1; i <= 7; i++) await comment(path, { body: `comment ${i}` });
    const expected = [7, 6, 5, 4, 3, 2, 1].map((i) => `comment ${i}`);
    const bodies = (list: Comment[]) => list.map(({ body }) => body);
    expect(bodies(await walk<Comment>(tenant.api, `${path}/comments`, 3))).toEqual(expected);
    const { body } = await tenant.api.get<Page<Comment>>(`${path}/comments?sort=createdAt`);
    expect(bodies(body.data)).toEqual(expected.toReversed());
  });

  it('rejects cursors of another record', async () => {
    const [path, other] = [await dealPath(tenant.api), await dealPath(tenant.api)];
    for (const each of [path, path, other]) await comment(each);
    const { body } = await tenant.api.get<Page<Comment>>(`${path}/comments?limit=1`);
    const query = `?limit=1&cursor=${body.page.nextCursor!}`;
    expect((await tenant.api.get(`${path}/comments${query}`)).status).toBe(200);
    expect(await tenant.api.get(`${other}/comments${query}`)).toMatchObject({
      status: 400,
      body: { code: 'cursor_invalid' },
    });
  });
});
