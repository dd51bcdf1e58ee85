import { createHash, createPublicKey, verify } from 'node:crypto';
import pg from 'pg';
import { uuidv7 } from '#libs/kernel/id.js';
import { AuditSealer } from '#libs/proof/audit-sealer.js';
import { AuditSealing } from '#libs/proof/audit-sealing.js';
import { until } from '#libs/testing/until.js';
import { leafOf, treeHash } from '#libs/testing/merkle.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.stopWorkers());
afterAll(() => stage.close());

interface TreeRow {
  seq: string;
  entry_id: string;
  leaf: string;
}

interface CheckpointRow {
  size: string;
  root: string;
  note: string;
}

const tree = (tenantId: string) =>
  stage.sql<TreeRow>(
    `select seq, entry_id, encode(substr(hashes, 1, 32), 'hex') as leaf from data.audit_tree where tenant_id = $1 order by seq`,
    [tenantId],
  );
const checkpoints = (tenantId: string) =>
  stage.sql<CheckpointRow>(
    `select size, encode(root_hash, 'hex') as root, note from data.audit_checkpoints where tenant_id = $1 order by size`,
    [tenantId],
  );
const entries = (tenantId: string) =>
  stage.sql<{ id: string; entry: string }>('select id, entry from data.audit_log where tenant_id = $1', [tenantId]);

/** Everything is sealed, each entry once, without gaps, and all checkpoints are of the one tree. */
async function expectOneTree(tenantId: string): Promise<TreeRow[]> {
  const rows = await tree(tenantId);
  const written = new Map((await entries(tenantId)).map(({ id, entry }) => [id, leafOf(entry).toString('hex')]));
  expect(rows.map(({ seq }) => Number(seq))).toEqual(rows.map((_, index) => index + 1));
  expect(new Map(rows.map(({ entry_id, leaf }) => [entry_id, leaf]))).toEqual(written);
  expect(rows).toHaveLength(written.size);
  const leaves = rows.map(({ leaf }) => Buffer.from(leaf, 'hex'));
  const kept = await checkpoints(tenantId);
  expect(Number(kept.at(-1)?.size)).toBe(rows.length);
  for (const { size, root } of kept) expect(root).toBe(treeHash(leaves.slice(0, Number(size))).toString('hex'));
  return rows;
}

const INSERT = `
  insert into data.audit_log (tenant_id, id, occurred_at, actor_type, action, outcome, risk_level, request_id, entry,
    leaf_hash, details)
  values ($1, $2::uuid, now(), 'system', 'test.thing.done', 'success', 'low', 'request', to_json($2::uuid)::text,
    sha256('\\x00'::bytea || to_json($2::uuid)::text::bytea), '{}')`;

async function open(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stage.platform.database.adminUrl });
  await client.connect();
  return client;
}

