import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { FileContents } from '#libs/files/file-contents.js';
import { FileLinks } from '#libs/http/files/file-links.js';
import { DAY_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { LINKED_DAYS, MAIL_OBJECT, type NewAttachment } from './mail-outbox.js';
import { minuteOf, oneLine } from './mail-text.js';
import type { MailAttachment } from './mailer.js';

/** Bytes of all attachments of a mail, which is a third larger in transit: servers often take 10 MB. */
const MAX_BYTES = 7 * 1_048_576;

/** The attachments of mails when they are sent. */
@Injectable()
export class MailFiles {
  constructor(
    private readonly contents: FileContents,
    private readonly links: FileLinks,
  ) {}

  /** What is attached, and a note with links to what is too large, empty without any. */
  async of(mailId: string, given: readonly NewAttachment[]): Promise<{ attachments: MailAttachment[]; note: string }> {
    const attachments: MailAttachment[] = [];
    const links: string[] = [];
    let left = MAX_BYTES;
    for (const attachment of given) {
      const name = oneLine(attachment.name);
      const content = await this.bytesOf(attachment, left);
      if (content) {
        attachments.push({ name, contentType: attachment.contentType, content });
        left -= content.length;
      } else if ('contentId' in attachment) links.push(`${name}:\n${this.linkTo(mailId, attachment.contentId, name)}`);
    }
    const note = links.length === 0 ? '' : `\n\nToo large for this mail:\n\n${links.join('\n\n')}`;
    return { attachments, note };
  }

  /** Null if it is larger than `limit`. A text never is: it is stored with the mail. */
  private async bytesOf(attachment: NewAttachment, limit: number): Promise<Buffer | null> {
    if ('text' in attachment) return Buffer.from(attachment.text);
    const found = await this.contents.find(attachment.contentId);
    if (!found) throw new Error(`The attachment ${attachment.contentId} is gone.`);
    if (found.sizeBytes > limit) return null;
    return buffer((await this.contents.open(attachment.contentId)).stream);
  }

  private linkTo(mailId: string, contentId: string, name: string): string {
    const use = { object: MAIL_OBJECT, id: mailId };
    const minutes = (LINKED_DAYS * DAY_MS) / MINUTE_MS;
    const link = this.links.make({ contentId, use, name, inline: false, once: false, minutes });
    return `${link.url} (until ${minuteOf(link.expiresAt)})`;
  }
}
