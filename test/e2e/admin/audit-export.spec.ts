import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditTree } from '#libs/proof/audit-tree.js';
import { operatorOf } from '../../cli/operator.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { itemsOf, verifyExport } from '../../../verify/audit.mjs';

const LOG = '/api/admin/audit-logs';
const FORMATS = ['json', 'ndjson', 'csv'];
/** Of each kind of export; with `AUDIT_TRIALS` more. */
const TRIALS = Number(process.env['AUDIT_TRIALS'] ?? 100);
const LONG_MS = 30_000 + TRIALS * 200;

let platform: TestPlatform;
let tenant: TestTenant;
let folder: string;
beforeAll(async () => {
  platform = await startPlatform();
  folder = mkdtempSync(join(tmpdir(), 'audit-export-'));
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
const range = () => {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  return `from=${at(-86_400_000)}&to=${at(86_400_000)}`;
};

/** Entries with all that a cell can hold. */
async function history(): Promise<void> {
  const names = ['Plain', '=SUM(A1)', 'Quote " and, comma', "'tick", '-1', 'Ünïcode \u{1f600}'];
  for (const name of names) {
    const { body } = await tenant.api.post('/api/v1/sales/deals', { name, nextStep: `${name} \u2028` });
    await tenant.api.patch(`/api/v1/sales/deals/${String(body['id'])}`, { name: `${name} again` });
  }
}

/** As bytes, past the check of the answer's schema: only one of the formats has one. */
async function exported(format: string, query = '', span = range()): Promise<Buffer> {
  const response = await fetch(`${platform.url}${LOG}/export?${span}&format=${format}${query}`, {
    headers: { 'x-api-key': tenant.apiKey, 'user-agent': '' },
  });
  if (response.status !== 200) throw new Error(await response.text());
  return Buffer.from(await response.arrayBuffer());
}

const verdict = async (file: Buffer, jwks: Keys): Promise<string> =>
  verifyExport(itemsOf([file]), jwks).catch((error: Error) => error.message);

/** Runs the verifier as an auditor does. */
function run(file: Buffer, jwks: object, options?: readonly string[]) {
  const [path, keyPath] = [join(folder, 'export'), join(folder, 'keys.json')];
  writeFileSync(path, file);
  writeFileSync(keyPath, JSON.stringify(jwks));
  return spawnSync(process.execPath, ['verify/audit.mjs', path, ...(options ?? ['--key', keyPath])], {
    encoding: 'utf8',
  });
}

it.each(['', '&action=sales.deal.*'])('holds nothing that is sealed after its checkpoint (%s)', async (query) => {
  await history();
  const tree = platform.app.get(AuditTree);
  const { newest } = tree;
  const late = jest.spyOn(tree, 'newest').mockImplementationOnce(async () => {
    const checkpoint = await newest.call(tree);
    await tenant.api.post('/api/v1/sales/deals', { name: 'Meanwhile' });
    await exported('json'); // which seals it
    return checkpoint;
  });
  const file = await exported('json', query).finally(() => late.mockRestore());
  expect(await verdict(file, await keys())).toMatch(/^OK/);
});

describe.each(FORMATS)('an export as %s', (format) => {
  it('is verified offline, whole and with a filter', async () => {
    await history();
    const whole = run(await exported(format), await keys());
    expect(whole).toMatchObject({ status: 0, stderr: '' });
    expect(whole.stdout).toMatch(/^OK: \d+ entries \(1 to \d+\) of a log of \d+, signed by [\w-]{43}\n$/);
    const filtered = run(await exported(format, '&action=sales.deal.updated'), await keys());
    expect(filtered.stdout).toMatch(/^OK: 6 entries.*; filtered: that no entry is missing is not proven\n$/);
    expect(run(await exported(format, '&action=nothing.at.all'), await keys()).stdout).toMatch(/^OK: 0 entries of/);
  });

  it(
    'shows every random change',
    async () => {
      await history();
      const jwks = await keys();
      for (const query of ['', '&action=sales.deal.*']) {
        const file = await exported(format, query);
        expect(await verdict(file, jwks)).toMatch(/^OK/);
        for (let n = 0; n < TRIALS; n++) {
          const tampered = Buffer.from(file);
          const at = Math.floor(Math.random() * file.length);
          tampered[at]! ^= 1 << Math.floor(Math.random() * 7);
          const found = await verdict(tampered, jwks);
          if (found.startsWith('OK')) throw new Error(`Byte ${at} of ${format}${query} went unnoticed.`);
        }
        const cut = Math.floor(file.length * Math.random());
        expect(await verdict(file.subarray(0, cut), jwks)).not.toMatch(/^OK/);
      }
    },
    LONG_MS,
  );

  it(
    'accuses none that is untouched, whatever part of the log it is',
    async () => {
      await history();
      const jwks = await keys();
      const { body } = await tenant.api.get<{ data: { occurredAt: string }[] }>(`${LOG}?limit=200`);
      const times = body.data.map(({ occurredAt }) => Date.parse(occurredAt));
      const any = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;
      for (let n = 0; n < Math.ceil(TRIALS / 5); n++) {
        const from = new Date(any(times)).toISOString();
        const to = new Date(Date.parse(from) + 1 + Math.random() * 1_000).toISOString();
        const file = await exported(format, any(['', '&action=sales.*', '&outcome=success']), `from=${from}&to=${to}`);
        expect(await verdict(file, jwks)).toMatch(/^OK: [1-9]/);
      }
    },
    LONG_MS,
  );
});

describe('an export', () => {
  it('has what the document says, and is on record', async () => {
    await history();
    const { status, body } = await tenant.api.get<{ entries: { seq: number }[]; manifest: { count: number } }>(
      `${LOG}/export?${range()}`,
    );
    expect(status).toBe(200);
    expect(body.entries.map(({ seq }) => seq)).toEqual(body.entries.map((_, index) => index + 1));
    expect(body.manifest.count).toBe(body.entries.length);
    const records = await tenant.api.get<{ data: { changes: object }[] }>(`${LOG}?action=audit.exported`);
    expect(records.body.data).toMatchObject([{ changes: { format: { to: 'json' } } }]);
  });

  it('stays verified after the key was rotated and after names were erased', async () => {
    await history();
    await asAdmin(
      platform.database,
      `update data.audit_log set details = data.erased_details(details, outcome), details_salt = null, erased_at = now()
       where tenant_id = $1 and action = 'sales.deal.created'`,
      [tenant.id],
    );
    const before = await exported('ndjson');
    await operatorOf(platform.database.settings).json('signing-key', 'rotate');
    for (const file of [before, await exported('ndjson')]) expect(await verdict(file, await keys())).toMatch(/^OK/);
    expect(await verdict(before, { keys: (await keys()).keys.slice(-1) })).toMatch(/^manifest: the key/);
  });

  it.each([
    [
      'a log that somebody has changed',
      `update data.audit_log set entry = replace(entry, 'low', 'lox') where tenant_id = $1`,
      /^line 1: leafHash/,
    ],
    [
      'a log from which an entry was removed',
      `delete from data.audit_log where tenant_id = $1 and id = (select entry_id from data.audit_tree where tenant_id = $1 and seq = 3)`,
      /numbers are missing/,
    ],
    [
      'an address that was changed',
      `update data.audit_log set client_ip = '192.0.2.7' where tenant_id = $1`,
      /^line 1: clientIp/,
    ],
  ])('tells of %s', async (_what, change, fault) => {
    await history();
    await exported('ndjson');
    await asAdmin(platform.database, 'alter table data.audit_log disable trigger append_only');
    await asAdmin(platform.database, change, [tenant.id]);
    expect(await verdict(await exported('ndjson'), await keys())).toMatch(fault);
    await asAdmin(platform.database, 'alter table data.audit_log enable trigger append_only');
  });

  it('is verified as bare entries, as a stream delivers them, only if asked', async () => {
    await history();
    const lines = (await exported('ndjson')).toString().trimEnd().split('\n').slice(0, -1);
    const jwks = await keys();
    const entries = (some: readonly string[], options?: readonly string[]) =>
      run(Buffer.from(some.map((line) => `${line}\n`).join('')), jwks, options);
    const bare = ['--entries'];
    const repeated = [...lines, ...lines.slice(1)];
    expect(entries(lines)).toMatchObject({ status: 1, stderr: expect.stringContaining('there is no manifest') });
    expect(entries(repeated, bare)).toMatchObject({
      status: 0,
      stdout: `OK: ${lines.length} entries match their leaf hashes and commitments; completeness and signature are not proven\n`,
    });
    const forged = lines.map((line) => line.replace('Plain again', 'Forged'));
    expect(entries(forged, bare)).toMatchObject({ status: 1, stderr: expect.stringContaining('not what was stored') });
    const whole = run(await exported('ndjson'), jwks, bare);
    expect(whole).toMatchObject({ status: 1, stderr: expect.stringContaining('there is a manifest') });
    expect(run(await exported('ndjson'), jwks, ['--entry'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^usage: /),
    });
  });

  it('is not verified by the keys of others, nor without any', async () => {
    await history();
    const file = await exported('json');
    const { status, stdout, stderr } = run(file, { keys: [] });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^NOT VERIFIED: manifest: the key /),
    });
  });

  it.each([
    ['from=2026-01-01T00:00:00Z&to=2027-01-03T00:00:00Z', 'range_too_long'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'out_of_range'],
    ['to=2026-01-02T00:00:00Z', 'required'],
  ])('is refused for the range %s', async (query, code) => {
    const { status, body } = await tenant.api.get(`${LOG}/export?${query}`);
    expect([status, body['code']]).toEqual([400, 'validation_failed']);
    expect(body['errors']).toMatchObject([{ parameter: 'from', code }]);
  });

  it('takes a key for protected operations', async () => {
    const api = await platform.key(tenant, ['audit:export']);
    const { status, body } = await api.get(`${LOG}/export?${range()}`);
    expect([status, body['code']]).toEqual([403, 'step_up_required']);
  });
});
