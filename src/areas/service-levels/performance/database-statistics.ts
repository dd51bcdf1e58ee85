import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { MOST_STATEMENTS, type Reason, type SlowStatement } from './performance.dto.js';

// The API's role sees only the transactions of its own sessions, and of replicas only how many there are, unless the
// operator has granted it pg_monitor.
const READ = statement(`
  select pg_database_size(current_database()) as "sizeBytes",
    (select round(blks_hit::numeric / nullif(blks_hit + blks_read, 0), 5)::float8 from pg_stat_database
      where datname = current_database()) as "cacheHitRatio",
    (select round(extract(epoch from clock_timestamp() - min(xact_start)), 3)::float8 from pg_stat_activity
      where datname = current_database() and usename = current_user and pid <> pg_backend_pid())
      as "longestTransactionSeconds",
    (select count(*) from pg_stat_replication) as replicas,
    (select round(max(extract(epoch from coalesce(replay_lag, '0'))), 3)::float8 from pg_stat_replication
      where state is not null) as "replicationLagSeconds"`);
const EXTENSION = statement(`
  select quote_ident(n.nspname) as schema, current_setting('pg_stat_statements.track', true) is not null as "isLoaded",
    has_schema_privilege(n.oid, 'usage') as "isReadable"
  from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_stat_statements'`);

/** Statements of this role in this database. Utility statements could contain values, so they are left out. */
const slowest = (schema: string) => `
  select queryid::text as fingerprint, left(regexp_replace(query, '\\s+', ' ', 'g'), 300) as statement, calls,
    round(mean_exec_time::numeric, 3)::float8 as "meanMs", round(max_exec_time::numeric, 3)::float8 as "maxMs"
  from ${schema}.pg_stat_statements
  where userid = (select oid from pg_roles where rolname = current_user)
    and dbid = (select oid from pg_database where datname = current_database())
    and query ~* '^\\s*(select|insert|update|delete|with|merge)\\M' and queryid is not null
  order by mean_exec_time desc, queryid limit ${MOST_STATEMENTS}`;
const since = (schema: string) => `select stats_reset as since from ${schema}.pg_stat_statements_info`;

/** Statistics of the server. */
export interface ServerStatistics {
  sizeBytes: number;
  cacheHitRatio: number | null;
  longestTransactionSeconds: number | null;
  /** A figure, or the reason why there is none. */
  replicationLagSeconds: number | Reason;
}

/** The slowest statements of the API. */
export interface StatementStatistics {
  statements: SlowStatement[];
  since: string | null;
}

/** What PostgreSQL measures about itself. Nothing in it belongs to a tenant. */
@Injectable()
export class DatabaseStatistics {
  constructor(private readonly database: Database) {}

  async server(): Promise<ServerStatistics> {
    const [row] = await this.database.systemRead<
      Omit<ServerStatistics, 'replicationLagSeconds'> & { replicas: number; replicationLagSeconds: number | null }
    >(READ);
    const { replicas, replicationLagSeconds, ...server } = row!;
    const reason = replicas === 0 ? 'no_replica' : 'not_permitted';
    return { ...server, replicationLagSeconds: replicationLagSeconds ?? reason };
  }

  /** The slowest statements, or the reason why they are not known. */
  async statements(): Promise<StatementStatistics | Reason> {
    const [extension] = await this.database.systemRead<{ schema: string; isLoaded: boolean; isReadable: boolean }>(
      EXTENSION,
    );
    if (!extension) return 'extension_missing';
    if (!extension.isLoaded) return 'not_loaded';
    if (!extension.isReadable) return 'not_permitted';
    const { schema } = extension;
    const statements = await this.database.systemRead<SlowStatement>(statement(slowest(schema)));
    const [reset] = await this.database.systemRead<{ since: string | null }>(statement(since(schema)));
    return { statements, since: reset!.since };
  }
}
