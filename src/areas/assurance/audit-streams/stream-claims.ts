import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';

/** Longer than an attempt can take; extended with each batch. */
const LEASE_MS = 45_000;

// Only one worker holds the lease of a stream. Statements with an outdated token change nothing.
const TAKE = `
  with due as (
    select c.tenant_id, c.stream_id from data.audit_stream_cursors c
    where c.due_at <= $1 and (c.leased_until is null or c.leased_until <= $1)
      and exists (select from data.audit_tree n where n.tenant_id = c.tenant_id and n.seq > c.seq)
      and exists (select from directory.tenants t where t.id = c.tenant_id and t.is_served)
    order by c.due_at limit $4 for no key update of c skip locked)
  update data.audit_stream_cursors c set leased_until = $2, lease_token = $3
  from due where c.tenant_id = due.tenant_id and c.stream_id = due.stream_id
  returning c.tenant_id as "tenantId", c.stream_id as "streamId", c.seq, c.batch_to as "batchTo", c.failures`;
const BEGIN = `update data.audit_stream_cursors set batch_to = $4, leased_until = $5
  where tenant_id = $1 and stream_id = $2 and lease_token = $3 and due_at is not null returning seq`;
const DELIVERED = `
  update data.audit_stream_cursors set seq = $4, batch_to = null, delivered_at = $5, error = null, failures = 0
  where tenant_id = $1 and stream_id = $2 and lease_token = $3`;
const FAILED = `
  update data.audit_stream_cursors set error = $4, failures = failures + 1, leased_until = null, lease_token = null,
    due_at = case when due_at is not null then $5::timestamptz end
  where tenant_id = $1 and stream_id = $2 and lease_token = $3`;
const RELEASE = `
  update data.audit_stream_cursors set leased_until = null, lease_token = null,
    due_at = case when due_at is not null then $4::timestamptz end
  where tenant_id = $1 and stream_id = $2 and lease_token = $3`;

/** A stream that this worker may send for, until the lease expires. */
export interface Claim {
  tenantId: string;
  streamId: string;
  /** Number of the last delivered entry. */
  seq: number;
  /** Last entry of a batch whose delivery is unknown or failed; it is repeated as it was. */
  batchTo: number | null;
  /** Failed attempts in a row. */
  failures: number;
  token: string;
}

/** Leases of streams, and the positions that they reach. */
@Injectable()
export class StreamClaims {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Takes streams that are due and have entries to send. Requires the `system` role. */
  async take(limit: number): Promise<Claim[]> {
    const token = uuidv7();
    const rows = await this.database.systemRead<Omit<Claim, 'token'>>(
      statement(TAKE, [this.at(), this.at(LEASE_MS), token, limit]),
    );
    return rows.map((row) => ({ ...row, token }));
  }

  /** Fixes the end of the next batch and extends the lease. False if the stream was paused, deleted or taken over. */
  async begin(claim: Claim, batchTo: number): Promise<boolean> {
    const [answer] = await this.database.aside([statement(BEGIN, [...keyOf(claim), batchTo, this.at(LEASE_MS)])]);
    return answer!.rows.length > 0;
  }

  /** Moves the cursor behind a delivered batch. */
  delivered(claim: Claim, seq: number): Statement {
    return statement(DELIVERED, [...keyOf(claim), seq, this.at()]);
  }

  /** Ends the lease after a failed attempt; the batch is repeated after a pause. */
  failed(claim: Claim, error: string, pauseMs: number): Statement {
    return statement(FAILED, [...keyOf(claim), error, this.at(pauseMs)]);
  }

  /** Ends the lease; streams that wait longer come first. */
  async release(claim: Claim): Promise<void> {
    await this.database.aside([statement(RELEASE, [...keyOf(claim), this.at()])]);
  }

  private at(inMs = 0): string {
    return new Date(this.clock.nowMs() + inMs).toISOString();
  }
}

const keyOf = ({ tenantId, streamId, token }: Claim): string[] => [tenantId, streamId, token];
