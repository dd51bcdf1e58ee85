import { Injectable } from '@nestjs/common';

/** The template that a tenant can have for a mail, and what it shows. */
export interface MailTemplate {
  /** What the mail is for: the key of the template, such as `rejection`. */
  purpose: string;
  /** Language of the recipient; null for that of the tenant. */
  locale: string | null;
  /** Variables by name. */
  data: Record<string, unknown>;
}

/** What a template makes. `html` is null for a template of plain text. */
export interface RenderedMail {
  /** Null if the template has none. */
  subject: string | null;
  text: string;
  html: string | null;
  locale: string;
}

type Renderer = (template: MailTemplate) => Promise<RenderedMail | null>;

/** Renders mails from templates, with what the area of templates has registered. */
@Injectable()
export class MailTemplates {
  private renderer: Renderer | null = null;

  /** Registers what finds and renders the template of a mail; null if the tenant has none. */
  renderWith(renderer: Renderer): void {
    this.renderer = renderer;
  }

  async render(template: MailTemplate): Promise<RenderedMail | null> {
    return (await this.renderer?.(template)) ?? null;
  }
}
