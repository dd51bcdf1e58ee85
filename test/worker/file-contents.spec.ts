import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { Database } from '#libs/database/database.js';
import { ContentsUpkeep } from '#libs/files/contents-upkeep.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import { FileLinks } from '#libs/http/files/file-links.js';
import { DAY_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { until } from '#libs/testing/until.js';
import { ObjectStore } from '../harness/object-store.js';
import type { TestTenant } from '../harness/platform.js';
import { Stage } from './stage.js';

const MIB = 1_048_576;
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe.each(['a folder', 'S3'] as const)('contents of files in %s', (driver) => {
  let store: ObjectStore | null = null;
  let stage: Stage;
  let tenant: TestTenant;
  let contents: FileContents;
  beforeAll(async () => {
    if (driver === 'S3') {
      store = await ObjectStore.start();
      process.env['AWS_ACCESS_KEY_ID'] = 'test-key';
      process.env['AWS_SECRET_ACCESS_KEY'] = 'test-secret';
    }
    stage = await Stage.open(store ? { FILES_URL: store.filesUrl } : {});
    tenant = await stage.platform.tenant();
    contents = stage.platform.app.get(FileContents);
  });
  afterAll(async () => {
    await stage.close();
    await store?.close();
  });

  const folder = () => join(stage.platform.database.settings.DATA_DIR, 'files');
  /** The stored bytes of the tenant by the last part of their path. */
  const stored = async (of = tenant): Promise<Map<string, Buffer>> => {
    const prefix = `files/${of.id}/`;
    if (store)
      return new Map(
        [...store.objects]
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, bytes]) => [key.slice(prefix.length), bytes]),
      );
    const names = await readdir(join(folder(), of.id)).catch(() => []);
    return new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(folder(), of.id, name))] as const)),
    );
  };
  const incoming = () => readdir(join(stage.platform.database.settings.DATA_DIR, 'incoming')).catch(() => []);
  const as = <T>(work: () => Promise<T>, { id, slug }: TestTenant = tenant): Promise<T> =>
    runAsSystem({ id, slug, plan: 'enterprise', currency: 'EUR', epoch: '0' }, 'test', uuidv7(), work);
  const keep = (bytes: Buffer, sealed = false, of = tenant): Promise<Content> =>
    as(() => contents.storeBytes(bytes, { sealed }), of);
  const read = (id: string, range?: { first: number; last: number }): Promise<Buffer> =>
    as(async () => buffer((await contents.open(id, range)).stream));
  const change = (work: Parameters<Database['transaction']>[0], of = tenant) =>
    as(() => stage.platform.app.get(Database).transaction(work), of);
  const use = (contentId: string, object: string, expiresAt: string | null = null, of = tenant) => {
    const id = uuidv7();
    return change(async (transaction) => contents.use(transaction, contentId, { object, id, expiresAt }), of).then(
      () => id,
    );
  };
  const sweep = async () => (await stage.idleWorker()).get(ContentsUpkeep).sweep();

  it('keeps bytes under the hash of what it stores, once for a tenant, and encrypts what is sealed', async () => {
    const bytes = randomBytes(3 * 65_536 + 5);
    const [first, second] = await Promise.all([keep(bytes), keep(bytes)]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({
      sha256: sha256(bytes),
      sizeBytes: bytes.length,
      mimeType: 'application/octet-stream',
    });
    expect([...(await stored())]).toEqual([[sha256(bytes), bytes]]);
    const [sealed, again] = [await keep(bytes, true), await keep(bytes, true)];
    expect(again.id).not.toBe(sealed.id);
    expect(sealed).toMatchObject({ sha256: sha256(bytes), sizeBytes: bytes.length });
    const all = await stored();
    expect(all.size).toBe(3);
    for (const [name, each] of all) {
      expect(name).toBe(sha256(each));
      if (name !== sha256(bytes)) expect(each.includes(bytes.subarray(70_000, 70_016))).toBe(false);
    }
    const ranges = [
      { first: 0, last: 0 },
      { first: 0, last: bytes.length - 1 },
      { first: 65_535, last: 65_536 },
      { first: 131_072, last: bytes.length - 2 },
      { first: bytes.length - 1, last: bytes.length - 1 },
    ];
    for (const { id } of [first, sealed]) {
      expect(await read(id)).toEqual(bytes);
      for (const range of ranges) expect(await read(id, range)).toEqual(bytes.subarray(range.first, range.last + 1));
    }
    for (const size of [0, 1, 65_536, 131_072]) {
      const other = randomBytes(size);
      for (const isSealed of [false, true]) expect(await read((await keep(other, isSealed)).id)).toEqual(other);
    }
    expect(await incoming()).toEqual([]);
    const stranger = await stage.platform.tenant();
    expect(await as(() => contents.find(first.id), stranger)).toBeNull();
    expect([...(await stored(stranger))]).toEqual([]);
    await keep(bytes, false, stranger);
    expect([...(await stored(stranger)).keys()]).toEqual([sha256(bytes)]);
  });

  it('notices that sealed bytes were changed or cut off', async () => {
    const [{ id }, before] = [await keep(randomBytes(2 * 65_536), true), await stored()];
    const [row] = await stage.sql<{ path: string }>('select path from data.file_contents where id = $1', [id]);
    const name = row!.path.split('/')[1]!;
    const put = (bytes: Buffer) =>
      store
        ? Promise.resolve(void store.objects.set(`files/${row!.path}`, bytes))
        : writeFile(join(folder(), row!.path), bytes);
    const bytes = before.get(name)!;
    const changed = Buffer.from(bytes);
    changed[70_000]! ^= 1;
    await put(changed);
    await expect(read(id)).rejects.toThrow();
    expect(await read(id, { first: 0, last: 9 })).toHaveLength(10);
    await put(bytes.subarray(0, 65_552));
    await expect(read(id)).rejects.toThrow();
    await put(bytes);
    expect(await read(id)).toHaveLength(2 * 65_536);
  });

  it('removes what nobody uses after a day, what is released or expired, and all of a closed tenant', async () => {
    const [unused, released, twice, kept] = await Promise.all([1, 2, 3, 4].map(() => keep(randomBytes(100))));
    const now = stage.platform.clock.nowMs();
    const user = await use(released!.id, 'test.thing');
    await use(twice!.id, 'test.thing', new Date(now + 2 * DAY_MS).toISOString());
    const other = await use(twice!.id, 'test.other');
    await use(kept!.id, 'test.thing');
    const names = async () => {
      await sweep();
      return new Set((await stored()).keys());
    };
    const present = async () => {
      const found = await names();
      return [unused, released, twice, kept].map((content) => found.has(content!.sha256));
    };
    expect(await present()).toEqual([true, true, true, true]);
    stage.platform.clock.advance(DAY_MS + 1);
    expect(await present()).toEqual([false, true, true, true]);
    await change(async (transaction) => contents.release(transaction, { object: 'test.thing', id: user }));
    expect(await present()).toEqual([false, false, true, true]);
    await change(async (transaction) => contents.release(transaction, { object: 'test.other', id: other }));
    expect(await present()).toEqual([false, false, true, true]);
    stage.platform.clock.advance(DAY_MS);
    expect(await present()).toEqual([false, false, false, true]);
    expect(await as(() => contents.find(twice!.id))).toBeNull();
    await expect(use(twice!.id, 'test.thing')).rejects.toThrow();

    const closed = await stage.platform.tenant();
    await use((await keep(randomBytes(100), false, closed)).id, 'test.thing', null, closed);
    await stage.sql(`update directory.tenants set closes_at = now(), closed_at = now() where id = $1`, [closed.id]);
    await sweep();
    expect((await stored(closed)).size).toBe(0);
    expect(await stage.sql('select from data.file_contents where tenant_id = $1', [closed.id])).toEqual([]);
  });

  it('stores the same bytes again while and after they are removed', async () => {
    const bytes = randomBytes(100);
    const { id } = await keep(bytes);
    const leaseEnd = new Date(stage.platform.clock.nowMs() + MINUTE_MS).toISOString();
    await stage.sql('update data.file_contents set removing_until = $2 where id = $1', [id, leaseEnd]);
    const tries = jest.spyOn(stage.platform.app.get(Database), 'aside');
    const again = keep(bytes);
    await until(() => tries.mock.calls.length > 1);
    tries.mockRestore();
    await stage.sql('delete from data.file_contents where id = $1', [id]);
    expect((await again).sha256).toBe(sha256(bytes));
    expect(await read((await again).id)).toEqual(bytes);
  });

  it('refuses clearly, and loses nothing, when the store fails or the file is too large', async () => {
    const { id } = await keep(Buffer.from('kept'));
    const before = await stored();
    const breakStore = async (isBroken: boolean) => {
      if (store) store.fault = isBroken ? 503 : null;
      else if (isBroken) {
        await rm(join(folder(), 'unfinished'), { recursive: true, force: true });
        await writeFile(join(folder(), 'unfinished'), 'in the way');
      } else await rm(join(folder(), 'unfinished'));
    };
    const bytes = randomBytes(1_000);
    await breakStore(true);
    const failure = await keep(bytes).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unavailable', status: 503, more: { headers: { 'retry-after': '5' } } });
    if (store) await expect(read(id)).rejects.toMatchObject({ code: 'unavailable' });
    await breakStore(false);
    expect(await stored()).toEqual(before);
    expect(await read((await keep(bytes)).id)).toEqual(bytes);
    expect(await read(id)).toEqual(Buffer.from('kept'));

    let sent = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          sent += 65_536;
          yield Buffer.alloc(65_536);
        }
      })(),
    );
    const tooLarge = as(() => contents.receive(endless, { maxBytes: MIB }));
    await expect(tooLarge).rejects.toMatchObject({ code: 'payload_too_large', status: 413 });
    expect(sent).toBeLessThan(2 * MIB);
    expect(await incoming()).toEqual([]);
  });

  it('finds the type by the bytes alone', async () => {
    const types = {
      'image/png': Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
      'application/pdf': Buffer.from('%PDF-1.7\n1 0 obj<</S/JavaScript/JS(app.alert(1))>>endobj'),
      'image/svg+xml': Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      'text/html': Buffer.from('  \n<!DOCTYPE html><script>alert(1)</script>'),
      'application/xml': Buffer.from('<?xml version="1.0"?><a/>'),
      'text/plain': Buffer.from('Grüße,\r\n\tfrom a text'),
      'application/octet-stream': Buffer.from([0, 1, 2, 3, 250]),
    };
    for (const [type, bytes] of Object.entries(types)) expect((await keep(bytes)).mimeType).toBe(type);
    expect((await keep(Buffer.from('an image <svg onload=alert(1)>'))).mimeType).toBe('image/svg+xml');
    expect((await keep(Buffer.from('<IMG src=x onerror=alert(1)>'))).mimeType).toBe('text/html');
  });

  it('opens signed links without a credential, for as long as they are good', async () => {
    const bytes = randomBytes(200_000);
    const { id } = await keep(bytes, true);
    const user = { object: 'test.thing', id: await use(id, 'test.thing') };
    const linkOf = (more: { once?: boolean; minutes?: number; contentId?: string; name?: string } = {}) =>
      as(async () =>
        stage.platform.app
          .get(FileLinks)
          .make({ contentId: id, use: user, name: 'Größe "1".svg', inline: true, once: false, minutes: 15, ...more }),
      );
    const open = (url: string, headers: Record<string, string> = {}, method = 'GET') => {
      stage.platform.clock.advance(MINUTE_MS); // not to count toward one rate limit
      return fetch(stage.platform.url + new URL(url).pathname, { method, headers });
    };
    const before = stage.platform.clock.nowMs();
    const { url, expiresAt } = await linkOf({ minutes: 60 });
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 60 * MINUTE_MS);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(stage.platform.clock.nowMs() + 60 * MINUTE_MS);
    const whole = await open(url);
    expect(whole.status).toBe(200);
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="Gr__e _1_.svg"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20_1_.svg`,
      'content-length': '200000',
      'content-security-policy': expect.stringContaining('sandbox'),
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      etag: `"${sha256(bytes)}"`,
    });
    const head = await open(url, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '200000', '']);
    const part = await open(url, { range: 'bytes=-10' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 199990-199999/200000']);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(-10));
    const tag = whole.headers.get('etag')!;
    const statusOf = async (headers: Record<string, string>) => {
      const answer = await open(url, headers);
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await statusOf({ range: 'bytes=65530-65545', 'if-range': tag })).toBe(206);
    expect(await statusOf({ range: 'bytes=0-9', 'if-range': '"other"' })).toBe(200);
    expect(await statusOf({ range: 'bytes=0-1,5-6' })).toBe(200);
    expect(await statusOf({ range: 'bytes=9-1' })).toBe(200);
    expect(await statusOf({ 'if-none-match': tag })).toBe(304);
    const beyond = await open(url, { range: 'bytes=200000-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */200000']);
    expect(await beyond.json()).toMatchObject({ code: 'range_not_satisfiable' });

    const once = (await linkOf({ once: true })).url;
    expect((await open(once, {}, 'HEAD')).status).toBe(200);
    const both = await Promise.all([open(once), open(once)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);

    const token = new URL(url).pathname.split('/').at(-1)!;
    for (const bad of [`${token}x`, token.slice(1), `B${token.slice(1)}`, 'x', 'a'.repeat(400)])
      expect((await open(`http://x/api/files/${bad}`)).status).toBe(404);
    const hidden = await keep(randomBytes(10));
    expect((await open((await linkOf({ contentId: hidden.id })).url)).status).toBe(404);
    await change(async (transaction) => contents.suspend(transaction, user, true));
    expect((await open(url)).status).toBe(404);
    await change(async (transaction) => contents.suspend(transaction, user, false));
    expect(await statusOf({})).toBe(200);
    await stage.sql(`update directory.tenants set suspended_at = now(), suspension_reason = 'x' where id = $1`, [
      tenant.id,
    ]);
    expect((await open(url)).status).toBe(404);
    await stage.sql(`update directory.tenants set suspended_at = null, suspension_reason = null where id = $1`, [
      tenant.id,
    ]);
    const soon = (await linkOf({ minutes: 1 })).url;
    expect((await open(soon)).status).toBe(404);
    const long = await linkOf({ name: `${'很长'.repeat(100)}.pdf` });
    expect((await open(long.url)).headers.get('content-disposition')).toMatch(/%E5%BE%88\.pdf|%E9%95%BF\.pdf/);
    await change(async (transaction) => contents.release(transaction, user));
    expect((await open(url)).status).toBe(404);
  });
});
