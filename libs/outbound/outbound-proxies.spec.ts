import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { certificateFor } from '#libs/testing/certificate.js';

const HOST = 'hooks.example.com';
const LOADER = new URL('../../test/native-typescript.mjs', import.meta.url).href;

/** Sends to each URL with the outbound client; all names resolve to this machine. */
const OUTBOUND = `
  const { OutboundClient } = await import('${new URL('outbound-client.ts', import.meta.url).href}');
  const resolver = { resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
  const client = new OutboundClient({ WEBHOOK_ALLOWED_CIDRS: ['127.0.0.0/8'], WEBHOOK_DENIED_CIDRS: [] }, resolver);
  const send = async (url) => {
    const { error, bodyExcerpt } = await client.request({ method: 'POST', url, headers: {}, body: '{}', timeoutMs: 5_000 });
    return error ?? bodyExcerpt;
  };`;
/** Sends to each URL with Node's `fetch`. */
const FETCH = `const send = (url) => fetch(url, { method: 'POST', body: '{}' }).then((answer) => answer.text(), () => 'failed');`;

const servers: Server[] = [];
let folder: string;
let proxied: number;
let direct: number;
let urls: string[];
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  [proxied, direct] = [0, 0];
  const proxy = await listen(
    createTcpServer((socket) => {
      proxied += 1;
      socket.destroy();
    }),
  );
  const answer: RequestListener = (_request, response) => {
    direct += 1;
    response.end('direct');
  };
  const certificate = certificateFor(HOST);
  const plain = await listen(createServer(answer));
  const secure = await listen(createTlsServer(certificate, answer));
  urls = [`http://${HOST}:${plain}/`, `http://127.0.0.1:${plain}/`, `https://${HOST}:${secure}/`];
  folder = mkdtempSync(join(tmpdir(), 'proxies-'));
  writeFileSync(join(folder, 'ca.pem'), certificate.cert);
  const { NO_PROXY: _, no_proxy: __, ...others } = process.env;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const proxies = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxy}`]));
  env = { ...others, ...proxies, NODE_USE_ENV_PROXY: '1', NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  rmSync(folder, { recursive: true });
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The results in a process that has these variables from its start, because Node reads them only then. */
async function inAProcess(sender: string): Promise<string[]> {
  const program = `${sender}
    const answers = [];
    for (const url of process.argv.slice(1)) answers.push(await send(url));
    process.stdout.write(JSON.stringify(answers), () => process.exit());`;
  const options = ['--import', LOADER, '--input-type=module', '--eval', program, '--', ...urls];
  const child = spawn(process.execPath, options, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(child.stdout)) as string[];
}

it('the outbound client goes past the proxies of the environment', async () => {
  expect(await inAProcess(OUTBOUND)).toEqual(['direct', 'direct', 'direct']);
  expect({ direct, proxied }).toEqual({ direct: 3, proxied: 0 });
});

it('which Node itself goes through', async () => {
  expect(await inAProcess(FETCH)).toEqual(['failed', 'failed', 'failed']);
  expect(direct).toBe(0);
  expect(proxied).toBeGreaterThanOrEqual(3);
});
