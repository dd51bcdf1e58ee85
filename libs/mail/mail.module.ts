import { Global, Module } from '@nestjs/common';
import { FilesModule } from '#libs/files/files.module.js';
import { MailOutbox } from './mail-outbox.js';
import { MailTemplates } from './mail-templates.js';
import { Suppressions } from './suppressions.js';

const PROVIDERS = [MailOutbox, MailTemplates, Suppressions];

/** The outbox of mails, for every process. */
@Global()
@Module({ imports: [FilesModule], providers: PROVIDERS, exports: PROVIDERS })
export class MailModule {}
