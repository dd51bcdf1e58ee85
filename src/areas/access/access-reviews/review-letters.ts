import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { minuteOf, oneLine } from '#libs/mail/mail-text.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { type AccessReview, accessReviews } from './access-review.js';
import { AccessReviewsRepository, type WaitedFor } from './access-reviews.repository.js';

/** Notifications of reviewers with open items. */
@Injectable()
export class ReviewLetters {
  constructor(
    private readonly items: AccessReviewsRepository,
    private readonly notifier: Notifier,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Reminds each reviewer with open items; returns them. */
  async remind(transaction: Transaction, { id, name, dueAt }: AccessReview): Promise<WaitedFor[]> {
    const reviewers = await this.items.waitedFor(transaction, id);
    const tenant = oneLine(await tenantName(this.database));
    const url = `${accessReviews.path}?campaignId=${id}&reviewerId=me`;
    for (const { id: memberId, count } of reviewers) {
      const body = `${count} ${count === 1 ? 'item' : 'items'} of the access review "${oneLine(name)}" of ${tenant} wait for your decision until ${minuteOf(dueAt)}.`;
      const text = [body, `See them here:\n${linkTo(this.settings, url)}`].join('\n\n');
      const subject = `Access review ${oneLine(name)} of ${tenant}: ${count} open`;
      const notice = {
        kind: 'review',
        subject: { object: accessReviews.type, id },
        title: `Access review ${oneLine(name)}: ${count} open`,
        body,
        url,
        letter: { subject, text, expiresAt: dueAt },
      } as const;
      await this.notifier.tell(transaction, notice, [memberId]);
    }
    return reviewers;
  }
}
