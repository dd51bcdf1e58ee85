import { ENTRY_IS_INTACT } from '#libs/audit/audit-integrity.js';
import { BYPASSES } from '#libs/database/powerless.js';
import { statement } from '#libs/database/statement.js';
import { hashAt } from '#libs/proof/audit-tree.js';
import { isCheckpointOf } from '#libs/proof/checkpoint.js';
import { rootOf } from '#libs/proof/merkle.js';
import type { PublicSigningKey } from '#libs/proof/signing-keys.js';
import { PERSONAL_TABLES } from './personal-tables.js';
import { checkOf, days, fail, fewOf, notApplicable, pass, warning } from '../posture-check.js';

const LOG = '/api/admin/audit-logs';

/** Newest entries that are compared with the tree. */
const COMPARED = 500;
const CHECKPOINT = `select size, root_hash, note from data.audit_checkpoints
  where tenant_id = $1 order by size desc limit 1`;
/** The newest checkpoint with the maximal complete subtrees below it, from left to right, and the newest entries. */
const AUDIT_TREE = `
  with c as (${CHECKPOINT})
  select (select c.size from c) as size, (select encode(c.root_hash, 'hex') from c) as root, (select c.note from c) as note,
    (select coalesce(json_agg(json_build_object('level', b.level, 'hashes', encode(n.hashes, 'hex')) order by n.seq), '[]')
      from c cross join generate_series(0, 52) b (level)
        join data.audit_tree n on n.tenant_id = $1 and n.seq = (c.size >> b.level) << b.level
      where c.size & (1::bigint << b.level) <> 0) as peaks,
    (select json_agg(json_build_object('kid', k.kid, 'publicKey', encode(k.public_key, 'hex')))
      from directory.read_signing_keys() k) as keys,
    (select count(*)::integer from (
        select entry_id, hashes from data.audit_tree where tenant_id = $1 order by seq desc limit ${COMPARED}) n
      left join data.audit_log t on t.tenant_id = $1 and t.id = n.entry_id
      where not (${ENTRY_IS_INTACT} and t.leaf_hash = substr(n.hashes, 1, 32))) as broken`;
const UNSEALED = `
  select extract(epoch from $2::timestamptz - l.occurred_at)::float8 as seconds
  from (values (1)) one (row) left join (
    select entry_id from data.audit_pending where tenant_id = $1 order by position limit 1) p on true
  left join data.audit_log l on l.tenant_id = $1 and l.id = p.entry_id`;
const UNPROTECTED = `
  select count(*)::integer as tables, count(*) filter (where not (c.relrowsecurity and c.relforcerowsecurity
      and exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive)))::integer as open,
    ${BYPASSES} as bypassed
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'data' and c.relkind in ('r', 'p') and not c.relispartition`;
const LINKS = `
  select count(*)::integer as total, count(*) filter (where expires_at > $3::timestamptz)::integer as found
  from data.public_links where tenant_id = $1 and revoked_at is null and expires_at > $2::timestamptz
    and (max_uses is null or uses < max_uses)`;
const EXPORTS = `select count(*)::integer as today from data.audit_log
  where tenant_id = $1 and occurred_at > $2::timestamptz and action = 'audit.exported'`;
const SIGNING_KEY = `select max(not_before) as since from directory.read_signing_keys() where not_after is null`;
const DATA_KEY = `select max(created_at) as since from data.data_keys where tenant_id = $1`;
const UNLIMITED = `
  select count(*)::integer as total, count(*) filter (where not exists (
    select from data.retention_policies p
    where p.tenant_id = $1 and p.object = u.object and p.enabled))::integer as found
  from (${Object.entries(PERSONAL_TABLES)
    .map(([type, table]) => `select '${type}' as object where exists (select from ${table} where tenant_id = $1)`)
    .join(' union all ')}) u`;

interface TreeRow {
  size: number | null;
  root: string;
  note: string;
  peaks: { level: number; hashes: string }[];
  keys: { kid: string; publicKey: string }[];
  broken: number;
}

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** Whether the tree leads to its newest checkpoint, and one of our keys has signed that. */
function isProven({ root, note, peaks, keys }: TreeRow, tenantId: string, size: number): boolean {
  const rootHash = bytes(root);
  const known = keys.map(({ kid, publicKey }) => ({ kid, publicKey: bytes(publicKey) }) as PublicSigningKey);
  return (
    rootOf(peaks.map(({ level, hashes }) => hashAt(bytes(hashes), level))).equals(rootHash) &&
    isCheckpointOf({ tenantId, size, rootHash }, note, known)
  );
}

