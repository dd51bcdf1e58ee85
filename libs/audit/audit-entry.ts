import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { fewRandomBytes } from '#libs/kernel/random.js';
import { type Actor, currentTenant, type Scope } from '#libs/tenancy/scope.js';

export type Outcome = 'success' | 'denied' | 'failed';
export type RiskLevel = 'low' | 'medium' | 'high';

/** From and to of each field that changed. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

type NamedActor = Pick<Actor, 'id' | 'name'> & { type: string };

/** What happened, as the code that did it says. Actor, tenant, request and time come from the scope. */
export interface AuditFact {
  /** `area.entity.past_verb`, e.g. `sales.deal.won`. */
  action: string;
  target: { type: string; id: string | null; name: string | null } | null;
  outcome: Outcome;
  riskLevel: RiskLevel;
  changes?: Changes | null;
  /** Given by the caller, or the code of the refusal. */
  reason?: string | null;
}

/** An entry as it is stored and proven. Never changes once written. */
export interface AuditEntry {
  schemaVersion: 1;
  id: string;
  tenantId: string;
  occurredAt: string;
  actor: NamedActor;
  /** Who decided that it was done, where that is not the actor alone: reviewers, approvers. Absent where nobody else did. */
  allowedBy?: NamedActor[];
  action: string;
  target: AuditFact['target'];
  outcome: Outcome;
  riskLevel: RiskLevel;
  reason: string | null;
  changes: Changes | null;
  requestId: string;
  /** SHA-256 of salt and client address and user agent, which stand beside the entry and can be erased. */
  contextCommitment: string;
}

const INSERT = `insert into data.audit_log (tenant_id, id, occurred_at, actor_type, actor_id, action, target_type,
    target_id, outcome, risk_level, request_id, entry, leaf_hash, client_ip, user_agent, context_salt)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`;

/** Leaf of a Merkle tree over the exact bytes of the entry. `Source:` RFC 6962 section 2.1. */
export function leafHash(entry: string): Buffer {
  return hash('sha256', `\0${entry}`, 'buffer');
}

function commitment(salt: Buffer, clientIp: string | null, userAgent: string | null): string {
  return hash('sha256', Buffer.concat([salt, Buffer.from(JSON.stringify([clientIp, userAgent]))]), 'hex');
}

/**
 * The statement that records a fact, to be committed with what it describes.
 *
 * The entry is stored as canonical JSON (RFC 8785) and hashed as stored. Address and user agent are personal data: they
 * stand in columns of their own and the entry holds a salted commitment to them, so that erasing them breaks no proof.
 * `Source:` contract section 7, ADR 0006.
 */
export function auditStatement(scope: Scope, fact: AuditFact, occurredAt: string): Statement {
  const tenantId = currentTenant().id;
  const salt = Buffer.from(fewRandomBytes(16));
  const { clientIp, requestId, actor } = scope;
  const { allowedBy } = scope.warrant ?? { allowedBy: [] };
  const userAgent = scope.userAgent?.slice(0, 500) ?? null;
  const entry: AuditEntry = {
    schemaVersion: 1,
    id: uuidv7(),
    tenantId,
    occurredAt,
    actor: named(actor),
    ...(allowedBy.length > 0 ? { allowedBy: allowedBy.map(named) } : {}),
    action: fact.action,
    target: fact.target,
    outcome: fact.outcome,
    riskLevel: fact.riskLevel,
    reason: fact.reason ?? null,
    changes: fact.changes ?? null,
    requestId,
    contextCommitment: commitment(salt, clientIp, userAgent),
  };
  const text = canonicalize(entry) as string;
  return statement(INSERT, [
    tenantId,
    entry.id,
    occurredAt,
    actor.type,
    actor.id,
    entry.action,
    fact.target?.type ?? null,
    fact.target?.id ?? null,
    entry.outcome,
    entry.riskLevel,
    requestId,
    text,
    leafHash(text),
    clientIp,
    userAgent,
    salt,
  ]);
}

/**
 * The statement that records that somebody was shown something. Whoever is shown it once more, by an answer that is
 * replayed, is on record once more.
 */
export function showingStatement(scope: Scope, fact: AuditFact, occurredAt: string): Statement {
  scope.shown.push(fact);
  return auditStatement(scope, fact, occurredAt);
}

function named({ type, id, name }: Actor): NamedActor {
  return { type, id, name };
}
