import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { FileScanning } from '#src/areas/documents/files/file-scanning.js';
import { until } from '#libs/testing/until.js';
import { Clamd, FILES, FORM_TYPE, formOf, upload } from '../harness/files.js';
import type { TestTenant } from '../harness/platform.js';
import { eventsOf } from '../harness/written.js';
import { Stage } from './stage.js';

const MAX = 100_000;

let stage: Stage;
let clamd: Clamd;
let tenant: TestTenant;
beforeAll(async () => {
  clamd = await Clamd.start();
  stage = await Stage.open({ FILE_MAX_BYTES: String(MAX), CLAMD_URL: clamd.url, CLIENT_TIMEOUT_SECONDS: '2' });
  tenant = await stage.platform.tenant();
});
afterAll(async () => {
  await stage.close();
  await clamd.close();
});

const left = () => readdir(join(stage.platform.database.settings.DATA_DIR, 'incoming')).catch(() => []);
const nothingLeft = () => until(async () => (await left()).length === 0);
const contentOf = async (id: string) => {
  const answer = await fetch(`${stage.platform.url}${FILES}/${id}/content`, { headers: tenant.api.headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

/** Sends a request by hand: its headers, then what `write` sends. Returns the first line of the response. */
function byHand(
  headers: Record<string, string>,
  write: (
    send: (bytes: Buffer | string) => boolean,
    gone: () => boolean,
    drained: () => Promise<void>,
  ) => void | Promise<void>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(stage.platform.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.includes('\r\n')) resolve(answer.split('\r\n')[0]!);
    });
    socket.on('error', () => undefined).on('close', () => resolve(answer.split('\r\n')[0]!));
    const all = { host: hostname, 'x-api-key': tenant.apiKey, ...FORM_TYPE, ...headers };
    socket.write(
      `POST ${FILES} HTTP/1.1\r\n${Object.entries(all)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    );
    Promise.resolve(
      write(
        (bytes) => socket.write(bytes),
        () => socket.destroyed || answer !== '',
        async () => {
          await until(() => socket.destroyed || answer !== '' || socket.writableLength === 0);
        },
      ),
    ).catch(reject);
  });
}

describe('uploads that mean harm', () => {
  it('are refused when they are too large, as soon as it shows, and leave nothing behind', async () => {
    const announced = await byHand({ 'content-length': '5368709120' }, () => undefined);
    expect(announced).toBe('HTTP/1.1 413 Payload Too Large');
    const chunk = Buffer.alloc(16_384, 'x');
    let sent = 0;
    const endless = await byHand({ 'transfer-encoding': 'chunked' }, async (send, gone, drained) => {
      const begin = formOf({ name: 'Big' }, Buffer.alloc(0)).toString().split('\r\n--').slice(0, -1).join('\r\n--');
      send(`${Buffer.byteLength(begin).toString(16)}\r\n${begin}\r\n`);
      while (!gone() && sent < 64 * MAX) {
        send(Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]));
        sent += chunk.length;
        await drained();
      }
    });
    expect(endless).toBe('HTTP/1.1 413 Payload Too Large');
    expect(sent).toBeLessThan(64 * MAX);
    await nothingLeft();
  });

  it('are ended when they are cut off or stop to arrive, and leave nothing behind', async () => {
    const form = formOf({ name: 'Slow' }, Buffer.alloc(10_000, 'x'));
    const slow = await byHand({ 'content-length': String(form.length) }, (send) => void send(form.subarray(0, 5_000)));
    expect(slow).toBe('HTTP/1.1 408 Request Timeout');
    await nothingLeft();
    const { hostname, port } = new URL(stage.platform.url);
    const socket = connect(Number(port), hostname);
    const headers = `content-length: ${form.length}\r\nx-api-key: ${tenant.apiKey}\r\ncontent-type: ${FORM_TYPE['content-type']}`;
    socket.write(`POST ${FILES} HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`);
    socket.write(form.subarray(0, 5_000));
    await until(async () => (await left()).length === 1);
    socket.destroy();
    await nothingLeft();
    const list = await tenant.api.get<{ data: unknown[] }>(FILES);
    expect(list.body.data).toEqual([]);
  });

  it('are refused in other forms than one file after its fields', async () => {
    const send = (body: Buffer | string, type = FORM_TYPE['content-type']) =>
      tenant.api.send('POST', FILES, Buffer.from(body), { 'content-type': type });
    const two =
      formOf({}, Buffer.from('1'))
        .toString()
        .replace(/--\r\n$/, '\r\n') + formOf({ name: 'x' }, Buffer.from('2')).toString();
    expect((await send(two)).status).toBe(400);
    expect((await send(formOf({ nonsense: '1' }, Buffer.from('1')))).body).toMatchObject({
      errors: [{ pointer: '/nonsense' }],
    });
    expect((await send(formOf({ folder: '../etc' }, Buffer.from('1')))).body).toMatchObject({
      errors: [{ pointer: '/folder' }],
    });
    expect((await send('no form')).status).toBe(400);
    expect((await send(formOf({}, Buffer.from('1')).subarray(0, -30))).status).toBe(400);
    expect((await send('x', 'multipart/form-data')).status).toBe(400);
    expect((await send('x', 'application/octet-stream')).status).toBe(415);
    expect((await tenant.api.send('POST', '/api/v1/sales/deals', 'x', FORM_TYPE)).status).toBe(415);
    const ofReader = await stage.platform.key(tenant, ['files:read']);
    expect((await upload(ofReader, 'x')).status).toBe(403);
    await nothingLeft();
  });

  it('cannot make a browser run anything, or name headers and folders', async () => {
    const scanning = (await stage.idleWorker()).get(FileScanning);
    const harmful: [string, string, string][] = [
      ['page.png', '<!doctype html><script>alert(1)</script>', 'text/html; charset=utf-8'],
      ['image.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'],
      ['script.pdf', '%PDF-1.7\n1 0 obj<</S/JavaScript/JS(app.alert(1))>>endobj', 'application/pdf'],
      ['bomb.zip', 'PK\u0003\u0004 never unpacked', 'application/zip'],
    ];
    for (const [name, bytes, type] of harmful) {
      const { id } = (await upload(tenant.api, bytes, { name })).body;
      await scanning.pass();
      const { status, headers } = await contentOf(id);
      expect(status).toBe(200);
      expect(headers.get('content-disposition')).toMatch(/^attachment; /);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain('sandbox');
      if (type !== 'application/zip') expect(headers.get('content-type')).toBe(type);
    }
    const { id } = (await upload(tenant.api, 'text', { name: '../../etc/"x";filename=evil.txt' })).body;
    await scanning.pass();
    const { headers } = await contentOf(id);
    expect(headers.get('content-disposition')).toBe('inline; filename="__.._etc__x_;filename=evil.txt"');
    expect((await upload(tenant.api, 'x', { name: 'a\r\nset-cookie: x=1' })).status).toBe(400);
  });
});

describe('the scan for viruses', () => {
  it('keeps a file unreadable until it found nothing, in quarantine if it found something, and waits for clamd', async () => {
    const worker = (await stage.idleWorker()).get(FileScanning);
    const ana = await stage.platform.member(tenant, 'Ana', ['*']);
    while ((await worker.pass()) > 0);
    clamd.isDown = true;
    const [clean, infected] = [
      (await upload(ana.api, 'clean', { name: 'Clean' })).body,
      (await upload(ana.api, 'EICAR', { name: 'Infected' })).body,
    ];
    expect(clean).toMatchObject({ status: 'scanning', scanStatus: 'waiting' });
    await worker.pass();
    expect(await contentOf(clean.id)).toMatchObject({ status: 409 });
    clamd.isDown = false;
    expect(await worker.pass()).toBe(0);
    stage.platform.clock.advance(60_000);
    await worker.pass();
    expect((await tenant.api.get(`${FILES}/${clean.id}`)).body).toMatchObject({
      status: 'available',
      scanStatus: 'clean',
    });
    expect((await contentOf(clean.id)).text).toBe('clean');
    expect((await tenant.api.get(`${FILES}/${infected.id}`)).body).toMatchObject({
      status: 'quarantined',
      scanStatus: 'infected',
    });
    expect(await contentOf(infected.id)).toMatchObject({ status: 409 });
    expect((await tenant.api.post(`${FILES}/${infected.id}/link`)).status).toBe(409);
    const types = (await eventsOf(stage.platform, tenant, infected.id)).map(({ type }) => type);
    expect(types).toEqual(['documents.file.created', 'documents.file.quarantined']);
    const told = await ana.api.get<{ data: { kind: string; title: string }[] }>('/api/home/notifications');
    expect(told.body.data).toMatchObject([{ kind: 'security', title: 'A file is in quarantine' }]);
    const better = await upload(ana.api, 'better', {}, { path: `${FILES}/${infected.id}/versions` });
    expect(better.body).toMatchObject({ status: 'scanning', currentVersion: 2 });
    await worker.pass();
    expect((await contentOf(infected.id)).text).toBe('better');
    expect((await tenant.api.post(`${FILES}/${infected.id}/restore-version`, { version: 1 })).status).toBe(409);
  });
});
