import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '#libs/testing/until.js';
import { Collector } from '../harness/collector.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const LIMIT_MS = 90_000;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
/** Reports each module of OpenTelemetry that a process loads. */
const REPORT = `data:text/javascript,import{registerHooks}from'node:module';registerHooks({load(url,context,next){if(url.includes('@opentelemetry'))console.error('LOADED '+url);return(next(url,context))}})`;

const dataDir = join(temporaryFolder(), 'data');
let running: ChildProcess | null = null;
let collector: Collector;

beforeAll(async () => {
  collector = await Collector.start();
});
afterAll(async () => {
  await stop();
  collector.close();
  removeFolders();
}, LIMIT_MS);

async function stop(): Promise<void> {
  if (running?.exitCode !== null) return;
  const ended = once(running, 'exit');
  running.kill('SIGTERM');
  await ended;
}

/** Runs `npm start` without npm and creates a deal; returns the output. */
async function createDeal(env: Record<string, string>): Promise<() => string> {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    env: { ...process.env, NODE_OPTIONS: `--import="${REPORT}"`, DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running = child;
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (printed += text.toString()));
  const line = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(printed)?.[1];
  await until(() => line('SCIM token') !== undefined || child.exitCode !== null, LIMIT_MS);
  if (child.exitCode !== null) throw new Error(`The platform did not start: ${printed}`);
  const response = await fetch(`${line('API')}/api/sales/deals`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${line('API key')}`,
      'x-tenant-slug': line('Tenant')!,
      traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
    },
    body: JSON.stringify({ name: 'Acme renewal' }),
  });
  expect(response.status).toBe(201);
  return () => printed;
}

const loaded = (printed: string) => /LOADED \S+@opentelemetry\/(?:sdk|resources|exporter|otlp)/.test(printed);

describe('npm start', () => {
  it(
    'loads no module of the OpenTelemetry SDK by default',
    async () => {
      const printed = await createDeal({});
      await stop();
      expect(loaded(printed())).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'sends the traces and metrics of API and worker with OTEL_EXPORTER_OTLP_ENDPOINT, the last ones while it stops',
    async () => {
      const printed = await createDeal({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      await stop();
      expect(loaded(printed())).toBe(true);
      expect(collector.trace(TRACE)).toContainEqual(
        expect.objectContaining({ service: 'api', name: 'POST /api/v1/sales/deals' }),
      );
      expect([...collector.resources.keys()].sort()).toEqual(['api', 'worker']);
      const sent = (service: string) =>
        new Set(collector.metrics.filter((metric) => metric.service === service).map(({ name }) => name));
      expect(sent('api')).toContain('http.server.request.duration');
      expect(sent('worker')).toContain('platform.webhooks.queue.length');
      expect(sent('worker')).toContain('platform.audit.pending.age');
    },
    LIMIT_MS,
  );
});
