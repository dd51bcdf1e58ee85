import { errorTypeOf, type SpanStart, startSpan } from '#libs/telemetry/tracing.js';
import { currentScope } from './scope.js';

/**
 * Runs `work` as a span of a trace. Its events, statements and calls belong to the span; if this process records no
 * spans, they belong to the parent. Must not run concurrently with other work in the same scope.
 */
export async function inSpan<T>(name: string, start: SpanStart, work: () => Promise<T>): Promise<T> {
  const scope = currentScope();
  const outer = scope.traceparent;
  const span = startSpan(name, start);
  scope.traceparent = span?.traceparent ?? start.parent;
  try {
    const result = await work();
    span?.end();
    return result;
  } catch (error) {
    span?.end(errorTypeOf(error));
    throw error;
  } finally {
    scope.traceparent = outer;
  }
}
