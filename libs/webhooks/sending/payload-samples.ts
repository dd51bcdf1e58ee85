import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { cut } from '#libs/kernel/cut.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import type { EventCheck } from '#libs/outbox/event-check.js';

/** Minimum time between two checks of one type and version. */
const PAUSE_MS = 10_000;
/** Delay in a new process, which delivers first: compiling a schema takes as long as hundreds of deliveries. */
const LATER_MS = 3_000;

/**
 * Validates samples of sent bodies against the published schemas, in production too. Violations are counted and logged;
 * they neither delay nor prevent sending.
 */
@Injectable()
export class PayloadSamples {
  private readonly logger = new Logger('webhooks');
  private readonly faults: Counter;
  /** When a type is due for a check, by version. */
  private readonly dueMs = new Map<string, number[]>();
  private check: Promise<EventCheck> | null = null;

  constructor(
    private readonly events: EventCatalogue,
    metrics: Metrics,
  ) {
    this.faults = metrics.counter('events_invalid_total', 'Samples of events that broke their schema.', ['type']);
  }

  /** Checks the body of an event later, if its type is due. */
  look(type: string, schemaVersion: number, body: Buffer): void {
    const due = this.dueMs.get(type) ?? [];
    const nowMs = performance.now();
    if (nowMs < (due[schemaVersion] ?? 0)) return;
    due[schemaVersion] = nowMs + PAUSE_MS;
    this.dueMs.set(type, due);
    setTimeout(() => void this.hold(`${type} v${schemaVersion}`, type, body), LATER_MS).unref();
  }

  private async hold(key: string, type: string, body: Buffer): Promise<void> {
    try {
      // Loaded only when needed, because a worker must start quickly.
      this.check ??= import('#libs/outbox/event-check.js').then(({ EventCheck }) => new EventCheck(this.events));
      const fault = (await this.check).faultOf(JSON.parse(body.toString()) as Parameters<EventCheck['faultOf']>[0]);
      if (fault === null) return;
      this.faults.inc({ type });
      this.logger.error(`An event ${key} breaks its schema: ${cut(fault, 500)}`);
    } catch (error) {
      this.logger.error(`An event ${key} could not be held against its schema: ${String(error)}`);
    }
  }
}
