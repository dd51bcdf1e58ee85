import { Webhook } from 'standardwebhooks';
import { AuditSealer } from '#libs/proof/audit-sealer.js';
import { leafOf } from '#libs/testing/merkle.js';
import { until } from '#libs/testing/until.js';
import { StreamClaims } from '#src/areas/assurance/audit-streams/stream-claims.js';
import type { TestTenant } from '../harness/platform.js';
import { AuditDestination, entriesIn, type Fault } from './audit-destination.js';
import { Stage } from './stage.js';

const STREAMS = '/api/admin/audit-logs/streams';
const SIGNING_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const CREDENTIALS: Record<string, string> = {
  https: SIGNING_SECRET,
  splunk_hec: '11111111-2222-3333-4444-555555555555',
  s3: JSON.stringify({ accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'example' }),
};

interface Shown {
  id: string;
  status: string;
  version: number;
  cursor: { seq: number };
  lagEntries: number;
  lagSeconds: number;
  lastDeliveredAt: string | null;
  lastError: string | null;
}

let stage: Stage;
let tenant: TestTenant;
let destination: AuditDestination;
let made = 0;
beforeAll(async () => {
  stage = await Stage.open();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  destination = await AuditDestination.start();
});
afterEach(async () => {
  await stage.stopWorkers();
  await destination.close();
});
afterAll(() => stage.close());

async function secret(of: TestTenant, value: string): Promise<string> {
  const { body } = await of.api.post<{ id: string }>('/api/admin/secrets', { name: `STREAM_${++made}`, value });
  return body.id;
}

async function stream(kind: string, more: object = {}, of = tenant): Promise<Shown> {
  const { status, body, text } = await of.api.post<Shown>(STREAMS, {
    name: 'SIEM',
    kind,
    url: kind === 'splunk_hec' ? `${destination.url}/services/collector/event` : destination.url,
    credentialSecretId: await secret(of, CREDENTIALS[kind]!),
    ...(kind === 's3' && { bucket: 'audit-bucket', region: 'eu-central-1', prefix: 'log/' }),
    ...more,
  });
  if (status !== 200) throw new Error(text);
  return body;
}

const shown = async ({ id }: Shown) => (await tenant.api.get<Shown>(`${STREAMS}/${id}`)).body;
const deals = (count: number) => Promise.all(Array.from({ length: count }, () => stage.deal(tenant)));
const logSize = async (of = tenant) =>
  (await stage.sql<{ n: number }>('select count(*)::int as n from data.audit_log where tenant_id = $1', [of.id]))[0]!.n;
/** Makes a failed stream due again. */
const skipPause = () => stage.platform.clock.advance(301_000);
const numbers = (to: number, from = 1) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
/** Numbers in the order of their first arrival. */
const firstArrivals = () => [...new Set(destination.seqs)];

async function delivered(): Promise<void> {
  await until(async () => {
    const size = await logSize();
    return new Set(destination.seqs).size === size && destination.seqs.includes(size);
  });
}

describe.each(Object.keys(CREDENTIALS))('a stream to %s', (kind) => {
  it('delivers every entry in order, in a form that can be verified', async () => {
    await deals(5);
    await stream(kind, { from: 'beginning' });
    await stage.worker();
    await delivered();
    expect(destination.seqs).toEqual(numbers(await logSize()));
    for (const entry of destination.accepted.flatMap(({ body }) => entriesIn(body)))
      expect(leafOf(entry.canonical).toString('hex')).toBe(entry.leafHash);
  });

  it('loses nothing when the destination fails, resets connections and is slow', async () => {
    await deals(3);
    const own = await stream(kind, { from: 'beginning' });
    const faults: Fault[] = [500, 'reset', { status: 503, afterMs: 200 }, 429, { status: 200, afterMs: 300 }];
    destination.next = () => faults.shift() ?? 200;
    await stage.worker();
    for (let left = faults.length; left > 1; left = faults.length)
      await until(() => {
        skipPause();
        return faults.length < left;
      });
    await deals(3);
    await until(async () => {
      skipPause();
      return new Set(destination.seqs).size === (await logSize());
    });
    expect(firstArrivals()).toEqual(numbers(await logSize()));
    expect((await shown(own)).status).toBe('active');
  });
});

