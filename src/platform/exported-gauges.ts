import type { Attributes } from '#libs/telemetry/tracing.js';

/** A figure that is exported by OpenTelemetry. */
interface ExportedGauge {
  name: string;
  unit: string;
  description: string;
  /** The metrics of the process with its values. */
  from: readonly { metric: string; attributes?: Attributes }[];
}

const POOL = { 'db.client.connection.pool.name': 'postgresql' };

/**
 * Figures that OpenTelemetry exports, each read from a metric in Prometheus format. A process exports those that it
 * has. Names of the platform's own metrics begin with `platform`.
 */
export const GAUGES: readonly ExportedGauge[] = [
  {
    name: 'db.client.connection.count',
    unit: '{connection}',
    description: 'Connections of the pool, by state.',
    from: [
      { metric: 'database_connections_idle', attributes: { ...POOL, 'db.client.connection.state': 'idle' } },
      { metric: 'database_connections_used', attributes: { ...POOL, 'db.client.connection.state': 'used' } },
    ],
  },
  {
    name: 'db.client.connection.pending_requests',
    unit: '{request}',
    description: 'Requests that wait for a connection of the pool.',
    from: [{ metric: 'database_connections_waiting', attributes: POOL }],
  },
  {
    name: 'platform.http.places.taken',
    unit: '{place}',
    description: 'Places that requests in progress take, of MAX_REQUESTS.',
    from: [{ metric: 'http_places_taken' }],
  },
  {
    name: 'platform.events.pending.age',
    unit: 's',
    description: 'Age of the oldest event that is not fanned out.',
    from: [{ metric: 'events_pending_seconds' }],
  },
  {
    name: 'platform.webhooks.queue.length',
    unit: '{delivery}',
    description: 'Open deliveries.',
    from: [{ metric: 'webhook_queue_entries' }],
  },
  {
    name: 'platform.webhooks.queue.delay',
    unit: 's',
    description: 'How long the delivery that is due the longest has waited.',
    from: [{ metric: 'webhook_queue_due_seconds' }],
  },
  {
    name: 'platform.audit.pending.age',
    unit: 's',
    description: 'Age of the oldest audit entry that is not sealed.',
    from: [{ metric: 'audit_pending_seconds' }],
  },
];