describe('entries of an audit log', () => {
  it('are numbered without gaps, in one tree, while many are written and two sealers are at work', async () => {
    const tenant = await stage.platform.tenant();
    const sealings = [await stage.idleWorker(), await stage.idleWorker()].map((worker) => worker.get(AuditSealing));
    const deals = Promise.all(Array.from({ length: 60 }, () => stage.deal(tenant)));
    let done = false;
    void deals.finally(() => (done = true));
    while (!done) await Promise.all(sealings.map((sealing) => sealing.pass()));
    await deals;
    await sealings[0]!.pass();
    expect((await expectOneTree(tenant.id)).length).toBeGreaterThanOrEqual(60);
  });

  it('are all sealed when they are committed in another order than they were written, and only then', async () => {
    const tenant = await stage.platform.tenant();
    const sealer = (await stage.idleWorker()).get(AuditSealer);
    const [early, late, undone] = [uuidv7(), uuidv7(), uuidv7()];
    const clients = await Promise.all([early, late, undone].map(open));
    for (const [index, id] of [early, late, undone].entries()) {
      await clients[index]!.query('begin');
      await clients[index]!.query(INSERT, [tenant.id, id]);
    }
    await clients[1]!.query('commit');
    await clients[2]!.query('rollback');
    await sealer.sealNext([tenant.id]);
    expect((await tree(tenant.id)).map(({ entry_id }) => entry_id)).toEqual([late]);
    await clients[0]!.query('commit');
    await sealer.sealNext([tenant.id]);
    expect((await expectOneTree(tenant.id)).map(({ entry_id }) => entry_id)).toEqual([late, early]);
    await Promise.all(clients.map((client) => client.end()));
  });

  it('do not wait for the sealer when they are written', async () => {
    const tenant = await stage.platform.tenant();
    const client = await open();
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(${0x61756474}, hashtext($1))`, [tenant.id]);
    await client.query('select * from data.audit_pending for update');
    const sealer = (await stage.idleWorker()).get(AuditSealer);
    await stage.deal(tenant);
    expect(await sealer.sealNext([tenant.id])).toEqual({ sealed: 0, more: false });
    await client.query('commit');
    await client.end();
    await sealer.sealNext([tenant.id]);
    await expectOneTree(tenant.id);
  });

  it('are sealed in several batches when there are many, and those of others with them', async () => {
    const [tenant, other] = [await stage.platform.tenant(), await stage.platform.tenant()];
    await stage.deal(other);
    await stage.sql(
      `insert into data.audit_log (tenant_id, id, occurred_at, actor_type, action, outcome, risk_level, request_id,
         entry, leaf_hash, details)
       select $1, gen_random_uuid(), now(), 'system', 'test.thing.done', 'success', 'low', 'request', n::text,
         sha256('\\x00'::bytea || n::text::bytea), '{}' from generate_series(1, 2500) n`,
      [tenant.id],
    );
    const sealing = (await stage.idleWorker()).get(AuditSealing);
    while ((await sealing.pass()) !== 'none');
    expect(await expectOneTree(tenant.id)).toHaveLength(2_500);
    await expectOneTree(other.id);
  });

  it('are sealed within two seconds by a worker at work', async () => {
    const tenant = await stage.platform.tenant();
    await stage.worker();
    const tookMs: number[] = [];
    for (let deals = 1; deals <= 3; deals++) {
      await stage.deal(tenant);
      const sinceMs = performance.now();
      const written = (await entries(tenant.id)).length;
      await until(async () => (await tree(tenant.id)).length === written);
      tookMs.push(performance.now() - sinceMs);
    }
    expect(Math.min(...tookMs)).toBeLessThan(2_000); // of three, since others may use the processor
  });

  it('cannot be changed or removed from the tree', async () => {
    const tenant = await stage.platform.tenant();
    await stage.deal(tenant);
    await (await stage.idleWorker()).get(AuditSealer).sealNext([tenant.id]);
    const { database } = stage.platform;
    for (const url of [database.adminUrl, database.systemUrl, database.appUrl]) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`select set_config('app.tenant_id', $1, false)`, [tenant.id]);
      for (const text of ['update data.audit_tree set seq = seq + 1', 'delete from data.audit_tree'])
        await expect(client.query(text)).rejects.toThrow(/append-only|permission denied/);
      await client.end();
    }
  });
});

describe('a checkpoint', () => {
  it('is a signed note that the published key verifies', async () => {
    const tenant = await stage.platform.tenant();
    await stage.deal(tenant);
    await (await stage.idleWorker()).get(AuditSealer).sealNext([tenant.id]);
    const { body } = await stage.platform.anonymous().get<{ keys: { x: string }[] }>('/api/public/keys');
    const [checkpoint] = await checkpoints(tenant.id);
    const origin = `tenant-operating-platform/${tenant.id}`;
    const text = `${origin}\n${checkpoint!.size}\n${Buffer.from(checkpoint!.root, 'hex').toString('base64')}\n`;
    const start = `${text}\n— ${origin} `;
    expect(checkpoint!.note.slice(0, start.length)).toBe(start);
    const signed = Buffer.from(checkpoint!.note.slice(start.length), 'base64');
    const x = body.keys.at(-1)!.x;
    const named = Buffer.concat([Buffer.from(`${origin}\n\x01`), Buffer.from(x, 'base64url')]);
    expect(signed.subarray(0, 4)).toEqual(createHash('sha256').update(named).digest().subarray(0, 4));
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, Buffer.from(text), key, signed.subarray(4))).toBe(true);
  });

  it('is kept for each hour with changes, the last of the hour', async () => {
    const tenant = await stage.platform.tenant();
    const sealer = (await stage.idleWorker()).get(AuditSealer);
    const sealed = async () => {
      await stage.deal(tenant);
      await sealer.sealNext([tenant.id]);
      return (await checkpoints(tenant.id)).map(({ size }) => Number(size));
    };
    const [first] = await sealed();
    const [second, ...none] = await sealed();
    expect(none).toEqual([]);
    expect(second).toBeGreaterThan(first!);
    await stage.sql(
      `update data.audit_checkpoints set created_at = created_at - interval '1 hour' where tenant_id = $1`,
      [tenant.id],
    );
    const kept = await sealed();
    expect(kept).toHaveLength(2);
    expect(kept[0]).toBe(second);
    await expectOneTree(tenant.id);
  });
});
