import { Field, id, instant, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { ActorView, PageInfo } from '#libs/resource/types/record.dto.js';
import { digest } from '../audit-logs/audit-log.dto.js';
import { EVIDENCE_TYPES, FRAMEWORKS } from './collector.js';
import {
  EVIDENCE_FRAMEWORKS,
  type EvidenceFramework,
  EvidenceFrameworks,
  EvidenceLink,
  EvidencePeriod,
  EvidenceSummary,
} from './evidence.dto.js';

export class ListedEvidence {
  @Field(id(), { description: 'Id of the bundle.' })
  id!: string;

  @Field(oneOf(EVIDENCE_FRAMEWORKS), { description: 'Framework of the bundle.', example: 'all' })
  framework!: EvidenceFramework;

  @Field(listOf(text({ max: 60 }), { max: 50 }), {
    description: 'The requested controls; null for all.',
    example: ['access-members'],
    nullable: true,
  })
  controls!: string[] | null;

  @Field(nested(EvidencePeriod), { description: 'Period of the bundle.' })
  period!: EvidencePeriod;

  @Field(nested(EvidenceSummary), { description: 'Number of items by status.' })
  summary!: EvidenceSummary;

  @Field(digest(), { description: '`hash` of its last item, the same in both formats.' })
  rootHash!: string;

  @Field(nested(EvidenceLink), {
    description: 'Bundle that it is chained to; null for the first.',
    nullable: true,
  })
  previousBundle!: EvidenceLink | null;

  @Field(text({ max: 43 }), { description: '`kid` of the key that signed it, at `GET /api/public/keys`.' })
  keyId!: string;

  @Field(instant(), { description: 'When the bundle was generated.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'First exporter.', nullable: true })
  createdBy!: ActorView | null;
}

export class EvidenceList {
  @Field(listOf(nested(ListedEvidence), { max: 200 }), { description: 'The bundles of this page, newest first.' })
  data!: ListedEvidence[];

  @Field(nested(PageInfo), { description: 'Position of the page in the list.' })
  page!: PageInfo;
}

export class EvidenceControl {
  @Field(text({ max: 60 }), { description: 'Id of the control, for `controls`.', example: 'access-members' })
  controlId!: string;

  @Field(text({ max: 200 }), { description: 'What the control demands.' })
  control!: string;

  @Field(text({ max: 100 }), { description: 'What its item shows.', example: 'Members with roles and second factor' })
  title!: string;

  @Field(oneOf(EVIDENCE_TYPES), { description: 'Kind of evidence.', example: 'population' })
  type!: string;

  @Field(text({ max: 300 }), { description: 'Where the data comes from.' })
  source!: string;

  @Field(nested(EvidenceFrameworks), { description: 'Controls of each framework that the item is evidence for.' })
  frameworks!: EvidenceFrameworks;
}

export class EvidenceCatalog {
  @Field(listOf(oneOf(FRAMEWORKS), { max: FRAMEWORKS.length }), {
    description: 'The frameworks, for `framework`.',
    example: [...FRAMEWORKS],
  })
  frameworks!: readonly string[];

  @Field(listOf(nested(EvidenceControl), { max: 1_000 }), { description: 'The controls, in the order of the items.' })
  controls!: EvidenceControl[];
}
