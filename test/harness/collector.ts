import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number };
type KeyValue = { key: string; value: Value };

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: KeyValue[];
  status: { code: number };
}

/** A received span. */
export interface CollectedSpan extends Omit<OtlpSpan, 'kind' | 'attributes' | 'status'> {
  /** `service.name` of the process. */
  service: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes: Record<string, unknown>;
  failed: boolean;
}

/** A received value of a metric. */
export interface CollectedMetric {
  service: string;
  name: string;
  unit: string;
  attributes: Record<string, unknown>;
  /** The value of a gauge, or the count of a histogram. */
  value: number;
}

interface DataPoint {
  attributes: KeyValue[];
  count?: number | string;
  asInt?: number | string;
  asDouble?: number;
}
interface Otlp {
  resourceSpans?: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
  resourceMetrics?: {
    resource: { attributes: KeyValue[] };
    scopeMetrics: {
      metrics: {
        name: string;
        unit: string;
        histogram?: { dataPoints: DataPoint[] };
        gauge?: { dataPoints: DataPoint[] };
      }[];
    }[];
  }[];
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const FAILED = 2;

/** A receiver of OTLP over HTTP (JSON) on the loopback interface. */
export class Collector {
  readonly spans: CollectedSpan[] = [];
  readonly metrics: CollectedMetric[] = [];
  /** Attributes of the process, by `service.name`. */
  readonly resources = new Map<string, Record<string, unknown>>();
  /** All received bodies. */
  text = '';

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const collector = new Collector(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        collector.keep(Buffer.concat(chunks).toString());
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    return collector;
  }

  /** Spans of a trace, in the order of their arrival. */
  trace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private keep(body: string): void {
    this.text += body;
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body) as Otlp;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = this.serviceOf(resource.attributes);
      for (const { kind, attributes, status, ...span } of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          ...span,
          service,
          kind: KINDS[kind]!,
          attributes: valuesOf(attributes),
          failed: status.code === FAILED,
        });
    }
    for (const { resource, scopeMetrics } of resourceMetrics) {
      const service = this.serviceOf(resource.attributes);
      for (const { name, unit, histogram, gauge } of scopeMetrics.flatMap(({ metrics }) => metrics))
        for (const { attributes, count, asInt, asDouble } of (histogram ?? gauge)?.dataPoints ?? [])
          this.metrics.push({
            ...{ service, name, unit, attributes: valuesOf(attributes) },
            value: Number(count ?? asInt ?? asDouble),
          });
    }
  }

  private serviceOf(attributes: KeyValue[]): string {
    const values = valuesOf(attributes);
    const service = String(values['service.name']);
    this.resources.set(service, values);
    return service;
  }
}

function valuesOf(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { stringValue, intValue, boolValue, doubleValue } = value;
      return [key, stringValue ?? boolValue ?? doubleValue ?? Number(intValue)];
    }),
  );
}
