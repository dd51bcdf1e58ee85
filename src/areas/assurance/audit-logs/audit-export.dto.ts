import { addFields, Field, fieldsOf, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { model } from '#libs/resource/types/record.dto.js';
import { AuditEntryView, AuditLogQuery, digest, InclusionProof, MAX_HASHES, MAX_SEQ } from './audit-log.dto.js';

export const EXPORT_FORMATS = ['json', 'ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
/** Maximum range of an export in days. */
export const MOST_DAYS = 366;

const NOT_ITS_OWN = ['limit', 'cursor', 'sort', 'verify', 'from', 'to'];

/** The filters of the list, and the date range. */
export const AuditExportQuery = model(
  'AuditExportQuery',
  Object.fromEntries([...fieldsOf(AuditLogQuery)].filter(([name]) => !NOT_ITS_OWN.includes(name))),
);
addFields(AuditExportQuery, [
  ['from', { kind: instant(), description: 'Entries from this time on.', example: '2026-01-01T00:00:00Z' }],
  [
    'to',
    {
      kind: instant(),
      description: `Entries before this time, at most ${MOST_DAYS} days after \`from\`.`,
      example: '2026-12-01T00:00:00Z',
    },
  ],
  ['format', { kind: oneOf(EXPORT_FORMATS), description: 'Form of the export; `json` if not given.', optional: true }],
]);

export class ExportedAuditEntry extends AuditEntryView {
  @Field(text({ max: 64 }), {
    description: 'Salt (hex) of the commitment to `clientIp` and `userAgent`.',
    nullable: true,
  })
  contextSalt!: string | null;

  @Field(text({ max: 64 }), {
    description: 'Salt (hex) of the commitment to the name of the target, `reason` and `changes`; null once erased.',
    nullable: true,
  })
  detailsSalt!: string | null;

  @Field(text({ max: 20_000 }), {
    description: 'The stored entry, canonical JSON (RFC 8785), which `leafHash` is made from.',
  })
  canonical!: string;

  @Field(nested(InclusionProof), { description: 'With filters: the proof that it is in the log.', optional: true })
  proof?: InclusionProof;
}

export class ExportedTree {
  @Field(integer({ min: 0, max: MAX_SEQ }), { description: 'How many entries were sealed.', example: 1 })
  size!: number;

  @Field(digest(), { description: 'Root of the Merkle tree over them.' })
  rootHash!: string;
}

const hashes = () => listOf(digest(), { max: MAX_HASHES });

export class RangeProof {
  @Field(hashes(), {
    description: 'Roots of the complete subtrees left of the range, from left to right.',
    example: [],
  })
  before!: string[];

  @Field(hashes(), { description: 'Those right of it.', example: [] })
  after!: string[];
}

export class ExportManifest {
  @Field(integer({ min: 0, max: MAX_SEQ }), { description: 'How many entries it has.', example: 1 })
  count!: number;

  @Field(integer({ min: 1, max: MAX_SEQ }), { description: 'Number of the first; null without any.', nullable: true })
  firstSeq!: number | null;

  @Field(integer({ min: 1, max: MAX_SEQ }), { description: 'Number of the last; null without any.', nullable: true })
  lastSeq!: number | null;

  @Field(nested(ExportedTree), { description: 'The tree that proves them.' })
  tree!: ExportedTree;

  @Field(text({ max: 2_000 }), {
    description: 'Its checkpoint, a signed note (C2SP `tlog-checkpoint`); null for a log without entries.',
    nullable: true,
  })
  checkpoint!: string | null;

  @Field(nested(RangeProof), {
    description: 'Leads from the leaves of all entries to the root; null with filters, and without entries.',
    nullable: true,
  })
  rangeProof!: RangeProof | null;

  @Field(digest(), { description: 'SHA-256 of the canonical texts, each followed by LF.' })
  sha256!: string;

  @Field(digest(), { description: 'SHA-256 of the RFC 8785 forms of the whole entries, each followed by LF.' })
  entriesSha256!: string;

  @Field(text({ max: 43 }), { description: '`kid` of the key that signed it, at `GET /api/public/keys`.' })
  keyId!: string;

  @Field(text({ max: 86 }), {
    description: 'Ed25519 signature (base64url) over the RFC 8785 form of the manifest without this member.',
  })
  signature!: string;
}

export class AuditExport {
  @Field(listOf(nested(ExportedAuditEntry), { max: 100_000_000 }), { description: 'The entries, by number.' })
  entries!: ExportedAuditEntry[];

  @Field(nested(ExportManifest), { description: 'What proves them.' })
  manifest!: ExportManifest;
}
