import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';

/** How long a completed answer is replayed. `Source:` interface document, "Limits". */
export const REPLAY_WINDOW_MINUTES = 10;
/** How long a claim stands when its process dies before it commits. */
const CLAIM_SECONDS = 60;

// A claim that a crash loses only lets a retry run; the answer it leads to commits durably together with the effect.
const NOT_DURABLE = statement(`set local synchronous_commit to off`);
const CLAIM = `
  insert into data.idempotency_keys as k (tenant_id, lineage_id, operation, key, fingerprint, owner, request_id, locked_until)
  values ($1, $2, $3, $4, $5, $6, $7, now() + interval '${CLAIM_SECONDS} seconds')
  on conflict (tenant_id, lineage_id, operation, key) do update
    set fingerprint = excluded.fingerprint, owner = excluded.owner, request_id = excluded.request_id,
        locked_until = excluded.locked_until, completed_at = null, status = null, headers = null, body = null
    where k.completed_at < now() - interval '${REPLAY_WINDOW_MINUTES} minutes'
       or (k.completed_at is null and k.locked_until < now())
  returning owner`;
const FIND = `select fingerprint, completed_at, status, headers, body, request_id from data.idempotency_keys
  where tenant_id = $1 and lineage_id = $2 and operation = $3 and key = $4`;
const COMPLETE = `
  with done as (
    update data.idempotency_keys set completed_at = now(), status = $6, headers = $7, body = $8
    where tenant_id = $1 and lineage_id = $2 and operation = $3 and key = $4 and owner = $5 and completed_at is null
    returning 1)
  select data.expect_rows((select count(*) from done), 1, 'the idempotency claim was taken over')`;
const RELEASE = `delete from data.idempotency_keys
  where tenant_id = $1 and lineage_id = $2 and operation = $3 and key = $4 and owner = $5 and completed_at is null`;

/** An answer as it was given the first time. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A key that this request holds until it completes or releases it. */
export interface Claim {
  place: [tenantId: string, lineageId: string, operation: string, key: string];
  owner: string;
}

interface KeyRow extends StoredAnswer {
  fingerprint: Buffer;
  completed_at: string | null;
  request_id: string;
}

/** What makes two requests the same: operation, path parameters, query and body, whatever their member order. */
export function fingerprintOf(request: { operation: string; params: unknown; query: unknown; body: unknown }): Buffer {
  return createHash('sha256')
    .update(canonicalize(request) as string)
    .digest();
}

/** Idempotency keys, held in PostgreSQL. `Source:` contract section 5; IETF draft-ietf-httpapi-idempotency-key-header. */
@Injectable()
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /**
   * Claims a key for this request, or returns the answer that is stored under it.
   * @throws Problem 422 `idempotency_key_reused`, 409 `idempotency_in_progress`.
   */
  async claim(key: string, fingerprint: Buffer): Promise<Claim | StoredAnswer> {
    const scope = currentScope();
    const place: Claim['place'] = [currentTenant().id, scope.lineageId!, scope.operation!, key];
    for (;;) {
      const owner = uuidv7();
      const [, claimed] = await this.database.aside([
        NOT_DURABLE,
        statement(CLAIM, [...place, fingerprint, owner, scope.requestId]),
      ]);
      if (claimed!.count > 0) return { place, owner };
      const [row] = await this.database.read<KeyRow>(statement(FIND, place));
      if (!row) continue; // released between the two statements
      if (!row.fingerprint.equals(fingerprint))
        throw new Problem('idempotency_key_reused', 'The key was used for a request with another path or body.');
      if (row.completed_at === null) throw inProgress();
      return { status: row.status, headers: row.headers, body: row.body };
    }
  }

  /** The statement that stores the answer; it fails when another request has taken the claim over meanwhile. */
  completion({ place, owner }: Claim, answer: StoredAnswer): Statement {
    return statement(COMPLETE, [...place, owner, answer.status, JSON.stringify(answer.headers), answer.body]);
  }

  async complete(claim: Claim, answer: StoredAnswer): Promise<void> {
    await this.database.aside([this.completion(claim, answer)]);
  }

  /** Frees the key, so that a retry runs. */
  async release({ place, owner }: Claim): Promise<void> {
    await this.database.aside([statement(RELEASE, [...place, owner])]);
  }
}

export function inProgress(): Problem {
  return new Problem('idempotency_in_progress', 'The first request with this key has not finished.', {
    headers: { 'retry-after': '1' },
  });
}