describe('a stream', () => {
  it('signs requests to an https destination like webhooks', async () => {
    await stream('https');
    await stage.worker();
    await until(() => destination.accepted.length > 0);
    const { body, headers } = destination.accepted[0]!;
    const [first] = entriesIn(body);
    expect(headers['content-type']).toBe('application/x-ndjson');
    expect(headers['webhook-id']).toContain(`.${first!.seq}-`);
    const sent = headers as Record<string, string>;
    const signed = new Webhook(SIGNING_SECRET).sign(
      sent['webhook-id']!,
      new Date(Number(sent['webhook-timestamp']) * 1_000),
      body,
    );
    expect(sent['webhook-signature']).toBe(signed);
  });

  it('authenticates to Splunk with its token and sends the time of each entry', async () => {
    await stream('splunk_hec');
    await stage.worker();
    await until(() => destination.accepted.length > 0);
    const { body, headers, path } = destination.accepted[0]!;
    expect(path).toBe('/services/collector/event');
    expect(headers.authorization).toBe(`Splunk ${CREDENTIALS['splunk_hec']}`);
    const event = JSON.parse(body.split('\n')[0]!) as { time: number; event: { occurredAt: string } };
    expect(event.time).toBe(Date.parse(event.event.occurredAt) / 1_000);
  });

  it('writes objects named by their first and last entry, signed, addressed by path', async () => {
    await stream('s3', { from: 'beginning' });
    await stage.worker();
    await delivered();
    const { method, path, headers } = destination.accepted[0]!;
    expect(method).toBe('PUT');
    expect(path).toMatch(/^\/audit-bucket\/log\/000000000001-\d{12}\.ndjson\?x-id=PutObject$/);
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request/,
    );
  });

  it('repeats a batch whose response was lost with the same id, although more entries have arrived', async () => {
    await stream('https', { from: 'beginning' });
    const ids: string[] = [];
    destination.next = ({ headers }) => (ids.push(String(headers['webhook-id'])) === 1 ? 'reset' : 200);
    await stage.worker();
    await until(() => ids.length > 0);
    await deals(2);
    await until(() => {
      skipPause();
      return ids.length > 2;
    });
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
    await delivered();
    expect(firstArrivals()).toEqual(numbers(await logSize()));
  });

  it('begins with the next entry by default', async () => {
    await deals(2);
    const worker = await stage.worker();
    await until(
      async () => (await stage.sql('select 1 from data.audit_pending where tenant_id = $1', [tenant.id])).length === 0,
    );
    const sealed = await logSize();
    await worker.close();
    await stream('https');
    await stage.worker();
    await until(() => destination.seqs.length > 0);
    expect(Math.min(...destination.seqs)).toBeGreaterThan(sealed);
  });

  it('shows its lag and the last error while the destination is down, and tells when it fails and recovers', async () => {
    const own = await stream('https', { from: 'beginning' });
    destination.next = () => 503;
    await stage.worker();
    await until(async () => {
      skipPause();
      return (await shown(own)).status === 'failing';
    });
    await deals(2);
    const down = await until(async () => {
      const found = await shown(own);
      return found.lagEntries === (await logSize()) ? found : null;
    });
    expect(down).toMatchObject({ cursor: { seq: 0 }, lastError: 'http_503', lastDeliveredAt: null });
    expect(down.lagSeconds).toBeGreaterThan(0);
    destination.next = () => 200;
    const up = await until(async () => {
      skipPause();
      const found = await shown(own);
      return found.status === 'active' && found.lagEntries === 0 ? found : null;
    });
    expect(up).toMatchObject({ lastError: null, lagSeconds: 0 });
    expect(up.lastDeliveredAt).not.toBeNull();
    const events = await stage.sql<{ type: string }>(
      `select type from data.events where tenant_id = $1 and type like 'audit.stream.%' order by id`,
      [tenant.id],
    );
    expect(events.map(({ type }) => type)).toEqual([
      'audit.stream.created',
      'audit.stream.failing',
      'audit.stream.recovered',
    ]);
    expect(firstArrivals()).toEqual(numbers(firstArrivals().length));
  });

  it.each([['active'], ['paused', 'active']])(
    'stays failing until a delivery succeeds, if it is set to %s',
    async (...statuses) => {
      const own = await stream('https', { from: 'beginning' });
      destination.next = () => 503;
      await stage.worker();
      await until(async () => {
        skipPause();
        return (await shown(own)).status === 'failing';
      });
      for (const status of statuses) {
        const { body } = await tenant.api.patch(`${STREAMS}/${own.id}`, { status });
        expect(body['status']).toBe(status === 'active' ? 'failing' : status);
      }
      destination.next = () => 200;
      await until(async () => {
        skipPause();
        return (await shown(own)).status === 'active';
      });
      const events = await stage.sql<{ type: string }>(
        `select type from data.events where tenant_id = $1 and type in ('audit.stream.failing', 'audit.stream.recovered')
       order by id`,
        [tenant.id],
      );
      expect(events.map(({ type }) => type)).toEqual(['audit.stream.failing', 'audit.stream.recovered']);
    },
  );

  it('waits while it is paused and continues behind its cursor', async () => {
    const own = await stream('https', { from: 'beginning' });
    await stage.worker();
    await delivered();
    await tenant.api.patch(`${STREAMS}/${own.id}`, { status: 'paused' });
    await deals(3);
    await until(async () => (await shown(own)).lagEntries >= 3);
    const before = destination.accepted.length;
    skipPause();
    await deals(1);
    await until(async () => (await shown(own)).lagEntries >= 4);
    expect(destination.accepted).toHaveLength(before);
    await tenant.api.patch(`${STREAMS}/${own.id}`, { status: 'active' });
    await delivered();
    expect(destination.seqs).toEqual(numbers(await logSize()));
  });

  it('sends nothing of another tenant', async () => {
    const other = await stage.platform.tenant();
    await stage.deal(other);
    await stream('https', { from: 'beginning' });
    await stage.worker();
    await deals(2);
    await delivered();
    const tenants = destination.accepted
      .flatMap(({ body }) => entriesIn(body))
      .map(({ canonical }) => (JSON.parse(canonical) as { tenantId: string }).tenantId);
    expect([...new Set(tenants)]).toEqual([tenant.id]);
  });

  it('is taken over from a worker that died, once its lease has expired', async () => {
    await stream('https', { from: 'beginning' });
    const sealer = await stage.idleWorker();
    await sealer.get(AuditSealer).sealNext([tenant.id]);
    const claims = await sealer.get(StreamClaims).take(100); // and never releases them
    expect(claims.filter(({ tenantId }) => tenantId === tenant.id)).toHaveLength(1);
    await stage.worker();
    await until(async () => (await stage.sql('select 1 from data.audit_pending')).length === 0);
    expect(destination.accepted).toEqual([]);
    stage.platform.clock.advance(46_000);
    await delivered();
    expect(destination.seqs).toEqual(numbers(await logSize()));
  });

  it('is sent by one worker at a time', async () => {
    await deals(20);
    await stream('https', { from: 'beginning' });
    destination.next = () => ({ status: 200, afterMs: 100 });
    await Promise.all([stage.worker(), stage.worker()]);
    await delivered();
    expect(destination.seqs).toEqual(numbers(await logSize()));
  });

  it('sends large logs in batches of at most 500 entries and 1 MiB', async () => {
    const details = JSON.stringify({
      targetName: null,
      reason: null,
      changes: { note: { from: null, to: 'x'.repeat(5_000) } },
    });
    await stage.sql(
      `insert into data.audit_log (tenant_id, id, occurred_at, actor_type, action, outcome, risk_level, request_id,
         entry, leaf_hash, details)
       select $1, id, now(), 'system', 'test.thing.done', 'success', 'low', 'request', entry,
         sha256('\\x00'::bytea || convert_to(entry, 'UTF8')), case when n <= 600 then $2 else '{}' end
       from (select n, gen_random_uuid() as id, '{"actor":null,"n":' || n || '}' as entry from generate_series(1, 1600) n) e`,
      [tenant.id, details],
    );
    await stream('https', { from: 'beginning' });
    await stage.worker();
    await delivered();
    expect(destination.seqs).toEqual(numbers(await logSize()));
    for (const { body } of destination.accepted) {
      expect(entriesIn(body).length).toBeLessThanOrEqual(500);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1_048_576);
    }
  });

  it('fails with a code when its secret can no longer be used, and recovers with another one', async () => {
    const own = await stream('https', { from: 'beginning' });
    await stage.sql(`update data.secrets set expires_at = now() - interval '1 hour' where tenant_id = $1`, [tenant.id]);
    await stage.worker();
    await until(async () => (await shown(own)).lastError === 'credential_invalid');
    await tenant.api.patch(`${STREAMS}/${own.id}`, { credentialSecretId: await secret(tenant, SIGNING_SECRET) });
    await delivered();
  });
});
