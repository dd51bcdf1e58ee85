/** What somebody has written, in one line of a mail. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** An instant, RFC 3339 in UTC, as people read it: `2026-11-21 09:15 UTC`. */
export function minuteOf(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`;
}
