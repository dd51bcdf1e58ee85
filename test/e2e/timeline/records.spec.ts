import { jest } from '@jest/globals';
import { TypeRules } from '#libs/resource/records/type-rules.js';
import { asAdmin } from '../../harness/database.js';
import { FILES, toAttach, upload } from '../../harness/files.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makePipeline, PIPELINES } from '../sales/deal-calls.js';
import { added, dealPath, idOf, type Page } from './timeline-calls.js';

const NOWHERE = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
const PARTS = ['comments', 'attachments', 'links', 'watchers', 'activity'];

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

async function statusesOf(path: string, api = tenant.api): Promise<number[]> {
  const answers = [];
  for (const part of PARTS) answers.push(await api.get(`${path}/${part}`));
  return answers.map(({ status }) => status);
}

const all = (status: number) => PARTS.map(() => status);

describe('resources below a record', () => {
  it('are the same for every type', async () => {
    const { id } = await makePipeline(tenant.api);
    expect(await statusesOf(`${PIPELINES}/${id}`)).toEqual(all(200));
    await added(tenant.api, `${PIPELINES}/${id}/comments`, { body: 'x' });
    expect(await statusesOf(await dealPath(tenant.api))).toEqual(all(200));
  });

  it('are also available under the short path', async () => {
    const path = await dealPath(tenant.api);
    const made = await tenant.api.post(`/api/sales/deals/${idOf(path)}/comments`, { body: 'x' });
    expect(made.headers.get('location')).toBe(`${path}/comments/${String(made.body['id'])}`);
  });

  it('return 404 without a visible record: unknown, of another tenant, deleted, of an unknown collection', async () => {
    const foreign = await dealPath((await platform.tenant()).api);
    const deleted = await dealPath(tenant.api);
    await tenant.api.delete(deleted);
    for (const path of [
      `/api/v1/sales/deals/${NOWHERE}`,
      foreign,
      deleted,
      `/api/v1/sales/nothing/${NOWHERE}`,
      `/api/v1/nothing/deals/${idOf(await dealPath(tenant.api))}`,
      `/api/v1/webhooks/endpoints/${NOWHERE}`,
    ])
      expect(await statusesOf(path)).toEqual(all(404));
  });

  it('require permission to read the record', async () => {
    const path = await dealPath(tenant.api);
    const scopes = ['comments:write', 'attachments:write', 'links:write', 'watchers:write', 'pipelines:read'];
    const api = await platform.key(tenant, scopes);
    expect(await statusesOf(path, api)).toEqual(all(403));
    const { status, body } = await api.post(`${path}/comments`, { body: 'x' });
    expect([status, body]).toMatchObject([403, { requiredPermission: 'deals:read' }]);
  });

  it('return 404 when the type hides the record from the caller', async () => {
    const path = await dealPath(tenant.api);
    const item = `${path}/comments/${String((await added(tenant.api, `${path}/comments`, { body: 'x' }))['id'])}`;
    jest.spyOn(TypeRules.prototype, 'guard').mockImplementation(function (this: { definition: { type: string } }) {
      return this.definition.type === 'sales.deal' ? () => 'false' : null;
    });
    expect(await statusesOf(path)).toEqual(all(404));
    for (const answer of [
      await tenant.api.post(`${path}/comments`, { body: 'x' }),
      await tenant.api.patch(item, { body: 'y' }),
      await tenant.api.delete(item),
      await tenant.api.post(`${path}/attachments`, await toAttach(tenant.api)),
      await tenant.api.post(`${path}/watchers`, {}),
    ])
      expect(answer.status).toBe(404);
  });

  it('accept their own methods next to the routes of the type', async () => {
    const path = await dealPath(tenant.api);
    const put = await tenant.api.send('PUT', `${path}/comments`, {});
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect((await tenant.api.get(`${path}/nothing`)).status).toBe(404);
    expect((await tenant.api.post(`${path}/win`)).status).toBe(200);
    expect((await tenant.api.get(`${path}/win`)).status).toBe(405);
    expect((await tenant.api.send('HEAD', `${path}/comments`)).status).toBe(200);
  });
});

