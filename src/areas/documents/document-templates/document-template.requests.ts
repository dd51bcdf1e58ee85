import { Field, fieldsOf, flag, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { Deleted, model } from '#libs/resource/types/record.dto.js';
import { locale } from '#libs/settings/locale-fields.js';
import { MAX_CONTENT, MAX_SUBJECT, type Rendered } from '#libs/templates/template.js';
import {
  type DocumentTemplate,
  documentTemplates,
  TEMPLATE_KINDS,
  TEMPLATE_STATUSES,
  type TemplateKind,
  type TemplatePreview,
  type TemplateView,
} from './document-template.js';

/** The content of a template, which versions keep. */
export type TemplateContent = Pick<DocumentTemplate, 'subject' | 'body' | 'styles' | 'variablesSchema'>;

/** A new template as sent by callers. */
export type NewDocumentTemplate = Pick<DocumentTemplate, 'name'> &
  Partial<TemplateContent & Pick<DocumentTemplate, 'key' | 'kind' | 'format' | 'locale' | 'isDefault'>> & {
    copyFrom?: string;
    preview?: TemplatePreview;
  };

export type DocumentTemplatePatch = Partial<TemplateContent & Pick<DocumentTemplate, 'name' | 'isDefault'>> & {
  publish?: boolean;
  archive?: boolean;
  preview?: TemplatePreview;
};

/** What a template makes of data. */
export class RenderedTemplate {
  @Field(text({ max: MAX_SUBJECT }), {
    description: 'The subject line.',
    example: 'Invoice RE-2026-0001',
    nullable: true,
  })
  subject!: string | null;

  @Field(text({ max: MAX_CONTENT }), {
    description: 'The content in the format of the template, with its styles in a `style` element.',
    example: '<h1>Acme</h1>',
  })
  content!: string;

  @Field(listOf(text({ max: 200 }), { max: 50 }), {
    description: 'Variables that `variablesSchema` requires and that are missing, such as `customer.name`.',
    example: [],
  })
  missingVariables!: string[];

  @Field(listOf(text({ max: 400 }), { max: 50 }), {
    description:
      'Other things that were not as the template expects: unknown variables, values that a filter cannot format.',
    example: [],
  })
  warnings!: string[];
}

export const ChangedTemplate = model('ChangedDocumentTemplate', {
  ...Object.fromEntries(fieldsOf(documentTemplates.view)),
  rendered: { kind: nested(RenderedTemplate), description: 'The preview; null if none was requested.', nullable: true },
});
export type ChangedTemplate = TemplateView & { rendered: Rendered | null };

export const DeletedTemplate = model('DeletedDocumentTemplate', {
  ...Object.fromEntries(fieldsOf(Deleted)),
  archived: {
    kind: flag(),
    description: 'True if it was archived instead. No document uses templates yet, so it is always false.',
    example: false,
  },
});

export class DocumentTemplateQuery extends PageQuery {
  @Field(oneOf(TEMPLATE_KINDS), { description: 'Only templates of this kind.', optional: true })
  kind?: TemplateKind;

  @Field(oneOf(TEMPLATE_STATUSES), { description: 'Only templates in this state.', optional: true })
  status?: DocumentTemplate['status'];

  @Field(locale(), { description: 'Only templates in this language.', example: 'en', optional: true })
  locale?: string;

  @Field(text({ min: 1, max: 200 }), {
    description: 'Only templates with this text in their names or keys.',
    optional: true,
  })
  q?: string;

  @Field(listOf(oneOf(['versions']), { min: 1, max: 1 }), {
    description: '`versions` includes the published versions of each template.',
    optional: true,
  })
  include?: 'versions'[];
}
asksForNames(DocumentTemplateQuery, 'system templates first, then by name');
