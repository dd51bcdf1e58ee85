import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AuditStream, FAILING_AFTER } from './audit-stream.js';

/** Position and figures of a stream, as shown. */
export interface StreamFigures {
  id: string;
  seq: number;
  lagEntries: number;
  lagSeconds: number;
  lastDeliveredAt: string | null;
  lastError: string | null;
}

const FIGURES = `
  select c.stream_id as id, c.seq, c.delivered_at as "lastDeliveredAt", c.error as "lastError",
    greatest(h.size - c.seq, 0) as "lagEntries",
    coalesce(greatest(floor(extract(epoch from $2::timestamptz - e.occurred_at)), 0), 0)::bigint as "lagSeconds"
  from data.audit_stream_cursors c
  cross join lateral (select coalesce((
    select n.seq from data.audit_tree n where n.tenant_id = $1 order by n.seq desc limit 1), 0) as size) h
  left join data.audit_tree n on n.tenant_id = $1 and n.seq = c.seq + 1
  left join data.audit_log e on e.tenant_id = $1 and e.id = n.entry_id
  where c.tenant_id = $1`;
const SECRET = `select name from data.secrets where tenant_id = $1 and id = $2`;
const LOCK_SECRET = `select 1 from data.secrets where tenant_id = $1 and id = $2 for share`;
const BEGIN = `insert into data.audit_stream_cursors (tenant_id, stream_id, seq, due_at)
  select $1, $2, case when $3 then 0 else coalesce((
    select n.seq from data.audit_tree n where n.tenant_id = $1 order by n.seq desc limit 1), 0) end, $4`;
const SCHEDULE = `update data.audit_stream_cursors set due_at = $3 where tenant_id = $1 and stream_id = $2`;
const IS_FAILING = `select failures >= ${FAILING_AFTER} as failing from data.audit_stream_cursors
  where tenant_id = $1 and stream_id = $2`;

/** The streams of the current tenant, and their positions in the log. */
@Injectable()
export class AuditStreamsRepository extends ResourceRepository<AuditStream> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, AuditStream);
  }

  figures(at: string): Promise<StreamFigures[]> {
    return this.database.read<StreamFigures>(statement(FIGURES, [currentTenant().id, at]));
  }

  /** The name of a secret; null if there is none with this id. */
  async secretName(id: string): Promise<string | null> {
    const [row] = await this.database.read<{ name: string }>(statement(SECRET, [currentTenant().id, id]));
    return row?.name ?? null;
  }

  /** Whether a secret exists. Locks it against deletion until the transaction ends. */
  async lockSecret(transaction: Transaction, id: string): Promise<boolean> {
    return (await transaction.query(statement(LOCK_SECRET, [currentTenant().id, id]))).length > 0;
  }

  /** Places the cursor of a new stream at the beginning or the end of the log. @param dueAt null if it is paused */
  begin(id: string, fromBeginning: boolean, dueAt: string | null): Statement {
    return statement(BEGIN, [currentTenant().id, id, fromBeginning, dueAt]);
  }

  /** Whether no delivery has succeeded since the stream began to fail. */
  async isFailing(transaction: Transaction, id: string): Promise<boolean> {
    const query = statement(IS_FAILING, [currentTenant().id, id]);
    const [row] = await transaction.query<{ failing: boolean }>(query);
    return row!.failing;
  }

  /** Makes a stream due at a time, or stops it with null. */
  schedule(id: string, dueAt: string | null): Statement {
    return statement(SCHEDULE, [currentTenant().id, id, dueAt]);
  }
}
