import pg from 'pg';
import { DataSource } from 'typeorm';
import type { ConnectionOptions } from './flights/connections.js';

/** Connection string of this process, with its own role. */
export const DATABASE_URL = Symbol('DATABASE_URL');

/** How long opening a connection, or waiting for a free one, may take. */
export const CONNECT_MS = 3_000;

/** A class whose instances are rows of one table. */
export type EntityClass<E extends object = object> = new () => E;

/**
 * A TypeORM data source for the running platform. It owns the entity metadata and the connection pool that `Database`
 * uses. TypeORM's own repositories are not used at run time (ADR 39).
 */
export function dataSource(options: {
  url: string;
  entities: EntityClass[];
  poolSize: number;
  applicationName: string;
  use?: Partial<ConnectionOptions>;
}): DataSource {
  const use: ConnectionOptions = { namesStatements: true, growsSlowly: false, ...options.use };
  return new DataSource({
    type: 'postgres',
    driver: pg, // else TypeORM loads it by name, a second time beside the one in the bundle
    url: options.url,
    entities: options.entities,
    poolSize: options.poolSize,
    applicationName: options.applicationName,
    installExtensions: false,
    logging: false,
    extra: { connectionTimeoutMillis: CONNECT_MS, keepAlive: true, ...use },
  });
}
