/** A span of time in ms since the Unix epoch; `toMs` is excluded. */
export interface Span {
  fromMs: number;
  toMs: number;
}
