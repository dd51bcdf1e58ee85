import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { Settings } from '#libs/config/settings.js';
import type { Metrics } from '#libs/metrics/metrics.js';
import { partsOf, traceparentOf } from '#libs/telemetry/traceparent.js';
import type { Attributes, Span, SpanStart, Tracer } from '#libs/telemetry/tracing.js';
import { ExportLog, type ExportLogger } from './export-log.js';
import { GAUGES } from './exported-gauges.js';

/** The running export of traces and metrics. */
export interface Telemetry {
  /** Exports the durations of requests and the figures of the process. */
  observe(metrics: Metrics): void;
  /** Sends what has not been sent, for a limited time, and ends the export. */
  stop(): Promise<void>;
}

/** What a process reports about itself. */
export interface TelemetrySource {
  settings: Pick<Settings, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER_ARG'>;
  /** `service.name` of its traces and metrics. */
  service: 'api' | 'worker';
  logger: ExportLogger;
}

const SCOPE = 'tenant-operating-platform';
/** How often spans are sent; sooner if there are 512. If there are 2,048, further ones are dropped. */
const SPANS_MS = 1_000;
/** How often metrics are sent. */
const METRICS_MS = 30_000;
/** Maximum time for an export. */
const EXPORT_MS = 5_000;
/** Maximum wait for the last export when the process stops. */
const FLUSH_MS = 2_000;
/** Buckets of request durations in seconds. `Source:` OpenTelemetry semantic conventions, HTTP metrics. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Loads the OpenTelemetry SDK and starts its exports. Packages are imported here and not at the top of the file, because
 * in a bundle they would be loaded with the process.
 */
export async function loadSdk(
  { settings, service, logger }: TelemetrySource,
  endpoint: string,
): Promise<Telemetry & { tracer: Tracer }> {
  const [api, traces, metrics, resources, traceExport, metricExport] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
  ]);
  const resource = resources.defaultResource().merge(
    resources.resourceFromAttributes({
      'service.name': service,
      'service.namespace': SCOPE,
      'service.version': version(),
      'service.instance.id': randomUUID(),
    }),
  );
  const exportLog = new ExportLog(logger, new URL(endpoint).origin);
  const to = (path: string) => ({ url: `${endpoint.replace(/\/+$/, '')}/${path}`, timeoutMillis: EXPORT_MS });
  const spans = new traceExport.OTLPTraceExporter(to('v1/traces'));
  const figures = new metricExport.OTLPMetricExporter(to('v1/metrics'));
  exportLog.watch(spans, 'Traces');
  exportLog.watch(figures, 'Metrics');
  const tracerProvider = new traces.TracerProvider({
    resource,
    sampler: new traces.ParentBasedSampler({
      root: new traces.TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG),
    }),
    spanProcessors: [new traces.BatchSpanProcessor({ exporter: spans, scheduledDelayMillis: SPANS_MS })],
  });
  const reader = new metrics.PeriodicExportingMetricReader({
    exporter: figures,
    exportIntervalMillis: METRICS_MS,
    exportTimeoutMillis: EXPORT_MS,
  });
  const meterProvider = new metrics.MeterProvider({ resource, readers: [reader] });
  const meter = meterProvider.getMeter(SCOPE);
  const tracer = tracerProvider.getTracer(SCOPE);
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, trace } = api;
  const kinds = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    internal: SpanKind.INTERNAL,
    consumer: SpanKind.CONSUMER,
  };

  const startSpan = (name: string, { kind, parent, attributes = {} }: SpanStart): Span => {
    const isRemote = kind === 'server' || kind === 'consumer';
    const context =
      parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...contextOf(parent), isRemote });
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, context);
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: traceparentOf(traceId, spanId, traceFlags),
      set: (more: Attributes) => void span.setAttributes(more),
      end: (error = null) => {
        if (error !== null) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };

  const observe = (process: Metrics): void => {
    const duration = meter.createHistogram('http.server.request.duration', {
      description: 'Duration of HTTP server requests.',
      unit: 's',
      advice: { explicitBucketBoundaries: BOUNDARIES },
    });
    process.onRequest((method, route, status, seconds) =>
      duration.record(seconds, {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
      }),
    );
    for (const { name, unit, description, from } of GAUGES)
      meter.createObservableGauge(name, { unit, description }).addCallback(async (result) => {
        for (const { metric, attributes } of from) {
          const value = await process.value(metric);
          if (value !== null) result.observe(value, attributes);
        }
      });
  };

  const stop = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, FLUSH_MS)));
    await Promise.race([late, Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()])]);
    clearTimeout(timer);
  };

  return { tracer: { startSpan }, observe, stop };
}

/** Version of the platform, from its package.json. */
function version(): string {
  const { version } = JSON.parse(readFileSync(findPackageJSON('..', import.meta.url)!, 'utf8')) as { version: string };
  return version;
}

function contextOf(traceparent: string): { traceId: string; spanId: string; traceFlags: number } {
  const { traceId, spanId, flags } = partsOf(traceparent);
  return { traceId, spanId, traceFlags: flags };
}
