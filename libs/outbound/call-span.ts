import { type Span, startSpan } from '#libs/telemetry/tracing.js';
import type { OutboundResult } from './outbound-result.js';

/** Starts the span of a call. It has the host, but not the path and query, which may contain secrets. */
export function callSpan(method: string, { protocol, hostname, port }: URL, parent: string): Span | null {
  return startSpan(method, {
    kind: 'client',
    parent,
    attributes: {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
    },
  });
}

/** Names the span in the `traceparent` header of the call, if it has one. Names and values alternate. */
export function continueTrace(headers: string[], { traceparent }: Span): void {
  const at = headers.indexOf('traceparent');
  if (at >= 0) headers[at + 1] = traceparent;
}

/** Ends the span with the outcome of the call. */
export function endCall(span: Span, { httpStatus, error }: OutboundResult): void {
  if (httpStatus !== null) span.set({ 'http.response.status_code': httpStatus });
  span.end(error ?? (httpStatus !== null && httpStatus >= 400 ? String(httpStatus) : null));
}
