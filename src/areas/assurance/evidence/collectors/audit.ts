import { ENTRY_IS_INTACT } from '#libs/audit/audit-integrity.js';
import { type Collector, collector } from '../collector.js';
import { EVENT_COLUMNS, EVENT_ORDER, eventOf, eventsOf, type RawEvent, recorded, type ShownEvent } from './events.js';

const folder = 'audit';
/** Number of entries, the newest ones, that are verified. */
const VERIFIED = 50_000;

/** Entries reach a stream within this time. */
const MAX_LAG_HOURS = 1;

interface Stream {
  streamId: string;
  name: string;
  kind: string;
  host: string;
  encrypted: boolean;
  status: string;
  createdAt: string;
  lastError: string | null;
  lagHours: number;
}

interface Verification {
  newestEntries: number;
  firstBrokenEntry: number | null;
  firstBrokenNode: number | null;
  rootIntact: boolean;
}

/**
 * Verifies the stored entries against their leaves, and recomputes inner nodes from their children, and the root from the complete subtrees.
 * The result shows no counts, because the log grows with each export; the manifest has its size.
 */
const VERIFY = `
  with recursive newest as (
    select c.size, c.root_hash from data.audit_checkpoints c where c.tenant_id = $1 order by c.size desc limit 1),
  leaves as (
    select n.seq, n.entry_id, n.hashes from data.audit_tree n, newest
    where n.tenant_id = $1 and n.seq > newest.size - ${VERIFIED} and n.seq <= newest.size),
  nodes as (
    select l.seq, substr(l.hashes, 32 * b.level + 1, 32) as hash, sha256('\\x01'::bytea
        || substr(s.hashes, 32 * b.level - 31, 32) || substr(l.hashes, 32 * b.level - 31, 32)) as expected
    from leaves l cross join lateral generate_series(1, length(l.hashes) / 32 - 1) b (level)
    left join data.audit_tree s on s.tenant_id = $1 and s.seq = l.seq - (1::bigint << b.level - 1)),
  peaks as (
    select row_number() over (order by b.level) as place, substr(n.hashes, 32 * b.level + 1, 32) as hash
    from newest cross join generate_series(0, 52) b (level)
    join data.audit_tree n on n.tenant_id = $1 and n.seq = (newest.size >> b.level) << b.level
    where newest.size & (1::bigint << b.level) <> 0),
  roots as (
    select p.place, p.hash from peaks p where p.place = 1
    union all
    select p.place, sha256('\\x01'::bytea || p.hash || r.hash) from roots r join peaks p on p.place = r.place + 1)
  select ${VERIFIED} as "newestEntries",
    (select min(l.seq) from leaves l left join data.audit_log t on t.tenant_id = $1 and t.id = l.entry_id
      where not (${ENTRY_IS_INTACT} and t.leaf_hash = substr(l.hashes, 1, 32)))
      as "firstBrokenEntry",
    (select min(n.seq) from nodes n where n.hash is distinct from n.expected) as "firstBrokenNode",
    newest.root_hash is not distinct from (select r.hash from roots r order by r.place desc limit 1) as "rootIntact"
  from newest`;

/** The audit log itself. */
export const AUDIT: readonly Collector[] = [
  collector<Verification>({
    folder,
    controlId: 'audit-integrity',
    control: 'The audit log cannot be changed without notice.',
    title: 'Verification of the audit tree',
    type: 'verification',
    source: `The newest ${VERIFIED} entries of the audit log: their leaves and commitments, inner nodes and root of the Merkle tree were recomputed.`,
    frameworks: { soc2: ['CC7.2', 'CC7.3'], iso27001: ['A.8.15', 'A.5.28'], gdpr: ['Art. 5(2)', 'Art. 32(1)(b)'] },
    columns: ['newestEntries', 'firstBrokenEntry', 'firstBrokenNode', 'rootIntact'],
    query: VERIFY,
    order: '"newestEntries"',
    finding: ({ firstBrokenEntry, firstBrokenNode, rootIntact }) => {
      if (firstBrokenEntry !== null) return `Entry ${firstBrokenEntry} is not what was sealed.`;
      if (firstBrokenNode !== null) return `The tree is broken at entry ${firstBrokenNode}.`;
      return rootIntact ? null : 'The newest checkpoint has another root.';
    },
  }),
  collector<RawEvent, ShownEvent>({
    folder,
    controlId: 'audit-exports',
    control: 'Exporting the audit log is on record.',
    title: 'Exports of the audit log',
    type: 'event_log',
    source: 'Audit log: exports of the audit log.',
    frameworks: { soc2: ['CC6.1', 'CC7.2'], iso27001: ['A.8.15'], gdpr: ['Art. 5(1)(f)'] },
    columns: EVENT_COLUMNS,
    query: eventsOf(['audit.exported']),
    order: EVENT_ORDER,
    show: eventOf,
    finding: recorded,
  }),
  collector<Stream>({
    folder,
    controlId: 'audit-streams',
    control: 'The audit log is also kept outside the platform.',
    title: 'Streams of the audit log',
    type: 'configuration',
    source: 'Streams of the audit log, with the age of the oldest entry that is not delivered, in full hours.',
    frameworks: { soc2: ['CC7.2'], iso27001: ['A.8.15', 'A.8.16'], gdpr: ['Art. 32(1)(b)'] },
    // Not the position and the time of the last delivery, because an export of evidence moves them.
    columns: ['streamId', 'name', 'kind', 'host', 'encrypted', 'status', 'createdAt', 'lastError', 'lagHours'],
    query: `
      select s.id as "streamId", s.name, s.kind, split_part(split_part(s.url, '://', 2), '/', 1) as host,
        s.url like 'https:%' as encrypted, s.status, s.created_at as "createdAt", c.error as "lastError",
        coalesce(greatest(floor(extract(epoch from $3 - l.occurred_at) / 3600), 0), 0)::integer as "lagHours"
      from data.audit_streams s
        join data.audit_stream_cursors c on c.tenant_id = s.tenant_id and c.stream_id = s.id
        left join data.audit_tree n on n.tenant_id = s.tenant_id and n.seq = c.seq + 1
        left join data.audit_log l on l.tenant_id = s.tenant_id and l.id = n.entry_id
      where s.tenant_id = $1`,
    order: '"createdAt", "streamId"',
    finding: ({ encrypted, status, lagHours }) => {
      if (status !== 'active') return `The stream is ${status}.`;
      if (lagHours >= MAX_LAG_HOURS) return 'Entries wait to be delivered.';
      return encrypted ? null : 'Entries are sent without encryption.';
    },
  }),
];
