import { setTracer } from '#libs/telemetry/tracing.js';
import type { Telemetry, TelemetrySource } from './telemetry-sdk.js';

/**
 * Starts the export of traces and metrics to `OTEL_EXPORTER_OTLP_ENDPOINT`. Null without this setting; then no module of
 * the SDK is loaded. Call it before the app is created.
 */
export async function startTelemetry(source: TelemetrySource): Promise<Telemetry | null> {
  if (source.settings.OTEL_EXPORTER_OTLP_ENDPOINT === null) return null;
  const { loadSdk } = await import('./telemetry-sdk.js');
  const sdk = await loadSdk(source, source.settings.OTEL_EXPORTER_OTLP_ENDPOINT);
  setTracer(sdk.tracer);
  return {
    observe: (metrics) => sdk.observe(metrics),
    stop: () => {
      setTracer(null);
      return sdk.stop();
    },
  };
}