describe('an attachment', () => {
  it('is a file with a label, whose current version it shows; the file stays while it is named', async () => {
    const path = await dealPath(tenant.api);
    const { fileId } = await toAttach(tenant.api, 'offer.txt', 'first');
    const made = await added(tenant.api, `${path}/attachments`, { fileId, label: 'Offer' });
    const shown = { fileId, fileName: 'offer.txt', contentType: 'text/plain', sizeBytes: 5, label: 'Offer', url: null };
    expect(made).toMatchObject(shown);
    await upload(tenant.api, 'the second', {}, { path: `${FILES}/${fileId}/versions` });
    const list = async () => (await tenant.api.get<Page<object>>(`${path}/attachments`)).body.data;
    expect(await list()).toMatchObject([{ ...shown, id: made['id'], sizeBytes: 10 }]);
    expect(await tenant.api.delete(`${FILES}/${fileId}`)).toMatchObject({ status: 409, body: { code: 'file_in_use' } });
    expect((await tenant.api.delete(`${path}/attachments/${String(made['id'])}`)).status).toBe(200);
    expect(await list()).toEqual([]);
    expect((await tenant.api.delete(`${FILES}/${fileId}`)).status).toBe(200);
    expect(await tenant.api.post(`${path}/attachments`, { fileId })).toMatchObject({
      ...{ status: 400, body: { errors: [{ pointer: '/fileId', code: 'unknown_reference' }] } },
    });
  });

  it('stays a link, with its id, if it is from before there were files', async () => {
    const path = await dealPath(tenant.api);
    const made = await added(tenant.api, `${path}/attachments`, await toAttach(tenant.api));
    const url = 'https://files.example.com/1';
    const before = 'update data.attachments set file_id = null, url = $2 where id = $1';
    await asAdmin(platform.database, before, [made['id'], url]);
    const { body } = await tenant.api.get<Page<object>>(`${path}/attachments`);
    expect(body.data).toMatchObject([{ id: made['id'], fileId: null, url, fileName: 'offer.pdf' }]);
  });

  it('lets whoever sees the record read its file, unless that is confidential, and only files that one may read be attached', async () => {
    const own = await platform.tenant();
    const ana = await platform.member(own, 'Ana', ['*'], { roles: ['member'] });
    const ben = await platform.member(own, 'Ben', ['*'], { roles: ['member'] });
    const path = await dealPath(ana.api);
    const open = await toAttach(ana.api, 'open.txt');
    const secret = (await upload(ana.api, 'secret', { confidential: 'true', name: 'Secret' })).body.id;
    const contentOf = (fileId: string) => ben.api.get(`${FILES}/${fileId}/content`);
    expect((await contentOf(open.fileId)).status).toBe(404);
    expect((await ben.api.post(`${path}/attachments`, open)).status).toBe(400);
    const attached = await added(ana.api, `${path}/attachments`, open);
    await added(ana.api, `${path}/attachments`, { fileId: secret });
    expect((await contentOf(open.fileId)).status).toBe(200);
    expect((await ben.api.get(`${FILES}/${open.fileId}`)).body).toMatchObject({ name: 'open.txt' });
    expect((await contentOf(secret)).status).toBe(404);
    expect((await own.api.delete(`${path}/attachments/${String(attached['id'])}`)).status).toBe(200);
    expect((await contentOf(open.fileId)).status).toBe(404);
  });

  it('can be neither added to nor removed from an archived record', async () => {
    const path = await dealPath(tenant.api);
    const made = await added(tenant.api, `${path}/attachments`, await toAttach(tenant.api));
    await tenant.api.post(`${path}/archive`);
    for (const answer of [
      await tenant.api.post(`${path}/attachments`, await toAttach(tenant.api)),
      await tenant.api.delete(`${path}/attachments/${String(made['id'])}`),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'record_locked' } });
  });
});

describe('a watcher', () => {
  it('is the member of the caller, or another one', async () => {
    const path = await dealPath(tenant.api);
    const [ada, bob] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Bob')];
    expect(await added(ada.api, `${path}/watchers`)).toMatchObject({ membershipId: ada.id });
    expect(await added(ada.api, `${path}/watchers`, { membershipId: bob.id })).toMatchObject({ membershipId: bob.id });
    const { body } = await tenant.api.get<Page<{ membershipId: string }>>(`${path}/watchers`);
    expect(body.data.map(({ membershipId }) => membershipId)).toEqual([bob.id, ada.id]);
    expect((await ada.api.delete(`${path}/watchers/${ada.id}`)).status).toBe(200);
    expect((await ada.api.delete(`${path}/watchers/${ada.id}`)).status).toBe(404);
  });

  it('is added once under concurrent requests', async () => {
    const path = await dealPath(tenant.api);
    const ada = await platform.member(tenant, 'Ada');
    const answers = await Promise.all(Array.from({ length: 6 }, () => ada.api.post(`${path}/watchers`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('must be a member', async () => {
    const path = await dealPath(tenant.api);
    const foreign = await platform.member(await platform.tenant(), 'Mallory');
    for (const [body, code] of [
      [{}, 'required'],
      [{ membershipId: NOWHERE }, 'unknown_reference'],
      [{ membershipId: foreign.id }, 'unknown_reference'],
    ] as const)
      expect(await tenant.api.post(`${path}/watchers`, body)).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/membershipId', code }] },
      });
  });
});
