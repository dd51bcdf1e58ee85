import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { linkTo } from '#libs/http/public-url.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { MailFiles } from './mail-files.js';
import { documentOf, paragraphsOf } from './mail-html.js';
import type { MailContent } from './mail-outbox.js';
import { MailTemplates } from './mail-templates.js';
import { oneLine } from './mail-text.js';
import { type Mail, MailWithdrawn } from './mailer.js';
import { Suppressions } from './suppressions.js';

/** Makes mails of what was queued: their HTML, in the look of the tenant, and the link that ends such mails. */
@Injectable()
export class MailComposition {
  constructor(
    private readonly templates: MailTemplates,
    private readonly suppressions: Suppressions,
    private readonly files: MailFiles,
    private readonly tenantSettings: TenantSettings,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** @throws MailWithdrawn if the recipient does not want such mails. */
  async compose(id: string, content: MailContent): Promise<Mail> {
    const { to, link, replyTo, unsubscribe, calendar, template, attachments: given = [] } = content;
    if (unsubscribe && (await this.suppressions.isSuppressed(to, unsubscribe))) throw new MailWithdrawn('suppressed');
    const { general, branding } = await this.tenantSettings.get();
    const rendered = template ? await this.templates.render(template) : null;
    const { attachments, note } = await this.files.of(id, given);
    const { text, locale, html } = rendered ?? { text: textOf(content), locale: general.locale, html: null };
    const subject = oneLine(rendered?.subject ?? content.subject);
    const name = branding.displayName ?? (await tenantName(this.database));
    const body = html === null ? paragraphsOf(text + note) : html + paragraphsOf(note);
    return {
      ...{ id, to, subject, link, attachments },
      text: text + note,
      html: documentOf(subject, body, { name, color: branding.primaryColor, locale }),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(calendar === undefined ? {} : { calendar }),
      ...(unsubscribe === undefined ? {} : { unsubscribeUrl: this.unsubscribeUrl(to, unsubscribe) }),
    };
  }

  private unsubscribeUrl(...of: Parameters<Suppressions['tokenOf']>): string {
    return linkTo(this.settings, `/api/public/unsubscribe/${this.suppressions.tokenOf(...of)}`);
  }
}

function textOf({ text, template }: MailContent): string {
  if (text === null) throw new Error(`There is no template ${template?.purpose}.`);
  return text;
}
