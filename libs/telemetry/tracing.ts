/** Names as in the semantic conventions of OpenTelemetry. Never personal data, contents, queries or whole URLs. */
export type Attributes = Record<string, string | number | boolean>;

/** How a span starts. */
export interface SpanStart {
  kind: 'server' | 'client' | 'internal' | 'consumer';
  /** `traceparent` of the span that it belongs to; null to start a trace. */
  parent: string | null;
  attributes?: Attributes;
}

/** A running operation in a trace. */
export interface Span {
  /** `traceparent` for everything that the operation causes. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  /** @param error why it failed, one of few values; null if it succeeded. */
  end(error?: string | null): void;
}

/** What records spans. */
export interface Tracer {
  startSpan(name: string, start: SpanStart): Span;
}

let tracer: Tracer | null = null;

/** Sets what records the spans of this process; null to record none. */
export function setTracer(next: Tracer | null): void {
  tracer = next;
}

/** Whether this process records spans. */
export function isTracing(): boolean {
  return tracer !== null;
}

/** Starts a span, with a name from a small set; null if this process records none. */
export function startSpan(name: string, start: SpanStart): Span | null {
  return tracer === null ? null : tracer.startSpan(name, start);
}

/** The class of an error, for {@link Span.end}. */
export function errorTypeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'error';
}
