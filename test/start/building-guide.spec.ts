import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { programsOf } from './guides.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

type Call = (method: string, path: string, body?: object) => Promise<unknown>;

/** What has arrived: the first request of each kind gets no response, as if it were lost on the way back. */
const arrivals: { method: string; key: string | undefined }[] = [];
const done = new Set<string>();
const server = createServer((request: IncomingMessage, response) => {
  const { method = '', headers } = request;
  const key = headers['idempotency-key'] as string | undefined;
  arrivals.push({ method, key });
  request.resume();
  if (!done.has(method)) {
    done.add(method);
    request.socket.destroy();
  } else {
    // As the platform: a repeat under the same key gets the stored response, any other finds the deal won.
    const isRepeat = arrivals.filter((each) => each.method === method && each.key === key).length > 1;
    response.writeHead(isRepeat ? 200 : 409, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isRepeat ? { id: 'won' } : { code: 'invalid_transition', detail: 'Won already.' }));
  }
});
let call: Call;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env['BASE'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['KEY'] = 'key';
  const file = join(temporaryFolder(), 'client.mjs');
  writeFileSync(file, programsOf('docs/guides/building.md')[0]!);
  ({ call } = (await import(pathToFileURL(file).href)) as { call: Call });
});
afterAll(() => {
  server.close();
  removeFolders();
});

it.each([
  ['POST', undefined], // an action has no body
  ['PATCH', { name: 'Acme' }],
  ['GET', undefined],
])('the client of the guide repeats a lost %s safely', async (method, body) => {
  await call(method, '/api/v1/sales/deals/1/win', body);
  const keys = arrivals.filter((each) => each.method === method).map(({ key }) => key);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
  expect(keys[0] !== undefined).toBe(method !== 'GET');
});
