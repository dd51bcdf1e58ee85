/** Later versions may append fields; version ff is invalid. `Source:` W3C Trace Context, sections 3.2 and 4. */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** The place of a request in a trace, in version 00 of the header; null if the header is missing or invalid. */
export function readTraceparent(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId, spanId, flags, more] = FORM.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return null;
  return traceparentOf(traceId, spanId, Number.parseInt(flags!, 16));
}

/** The header for a span. Only the flag that the trace is recorded is kept. */
export function traceparentOf(traceId: string, spanId: string, flags: number): string {
  return `00-${traceId}-${spanId}-0${flags & SAMPLED}`;
}

/** The parts of a header in version 00. */
export function partsOf(traceparent: string): { traceId: string; spanId: string; flags: number } {
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    flags: Number(traceparent.slice(53)) & SAMPLED,
  };
}

/** The trace id of a header in version 00. */
export function traceIdOf(traceparent: string | null): string | null {
  return traceparent === null ? null : traceparent.slice(3, 35);
}
