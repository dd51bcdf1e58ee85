import { DAY_MS } from '#libs/kernel/durations.js';
export const DAY_SECONDS = 86_400;

/** Day of an instant in UTC. */
export function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/** Days between two dates; negative if the second is earlier. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS;
}