export const DATA_CHECKS = [
  checkOf<TreeRow>()({
    key: 'data.audit_intact',
    category: 'data',
    title: 'The audit log is intact',
    severity: 'critical',
    why: 'Somebody has changed or removed entries of the audit log, or its tree.',
    expected: () => `The tree leads to its signed checkpoint, and the newest ${COMPARED} sealed entries to the tree`,
    remediation: { text: 'Find the first broken entry with `verify=true`, and keep your exports.', path: LOG },
    read: ({ tenantId }) => statement(AUDIT_TREE, [tenantId]),
    judge: (row, { tenantId }) => {
      const { size, broken } = row;
      if (size === null) return notApplicable('Nothing is sealed yet');
      if (broken > 0) return fail(`${broken} changed or missing entries`);
      return isProven(row, tenantId, size) ? pass(`${size} sealed entries`) : fail('The checkpoint does not match');
    },
  }),
  checkOf<{ seconds: number | null }>()({
    key: 'data.audit_sealing',
    category: 'data',
    title: 'New audit entries are sealed',
    severity: 'medium',
    why: 'An entry can be changed unnoticed until it is sealed.',
    thresholds: { maxSeconds: { default: 60, min: 5, max: 3_600 } },
    expected: ({ maxSeconds }) => `No entry unsealed for ${maxSeconds} seconds`,
    remediation: { text: 'Ask the operator whether the workers are running.', path: '/api/public/status' },
    read: ({ tenantId, now }) => statement(UNSEALED, [tenantId, now]),
    judge: ({ seconds }, { limits }) => {
      const age = Math.max(0, Math.round(seconds ?? 0));
      const measured = `Oldest unsealed entry: ${age} seconds`;
      if (age <= limits.maxSeconds) return pass(measured);
      return age <= 10 * limits.maxSeconds ? warning(0.5, measured) : fail(measured);
    },
  }),
  checkOf<{ tables: number; open: number; bypassed: boolean }>()({
    key: 'data.row_security',
    category: 'data',
    title: 'The database separates tenants',
    severity: 'critical',
    why: 'Without row-level security, one wrong query could show the data of another tenant.',
    expected: () => 'Row-level security is forced on every table, and this connection cannot bypass it',
    remediation: { text: 'Ask the operator to run `platform migrate`.', path: '/api/public/status' },
    read: () => statement(UNPROTECTED),
    judge: ({ tables, open, bypassed }) => {
      if (bypassed) return fail('The connection bypasses row-level security');
      return open === 0 ? pass(`${tables} tables`) : fail(`${open} of ${tables} tables without it`);
    },
  }),
  checkOf<{ total: number; found: number }>()({
    key: 'data.public_links',
    category: 'data',
    title: 'Public links expire soon',
    severity: 'low',
    why: 'Everybody who gets hold of a link can open the record until it expires.',
    thresholds: { maxDays: days(120, 366) },
    expected: ({ maxDays }) => `No public link is valid for more than ${maxDays} further days`,
    remediation: { text: 'Revoke these links, and create shorter ones.', path: '/api/settings/public-links' },
    read: ({ tenantId, now, limits, daysAgo }) => statement(LINKS, [tenantId, now, daysAgo(-limits.maxDays)]),
    judge: ({ total, found }) => fewOf(found, total, 'public links are valid for too long'),
  }),
  checkOf<{ today: number }>()({
    key: 'data.export_volume',
    category: 'data',
    title: 'Exports are not unusually frequent',
    severity: 'medium',
    why: 'Many exports within a day can mean that data is being taken away.',
    thresholds: { maxExports: { default: 20, min: 1, max: 10_000 } },
    expected: ({ maxExports }) => `At most ${maxExports} exports of the audit log within 24 hours`,
    remediation: { text: 'Find who exports, and why.', path: `${LOG}?action=audit.exported` },
    read: ({ tenantId, daysAgo }) => statement(EXPORTS, [tenantId, daysAgo(1)]),
    judge: ({ today }, { limits }) => {
      const measured = `${today} exports within 24 hours`;
      if (today <= limits.maxExports) return pass(measured);
      return today <= 2 * limits.maxExports ? warning(0.5, measured) : fail(measured);
    },
  }),
  checkOf<{ since: string | null }>()({
    key: 'data.signing_key',
    category: 'data',
    title: 'The signing key of the platform is rotated',
    severity: 'low',
    why: 'Whoever has the signing key can forge proofs of the audit log.',
    thresholds: { maxDays: days(730) },
    expected: ({ maxDays }) => `A key not older than ${maxDays} days`,
    remediation: { text: 'Ask the operator to run `platform signing-key rotate`.', path: '/api/public/keys' },
    read: () => statement(SIGNING_KEY),
    judge: ({ since }, { limits, daysAgo }) => {
      if (since === null) return fail('There is no signing key');
      return since >= daysAgo(limits.maxDays) ? pass(`Since ${since}`) : fail(`Since ${since}`);
    },
  }),
  checkOf<{ since: string | null }>()({
    key: 'data.data_key',
    category: 'data',
    title: 'The key that encrypts secrets is rotated',
    severity: 'low',
    why: 'The longer a key is in use, the more values a leak exposes.',
    thresholds: { maxDays: days(365) },
    expected: ({ maxDays }) => `The newest data key is at most ${maxDays} days old`,
    remediation: { text: 'Ask the operator to run `platform data-key rotate`.', path: '/api/public/status' },
    read: ({ tenantId }) => statement(DATA_KEY, [tenantId]),
    judge: ({ since }, { limits, daysAgo }) => {
      if (since === null) return notApplicable('There is no data key');
      return since >= daysAgo(limits.maxDays) ? pass(`Since ${since}`) : fail(`Since ${since}`);
    },
  }),
  checkOf<{ total: number; found: number }>()({
    key: 'data.retention',
    category: 'data',
    title: 'Personal data is deleted in time',
    severity: 'medium',
    why: 'Personal data must not be kept longer than it is needed.',
    expected: () => 'An enabled retention policy for every type of records with personal data',
    remediation: { text: 'Create retention policies for the other types.', path: '/api/admin/retention' },
    read: ({ tenantId }) => statement(UNLIMITED, [tenantId]),
    judge: ({ total, found }) => fewOf(found, total, 'types with personal data have no retention policy'),
  }),
];
