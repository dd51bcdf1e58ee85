import { SigningKeys } from '#libs/proof/signing-keys.js';
import { AuditSealer } from '#libs/proof/audit-sealer.js';
import { isCheckpointOf } from '#libs/proof/checkpoint.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { begins, includes, leafOf } from '#libs/testing/merkle.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const LOG = '/api/admin/audit-logs';
const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

interface Entry {
  id: string;
  action: string;
  seq: number | null;
  leafHash: string;
}

interface Tree {
  size: number;
  rootHash: string;
  checkpoint: string | null;
  verified?: boolean;
  firstBroken?: number | null;
}

interface Log {
  data: Entry[];
  tree: Tree;
}

const bytes = (hex: string) => Buffer.from(hex, 'hex');

/** The first deal of a tenant also makes its pipeline, which is in the log. */
async function deals(count: number, api: Client = tenant.api): Promise<void> {
  for (let n = 0; n < count; n++) await api.post(DEALS, { name: `Deal ${n}` });
}

/** Seals what has been written by now, as a worker does within two seconds. */
async function seal(): Promise<void> {
  const facts = { id: tenant.id, epoch: '1' } as TenantFacts;
  await runAsSystem(facts, 'test', 'seal', () => platform.app.get(AuditSealer).sealAll());
}

const log = async (query = ''): Promise<Log> => {
  const { status, body, text } = await tenant.api.get<Log>(`${LOG}?limit=200&sort=occurredAt${query}`);
  if (status !== 200) throw new Error(text);
  return body;
};

describe('the list', () => {
  it('numbers what is sealed, and shows the checkpoint', async () => {
    await deals(3);
    const before = await log();
    expect(before.data.map(({ seq }) => seq)).toEqual([null, null, null, null]);
    expect(before.tree).toEqual({ size: 0, rootHash: expect.stringMatching(/^e3b0c442/), checkpoint: null });
    await seal();
    const { data, tree } = await log();
    expect(data.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]); // reading was recorded too
    expect(tree.size).toBe(5);
    const head = { tenantId: tenant.id, size: 5, rootHash: bytes(tree.rootHash) };
    const keys = await platform.app.get(SigningKeys).all();
    expect(isCheckpointOf(head, tree.checkpoint!, keys)).toBe(true);
    expect(isCheckpointOf({ ...head, size: 6 }, tree.checkpoint!, keys)).toBe(false);
    expect(tree).not.toHaveProperty('verified');
  });

  it('verifies what it shows', async () => {
    await deals(5);
    await seal();
    const { tree } = await log('&verify=true');
    expect(tree).toMatchObject({ size: 6, verified: true, firstBroken: null });
  });

  it.each([
    [
      'the text of an entry',
      `update data.audit_log set entry = replace(entry, 'sales.deal', 'sales.lead') where id = $1`,
    ],
    [
      'the text of an entry and its hash',
      `update data.audit_log set entry = entry || ' ', leaf_hash = sha256('\\x00'::bytea || (entry || ' ')::bytea) where id = $1`,
    ],
    ['its time', `update data.audit_log set occurred_at = occurred_at - interval '1 day' where id = $1`],
    ['its details', `update data.audit_log set details = replace(details, 'Deal', 'Deed') where id = $1`],
    ['its details, as if they were erased', `update data.audit_log set details_salt = null where id = $1`],
    ['the address', `update data.audit_log set client_ip = '192.0.2.1' where id = $1`],
    [
      'its leaf in the tree',
      `update data.audit_tree set hashes = overlay(hashes placing '\\x00' from 5) where entry_id = $1`,
    ],
    ['the tree', `update data.audit_tree set entry_id = gen_random_uuid() where entry_id <> $1 and seq = 1`, 0],
  ])('tells the first entry that is not what was sealed: %s', async (_what, change, broken = 1) => {
    await deals(5);
    await seal();
    const third = (await log()).data[2]!;
    for (const table of ['audit_log', 'audit_tree'])
      await asAdmin(platform.database, `alter table data.${table} disable trigger append_only`);
    await asAdmin(platform.database, change, [third.id]);
    const { tree } = await log('&verify=true');
    if (broken === 0)
      expect(tree.verified).toBe(true); // an entry without a number has nothing to prove
    else expect(tree).toMatchObject({ verified: false, firstBroken: 3 });
  });

  it('tells a checkpoint that nobody has signed', async () => {
    await deals(2);
    await seal();
    await asAdmin(
      platform.database,
      `update data.audit_checkpoints set note = replace(note, '— ', '— x') where tenant_id = $1`,
      [tenant.id],
    );
    expect((await log('&verify=true')).tree).toMatchObject({ verified: false, firstBroken: null });
  });
});

describe('an entry', () => {
  it('is proven to be in the log, also right after it was written', async () => {
    await deals(6);
    const [{ id }] = (await log()).data.slice(-1) as [Entry];
    const { status, body } = await tenant.api.get<
      Entry & { canonical: string; proof: { leafIndex: number; treeSize: number; rootHash: string; hashes: string[] } }
    >(`${LOG}/${id}?include=proof`);
    expect(status).toBe(200);
    const { proof, canonical, leafHash, seq } = body;
    expect(leafOf(canonical).toString('hex')).toBe(leafHash);
    expect(proof.leafIndex).toBe(seq! - 1);
    const { leafIndex, treeSize, rootHash, hashes } = proof;
    expect(includes(bytes(leafHash), leafIndex, treeSize, hashes.map(bytes), bytes(rootHash))).toBe(true);
    const { tree } = await log();
    expect(tree).toMatchObject({ size: treeSize, rootHash });
  });

  it('is shown without the proof unless it is asked for, and never to another tenant', async () => {
    await deals(1);
    const [{ id }] = (await log()).data as [Entry];
    const { body } = await tenant.api.get(`${LOG}/${id}`);
    expect(body).toMatchObject({ id, action: 'sales.pipeline.created', seq: null });
    expect(body).not.toHaveProperty('proof');
    expect((await (await platform.tenant()).api.get(`${LOG}/${id}?include=proof`)).status).toBe(404);
  });
});

describe('consistency', () => {
  it('is in the log as a read of it', async () => {
    await deals(1);
    await seal();
    const reader = await platform.key(tenant, ['audit:read']);
    expect((await reader.get(`${LOG}/consistency?from=1&to=1`)).status).toBe(200);
    const reads = await asAdmin(
      platform.database,
      `select action from data.audit_log where tenant_id = $1 and action = 'audit.read'`,
      [tenant.id],
    );
    expect(reads).toHaveLength(1);
  });

  it('is proven between all sizes that the tree has had', async () => {
    const heads: Tree[] = [];
    for (let n = 1; n <= 7; n++) {
      await deals(n % 3 === 0 ? 2 : 1);
      await seal();
      heads.push((await log()).tree);
    }
    for (const older of heads)
      for (const newer of heads.filter(({ size }) => size >= older.size)) {
        const { body } = await tenant.api.get<{ hashes: string[] }>(
          `${LOG}/consistency?from=${older.size}&to=${newer.size}`,
        );
        const head = ({ size, rootHash }: Tree) => ({ size, root: bytes(rootHash) });
        expect(begins(head(older), head(newer), body.hashes.map(bytes))).toBe(true);
      }
  });

  it.each(['from=1&to=100', 'from=3&to=2'])('is refused for sizes that it has not had: %s', async (query) => {
    await deals(3);
    await seal();
    const { status, body } = await tenant.api.get(`${LOG}/consistency?${query}`);
    expect([status, body['code']]).toEqual([400, 'validation_failed']);
  });
});
