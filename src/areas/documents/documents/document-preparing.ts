import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { PreviewTarget } from '../document-templates/document-template.js';
import { DocumentTemplatesRepository } from '../document-templates/document-templates.repository.js';
import { type RenderedText, TemplatePreviews } from '../document-templates/template-previews.js';
import { systemTemplate } from '../system-templates/system-templates.js';
import type { Prepared } from './documents.service.js';

/** Largest number of characters of the variables of a document, as JSON. */
const MAX_FROZEN = 1_000_000;

/** What a document is made from. */
export interface DocumentOrder {
  templateId: string;
  target?: PreviewTarget | null;
  data?: Record<string, unknown> | null;
}

interface PublishedText {
  text: RenderedText;
  version: number;
  kind: Prepared['kind'];
  name: string;
}

/** Renders the template of a new document with the data that the caller may see. Does not belong into a transaction. */
@Injectable()
export class DocumentPreparing {
  constructor(
    private readonly rows: DocumentTemplatesRepository,
    private readonly previews: TemplatePreviews,
    private readonly settings: TenantSettings,
  ) {}

  /** @throws Problem 400 for unknown references, for missing variables, and for what cannot be rendered. */
  async prepare({ templateId, target, data }: DocumentOrder): Promise<Prepared> {
    const { text, version, kind, name } = await this.published(templateId);
    const frozen = await this.previews.variables({ data: data ?? undefined, target: target ?? undefined }, '/target');
    if (JSON.stringify(frozen).length > MAX_FROZEN)
      throw Problem.validation([
        {
          pointer: '/data',
          code: 'too_long',
          detail: `The variables have more than ${MAX_FROZEN} characters as JSON.`,
        },
      ]);
    const { subject, content, missingVariables } = await this.rendered(text, frozen);
    if (missingVariables.length > 0)
      throw Problem.validation(
        missingVariables.slice(0, 50).map((path) => ({
          pointer: `/data/${path.replaceAll('.', '/')}`,
          ...{ code: 'required', detail: 'The template needs this variable.' },
        })),
      );
    const { format: sourceFormat, locale } = text;
    return { kind, templateVersion: version, frozen, source: content, sourceFormat, locale, name: subject ?? name };
  }

  private async rendered(text: RenderedText, frozen: Record<string, unknown>) {
    try {
      return await this.previews.renderData(text, frozen);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error;
      throw Problem.validation([
        { pointer: '/templateId', code: 'template_failed', detail: `The template cannot be rendered: ${error.detail}` },
      ]);
    }
  }

  /** The current version of a published template. Those of the platform write numbers as the tenant does. */
  private async published(id: string): Promise<PublishedText> {
    const system = systemTemplate(id);
    if (system) {
      const { locale } = (await this.settings.get()).general;
      return { text: { ...system, locale }, version: 1, kind: system.kind, name: system.name };
    }
    const row = await this.rows.find(id);
    if (!row) throw Problem.unknownReference('/templateId');
    const content = row.currentVersion === null ? null : await this.rows.contentOf(id, row.currentVersion);
    if (!content || row.status !== 'published')
      throw Problem.validation([
        { pointer: '/templateId', code: 'not_published', detail: 'Only published templates make documents.' },
      ]);
    const { format, locale, kind, name } = row;
    return { text: { ...content, format, locale }, version: row.currentVersion!, kind, name };
  }
}
