const DAY_MS = 86_400_000;

/** Day of an instant in UTC. */
export function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/** The day so many days later; at most the last one that a civil date can be. */
export function addDays(day: string, days: number): string {
  const ms = Date.parse(`${day}T00:00:00Z`) + days * DAY_MS;
  return new Date(Math.min(ms, Date.parse('9999-12-31T00:00:00Z'))).toISOString().slice(0, 10);
}

/** Days from one day to another; negative when that is earlier. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS;
}
