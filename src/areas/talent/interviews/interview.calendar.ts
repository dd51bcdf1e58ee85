import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import type { MailCalendar } from '#libs/mail/mailer.js';
import type { Interview } from './interview.js';

/** Organizer of the calendars that nobody can mail, because there is no mail server. */
const NOBODY = 'nobody@platform.invalid';

interface CalendarText {
  method: MailCalendar['method'];
  summary: string;
  /** `from` has the format of the setting MAIL_FROM. */
  organizer: { name: string; from: string | null };
}

/**
 * An interview as iCalendar (RFC 5545), in UTC, so that every calendar shows it in its own time zone. It names no
 * participants, so each may see it. Later versions of the record replace earlier ones by their sequence.
 */
export function calendarOf(row: Interview, { method, summary, organizer: { name, from } }: CalendarText): string {
  const { id, version, startAt, endAt, location, updatedAt } = row;
  const calendar = ical({
    prodId: { company: 'tenant-operating-platform', product: 'interviews' },
    method: ICalCalendarMethod[method],
  });
  calendar.createEvent({
    ...{ id, sequence: version, summary, location },
    ...{ start: new Date(startAt), end: new Date(endAt), stamp: new Date(updatedAt) },
    status: method === 'CANCEL' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    organizer: { name, email: from === null ? NOBODY : /[^<\s]+@[^>\s]+/.exec(from)![0] },
  });
  return calendar.toString();
}
