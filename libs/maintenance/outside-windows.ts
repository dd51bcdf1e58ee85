import type { Span } from '#libs/request-counts/span.js';

/**
 * SQL: that what began and ended at these times was touched by no window. The windows are two parameters, `place` and
 * the next one: {@link windowValues}.
 */
export function outsideWindows(began: string, ended: string, place: number): string {
  return `not exists (select from unnest($${place}::timestamptz[], $${place + 1}::timestamptz[]) as w (starts, ends)
    where ${ended} >= w.starts and ${began} < w.ends)`;
}

export function windowValues(windows: readonly Span[]): [string[], string[]] {
  const at = (ms: number) => new Date(ms).toISOString();
  return [windows.map(({ fromMs }) => at(fromMs)), windows.map(({ toMs }) => at(toMs))];
}
