import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { signDelivery } from '#libs/webhooks/sending/signature.js';
import { until } from '#libs/testing/until.js';
import { DEMO_PEOPLE } from '#src/start/demo-people.js';
import { rowsOf, withEmptyDatabases } from './empty-databases.js';
import { freePort, guideFolder, programsOf, runGuide } from './guides.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const START_LIMIT_MS = 180_000;
/** Settings with which guides ask to start. */
const AS_IN_GUIDES = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', METRICS_TOKEN: 'look' };

interface Arrival {
  event: string;
  webhookId: string;
  signature: string;
  body: string;
}

interface Platform {
  process: ChildProcess;
  url: string;
  key: string;
  slug: string;
  /** Its output so far. */
  printed: () => string;
}

const dataDir = join(temporaryFolder(), 'data');
const arrivals: Arrival[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => (body += text));
  request.on('end', () => {
    const header = (name: string) => String(request.headers[name]);
    arrivals.push({
      event: header('x-service-event'),
      webhookId: header('webhook-id'),
      signature: header('x-service-signature'),
      body,
    });
    response.writeHead(204).end();
  });
});
let platform: Platform;

/** Runs `npm start` without npm. */
async function start(): Promise<Platform> {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    env: { ...process.env, NODE_OPTIONS: '', DATA_DIR: dataDir, PORT: '0', ...AS_IN_GUIDES },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (text: Buffer) => (printed += text.toString()));
  child.stderr.on('data', (text: Buffer) => (printed += text.toString()));
  const line = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(printed)?.[1];
  const isOver = () => line('SCIM token') !== undefined || child.exitCode !== null;
  await until(isOver, START_LIMIT_MS - 5_000).catch(() => child.kill('SIGTERM'));
  if (line('SCIM token') === undefined) throw new Error(`The platform did not start: ${printed}`);
  return { process: child, url: line('API')!, slug: line('Tenant')!, key: line('API key')!, printed: () => printed };
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${platform.key}`, 'x-tenant-slug': platform.slug };
  const response = await fetch(platform.url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as Record<string, unknown>;
}

/** Processes of this installation, identified by the data folder in their environment. */
function processes(): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const ours = readFileSync(`/proc/${name}/environ`, 'utf8').includes(`DATA_DIR=${dataDir}`);
        return ours ? [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8') }] : [];
      } catch {
        return []; // it has ended or cannot be inspected
      }
    });
}

const arrived = (dealId: unknown) => arrivals.filter(({ body }) => body.includes(`"id":"${String(dealId)}"`));

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  platform = await start();
}, START_LIMIT_MS);

afterAll(async () => {
  platform.process.kill('SIGTERM');
  await until(() => processes().length === 0, START_LIMIT_MS);
  receiver.close();
  removeFolders();
}, START_LIMIT_MS);

/** Guides whose commands run one after the other in one tenant; each needs nothing that an earlier one has made. */
const GUIDES = [
  'signing-in',
  'receiving-webhooks',
  'watching-deliveries',
  'observability',
  'connecting-a-shop',
  'sales-handoff',
  'talent-mapping',
  'api-keys',
  'discovery',
  'home-page',
  'notifications',
  'running-ai-jobs',
  'governing-ai',
  'ai-providers',
  'delegated-access',
  'provisioning-with-scim',
  'retention-and-holds',
  'measuring-service',
  'verifying-the-audit-log',
  'verifying-evidence',
  'administering',
  'billing',
];

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('npm start', () => {
  let secret: string;

  it('starts API and worker as two processes, and delivers a signed event for a created deal', async () => {
    const { port } = receiver.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/hooks`;
    secret = String((await post('/api/webhooks/endpoints', { url, eventTypes: ['sales.deal.*'] }))['secret']);
    const deal = await post('/api/sales/deals', { name: 'Acme renewal', value: 25000 });
    await until(() => arrived(deal['id']).length === 1);
    const [{ body, signature, webhookId } = { body: '', signature: '', webhookId: '' }] = arrived(deal['id']);
    const signed = signDelivery({ body, eventId: webhookId, timestampSeconds: 0, secret });
    expect(signature).toBe(signed['x-service-signature']);
    const commands = processes().map(({ command }) => command);
    expect(commands.filter((command) => command.includes('src/api/main.js'))).toHaveLength(1);
    expect(commands.filter((command) => command.includes('src/worker/main.js'))).toHaveLength(1);
  });

  it('has sample data and two people who run it in the demo tenant', async () => {
    const headers = { authorization: `Bearer ${platform.key}`, 'x-tenant-slug': platform.slug };
    const onboarding = await fetch(`${platform.url}/api/admin/onboarding`, { headers });
    expect(await onboarding.json()).toMatchObject({ sampleData: { kept: [] } });
    const won = await fetch(`${platform.url}/api/v1/sales/deals?status=won`, { headers });
    expect(((await won.json()) as { data: unknown[] }).data.length).toBeGreaterThan(5);
    const members = await fetch(`${platform.url}/api/admin/memberships`, { headers });
    const { data } = (await members.json()) as { data: { email: string; name: string; roleIds: string[] }[] };
    // The names are those that the page of the demo provider shows.
    expect(data.map(({ email, name }) => ({ email, name }))).toEqual(
      expect.arrayContaining(DEMO_PEOPLE.map(({ email, name }) => ({ email, name }))),
    );
    for (const role of ['owner', 'admin'] as const)
      expect(data.filter(({ roleIds }) => roleIds.includes(SYSTEM_ROLE_IDS[role]))).toHaveLength(1);
  });

  // Before the guides, so that the new worker counts as up, which takes ten seconds, when it is to crash.
  it('delivers what was created while the worker was dead', async () => {
    const worker = processes().find(({ command }) => command.includes('src/worker/main.js'));
    process.kill(worker!.pid, 'SIGKILL');
    const deal = await post('/api/sales/deals', { name: 'While the worker is dead' });
    await until(() => arrived(deal['id']).length === 1);
  });

  describe('the commands of the guide', () => {
    const folder = join(temporaryFolder(), 'guides');
    beforeAll(() => guideFolder(folder, dataDir));

    it.each(GUIDES)(
      '%s can be pasted from top to bottom',
      async (guide) => {
        const run = await runGuide(`docs/guides/${guide}.md`, folder, { BASE: platform.url, DATA_DIR: dataDir });
        expect(run).toEqual({ refused: run.announced, announced: run.announced, errors: [] });
      },
      START_LIMIT_MS,
    );

    it(
      'operating can be pasted from top to bottom, and restores what it has backed up',
      () =>
        withEmptyDatabases(async (operated, restored) => {
          const port = String(await freePort());
          const base = { BASE: `http://127.0.0.1:${port}`, PORT: port, DATA_DIR: join(folder, 'operated') };
          const urls = { DATABASE_URL: operated, RESTORE_URL: restored };
          const run = await runGuide('docs/guides/operating.md', folder, { ...base, ...urls });
          expect(run).toEqual({ refused: [], announced: [], errors: [] });
          const tenants = await rowsOf(restored, 'select slug from directory.tenants order by slug');
          expect(tenants).toEqual([{ slug: 'acme' }, { slug: 'globex' }]);
        }),
      START_LIMIT_MS,
    );
  });

  it('runs the program of the guide on building', () => {
    const folder = temporaryFolder();
    const [client, program] = programsOf('docs/guides/building.md');
    writeFileSync(join(folder, 'client.mjs'), client!);
    writeFileSync(join(folder, 'program.mjs'), program!);
    const env = { BASE: platform.url, KEY: platform.key };
    const { stdout, stderr } = spawnSync(process.execPath, ['program.mjs'], { cwd: folder, env, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toContain('Acme renewal\n');
  });

  it('gives API and worker only the database URL of their own role', () => {
    const environmentOf = (app: string) => {
      const { pid } = processes().find(({ command }) => command.includes(`src/${app}/main.js`))!;
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    };
    const urls = (app: string) =>
      environmentOf(app)
        .filter((variable) => variable.startsWith('DATABASE_') && variable.includes('postgres:'))
        .map((variable) => variable.replace(/:\/\/.*/, ''));
    expect(urls('api')).toEqual(['DATABASE_APP_URL=postgres']);
    expect(urls('worker')).toEqual(['DATABASE_SYSTEM_URL=postgres']);
  });

  it('runs bundled apps that serve the published document', async () => {
    for (const app of ['api', 'worker'])
      expect(readFileSync(`dist/src/${app}/main.js`, 'utf8')).not.toMatch(/from "@nestjs\/core"/);
    const served = await fetch(`${platform.url}/openapi.json`);
    expect(await served.json()).toEqual(JSON.parse(readFileSync('openapi/openapi.json', 'utf8')));
  });

  it('keeps serving while the worker crashes, and reports the outage and its end once', async () => {
    const said = (text: string) => platform.printed().split(text).length - 1;
    const readiness = async () => {
      const response = await fetch(`${platform.url}/health/ready`);
      return [response.status, ((await response.json()) as { worker: string }).worker];
    };
    const workers = () => processes().filter(({ command }) => command.includes('src/worker/main.js'));
    await until(() => said('The worker is up again') === 1); // after the previous kill
    for (let crash = 0; crash < 6; crash++) {
      const [worker] = await until(() => (workers().length === 1 ? workers() : null));
      process.kill(worker!.pid, 'SIGKILL');
      await until(() => !workers().some(({ pid }) => pid === worker!.pid));
      const found = await until(async () => {
        const [status, worker] = await readiness();
        return worker === 'down' ? status : null;
      });
      expect(found).toBe(200);
    }
    await post('/api/sales/deals', { name: 'While the worker crashes' });
    await until(async () => (await readiness())[1] === 'up');
    await until(() => said('The worker is up again') === 2);
    expect(said('The worker ended unexpectedly')).toBe(2);
  });

  it('restarts its PostgreSQL when that is killed, and keeps serving', async () => {
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'runtime.json'), 'utf8')) as { pid: number };
    process.kill(parseInt(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8'), 10), 'SIGKILL');
    await until(() => platform.printed().includes('The embedded PostgreSQL ended unexpectedly (SIGKILL)'));
    await until(async () => (await fetch(`${platform.url}/health/ready`)).status === 200);
    const deal = await post('/api/sales/deals', { name: 'After the database was killed' });
    await until(() => arrived(deal['id']).length === 1);
    expect(processes().map((each) => each.pid)).toContain(pid);
  });

  it('keeps its data and delivers after everything was killed between create and delivery', async () => {
    const worker = processes().find(({ command }) => command.includes('src/worker/main.js'));
    process.kill(worker!.pid, 'SIGSTOP');
    const deal = await post('/api/sales/deals', { name: 'Before everything dies' });
    for (const { pid } of processes()) process.kill(pid, 'SIGKILL');
    await until(() => processes().length === 0);
    expect(arrived(deal['id'])).toHaveLength(0);
    const { key } = platform;
    platform = await start();
    expect(platform.key).toBe(key);
    await until(() => arrived(deal['id']).length === 1);
  });
});
