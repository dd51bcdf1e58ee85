import { type Collector, collector } from '../collector.js';
import { EVENT_ORDER, eventOf, eventsOf, type RawEvent, recorded, type ShownEvent } from './events.js';

const folder = 'audit';
/** Number of entries, the newest ones, that are verified. */
const VERIFIED = 50_000;

interface Verification {
  newestEntries: number;
  firstBrokenEntry: number | null;
  firstBrokenNode: number | null;
  rootIntact: boolean;
}

/**
 * Recomputes leaves from the stored entries, inner nodes from their children, and the root from the complete subtrees.
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
      where sha256('\\x00'::bytea || convert_to(t.entry, 'UTF8')) is distinct from substr(l.hashes, 1, 32))
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
    source: `The newest ${VERIFIED} entries of the audit log: leaves, inner nodes and root of its Merkle tree were recomputed.`,
    frameworks: { soc2: ['CC7.2', 'CC7.3'], iso27001: ['A.8.15', 'A.5.28'], gdpr: ['Art. 5(2)', 'Art. 32(1)(b)'] },
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
    query: eventsOf(['audit.exported']),
    order: EVENT_ORDER,
    show: eventOf,
    finding: recorded,
  }),
];
