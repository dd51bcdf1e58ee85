import { Column } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import {
  addFields,
  Field,
  flag,
  id,
  instant,
  integer,
  type Kind,
  listOf,
  name,
  nested,
  oneOf,
  text,
} from '#libs/http/field.js';
import { isObject } from '#libs/kernel/is-object.js';
import { Attribute, Derived, Mapped, ReadOnly, WriteOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import { typeKey } from '#libs/resource/lists/stored-filter.js';
import { locale } from '#libs/settings/locale-fields.js';
import { type Format, FORMATS, MAX_BODY, MAX_SCHEMA, MAX_STYLES, MAX_SUBJECT } from '#libs/templates/template.js';

export const TEMPLATE_KINDS = [
  'proposal',
  'invoice',
  'offer_letter',
  'contract',
  'handoff',
  'report',
  'email',
  'generic',
] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];
export const TEMPLATE_STATUSES = ['draft', 'published', 'archived'] as const;
export const MAX_TEMPLATES = 200;
/** Largest number of versions that are shown of a template. */
export const SHOWN_VERSIONS = 100;

const sha256 = () => text({ max: 64, pattern: /^[0-9a-f]{64}$/ });
const number = () => integer({ min: 1, max: 2_147_483_647 });

/** Key of a template, also of those that the platform provides. */
const templateKey = () => text({ min: 1, max: 67, pattern: /^(system\.)?[a-z][a-z0-9-]*$/ });
const ownKey = () =>
  text({
    min: 1,
    max: 60,
    pattern: /^[a-z][a-z0-9-]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits and hyphens',
  });

/** A JSON object of a limited size. */
export function jsonObject(maxLength: number): Kind {
  return {
    schema: { type: 'object', additionalProperties: true },
    check: (value) => {
      if (!isObject(value)) return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
      if (JSON.stringify(value).length <= maxLength) return [];
      return [{ code: 'too_long', detail: `It may have at most ${maxLength} characters as JSON.` }];
    },
    parse: () => undefined,
  };
}

/** A published version of a template. It never changes. */
export class TemplateVersionView {
  @Field(number(), { description: 'Number of the version.', example: 1 })
  version!: number;

  @Field(sha256(), {
    description: 'SHA-256 of the body (UTF-8) in hexadecimal digits.',
    example: '6f1ed002ab5595859014ebf0951522d9d3b5f9a6d5f0b8d34b1b5e4e5c2b7c11',
  })
  bodyHash!: string;

  @Field(instant(), { description: 'Time of publication; null for a system template.', nullable: true })
  publishedAt!: string | null;

  @Field(nested(ActorView), {
    description: 'Member or key that published it; null for a system template.',
    nullable: true,
  })
  publishedBy!: ActorView | null;
}

/** A record whose data a preview shows. */
export class PreviewTarget {
  @Field(typeKey(), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the record.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' })
  id!: string;
}

/** What a preview shows: data, or a record. */
export class TemplatePreview {
  @Field(jsonObject(500_000), {
    description: 'Variables by name; not with `target`.',
    example: { customer: { name: 'Acme' } },
    optional: true,
  })
  data?: Record<string, unknown>;

  @Field(nested(PreviewTarget), {
    description:
      'Record that the template gets under the noun of its type (`invoice`, `deal`), with the fields that you may see; not with `data`.',
    optional: true,
  })
  target?: PreviewTarget;
}

/** A text from which documents or mails are made. */
export class DocumentTemplate extends VersionedRow {
  @Attribute(
    templateKey(),
    "Key by which other templates include it: `{% render 'letterhead' %}`. Unique; made from the name if not given. Keys of system templates begin with `system.`.",
    { given: ownKey(), example: 'letterhead', optional: true, once: true, unique: true },
  )
  key!: string;

  @Mapped(name(), 'Name of the template.', { example: 'Letterhead' })
  @Column({ type: 'text', collation: ALPHABET })
  name!: string;

  @Attribute(oneOf(TEMPLATE_KINDS), 'What it is for. Required unless `copyFrom` is given.', {
    example: 'generic',
    optional: true,
    once: true,
  })
  kind!: TemplateKind;

  @Attribute(
    oneOf(FORMATS),
    '`html` escapes all values, `markdown` lets no raw HTML pass, `text` shows values as they are. Defaults to `html`.',
    { example: 'html', optional: true, once: true },
  )
  format!: Format;

  @Attribute(text({ min: 1, max: MAX_SUBJECT, lines: false }), 'Template of the subject line; plain text.', {
    example: 'Invoice {{ invoice.number }}',
    nullable: true,
  })
  subject!: string | null;

