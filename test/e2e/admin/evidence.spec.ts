import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import { COLLECTORS } from '#src/areas/assurance/evidence/collectors/every.js';
import type { EvidenceBundle, EvidenceItem } from '#src/areas/assurance/evidence/evidence.dto.js';
import type { EvidenceCatalog, EvidenceList } from '#src/areas/assurance/evidence/evidence-list.dto.js';
import { verifyChain } from '../../../verify/evidence.mjs';
import { operatorOf } from '../../cli/operator.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { person } from './people-calls.js';

const EVIDENCE = '/api/admin/compliance/evidence';
const INTEGRITY = '?controls=audit-integrity';
const FORMATS = ['json', 'zip'] as const;
/** Edits of each format; `EVIDENCE_TRIALS` sets another number. */
const TRIALS = Number(process.env['EVIDENCE_TRIALS'] ?? 150);
const LONG_MS = 60_000 + TRIALS * 100;
const LOCAL_HEADER = 0x04034b50;

let platform: TestPlatform;
let tenant: TestTenant;
let folder: string;
beforeAll(async () => {
  platform = await startPlatform();
  folder = mkdtempSync(join(tmpdir(), 'evidence-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await platform.close();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});

interface Keys {
  keys: object[];
}

const keys = async () => (await platform.anonymous().get<Keys>('/api/public/keys')).body;
const bundle = async (query = '') => (await tenant.api.get<EvidenceBundle>(`${EVIDENCE}${query}`)).body;
const item = (of: EvidenceBundle, id: string): EvidenceItem => of.items.find(({ controlId }) => controlId === id)!;

/** The bytes of a response. */
async function bytes(path: string): Promise<Buffer> {
  const response = await fetch(`${platform.url}${path}`, { headers: { 'x-api-key': tenant.apiKey } });
  if (response.status !== 200) throw new Error(await response.text());
  return Buffer.from(await response.arrayBuffer());
}

/** Changes the second entry of the audit log, once it is sealed. */
async function tamper(change: string): Promise<void> {
  expect(item(await bundle(INTEGRITY), 'audit-integrity').status).toBe('pass');
  await asAdmin(platform.database, 'alter table data.audit_log disable trigger append_only');
  await asAdmin(
    platform.database,
    `update data.audit_log set ${change} where tenant_id = $1
     and id = (select entry_id from data.audit_tree where tenant_id = $1 and seq = 2)`,
    [tenant.id],
  );
  await asAdmin(platform.database, 'alter table data.audit_log enable trigger append_only');
}

/** Rows for most collectors, with text that CSV and HTML must escape. */
async function history(): Promise<void> {
  const { api } = tenant;
  const { id } = await person(platform, tenant, 'admin');
  await platform.member(tenant, '=SUM(A1) <script>alert("x")</script>', ['*'], { roles: ['viewer'] });
  const { body: role } = await api.post('/api/admin/roles', { name: 'Reader', permissions: ['deals:read'] });
  await api.patch(`/api/admin/memberships/${id}`, { roleIds: [role['id']] });
  await api.post('/api/admin/secrets', { name: 'SMTP', value: 'a-very-secret-value' });
  await api.patch('/api/admin/settings', { sales: { dealReopenDays: 20 } });
}

/** The files of an archive by path; all are stored without compression. */
function filesIn(archive: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  for (let at = 0; archive.readUInt32LE(at) === LOCAL_HEADER;) {
    const [size, nameLength] = [archive.readUInt32LE(at + 18), archive.readUInt16LE(at + 26)];
    const start = at + 30 + nameLength + archive.readUInt16LE(at + 28);
    files.set(archive.toString('utf8', at + 30, at + 30 + nameLength), archive.toString('utf8', start, start + size));
    at = start + size;
  }
  return files;
}

const verdict = (file: Buffer, jwks: Keys): string => {
  try {
    return verifyChain([{ name: 'bundle', bytes: file }], jwks);
  } catch (error) {
    return (error as Error).message;
  }
};

/** Runs the verifier as an auditor does. */
function run(files: readonly Buffer[], jwks: object) {
  const keyPath = join(folder, 'keys.json');
  writeFileSync(keyPath, JSON.stringify(jwks));
  const paths = files.map((file, index) => {
    const path = join(folder, `bundle-${index}`);
    writeFileSync(path, file);
    return path;
  });
  return spawnSync(process.execPath, ['verify/evidence.mjs', ...paths, '--key', keyPath], { encoding: 'utf8' });
}

describe('a bundle of evidence', () => {
  it('has an item for each collector, chained and counted', async () => {
    await history();
    const made = await bundle();
    expect(made.items.map(({ controlId }) => controlId)).toEqual(COLLECTORS.map(({ controlId }) => controlId));
    expect(made.summary.total).toBe(COLLECTORS.length);
    expect(item(made, 'access-members')).toMatchObject({ status: 'pass', data: { total: 2, truncated: false } });
    expect(item(made, 'audit-integrity')).toMatchObject({ status: 'pass' });
    expect(item(made, 'keys-secrets').data.rows).toMatchObject([{ name: 'SMTP', finding: null }]);
    expect(item(made, 'access-changes').data.rows).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: 'core.role.created' })]),
    );
    expect(item(made, 'changes-settings').data.rows).toMatchObject([{ action: 'admin.settings.updated' }]);
    expect(made.manifest.auditHead.seq).toBeGreaterThan(0);
    expect(JSON.stringify(made)).not.toContain('a-very-secret-value');
  });

  it('is the same for the same items within ten minutes, in both formats and by its id', async () => {
    await history();
    const first = await bytes(EVIDENCE);
    const zip = await bytes(`${EVIDENCE}?format=zip`);
    const { id } = JSON.parse(first.toString()) as EvidenceBundle;
    expect((await bytes(EVIDENCE)).equals(first)).toBe(true);
    expect((await bytes(`${EVIDENCE}/${id}`)).equals(first)).toBe(true);
    expect((await bytes(`${EVIDENCE}/${id}?format=zip`)).equals(zip)).toBe(true);
    const { body } = await tenant.api.get<{ data: object[] }>('/api/admin/audit-logs?action=evidence.exported');
    expect(body.data).toHaveLength(5);
    expect(body.data[0]).toMatchObject({ target: { type: 'compliance.evidence', id } });
    platform.clock.advance(11 * MINUTE_MS);
    expect((await bundle()).id).not.toBe(id);
  });

  it('is another one after a change, for another period and with another selection', async () => {
    await history();
    const { id, period } = await bundle();
    const ids = [id, (await bundle(`?from=${period.from}&to=${period.to}`)).id];
    ids.push((await bundle('?framework=gdpr')).id, (await bundle('?controls=CC6.1,keys-secrets')).id);
    await tenant.api.post('/api/admin/roles', { name: 'Writer', permissions: ['deals:write'] });
    ids.push((await bundle()).id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has a CSV file with a header for each item, also without rows', async () => {
    await history();
    const made = await bundle();
    const files = filesIn(await bytes(`${EVIDENCE}/${made.id}?format=zip`));
    for (const [index, { file }] of made.manifest.artifacts.entries()) {
      const { columns } = COLLECTORS[index]!;
      const { rows } = made.items[index]!.data;
      const csv = files.get(`${file}.csv`)!;
      expect(csv.slice(0, csv.indexOf('\r\n'))).toBe([...columns, 'finding'].join(','));
      for (const row of rows) expect(Object.keys(row).sort()).toEqual([...columns, 'finding'].sort());
    }
    expect(made.items.filter(({ data }) => data.total === 0).length).toBeGreaterThan(0);
    expect(files.get('access/members.csv')).toMatch(/\r\n[^\r]*,"?'=SUM\(A1\)/);
  });

  it('selects by framework and control', async () => {
    const named = await bundle('?controls=keys-secrets');
    expect(named.items.map(({ controlId }) => controlId)).toEqual(['keys-secrets']);
    const cited = await bundle('?framework=iso27001&controls=A.8.24');
    expect(cited.items.map(({ controlId }) => controlId)).toEqual(
      COLLECTORS.filter(({ frameworks }) => frameworks.iso27001.includes('A.8.24')).map(({ controlId }) => controlId),
    );
  });

  it.each([
    ['framework=pci', 'framework', 'unknown_framework'],
    ['controls=nothing', 'controls', 'unknown_control'],
    ['framework=gdpr&controls=CC6.1', 'controls', 'unknown_control'],
    ['from=2024-01-01T00:00:00Z&to=2025-01-02T00:00:01Z', 'from', 'range_too_long'],
    ['from=2025-01-02T00:00:00Z&to=2025-01-01T00:00:00Z', 'from', 'out_of_range'],
    ['to=8000-01-01T00:00:00Z', 'to', 'in_future'],
    ['previous=019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01', 'previous', 'unknown_reference'],
  ])('is refused for %s', async (query, parameter, code) => {
    const { status, body } = await tenant.api.get(`${EVIDENCE}?${query}`);
    expect([status, body['code']]).toEqual([400, 'validation_failed']);
    expect(body['errors']).toMatchObject([{ parameter, code }]);
  });

  it('is chained to the last one with the same framework and controls by default', async () => {
    const previous = (of: EvidenceBundle) => of.manifest.previousBundle?.id ?? null;
    const [soc2, all] = [await bundle('?framework=soc2'), await bundle()];
    const some = await bundle('?framework=soc2&controls=CC6.1,CC7.2');
    expect([soc2, all, some].map(previous)).toEqual([null, null, null]);
    await tenant.api.patch('/api/admin/settings', { sales: { dealReopenDays: 20 } });
    platform.clock.advance(11 * MINUTE_MS);
    expect(previous(await bundle('?framework=soc2'))).toBe(soc2.id);
    expect(previous(await bundle())).toBe(all.id);
    expect(previous(await bundle('?framework=soc2&controls=CC7.2,CC6.1'))).toBe(some.id);
    expect(previous(await bundle(`?framework=gdpr&previous=${all.id}`))).toBe(all.id);
  });

  it('of another tenant is unknown, also as the previous one', async () => {
    const { id } = await bundle();
    const other = await platform.tenant();
    expect((await other.api.get(`${EVIDENCE}/${id}`)).status).toBe(404);
    const { status, body } = await other.api.get(`${EVIDENCE}?previous=${id}`);
    expect([status, body['errors']]).toMatchObject([400, [{ code: 'unknown_reference' }]]);
  });

  it('is listed, newest first, and can be downloaded again', async () => {
    const first = await bundle('?framework=soc2');
    platform.clock.advance(MINUTE_MS);
    const auditor = await person(platform, tenant, 'auditor');
    const { body: second } = await auditor.api.get<EvidenceBundle>(`${EVIDENCE}?framework=soc2`);
    await bytes(`${EVIDENCE}/${second.id}`);
    await bundle('?controls=audit-integrity,CC6.1');
    const { body } = await tenant.api.get<EvidenceList>(`${EVIDENCE}/bundles`);
    expect(body.data).toMatchObject([
      { framework: 'all', controls: ['CC6.1', 'audit-integrity'], previousBundle: null },
      { id: second.id, controls: null, previousBundle: { id: first.id, rootHash: first.manifest.rootHash } },
      { id: first.id, previousBundle: null },
    ]);
    expect(body.data[1]).toEqual({
      ...{ id: second.id, framework: 'soc2', controls: null, period: second.period, summary: second.summary },
      ...{ rootHash: second.manifest.rootHash, previousBundle: second.manifest.previousBundle },
      ...{ keyId: second.signature.keyId, createdAt: second.generatedAt },
      createdBy: { type: 'api_key', id: expect.any(String) as string, name: expect.any(String) as string },
    });
    const [byOwner, byAuditor] = [body.data[2]!.createdBy!.id, body.data[1]!.createdBy!.id];
    expect(body.data[0]!.createdBy!.id).toBe(byOwner);
    expect(byAuditor).not.toBe(byOwner);
    const pages: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const page: { body: EvidenceList } = await tenant.api.get<EvidenceList>(
        `${EVIDENCE}/bundles?limit=2${next && `&cursor=${next}`}`,
      );
      pages.push(...page.body.data.map(({ id }) => id));
      next = page.body.page.nextCursor;
    }
    expect(pages).toEqual(body.data.map(({ id }) => id));
    const other = await platform.tenant();
    expect((await other.api.get<EvidenceList>(`${EVIDENCE}/bundles`)).body.data).toEqual([]);
    const log = await tenant.api.get<{ data: object[] }>('/api/admin/audit-logs?action=evidence.listed');
    expect(log.body.data).toHaveLength(3);
  });

  it('can be exported for each listed framework and control', async () => {
    const { body } = await tenant.api.get<EvidenceCatalog>(`${EVIDENCE}/controls`);
    expect(body.controls.map(({ controlId }) => controlId)).toEqual(COLLECTORS.map(({ controlId }) => controlId));
    for (const framework of body.frameworks) {
      const { frameworks } = body.controls[0]!;
      const [cited] = frameworks[framework as keyof typeof frameworks];
      expect((await bundle(`?framework=${framework}&controls=${encodeURIComponent(cited!)}`)).items).not.toEqual([]);
    }
  });

  it('needs the permission, which auditors have', async () => {
    const auditor = await person(platform, tenant, 'auditor');
    const manager = await person(platform, tenant, 'manager');
    expect((await auditor.api.get(EVIDENCE)).status).toBe(200);
    expect((await manager.api.get(EVIDENCE)).status).toBe(403);
  });

  it('can no longer be changed or deleted', async () => {
    const { id } = await bundle();
    const change = `update data.evidence_bundles set framework = 'gdpr' where id = $1`;
    await expect(asAdmin(platform.database, change, [id])).rejects.toThrow();
    await expect(asAdmin(platform.database, 'delete from data.evidence_bundles where id = $1', [id])).rejects.toThrow();
  });

  it.each([
    ['the text', `entry = replace(entry, 'success', 'succesS')`],
    ['the reason', `details = jsonb_set(details::jsonb, '{reason}', '"Forged"')::text`],
    ['the address', `client_ip = '192.0.2.1'`],
  ])('finds a change of %s of an audit entry', async (_what, change) => {
    await history();
    await tamper(change);
    const found = item(await bundle(INTEGRITY), 'audit-integrity');
    expect(found.status).toBe('fail');
    expect(found.data.rows).toMatchObject([{ finding: expect.stringMatching(/^Entry 2 is not what was sealed/) }]);
  });

  it('accepts audit entries whose details were erased', async () => {
    await history();
    await tamper(`details = data.erased_details(details, outcome), details_salt = null, erased_at = now()`);
    expect(item(await bundle(INTEGRITY), 'audit-integrity').status).toBe('pass');
  });
});

