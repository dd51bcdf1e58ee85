import { Module } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { FileLinks } from '#libs/http/files/file-links.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { ResourceModule } from '#libs/resource/resource.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { LogMailer } from './log-mailer.js';
import { MailComposition } from './mail-composition.js';
import { MailDelivery } from './mail-delivery.js';
import { MailFiles } from './mail-files.js';
import { MailWorker } from './mail-worker.js';
import { Mailer } from './mailer.js';
import { SmtpMailer } from './smtp-mailer.js';

/** Worker module for mails. */
@Module({
  imports: [ResourceModule],
  providers: [
    MailComposition,
    FileLinks,
    MailDelivery,
    MailFiles,
    PublicUrl,
    MailWorker,
    {
      provide: Mailer,
      inject: [SETTINGS_TOKEN],
      useFactory: ({ SMTP_URL: url, MAIL_FROM: from }: Settings) =>
        url === null ? new LogMailer() : new SmtpMailer(url, from!), // SMTP_URL is not taken without MAIL_FROM
    },
  ],
})
export class MailWorkerModule extends WorkerPart {
  constructor(worker: MailWorker) {
    super(worker);
  }
}
