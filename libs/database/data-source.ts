import pg from 'pg';
import { DataSource } from 'typeorm';

/** A class whose instances are rows of one table. */
export type EntityClass<E extends object = object> = new () => E;

/**
 * A TypeORM data source for the running platform: it owns the entity metadata and the connection pool, on which
 * `Database` runs. Repositories of TypeORM itself are not used at run time (ADR 0003).
 */
export function dataSource(options: {
  url: string;
  entities: EntityClass[];
  poolSize: number;
  applicationName: string;
  /** Whether PostgreSQL keeps statements prepared for a connection; not through every pooler (ADR 3). */
  namesStatements?: boolean;
}): DataSource {
  return new DataSource({
    type: 'postgres',
    driver: pg, // else TypeORM loads it by name, a second time beside the one in the bundle
    url: options.url,
    entities: options.entities,
    poolSize: options.poolSize,
    applicationName: options.applicationName,
    installExtensions: false,
    logging: false,
    extra: { connectionTimeoutMillis: 3_000, keepAlive: true, namesStatements: options.namesStatements ?? true },
  });
}
