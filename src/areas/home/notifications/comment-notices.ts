import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { bodyOfComment, quoteOf } from '#libs/notifications/quotes.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { Audience } from './audience.js';

/** A comment, as its events show it. */
interface Commented {
  id: string;
  record: { object: string; id: string };
  mentions: string[];
  authorId: string | null;
}

/** Notifies members of comments that mention them, and of comments on records that they watch. */
@Injectable()
export class CommentNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly subjects: RecordSubjects,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    const handle = (event: AutomationEvent) => this.tell(event);
    this.automations.on({
      flow: 'home.notifications.of_comment',
      event: 'core.comment.created',
      onBehalf: { of: 'readers' },
      handle,
    });
    this.automations.on({
      flow: 'home.notifications.of_edited_comment',
      event: 'core.comment.updated',
      onBehalf: { of: 'readers' },
      handle,
    });
  }

  private tell({ data, changes, actor }: AutomationEvent): Promise<void> {
    const { id: commentId, record, mentions, authorId } = data as unknown as Commented; // its schema is that of the comment
    return this.database.transaction(async (transaction) => {
      const [comment] = await transaction.query<{ body: string }>(bodyOfComment(commentId));
      if (!comment) return; // deleted meanwhile
      const subject = await this.subjects.ifVisible(record.object, record.id);
      if (!subject) return; // deleted meanwhile
      const { name } = await this.audience.authorOf(actor);
      const about = { subject: record, url: subject.url, body: quoteOf(comment.body), commentId };
      const mentioned = newlyMentioned(mentions, changes).filter((id) => id !== authorId);
      const title = `${name} mentioned you: ${subject.name}`;
      await this.notifier.tell(transaction, { ...about, kind: 'mention', title }, mentioned);
      if (changes !== null) return; // an edit
      const told = new Set([authorId, ...mentioned]);
      const watchers = (await this.audience.watchersOf(record.id)).filter((id) => !told.has(id));
      const commented = `${name} commented: ${subject.name}`;
      await this.notifier.tell(transaction, { ...about, kind: 'watch', title: commented }, watchers);
    });
  }
}

/** The members whom an edit of the comment has added; all of a new comment. */
function newlyMentioned(mentions: readonly string[], changes: object | null): string[] {
  if (changes === null) return [...mentions];
  const { mentions: changed } = changes as { mentions?: { from: string[] } };
  return changed ? mentions.filter((id) => !changed.from.includes(id)) : [];
}
