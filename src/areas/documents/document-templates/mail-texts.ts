import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { type MailTemplate, MailTemplates, type RenderedMail } from '#libs/mail/mail-templates.js';
import { textOfHtml } from '#libs/mail/text-of-html.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { systemTemplates } from '../system-templates/system-templates.js';
import { DocumentTemplatesRepository, type PublishedTemplate } from './document-templates.repository.js';
import { type RenderedText, TemplatePreviews } from './template-previews.js';

/**
 * Finds and renders the template of a mail. It is of the kind `email` and its key is the purpose of the mail, alone or
 * followed by a hyphen and more, such as `rejection-de`: the one in the language of the recipient, else in that of the
 * tenant, else the one with the purpose as its key, else that of the platform.
 */
@Injectable()
export class MailTexts implements OnModuleInit {
  constructor(
    private readonly mails: MailTemplates,
    private readonly rows: DocumentTemplatesRepository,
    private readonly previews: TemplatePreviews,
    private readonly settings: TenantSettings,
  ) {}

  onModuleInit(): void {
    this.mails.renderWith((template) => this.render(template));
  }

  private async render({ purpose, locale, data }: MailTemplate): Promise<RenderedMail | null> {
    const { general } = await this.settings.get();
    const own = bestOf(await this.rows.ofMails(purpose), purpose, [locale ?? general.locale, general.locale]);
    const system = systemTemplates().find(({ key, kind }) => kind === 'email' && key === `system.${purpose}`);
    const made = own && (await this.rendered(own, data));
    return made ?? (system ? this.rendered(system, data) : null);
  }

  /** Null for a template that cannot be rendered. */
  private async rendered(template: RenderedText, data: Record<string, unknown>): Promise<RenderedMail | null> {
    try {
      const { subject, content } = await this.previews.render(template, { data });
      const isHtml = template.format === 'html';
      const { locale } = template;
      return { subject, text: isHtml ? textOfHtml(content) : content, html: isHtml ? content : null, locale };
    } catch (error) {
      if (error instanceof Problem && error.code === 'validation_failed') return null;
      throw error;
    }
  }
}

/** The best of the templates in languages, best first; then the one without a suffix. */
function bestOf(
  templates: readonly PublishedTemplate[],
  purpose: string,
  locales: readonly string[],
): PublishedTemplate | null {
  const language = (locale: string): string => locale.split('-')[0]!.toLowerCase();
  for (const wanted of locales) {
    const found =
      templates.find(({ locale }) => locale === wanted) ??
      templates.find(({ locale }) => language(locale) === language(wanted));
    if (found) return found;
  }
  return templates.find(({ key }) => key === purpose) ?? null;
}
