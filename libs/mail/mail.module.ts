import { Module } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { LogMailer } from './log-mailer.js';
import { MailDelivery } from './mail-delivery.js';
import { Mailer } from './mailer.js';
import { SmtpMailer } from './smtp-mailer.js';

/** Sends mails, in the worker. */
@Module({
  providers: [
    MailDelivery,
    {
      provide: Mailer,
      inject: [SETTINGS_TOKEN],
      useFactory: ({ SMTP_URL: url, MAIL_FROM: from }: Settings) =>
        url === null ? new LogMailer() : new SmtpMailer(url, from!), // SMTP_URL is not taken without MAIL_FROM
    },
  ],
  exports: [MailDelivery],
})
export class MailModule {}
