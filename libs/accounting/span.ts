export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** A span of time in ms since the Unix epoch; `toMs` is excluded. */
export interface Span {
  fromMs: number;
  toMs: number;
}
