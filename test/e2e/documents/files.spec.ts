import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '#libs/kernel/durations.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { type FileBody, FILES, upload } from '../../harness/files.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const MAX = 200_000;

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform({ env: { FILE_MAX_BYTES: String(MAX) } });
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const bytesOf = async (api: Client, path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(platform.url + path, { headers: { ...api.headers, ...headers } });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
};
const left = async () => {
  const names = await readdir(join(platform.database.settings.DATA_DIR, 'incoming')).catch(() => []);
  return names.length;
};

describe('files', () => {
  it('are uploaded in a form, read whole or in part, and linked to', async () => {
    const bytes = randomBytes(100_000);
    const made = await upload(tenant.api, bytes, { name: 'Report.pdf', folder: 'a/b', confidential: 'true' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...{ object: 'documents.file', name: 'Report.pdf', folder: 'a/b', confidential: true, status: 'available' },
        ...{
          mimeType: 'application/octet-stream',
          sizeBytes: 100_000,
          sha256: sha256(bytes),
          scanStatus: 'not_scanned',
        },
        ...{ currentVersion: 1, upload: null },
      },
    });
    const path = `${FILES}/${made.body.id}`;
    expect(made.headers.get('location')).toBe(path);
    const whole = await bytesOf(tenant.api, `${path}/content`);
    expect([whole.status, whole.bytes]).toEqual([200, bytes]);
    expect(whole.headers.get('content-disposition')).toBe('attachment; filename="Report.pdf"');
    const part = await bytesOf(tenant.api, `${path}/content`, { range: 'bytes=70000-70009' });
    expect([part.status, part.bytes]).toEqual([206, bytes.subarray(70_000, 70_010)]);
    const link = await tenant.api.post<{ url: string }>(`${path}/link`);
    const open = () => fetch(platform.url + new URL(link.body.url).pathname);
    expect(Buffer.from(await (await open()).arrayBuffer())).toEqual(bytes);
    const list = await tenant.api.get<{ data: FileBody[] }>(`${FILES}?folder=a/b&q=report&sort=-sizeBytes`);
    expect(list.body.data.map(({ id }) => id)).toEqual([made.body.id]);

    expect((await tenant.api.delete(path)).status).toBe(200);
    expect((await open()).status).toBe(404);
    expect((await tenant.api.get(`${path}/content`)).status).toBe(404);
    expect((await tenant.api.post(`${path}/restore`)).status).toBe(200);
    expect((await open()).status).toBe(200);
    expect(await left()).toBe(0);
  });

  it('are announced, and then sent to an address that needs no credential', async () => {
    const bytes = randomBytes(1_000);
    const announce = (more: object = {}) =>
      tenant.api.post<FileBody & { upload: { url: string; method: string; headers: Record<string, string> } }>(FILES, {
        ...{ name: 'Two steps', sizeBytes: bytes.length, sha256: sha256(bytes) },
        ...more,
      });
    const made = await announce();
    expect(made).toMatchObject({ status: 201, body: { status: 'uploading', upload: { method: 'PUT' } } });
    const { url, method, headers } = made.body.upload;
    const send = (body: Buffer, more: Record<string, string> = headers) =>
      fetch(platform.url + new URL(url).pathname, { method, headers: more, body: new Uint8Array(body) });
    const path = `${FILES}/${made.body.id}`;
    expect((await tenant.api.get(path)).body).toMatchObject({ status: 'uploading', upload: null });
    expect(await tenant.api.get(`${path}/content`)).toMatchObject({
      status: 409,
      body: { code: 'file_not_available' },
    });
    for (const wrong of [randomBytes(1_000), bytes.subarray(1)]) expect((await send(wrong)).status).toBe(422);
    expect((await send(bytes, { 'content-type': 'application/json' })).status).toBe(415);
    expect((await send(bytes)).status).toBe(200);
    expect((await send(bytes)).status).toBe(409);
    expect((await bytesOf(tenant.api, `${path}/content`)).bytes).toEqual(bytes);
    const types = (await eventsOf(platform, tenant, made.body.id)).map(({ type }) => type);
    expect(types).toEqual(['documents.file.created', 'documents.file.uploaded']);

    expect(await announce({ sizeBytes: MAX + 1 })).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    const ofMember = await platform.member(tenant, 'Ana', ['files:write'], { roles: ['member'] });
    const theirs = await ofMember.api.post<typeof made.body>(FILES, { name: 'Gone', sizeBytes: 1_000 });
    const member = `/api/admin/memberships/${ofMember.id}`;
    expect((await tenant.api.patch(member, { status: 'suspended', reason: 'Away' })).status).toBe(200);
    const refused = await fetch(platform.url + new URL(theirs.body.upload.url).pathname, {
      ...{ method, headers, body: new Uint8Array(bytes) },
    });
    expect([401, 403]).toContain(refused.status);
    expect(await left()).toBe(0);
    const late = await announce();
    platform.clock.advance(HOUR_MS);
    expect(
      (
        await fetch(platform.url + new URL(late.body.upload.url).pathname, {
          method,
          headers,
          body: new Uint8Array(bytes),
        })
      ).status,
    ).toBe(404);
  });

  it('make a form with a key and other bytes another request, and one with the same bytes the same', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    const bytes = randomBytes(500);
    const send = (body: Buffer) => upload(tenant.api, body, { name: 'Keyed' }, { headers });
    const first = await send(bytes);
    const again = await send(bytes);
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await send(randomBytes(500))).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await left()).toBe(0);
  });

  it('have versions, of which an earlier one can become the current one', async () => {
    const [one, two] = [randomBytes(10), Buffer.from('the second')];
    const made = await upload(tenant.api, one, { name: 'Versions' });
    const path = `${FILES}/${made.body.id}`;
    const added = await upload(tenant.api, two, {}, { path: `${path}/versions` });
    expect(added).toMatchObject({ status: 200, body: { currentVersion: 2, mimeType: 'text/plain', sizeBytes: 10 } });
    expect((await bytesOf(tenant.api, `${path}/content`)).bytes).toEqual(two);
    expect((await bytesOf(tenant.api, `${path}/content?version=1`)).bytes).toEqual(one);
    const versions = await tenant.api.get<{ versions: { number: number; sha256: string }[] }>(`${path}/versions`);
    expect(versions.body.versions.map(({ number, sha256: hash }) => [number, hash])).toEqual([
      [2, sha256(two)],
      [1, sha256(one)],
    ]);
    expect(await tenant.api.post(`${path}/restore-version`, { version: 1 })).toMatchObject({
      ...{ status: 200, body: { currentVersion: 1, sha256: sha256(one) } },
    });
    expect((await bytesOf(tenant.api, `${path}/content`)).bytes).toEqual(one);
    expect((await upload(tenant.api, 'three', {}, { path: `${path}/versions` })).body['currentVersion']).toBe(3);
    expect((await tenant.api.post(`${path}/restore-version`, { version: 9 })).status).toBe(404);
  });

  it('are shown to those who may see them: own, confidential, in lists and counts alike', async () => {
    const own = await platform.tenant();
    const ana = await platform.member(own, 'Ana', ['files:*'], { roles: ['member'] });
    const ben = await platform.member(own, 'Ben', ['files:*'], { roles: ['manager'] });
    const cleo = await platform.member(own, 'Cleo', ['*'], { roles: ['admin'] });
    const add = async (api: Client, name: string, parts: Record<string, string> = {}) => {
      const made = await upload(api, name, { name, ...parts });
      expect(made).toMatchObject({ status: 201 });
      return made.body.id;
    };
    const open = await add(ana.api, 'Open');
    const secret = await add(ana.api, 'Secret', { confidential: 'true' });
    const bens = await add(ben.api, 'Bens');
    const seen = async (api: Client) => {
      const { body } = await api.get<{ data: FileBody[]; page: { total: number } }>(`${FILES}?count=true&sort=name`);
      expect(body.page.total).toBe(body.data.length);
      for (const id of [open, secret, bens]) {
        const status = body.data.some((file) => file.id === id) ? 200 : 404;
        expect((await api.get(`${FILES}/${id}`)).status).toBe(status);
        expect((await bytesOf(api, `${FILES}/${id}/content`)).status).toBe(status);
        expect((await api.post(`${FILES}/${id}/link`)).status).toBe(status);
      }
      return body.data.map(({ name }) => name);
    };
    expect(await seen(ana.api)).toEqual(['Open', 'Secret']);
    expect(await seen(ben.api)).toEqual(['Bens', 'Open']);
    expect(await seen(cleo.api)).toEqual(['Bens', 'Open', 'Secret']);
    expect((await ana.api.patch(`${FILES}/${bens}`, { name: 'Mine' })).status).toBe(404);
  });

  it('fit into the plan, also when many arrive at once', async () => {
    const small = await platform.tenant({ plan: 'free', reads: 60_000, writes: 12_000 });
    const room = 1_073_741_824;
    const announced = await small.api.post<FileBody>(FILES, { name: 'Big', sizeBytes: MAX });
    expect(announced.status).toBe(201);
    const size = 'update data.documents_file_versions set size_bytes = $2 where file_id = $1';
    await asAdmin(platform.database, size, [announced.body.id, room - 2_500]);
    const many = await Promise.all(Array.from({ length: 6 }, () => upload(small.api, randomBytes(1_000))));
    expect(many.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    const refused = many.find(({ status }) => status === 409)!;
    expect(refused.body).toMatchObject({ code: 'storage_quota_exceeded' });
    expect(await left()).toBe(0);
  });
});
