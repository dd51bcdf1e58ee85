import { hash } from 'node:crypto';
import { canonical } from '#libs/kernel/canonical.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { cut } from '#libs/kernel/cut.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { fewRandomBytes } from '#libs/kernel/random.js';
import { type Actor, currentTenant, type Scope } from '#libs/tenancy/scope.js';

export type Outcome = 'success' | 'denied' | 'failed';
export type RiskLevel = 'low' | 'medium' | 'high';

/** Old and new value of each changed field. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

type NamedActor = Pick<Actor, 'id' | 'name'> & { type: string };

/** What happened, as reported by the code that did it. Actor, tenant, request and time come from the scope. */
export interface AuditFact {
  /** `area.entity.past_verb`, e.g. `sales.deal.won`. */
  action: string;
  target: { type: string; id: string | null; name: string | null } | null;
  /** Workspace of the target. */
  workspaceId?: string | null;
  /** Id of the target's parent record: if that record is erased, so are the details of this entry. */
  about?: string | null;
  outcome: Outcome;
  riskLevel: RiskLevel;
  changes?: Changes | null;
  /** From the caller, or the code of the refusal. */
  reason?: string | null;
}

/** An audit entry as stored and proven. Immutable once written. */
export interface AuditEntry {
  schemaVersion: 2;
  id: string;
  tenantId: string;
  occurredAt: string;
  actor: NamedActor;
  /** Others who allowed it: reviewers, approvers. Absent if there were none. */
  allowedBy?: NamedActor[];
  action: string;
  target: { type: string; id: string | null } | null;
  outcome: Outcome;
  riskLevel: RiskLevel;
  requestId: string;
  /** Request at the start of the chain of automations. Absent in entries of older versions. */
  correlationId?: string;
  /** Absent if the target is in no workspace, and in entries of older versions. */
  workspaceId?: string;
  /** SHA-256 of a salt and the client's address and user agent, which are stored beside the entry and can be erased. */
  contextCommitment: string;
  /** SHA-256 of another salt and the stored {@link AuditDetails}. */
  detailsCommitment: string;
}

/** Free text about the target, stored as JSON beside the entry, where it can be erased. */
export interface AuditDetails {
  targetName: string | null;
  reason: string | null;
  changes: Changes | null;
}

const SALT_BYTES = 16;
const INSERT = `insert into data.audit_log (tenant_id, id, occurred_at, actor_type, actor_id, action, target_type,
    target_id, outcome, risk_level, request_id, entry, leaf_hash, client_ip, user_agent, context_salt, details,
    details_salt, about_id, workspace_id, correlation_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`;
const INSERT_MANY = `${INSERT.slice(0, INSERT.lastIndexOf('values'))}select * from unnest($1::uuid[], $2::uuid[],
    $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
    $12::text[], $13::bytea[], $14::text[], $15::text[], $16::bytea[], $17::text[], $18::bytea[], $19::uuid[], $20::uuid[],
    $21::text[])`;
const ERASE = `update data.audit_log set details = data.erased_details(details, outcome), details_salt = null, erased_at = $3
  where tenant_id = $1 and (target_id = any($2::text[]) or about_id = any($2::uuid[])) and erased_at is null`;

/** Merkle tree leaf of the exact bytes of the entry. `Source:` RFC 6962 section 2.1. */
export function leafHash(entry: string): Buffer {
  return hash('sha256', `\0${entry}`, 'buffer');
}

function commitment(salt: Buffer, text: string): string {
  return hash('sha256', Buffer.concat([salt, Buffer.from(text)]), 'hex');
}

/**
 * The statement that records a fact, to be committed with the change that it describes.
 *
 * The entry is stored as canonical JSON (RFC 8785) and hashed as stored. Potential personal data is in separate
 * columns. The entry contains only salted commitments to it, so erasing it invalidates no proof. `Source:` ADR 0006,
 * ADR 0037.
 */
export function auditStatement(scope: Scope, fact: AuditFact, occurredAt: string): Statement {
  scope.audited = fact;
  const tenantId = currentTenant().id;
  const salts = Buffer.from(fewRandomBytes(2 * SALT_BYTES));
  const [contextSalt, detailsSalt] = [salts.subarray(0, SALT_BYTES), salts.subarray(SALT_BYTES)];
  const { clientIp, requestId, correlationId, actor } = scope;
  const { allowedBy } = scope.warrant ?? { allowedBy: [] };
  const userAgent = scope.userAgent && cut(scope.userAgent, 500);
  const { target, reason = null, changes = null, about = null, workspaceId = null } = fact;
  const details = JSON.stringify({ targetName: target?.name ?? null, reason, changes } satisfies AuditDetails);
  const entry: AuditEntry = {
    schemaVersion: 2,
    id: uuidv7(),
    tenantId,
    occurredAt,
    actor: named(actor),
    ...(allowedBy.length > 0 ? { allowedBy: allowedBy.map(named) } : {}),
    action: fact.action,
    target: target && { type: target.type, id: target.id },
    outcome: fact.outcome,
    riskLevel: fact.riskLevel,
    requestId,
    correlationId,
    ...(workspaceId === null ? {} : { workspaceId }),
    contextCommitment: commitment(contextSalt, JSON.stringify([clientIp, userAgent])),
    detailsCommitment: commitment(detailsSalt, details),
  };
  const text = canonical(entry);
  const inserting = statement(INSERT, [
    tenantId,
    entry.id,
    occurredAt,
    actor.type,
    actor.id,
    entry.action,
    target?.type ?? null,
    target?.id ?? null,
    entry.outcome,
    entry.riskLevel,
    requestId,
    text,
    leafHash(text),
    clientIp,
    userAgent,
    contextSalt,
    details,
    detailsSalt,
    about,
    workspaceId,
    correlationId,
  ]);
  return { ...inserting, many: INSERT_MANY };
}

/**
 * The statement that erases names, reasons and values from the entries about records and their parts. Which fields
 * changed, by whom and when, is kept, and all proofs remain valid.
 */
export function eraseDetails(recordIds: readonly string[], at: string): Statement {
  return statement(ERASE, [currentTenant().id, recordIds, at]);
}

/** The statement that records a read. Replays of the response record it again. */
export function showingStatement(scope: Scope, fact: AuditFact, occurredAt: string): Statement {
  scope.shown.push(fact);
  return auditStatement(scope, fact, occurredAt);
}

/** The audit entry of a replay that shows a secret again; it has the target of the original request. */
export function secretShownAgain({ audited }: Scope): AuditFact {
  const { target = null, about = null } = (audited as AuditFact | null) ?? {};
  return { action: 'core.secret.shown_again', target, about, outcome: 'success', riskLevel: 'high' };
}

function named({ type, id, name }: Actor): NamedActor {
  return { type, id, name };
}
