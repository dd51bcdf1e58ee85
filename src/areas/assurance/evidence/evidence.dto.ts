import { anyObject, Field, id, instant, integer, type Kind, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { digest, MAX_HASHES, MAX_SEQ } from '../audit-logs/audit-log.dto.js';
import { type EvidenceData, EVIDENCE_STATUSES, EVIDENCE_TYPES, type EvidenceStatus, FRAMEWORKS } from './collector.js';
import { COLLECTORS } from './collectors/every.js';

export const EVIDENCE_FORMATS = ['json', 'zip'] as const;
export type EvidenceFormat = (typeof EVIDENCE_FORMATS)[number];
/** A framework, or all of them. */
export const EVIDENCE_FRAMEWORKS = [...FRAMEWORKS, 'all'] as const;
export type EvidenceFramework = (typeof EVIDENCE_FRAMEWORKS)[number];
/** Maximum period of a bundle in days. */
export const MAX_DAYS = 366;
export const DEFAULT_DAYS = 90;

const KNOWN_CONTROLS: ReadonlySet<string> = new Set(
  COLLECTORS.flatMap(({ controlId, frameworks }) => [controlId, ...FRAMEWORKS.flatMap((each) => frameworks[each])]),
);

/** A kind whose faults have a code of their own. */
function coded(kind: Kind, code: string, isKnown: (value: string) => boolean, detail: string): Kind {
  return {
    ...kind,
    check: (value) => {
      const faults = kind.check(value);
      if (typeof value !== 'string' || faults.some((fault) => fault.code !== 'invalid_value')) return faults;
      return isKnown(value) ? [] : [{ code, detail }];
    },
  };
}

const framework = coded(
  oneOf(EVIDENCE_FRAMEWORKS),
  'unknown_framework',
  (value) => (EVIDENCE_FRAMEWORKS as readonly string[]).includes(value),
  `The framework must be one of ${EVIDENCE_FRAMEWORKS.join(', ')}.`,
);
const control = coded(
  text({ min: 1, max: 60 }),
  'unknown_control',
  (value) => KNOWN_CONTROLS.has(value),
  'There is no evidence for a control with this id.',
);
const format = (): Kind => oneOf(EVIDENCE_FORMATS);
const FORMAT = {
  description: '`json` (default), or `zip`: an archive with JSON, CSV and a readable page.',
  optional: true,
};

export class EvidenceQuery {
  @Field(framework, { description: 'Framework whose controls to include; `all` by default.', optional: true })
  framework?: EvidenceFramework;

  @Field(instant(), {
    description: `Beginning of the period; ${DEFAULT_DAYS} days before its end by default.`,
    optional: true,
  })
  from?: string;

  @Field(instant(), {
    description: `End of the period; now by default. At most ${MAX_DAYS} days after \`from\`.`,
    optional: true,
  })
  to?: string;

  @Field(listOf(control, { min: 1, max: 50 }), {
    description: 'Only evidence for these controls: ids as in `controlId`, or of a framework, such as `CC6.1`.',
    example: ['access-members'],
    optional: true,
  })
  controls?: string[];

  @Field(format(), FORMAT)
  format?: EvidenceFormat;

  @Field(id(), {
    description: 'Bundle to chain to; by default the last one with the same framework and controls.',
    optional: true,
  })
  previous?: string;
}

export class StoredEvidenceQuery {
  @Field(format(), FORMAT)
  format?: EvidenceFormat;
}

export class EvidenceTenant {
  @Field(id(), { description: 'Id of the tenant.' })
  id!: string;

  @Field(text({ max: 63 }), { description: 'Slug of the tenant.', example: 'acme' })
  slug!: string;
}

export class EvidencePeriod {
  @Field(instant(), { description: 'Beginning.' })
  from!: string;

  @Field(instant(), { description: 'End; not included.' })
  to!: string;
}

export class EvidenceItem {
  @Field(text({ max: 60 }), { description: 'Id of the control.', example: 'access-members' })
  controlId!: string;

  @Field(text({ max: 200 }), { description: 'What the control demands.' })
  control!: string;

  @Field(text({ max: 100 }), { description: 'What the item shows.', example: 'Members with roles and second factor' })
  title!: string;

  @Field(oneOf(EVIDENCE_TYPES), { description: 'Kind of evidence.', example: 'population' })
  type!: string;

  @Field(instant(), { description: 'Time at which the data was read; the same for all items.' })
  collectedAt!: string;

  @Field(text({ max: 300 }), { description: 'Where the data comes from.' })
  source!: string;

  @Field(anyObject({ type: 'object', additionalProperties: true }), {
    description:
      '`rows` with the `finding` of each (null if nothing is wrong), `total`, and `truncated`: only the first 5,000 are listed.',
    example: { total: 0, truncated: false, rows: [] },
  })
  data!: EvidenceData;

  @Field(oneOf(EVIDENCE_STATUSES), {
    description: '`fail` with a finding; `not_tested` without rows, or if the list is truncated.',
    example: 'pass',
  })
  status!: EvidenceStatus;

  @Field(digest(), { description: 'SHA-256 of the RFC 8785 form of `data`.' })
  sha256!: string;

  @Field(digest(), { description: '`hash` of the previous item; 64 zeros for the first.' })
  prevHash!: string;

  @Field(digest(), { description: 'SHA-256 of the text `prevHash` followed by `sha256`.' })
  hash!: string;
}

export class EvidenceSummary {
  @Field(integer({ min: 0, max: 1_000 }), { description: 'Number of items.', example: 1 })
  total!: number;

  @Field(integer({ min: 0, max: 1_000 }), { description: 'Number that passed.', example: 1 })
  pass!: number;

  @Field(integer({ min: 0, max: 1_000 }), { description: 'Number that failed.', example: 0 })
  fail!: number;

  @Field(integer({ min: 0, max: 1_000 }), { description: 'Number that were not tested.', example: 0 })
  notTested!: number;
}

export class EvidenceAuditHead {
  @Field(integer({ min: 0, max: MAX_SEQ }), { description: 'Number of sealed entries in the audit log.', example: 1 })
  seq!: number;

  @Field(digest(), { description: 'Root of the Merkle tree over them.' })
  hash!: string;
}

const checkpoint = (): Kind => text({ max: 2_000 });

export class EvidenceAuditLog {
  @Field(checkpoint(), {
    description: 'Last checkpoint before the period, a signed note (C2SP `tlog-checkpoint`); null if there is none.',
    nullable: true,
  })
  opening!: string | null;

  @Field(checkpoint(), { description: 'Checkpoint of `auditHead`; null for an empty log.', nullable: true })
  closing!: string | null;

  @Field(listOf(digest(), { max: MAX_HASHES }), {
    description: 'Proof that the log has only grown from `opening` to `closing` (RFC 6962 section 2.1.2).',
    example: [],
  })
  consistency!: string[];
}

export class EvidenceLink {
  @Field(id(), { description: 'Id of the previous bundle.' })
  id!: string;

  @Field(digest(), { description: 'Its `rootHash`.' })
  rootHash!: string;
}

const controlIds = (): Kind => listOf(text({ max: 40 }), { max: 20 });

export class EvidenceFrameworks {
  @Field(controlIds(), { description: 'SOC 2 trust services criteria.', example: ['CC6.1'] })
  soc2!: readonly string[];

  @Field(controlIds(), { description: 'ISO/IEC 27001:2022 annex A.', example: ['A.5.15'] })
  iso27001!: readonly string[];

  @Field(controlIds(), { description: 'GDPR articles.', example: ['Art. 32(1)(b)'] })
  gdpr!: readonly string[];
}

export class EvidenceArtifact {
  @Field(text({ max: 60 }), { description: 'Item that it describes.', example: 'access-members' })
  controlId!: string;

  @Field(text({ max: 100 }), { description: 'Its file in the archive, without extension.', example: 'access/members' })
  file!: string;

  @Field(nested(EvidenceFrameworks), { description: 'Controls that the item is evidence for.' })
  frameworks!: EvidenceFrameworks;

  @Field(instant(), { description: 'Time at which the data was read.' })
  collectedAt!: string;

  @Field(integer({ min: 0, max: MAX_SEQ }), { description: 'Number of rows, including those not listed.', example: 1 })
  rowCount!: number;

  @Field(digest(), { description: 'SHA-256 of the statement that read the data.' })
  querySha256!: string;
}

/** Facts that the bundle and its signed manifest share. */
class BundleFacts {
  @Field(id(), { description: 'Id of the bundle.' })
  id!: string;

  @Field(nested(EvidenceTenant), { description: 'Tenant of the bundle.' })
  tenant!: EvidenceTenant;

  @Field(oneOf(EVIDENCE_FRAMEWORKS), { description: 'Framework of the bundle.', example: 'all' })
  framework!: EvidenceFramework;

  @Field(nested(EvidencePeriod), { description: 'Period of the bundle.' })
  period!: EvidencePeriod;

  @Field(instant(), { description: 'When the bundle was generated.' })
  generatedAt!: string;
}

export class EvidenceManifest extends BundleFacts {
  @Field(integer({ min: 1, max: 1 }), { description: 'Version of the format.', example: 1 })
  formatVersion!: number;

  @Field(integer({ min: 0, max: 1_000 }), { description: 'Number of items.', example: 1 })
  itemCount!: number;

  @Field(digest(), { description: '`hash` of the last item.' })
  rootHash!: string;

  @Field(digest(), { description: 'SHA-256 of the RFC 8785 form of `items`.' })
  itemsSha256!: string;

  @Field(digest(), { description: 'SHA-256 of the RFC 8785 form of `summary`.' })
  summarySha256!: string;

  @Field(nested(EvidenceAuditHead), { description: 'Head of the audit log when the data was read.' })
  auditHead!: EvidenceAuditHead;

  @Field(nested(EvidenceAuditLog), { description: 'Proof that the audit log has only grown.' })
  auditLog!: EvidenceAuditLog;

  @Field(nested(EvidenceLink), {
    description: 'Bundle that this one is chained to; null for the first.',
    nullable: true,
  })
  previousBundle!: EvidenceLink | null;

  @Field(listOf(nested(EvidenceArtifact), { max: 1_000 }), { description: 'How each item was made.' })
  artifacts!: EvidenceArtifact[];
}

export class EvidenceSignature {
  @Field(oneOf(['Ed25519']), { description: 'Algorithm.', example: 'Ed25519' })
  algorithm!: 'Ed25519';

  @Field(text({ max: 43 }), { description: '`kid` of the key, at `GET /api/public/keys`.' })
  keyId!: string;

  @Field(text({ max: 86 }), { description: 'Signature (base64url) over the RFC 8785 form of `manifest`.' })
  value!: string;
}

export class EvidenceBundle extends BundleFacts {
  @Field(listOf(nested(EvidenceItem), { max: 1_000 }), { description: 'The evidence.' })
  items!: EvidenceItem[];

  @Field(nested(EvidenceSummary), { description: 'Number of items by status.' })
  summary!: EvidenceSummary;

  @Field(nested(EvidenceManifest), { description: 'What is signed.' })
  manifest!: EvidenceManifest;

  @Field(nested(EvidenceSignature), { description: 'Signature of the manifest.' })
  signature!: EvidenceSignature;
}
