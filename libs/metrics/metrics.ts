import { createServer, type Server } from 'node:http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];

/**
 * Metrics of one process in Prometheus format. Labels are route templates, methods and status classes: nothing that
 * grows with tenants, users or URLs. Figures per tenant come from the database.
 */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  readonly registry = new Registry();
  private readonly duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  private readonly observers = new Map<string, { observe(seconds: number): void }>();
  private server: Server | null = null;
  private alsoRequest: ((...request: Parameters<Metrics['request']>) => void) | null = null;

  /** Counts one completed request. `route` is a template such as `/api/v1/sales/deals/:id`. */
  request(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${route} ${Math.floor(status / 100)}`;
    let observer = this.observers.get(key);
    if (!observer)
      this.observers.set(key, (observer = this.duration.labels(method, route, `${Math.floor(status / 100)}xx`)));
    observer.observe(seconds);
    this.alsoRequest?.(method, route, status, seconds);
  }

  /** Passes each completed request on. */
  onRequest(listener: (...request: Parameters<Metrics['request']>) => void): void {
    this.alsoRequest = listener;
  }

  /** Current value of a metric without labels; null if this process does not have it. */
  async value(name: string): Promise<number | null> {
    const metric = await this.registry.getSingleMetric(name)?.get();
    return metric?.values[0]?.value ?? null;
  }

  /** A figure that is read when metrics are collected. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A distribution of durations in seconds, up to ten minutes. */
  histogram(name: string, help: string, labelNames: string[] = []): Histogram {
    return new Histogram({ name, help, labelNames, buckets: LONG_SECONDS, registers: [this.registry] });
  }

  /** Adds metrics of memory, CPU, event loop and garbage collection. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  async text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Serves `GET /metrics` on a separate port; port 0 disables it. */
  async serve(port: number, host: string): Promise<void> {
    if (port === 0) return;
    const server = createServer((request, response) => {
      if (request.method !== 'GET' || request.url !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      void this.text().then((text) => response.writeHead(200, { 'content-type': this.registry.contentType }).end(text));
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    this.server = server;
  }

  onApplicationShutdown(): void {
    this.server?.close();
  }
}
