import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { publicOrigin } from '#libs/http/public-url.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { minuteOf, oneLine } from '#libs/mail/mail-text.js';
import { type AccessReview, accessReviews } from './access-review.js';
import { AccessReviewsRepository, type WaitedFor } from './access-reviews.repository.js';

/** Mails to reviewers with open items. */
@Injectable()
export class ReviewLetters {
  constructor(
    private readonly items: AccessReviewsRepository,
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Queues a mail to each reviewer with open items; returns them. */
  async remind(transaction: Transaction, { id, name, dueAt }: AccessReview, at: string): Promise<WaitedFor[]> {
    const reviewers = await this.items.waitedFor(transaction, id);
    const tenant = oneLine(await tenantName(this.database));
    const link = `${publicOrigin(this.settings)}${accessReviews.path}?campaignId=${id}&reviewerId=me`;
    for (const { email: to, count } of reviewers) {
      const text = [
        `${count} ${count === 1 ? 'item' : 'items'} of the access review "${oneLine(name)}" of ${tenant} wait for your decision until ${minuteOf(dueAt)}.`,
        `See them here:\n${link}`,
      ].join('\n\n');
      const subject = `Access review ${oneLine(name)} of ${tenant}: ${count} open`;
      const mail = { kind: accessReviews.type, subjectId: id, to, subject, text, link, expiresAt: dueAt };
      await this.outbox.add(transaction, mail, at);
    }
    return reviewers;
  }
}
