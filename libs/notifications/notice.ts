import type { NotificationKind } from '#libs/members/notification-choices.js';

/** An email to one person, without its link. */
export interface Letter {
  subject: string;
  text: string;
  /** When it is no longer useful. */
  expiresAt: string;
}

/** What members are to be told. */
export interface Notice {
  kind: NotificationKind;
  /** Type key and id. A record is told only to members who may see it; for others, the caller chooses the members. */
  subject: { object: string; id: string } | null;
  /** One line. */
  title: string;
  body?: string | null;
  /** The comment that the body quotes. */
  commentId?: string;
  /** Path of the subject in the API. */
  url: string | null;
  /** Names what is told to a member only once, however often it is found: each of the things that the notice tells. */
  once?: readonly string[];
  /** Replaces the usual instant mail, and is sent even if the notice is merged into an unread one. Null sends none. */
  letter?: Letter | null;
}

/** The URL in a mail and the name of the tenant. */
export interface MailFrame {
  tenant: string;
  link: string;
  expiresAt: string;
}

/** The usual mail about a notice. */
export function letterOf({ title, body }: Notice, { tenant, link, expiresAt }: MailFrame): Letter {
  const paragraphs = [title, ...(body ? [body] : []), `Open it here:\n${link}`, settingsNote()];
  return { subject: `${title} (${tenant})`, text: paragraphs.join('\n\n'), expiresAt };
}

/** How to stop such mails. */
export function settingsNote(): string {
  return 'To choose which mails you receive, change /api/settings/notifications.';
}