describe.each(FORMATS)('a bundle as %s', (format) => {
  it('is verified offline, in less than five seconds', async () => {
    await history();
    const file = await bytes(`${EVIDENCE}?format=${format}`);
    const startedMs = performance.now();
    const { status, stdout, stderr } = run([file], await keys());
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^OK: \d+ items for \S+ to \S+, bundle \S+, root [0-9a-f]{64}\n$/);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('is verified with the checkpoint before the period, and after the key was rotated', async () => {
    await history();
    await bundle();
    platform.clock.advance(2 * 60 * MINUTE_MS);
    await asAdmin(
      platform.database,
      `update data.audit_checkpoints set created_at = now() - interval '1 day' where tenant_id = $1`,
      [tenant.id],
    );
    const from = new Date(Date.now() - 60 * MINUTE_MS).toISOString();
    const file = await bytes(`${EVIDENCE}?from=${from}&format=${format}`);
    const [first] = (await keys()).keys;
    expect(first).toBeDefined();
    await operatorOf(platform.database.settings).json('signing-key', 'rotate');
    expect(verdict(file, await keys())).toMatch(/^OK/);
    expect(verdict(file, { keys: (await keys()).keys.slice(-1) })).toMatch(/^signature: the key/);
    const { manifest } = await bundle(`?from=${from}`);
    expect(manifest.auditLog.opening).not.toBeNull();
  });

  it('is chained to the one before it', async () => {
    const files = [await bytes(`${EVIDENCE}?format=${format}`)];
    await history();
    files.push(await bytes(`${EVIDENCE}?format=${format}`));
    const chained = run(files, await keys());
    expect([chained.status, chained.stderr]).toEqual([0, '']);
    expect(chained.stdout).toMatch(/, the last of 2 chained bundles\n$/);
    const backwards = run([...files].reverse(), await keys());
    expect(backwards.status).toBe(1);
    expect(backwards.stderr).toMatch(/^NOT VERIFIED: .*: not chained to the bundle before it\n$/);
  });

  it(
    'does not survive a change of a single byte',
    async () => {
      await history();
      await bundle('?framework=gdpr');
      const file = await bytes(`${EVIDENCE}?format=${format}`);
      const jwks = await keys();
      for (let n = 0; n < TRIALS; n++) {
        const tampered = Buffer.from(file);
        const at = Math.floor(Math.random() * file.length);
        tampered[at]! ^= 1 + Math.floor(Math.random() * 255);
        if (verdict(tampered, jwks).startsWith('OK')) throw new Error(`Byte ${at} was changed without notice.`);
        if (!verdict(Buffer.from(file), jwks).startsWith('OK')) throw new Error('An unchanged file was not verified.');
      }
      expect(verdict(file.subarray(0, Math.floor(file.length * Math.random())), jwks)).not.toMatch(/^OK/);
      expect(verdict(Buffer.concat([file, Buffer.from(' ')]), jwks)).not.toMatch(/^OK/);
    },
    LONG_MS,
  );
});