  @Attribute(
    text({ min: 1, max: MAX_BODY }),
    'The template, in Liquid: `{{ variable | filter }}`, `{% if %}`, `{% for %}`, `{% render %}`. Required unless `copyFrom` is given.',
    { example: '<h1>{{ tenant.name }}</h1>', optional: true, told: false },
  )
  body!: string;

  @Attribute(
    text({ min: 1, max: MAX_STYLES }),
    'CSS for `html`. It cannot load anything: no `url()`, no `@import`, no fonts.',
    { example: 'h1 { color: #0f62fe }', nullable: true, told: false },
  )
  styles!: string | null;

  @Attribute(
    jsonObject(MAX_SCHEMA),
    'JSON Schema (2020-12) of the variables; `required` ones are reported if missing. Without references and combinations; patterns have the syntax of RE2. A patch replaces it as a whole.',
    {
      example: { type: 'object', properties: { customer: { type: 'object' } }, required: ['customer'] },
      nullable: true,
      told: false,
    },
  )
  variablesSchema!: Record<string, unknown> | null;

  @Attribute(locale(), 'Language in which it writes amounts, dates and numbers. Defaults to that of the tenant.', {
    example: 'en',
    optional: true,
    once: true,
  })
  locale!: string;

  @Attribute(
    flag(),
    'Whether it is the default of its kind and locale: one template at most, which must be published. Setting it takes it from the other. A system template is the default as long as no other is.',
    { example: false, optional: true },
  )
  isDefault!: boolean;

  @WriteOnly(
    nested(TemplatePreview),
    'Renders the template as it is after this change; see `rendered` in the response. Nothing is changed if it cannot be rendered.',
  )
  preview?: TemplatePreview;

  @WriteOnly(id(), 'Template whose content the new one gets, where the body does not say otherwise.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b55',
    once: true,
  })
  copyFrom?: string;

  @ReadOnly(oneOf(TEMPLATE_STATUSES), 'State: a published template stays published while it is edited.', {
    example: 'published',
  })
  status!: (typeof TEMPLATE_STATUSES)[number];

  @ReadOnly(number(), 'Number of the newest published version; null before the first.', { example: 1, nullable: true })
  currentVersion!: number | null;

  @ReadOnly(flag(), 'Whether the content differs from the current version, and has to be published to be used.', {
    example: false,
  })
  hasDraft!: boolean;

  @ReadOnly(sha256(), 'SHA-256 of the body (UTF-8) in hexadecimal digits.', {
    example: '6f1ed002ab5595859014ebf0951522d9d3b5f9a6d5f0b8d34b1b5e4e5c2b7c11',
  })
  bodyHash!: string;

  @Derived(flag(), 'True for a template of the platform, which can be copied, but not changed or deleted.', {
    example: false,
    told: false,
  })
  isSystem?: boolean;

  @Derived(
    listOf(nested(TemplateVersionView), { max: SHOWN_VERSIONS }),
    `Its newest ${SHOWN_VERSIONS} published versions, newest first. Null in lists without \`include=versions\`.`,
    { example: [], nullable: true, told: false },
  )
  versions?: TemplateVersionView[] | null;

  @Derived(nested(ActorView), 'Creator; null for a system template.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
    nullable: true,
  })
  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorView;

  @Derived(instant(), 'Time of creation; null for a system template.', {
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  override createdAt!: string;

  @Derived(instant(), 'Time of the last change; null for a system template.', {
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  override updatedAt!: string;
}

/** Fields that are null for system templates. */
type Partly = 'createdAt' | 'createdBy' | 'updatedAt';

/** A template of the tenant or of the platform in the API. */
export type TemplateView = Omit<ShownObject<DocumentTemplate>, Partly | 'preview' | 'copyFrom'> & {
  [F in Partly]: DocumentTemplate[F] | null;
};

export const documentTemplates = governedType(DocumentTemplate, {
  type: 'documents.document_template',
  noun: 'document template',
  table: 'data.document_templates',
  path: '/api/admin/document-templates',
  hasPath: false,
  risk: 'low',
  limit: { max: MAX_TEMPLATES, detail: `A tenant can have at most ${MAX_TEMPLATES} templates of its own.` },
  without: ['createdAt', 'updatedAt'],
  events: {
    created: 'A document template was created as a draft.',
    updated: 'A document template was changed, or is no longer the default.',
    published: 'The content of a document template was published as its next version.',
    archived: 'A document template was archived.',
    unarchived: 'A document template was taken out of the archive.',
    deleted: 'A document template was deleted with its versions.',
  },
});
addFields(documentTemplates.update, [
  [
    'publish',
    {
      kind: flag(),
      description: 'True publishes the content as the next version, which never changes. Not with `archive`.',
      optional: true,
    },
  ],
  [
    'archive',
    {
      kind: flag(),
      description: 'True archives the template, false takes it out of the archive.',
      optional: true,
    },
  ],
]);
