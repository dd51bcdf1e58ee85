import type { Database } from '#libs/database/database.js';
import type { Metrics } from '#libs/metrics/metrics.js';

/** Registers metrics of the connection pool and of the room that the database has. */
export function watchConnections(database: Database, metrics: Metrics): void {
  const states = {
    total: 'Connections of the pool.',
    idle: 'Connections of the pool that are idle.',
    used: 'Connections of the pool that are in use.',
    waiting: 'Requests that wait for a connection of the pool.',
  };
  for (const state of Object.keys(states) as (keyof typeof states)[])
    metrics.gauge(`database_connections_${state}`, states[state], () => database.connections[state]);
  metrics.gauge('database_full', '1 while the database refuses writes because its disk or memory is full.', () =>
    Number(database.isFull),
  );
}
