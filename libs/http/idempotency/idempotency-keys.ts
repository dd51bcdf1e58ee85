import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { canonical } from '#libs/kernel/canonical.js';
import type { AuditFact } from '#libs/audit/audit-entry.js';
import type { Demand } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';

/** How long a stored response is replayed. */
export const REPLAY_WINDOW_MINUTES = 10;
/** How long a claim lasts if its process dies before it commits. */
const CLAIM_SECONDS = 60;
/** SQLSTATE of `data.expect_rows`. */
const TAKEN = 'TOP02';

// If a crash loses a claim, the retry simply runs. The response is committed durably together with the effect.
const NOT_DURABLE = statement(`set local synchronous_commit to off`);
const PLACE = `tenant_id = $1::uuid and lineage_id = $2::uuid and operation = $3::text and key = $4::text`;
/** An expired response, or a claim of a dead process. Never null, because it is also negated. */
const STALE = `coalesce(k.completed_at + interval '${REPLAY_WINDOW_MINUTES} minutes', k.locked_until) < now()`;
/** Whether no other request is storing a response under the key; does not wait. */
const ALONE = `pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', $1::uuid, $2::uuid, $3::text, $4::text), 0))`;
const CLAIM = `
  insert into data.idempotency_keys as k (tenant_id, lineage_id, operation, key, fingerprint, owner, request_id, locked_until)
  values ($1, $2, $3, $4, $5, $6, $7, now() + interval '${CLAIM_SECONDS} seconds')
  on conflict (tenant_id, lineage_id, operation, key) do update
    set fingerprint = excluded.fingerprint, owner = excluded.owner, request_id = excluded.request_id,
        locked_until = excluded.locked_until, completed_at = null, status = null, headers = null, body = null,
        terms = null
    where ${STALE}
  returning owner`;
const FIND = `select fingerprint, completed_at, status, headers, body, terms from data.idempotency_keys k
  where ${PLACE} and not ${STALE}`;
const EXPECT_FREE = `
  select data.expect_rows(
    case when ${ALONE} then (select count(*) from data.idempotency_keys k where ${PLACE} and not ${STALE}) else 1 end,
    0, 'the idempotency key is taken')`;
const STORE = `
  with stored as (
    insert into data.idempotency_keys as k (tenant_id, lineage_id, operation, key, fingerprint, owner, request_id,
      locked_until, completed_at, status, headers, body, terms)
    select $1::uuid, $2::uuid, $3::text, $4::text, $5::bytea, $6::uuid, $7::text, now(), now(), $8::integer, $9::jsonb, $10::text,
      $11::jsonb
      where ${ALONE}
    on conflict (tenant_id, lineage_id, operation, key) do update
      set fingerprint = excluded.fingerprint, owner = excluded.owner, request_id = excluded.request_id,
          completed_at = excluded.completed_at, status = excluded.status, headers = excluded.headers, body = excluded.body,
          terms = excluded.terms
      where ${STALE} or (k.owner = excluded.owner and k.completed_at is null)
    returning 1)
  select data.expect_rows((select count(*) from stored), 1, 'the idempotency key is taken')`;
const RELEASE = `delete from data.idempotency_keys where ${PLACE} and owner = $5 and completed_at is null`;

/** Data stored with a response to authorize a replay. */
export interface Terms {
  /** Permissions that the credential satisfied. */
  required: Demand[];
  /** Audit entries about the data in the response. */
  shown: AuditFact[];
}

/** A stored response. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  terms: Terms;
}

/** A request with a key. */
export interface KeyedRequest {
  tenant: TenantFacts;
  place: [tenantId: string, lineageId: string, operation: string, key: string];
  fingerprint: Buffer;
  /** Unique, so that the request notices if another one takes over the key. */
  owner: string;
  requestId: string;
}

interface KeyRow extends Omit<StoredAnswer, 'body' | 'terms'> {
  terms: Terms | null;
  fingerprint: Buffer;
  completed_at: string | null;
  /** Null after erasure. */
  body: string | null;
}

/** Digest of what identifies equal requests: operation, path parameters, query and body, regardless of member order. */
export function fingerprintOf(request: { operation: string; params: unknown; query: unknown; body: unknown }): Buffer {
  return hash('sha256', canonical(request), 'buffer');
}

/** The current request under a key. */
export function keyedRequest(key: string, fingerprint: Buffer): KeyedRequest {
  const { lineageId, operation, requestId } = currentScope();
  const tenant = currentTenant();
  return { tenant, place: [tenant.id, lineageId!, operation!, key], fingerprint, owner: uuidv7(), requestId };
}

/**
 * The statement that locks the key until the transaction ends. Fails with {@link isTaken} if another request has the
 * key.
 */
export function expectFree({ place }: KeyedRequest): Statement {
  return statement(EXPECT_FREE, place);
}

/** The statement that stores the response. Fails with {@link isTaken} if another request has the key. */
export function store({ place, fingerprint, owner, requestId }: KeyedRequest, answer: StoredAnswer): Statement {
  const { status, headers, body, terms } = answer;
  const [told, kept] = [JSON.stringify(headers), JSON.stringify(terms)];
  return statement(STORE, [...place, fingerprint, owner, requestId, status, told, body, kept]);
}

/** Whether a unit of work failed because another request has the key. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === TAKEN;
}

/** Idempotency keys, stored in PostgreSQL. `Source:` IETF draft-ietf-httpapi-idempotency-key-header. */
@Injectable()
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /**
   * Claims a key before the request runs. Returns null if it is claimed, otherwise the response stored under it.
   * @throws Problem like {@link find}.
   */
  async claim(request: KeyedRequest): Promise<StoredAnswer | null> {
    const { place, fingerprint, owner, requestId } = request;
    for (;;) {
      const claim = statement(CLAIM, [...place, fingerprint, owner, requestId]);
      const [, claimed] = await this.database.aside([NOT_DURABLE, claim]);
      if (claimed!.count > 0) return null;
      const answer = await this.find(request);
      if (answer) return answer; // otherwise released between the two statements
    }
  }

  /**
   * The response stored under a key; null if there is none.
   * @throws Problem 422 `idempotency_key_reused`, 409 `idempotency_in_progress`, `idempotency_answer_erased`.
   */
  async find({ place, fingerprint }: KeyedRequest): Promise<StoredAnswer | null> {
    const [row] = await this.database.read<KeyRow>(statement(FIND, place));
    if (!row) return null;
    if (!row.fingerprint.equals(fingerprint))
      throw new Problem('idempotency_key_reused', 'The key was used for a request with another path or body.');
    if (row.completed_at === null) throw inProgress();
    const { status, headers, body, terms } = row;
    if (body === null)
      throw new Problem('idempotency_answer_erased', 'The request was done; its answer told of somebody since erased.');
    return { status, headers, body, terms: terms ?? { required: [], shown: [] } };
  }

  /** Stores the response of a request without a unit of work. */
  async complete(request: KeyedRequest, answer: StoredAnswer): Promise<void> {
    await this.database.aside([store(request, answer)]);
  }

  /**
   * Releases a claimed key, so that a retry runs. Works even if the credential is no longer valid and no longer in
   * scope.
   */
  async release({ place, owner, tenant, requestId }: KeyedRequest): Promise<void> {
    await runAsSystem(tenant, 'idempotency', requestId, () =>
      this.database.aside([statement(RELEASE, [...place, owner])]),
    );
  }
}

export function inProgress(): Problem {
  return new Problem('idempotency_in_progress', 'The first request with this key has not finished.', {
    headers: { 'retry-after': '1' },
  });
}
