/**
 * States of a mail. `queued`: also between attempts. `sending`: its end may be on the way to the server. `logged`: there
 * is no mail server, so it was not sent. `bounced`: the server refused the recipient. `refused`: the server refused the
 * mail. `failed`: all attempts failed, or it expired. `cancelled`: no longer needed or wanted. `unconfirmed`: the worker
 * or the connection was lost before the server answered, so nobody knows whether it was sent; it is not repeated.
 */
export const MAIL_STATES = [
  'queued',
  'sending',
  'sent',
  'logged',
  'refused',
  'bounced',
  'failed',
  'cancelled',
  'unconfirmed',
] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** What a field `mailStatus` means, for its description. */
export const MAIL_STATES_TEXT =
  '`sent`: the mail server has accepted it. `logged`: the platform has no mail server, so it was not sent. `bounced`: the server refused the recipient. `refused`: the server refused the mail. `failed`: all attempts failed. `unconfirmed`: the connection was lost before the server confirmed it, so it may have been sent; it is not repeated.';

/** Of several mails that were queued together, the first of these states is shown. */
export const WORST_FIRST: readonly MailState[] = [
  'bounced',
  'refused',
  'failed',
  'unconfirmed',
  'sending',
  'queued',
  'logged',
  'cancelled',
  'sent',
];
