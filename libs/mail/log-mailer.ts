import { Logger } from '@nestjs/common';
import { type Mail, Mailer, type MailOutcome } from './mailer.js';

/**
 * Where no SMTP server is configured, the operator's log has the link, as a warning. What such a link opens is little:
 * whoever has that of an invitation sees it and can decline it, and only a sign-in with the invited address accepts it;
 * that of a webhook endpoint opens nothing without a credential.
 */
export class LogMailer extends Mailer {
  private readonly logger = new Logger('mail');

  async send({ to, subject, link }: Mail): Promise<MailOutcome> {
    this.logger.warn(`SMTP_URL is not set, so pass this on yourself: "${subject}" for ${to}: ${link}`);
    return 'logged';
  }
}
