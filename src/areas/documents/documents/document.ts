import { Column } from 'typeorm';
import { Field, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import type { SourceFormat } from '#libs/pdf/pdf.js';
import { Attribute, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import {
  jsonObject,
  PreviewTarget,
  TEMPLATE_KINDS,
  type TemplateKind,
} from '../document-templates/document-template.js';
import { DOCUMENT_STATUSES, documentLifecycle } from './document.lifecycle.js';

const reason = () => text({ min: 1, max: 500 });

export class VoidDocument {
  @Field(reason(), { description: 'Why it is void.', example: 'The customer is another one.' })
  reason!: string;
}

/** Why a document could not be printed. */
export class RenderError {
  @Field(text({ max: 60 }), { description: 'Stable code.', example: 'pdf_too_large' })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'What to change.', example: 'It has more than 1000 pages.' })
  detail!: string;
}

/** A document that was made from a template, with the data that it shows. */
export class Document extends RecordRow {
  @ReadOnly(oneOf(DOCUMENT_STATUSES), 'State. `draft` until the PDF is made.', { example: 'rendered', filter: true })
  status!: (typeof DOCUMENT_STATUSES)[number];

  @ReadOnly(oneOf(TEMPLATE_KINDS), 'What it is for, by its template.', { example: 'proposal', filter: true })
  kind!: TemplateKind;

  @Attribute(id(), 'Published template, of the tenant or of the platform.', {
    example: '00000000-0000-7000-8000-000000000506',
    once: true,
    filter: true,
  })
  templateId!: string;

  @ReadOnly(integer({ min: 1, max: 1_000_000 }), 'Version of the template that it was made from.', { example: 1 })
  templateVersion!: number;

  @Attribute(
    nested(PreviewTarget),
    'Record that it is about. The template gets it under the noun of its type (`invoice`, `deal`), with the fields that you may see. Only those who may see the record may read the data and the PDF.',
    { nullable: true, once: true, example: { object: 'sales.deal', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' } },
  )
  target!: PreviewTarget | null;

  @Mapped(
    jsonObject(500_000),
    'Further variables by name. In responses: all variables as they were when the document was made, where one document is read; null elsewhere.',
    { nullable: true, once: true, example: { validDays: 30 } },
  )
  data?: Record<string, unknown> | null;

  @Attribute(id(), 'Final document that this one replaces: it is superseded when this one becomes final.', {
    nullable: true,
    once: true,
    filter: true,
    names: { table: 'data.documents_documents' },
  })
  replacesId!: string | null;

  @ReadOnly(text({ min: 64, max: 64, pattern: /^[0-9a-f]{64}$/ }), 'SHA-256 of the PDF, hexadecimal.', {
    nullable: true,
  })
  contentHash!: string | null;

  @ReadOnly(integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), 'Size of the PDF in bytes.', {
    nullable: true,
    example: 28_412,
  })
  sizeBytes!: number | null;

  @ReadOnly(integer({ min: 1, max: 1_000 }), 'Pages of the PDF.', { nullable: true, example: 2 })
  pageCount!: number | null;

  @ReadOnly(nested(RenderError), 'Why the PDF could not be made; null otherwise.', { nullable: true, example: null })
  renderError!: RenderError | null;

  @ReadOnly(instant(), 'Time at which it became final.', { nullable: true })
  finalizedAt!: string | null;

  @ReadOnly(instant(), 'Time at which it was voided.', { nullable: true })
  voidedAt!: string | null;

  @ReadOnly(reason(), 'Why it is void.', { nullable: true })
  voidReason!: string | null;

  /** All variables. */
  @Column('jsonb')
  frozen!: Record<string, unknown>;

  /** What the template made of them. */
  @Column('text')
  source!: string;

  @Column('text', { name: 'source_format' })
  sourceFormat!: SourceFormat;

  @Column('text')
  locale!: string;

  @Column('uuid', { name: 'content_id', nullable: true })
  contentId!: string | null;
}

export type ShownDocument = Shown<Document>;

export const documents = recordType(Document, {
  area: 'documents',
  collection: 'documents',
  noun: 'document',
  prefix: 'DOC',
  permissions: { read: 'documents:read', write: 'documents:write' },
  name: {
    example: 'Proposal for Acme',
    about: 'Name; by default the subject of the template, or its name.',
    default: 'Document',
  },
  lifecycle: documentLifecycle,
  inputs: { void: VoidDocument },
  bodies: { update: { name: 'Proposal for Acme, second round' } },
  problems: { update: ['record_locked'], finalize: ['record_locked'] },
});
