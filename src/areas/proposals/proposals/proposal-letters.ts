import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { addDays } from '#libs/kernel/civil-time.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { amountText } from '#libs/kernel/money.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { oneLine } from '#libs/mail/mail-text.js';
import { replyAddress } from '#libs/mail/reply-address.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { PublicLinksService } from '#src/areas/sharing/public-links/public-links.service.js';
import { type Proposal, proposals } from './proposal.js';

/** Kind of the mails with which proposals are sent. */
const SENT = 'proposals.proposal.sent';
/** Days after which an unsent mail is not sent any more. */
const USEFUL_DAYS = 7;
/** Days for which the link works at least, and after the end of the validity. */
const LINK_DAYS = 90;
const MOST_LINK_DAYS = 366;

/** Mails to customers with a public link to a proposal. */
@Injectable()
export class ProposalLetters {
  constructor(
    private readonly links: PublicLinksService,
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Queues the mail for each of the recipients that a proposal names. */
  async send(transaction: Transaction, row: Proposal): Promise<void> {
    const { id: subjectId, number, name, currency, totalMinor, validUntilDate, sentTo, sentMessage } = row;
    const at = row.sentAt!; // it has just been sent
    const from = oneLine(await tenantName(this.database));
    const expiresAt = linkEnd(row, at);
    const { publicUrl } = await this.links.create({ purpose: 'proposal', targetId: subjectId, expiresAt });
    const mail = {
      ...{ kind: SENT, object: proposals.type, subjectId },
      subject: `Proposal ${number} of ${from}: ${name}`,
      text: [
        ...(sentMessage === null ? [] : [sentMessage]),
        `${from} offers you: ${name} (${number}), for ${amountText(totalMinor, currency)}.`,
        ...(validUntilDate === null ? [] : [`You can accept it until ${validUntilDate}.`]),
        `Read it, and accept or decline it here:\n${publicUrl}`,
      ].join('\n\n'),
      // Logged if there is no mail server, so not the public link.
      link: linkTo(this.settings, `${pathOf(proposals)}/${subjectId}`),
      expiresAt: `${addDays(at.slice(0, 10), USEFUL_DAYS)}${at.slice(10)}`,
      ...(await replyAddress(this.database)),
    };
    for (const to of sentTo) await this.outbox.add(transaction, { ...mail, to }, at);
  }

  /** Cancels mails with a proposal that are still queued. */
  cancel(transaction: Transaction, id: string, at: string): void {
    transaction.write(this.outbox.cancel({ kinds: [SENT], subjectIds: [id] }, at));
  }

  /** State of the newest mail with a proposal, and the newest link to it; null without one. */
  async of(id: string): Promise<Required<Pick<Proposal, 'mailStatus' | 'publicLink'>>> {
    const mailStatus = await this.outbox.stateOf([SENT], id);
    return { mailStatus, publicLink: await this.links.newestOf('proposal', id) };
  }
}

/** The link lives on after the validity, so that the customer can read what was accepted. */
function linkEnd({ expiresAt }: Proposal, at: string): string {
  const now = Date.parse(at);
  const from = Math.max(now, expiresAt === null ? now : Date.parse(expiresAt));
  return new Date(Math.min(from + LINK_DAYS * DAY_MS, now + MOST_LINK_DAYS * DAY_MS)).toISOString();
}
