import { auditStatement, type AuditFact } from '#libs/audit/audit-entry.js';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope, runAsSystem } from '#libs/tenancy/scope.js';
import {
  credentialFact,
  type CredentialTerms,
  type IssuedCredential,
  newCredential,
  nextCredential,
  rotationTimes,
} from './new-credential.js';
import { keyChanged } from './sessions/member-sessions.js';
import { SYSTEM_ROLE_IDS } from './roles.js';
import { configurationOfToken } from './scim-configuration.js';
import { factsOf, type TenantRecord } from './tenant-directory.js';

/** A credential as stored in the directory, without its secret. */
export interface CredentialRecord extends CredentialTerms {
  id: string;
  /** The part of the credential's text that identifies it. */
  keyId: string;
  /** Kept when a key is rotated. */
  lineageId: string;
  /** Who made it, as `Principal.makerId`. */
  makerId: string | null;
  createdAt: string;
  revokedAt: string | null;
  /** Accurate to about half a minute; null when never used. */
  lastUsedAt: string | null;
}

const COLUMNS = `c.id, c.kind, c.key_id as "keyId", c.lineage_id as "lineageId", c.name, c.scopes,
  c.allow_protected as "allowProtected", c.allowed_cidrs as "allowedCidrs", c.created_at as "createdAt",
  c.expires_at as "expiresAt", c.revoked_at as "revokedAt", c.member_id as "memberId",
  c.maker_id as "makerId"`;
const LIST = `select ${COLUMNS}, u.last_used_at as "lastUsedAt"
  from directory.credentials c left join directory.credential_uses u on u.credential_id = c.id
  where c.tenant_id = $1 order by c.created_at, c.id`;
/** All secrets of a credential. What a rotation meanwhile adds is seen by the statements after this one. */
const LOCK = `select ${COLUMNS}, null as "lastUsedAt" from directory.credentials c
  where c.tenant_id = $1 and c.lineage_id = (select lineage_id from directory.credentials where tenant_id = $1 and id = $2)
  order by c.id for no key update`;
const HAS_SUCCESSOR = `select exists (
  select 1 from directory.credentials where tenant_id = $1 and lineage_id = $2 and id > $3) as yes`;
const REVOKE = `update directory.credentials set revoked_at = $3
  where tenant_id = $1 and lineage_id = $2 and revoked_at is null returning id`;
const RENEW = `update data.api_keys set version = version + 1, updated_at = $3, last4 = $4, notified_at = null
  where tenant_id = $1 and id = $2`;
const EXPIRE = `update directory.credentials set expires_at = $3 where tenant_id = $1 and lineage_id = $2
  and revoked_at is null and (expires_at is null or expires_at > $3)`;

/**
 * The credentials of tenants, for the operator. Needs the `system` role.
 *
 * Every change is one transaction with its audit row, under the system actor `actorName`. A trigger raises the tenant's
 * epoch whenever rights are removed, so every process rejects the key's next request.
 */
export class CredentialRegister {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly actorName: string,
  ) {}

  /** All credentials of a tenant, including revoked ones, oldest first. */
  async list(tenant: TenantRecord): Promise<CredentialRecord[]> {
    return this.database.systemRead<CredentialRecord>(statement(LIST, [tenant.id]));
  }

  async create(tenant: TenantRecord, terms: CredentialTerms): Promise<IssuedCredential> {
    const [issued] = await this.replace(tenant, [], [terms]);
    return issued!;
  }

  /**
   * Revokes and creates credentials in one transaction.
   * @param outdated ids of credentials to revoke; those already revoked stay unchanged.
   * @returns the new credentials in the order of `wanted`.
   */
  async replace(
    tenant: TenantRecord,
    outdated: readonly string[],
    wanted: readonly CredentialTerms[],
  ): Promise<IssuedCredential[]> {
    return this.change(tenant, async (transaction, at) => {
      for (const id of outdated) await this.revokeIn(transaction, tenant, id, at);
      return wanted.map((terms) => {
        const by = currentScope().actor;
        const { issued, statements, changes } = newCredential(tenant.id, terms, { at, by });
        for (const each of statements) transaction.write(each);
        if (terms.kind === 'scim_token')
          transaction.write(
            configurationOfToken(tenant.id, issued, {
              name: terms.name,
              memberRoleId: SYSTEM_ROLE_IDS.member,
              at,
              by,
            }),
          );
        transaction.write(entry(credentialFact('created', terms.kind, { ...terms, ...issued }, changes), at));
        return issued;
      });
    });
  }

  /**
   * Revokes a credential of any kind immediately, with all its secrets, whichever of them `id` names; one that is
   * already revoked stays unchanged.
   * @returns the time of revocation.
   * @throws OperatorError when the tenant has no such credential.
   */
  async revoke(tenant: TenantRecord, id: string): Promise<string> {
    return this.change(tenant, (transaction, at) => this.revokeIn(transaction, tenant, id, at));
  }

  /**
   * Gives an API key a new secret under a new id with the same name, rights and lineage. The earlier ones stay valid for
   * another `overlapSeconds`, or until their own expiry if that is earlier; 0 revokes them immediately. The new key gets
   * the same lifetime as the old one.
   * @throws OperatorError for a key that is unknown, revoked, expired or already rotated.
   */
  async rotate(
    tenant: TenantRecord,
    id: string,
    overlapSeconds: number,
  ): Promise<IssuedCredential & { expiresAt: string | null; previousExpiresAt: string }> {
    return this.change(tenant, async (transaction, at) => {
      const old = await this.lock(transaction, tenant, id);
      await this.refuseToRotate(transaction, tenant, old, at);
      const times = { issuedAt: old.createdAt, expiresAt: old.expiresAt };
      const { expiresAt, previousExpiresAt } = rotationTimes(times, at, overlapSeconds * 1_000);
      const { issued, insert, changes } = nextCredential(tenant.id, { ...old, expiresAt }, at, old);
      const replaces = { from: null, to: { id: old.id, keyId: old.keyId, validUntil: previousExpiresAt } };
      transaction.write(
        statement(overlapSeconds === 0 ? REVOKE : EXPIRE, [tenant.id, old.lineageId, previousExpiresAt]),
      );
      transaction.write(insert);
      transaction.write(statement(RENEW, [tenant.id, old.lineageId, at, issued.text.slice(-4)]));
      const fact = credentialFact('rotated', old.kind, { ...issued, name: old.name }, { ...changes, replaces });
      transaction.write(entry(fact, at));
      return { ...issued, expiresAt, previousExpiresAt };
    });
  }

  private async refuseToRotate(
    transaction: Transaction,
    tenant: TenantRecord,
    key: CredentialRecord,
    at: string,
  ): Promise<void> {
    if (key.kind !== 'api_key')
      throw new OperatorError(`The credential ${key.id} is a SCIM token: create a new one, then revoke this one`);
    if (key.revokedAt !== null) throw new OperatorError(`The key ${key.id} is revoked: create a new one`);
    const [successor] = await transaction.query<{ yes: boolean }>(
      statement(HAS_SUCCESSOR, [tenant.id, key.lineageId, key.id]),
    );
    if (successor!.yes) throw new OperatorError(`The key ${key.id} has already been rotated: rotate its successor`);
    if (key.expiresAt !== null && key.expiresAt <= at)
      throw new OperatorError(`The key ${key.id} has expired: create a new one`);
  }

  private async revokeIn(transaction: Transaction, tenant: TenantRecord, id: string, at: string): Promise<string> {
    const credential = await this.lock(transaction, tenant, id);
    const revoked = await transaction.query(statement(REVOKE, [tenant.id, credential.lineageId, at]));
    if (revoked.length === 0) return credential.revokedAt!;
    transaction.write(keyChanged(id, at));
    const changes = { revokedAt: { from: null, to: at } };
    transaction.write(entry(credentialFact('revoked', credential.kind, credential, changes), at));
    return at;
  }

  private async lock(transaction: Transaction, tenant: TenantRecord, id: string): Promise<CredentialRecord> {
    const rows = await transaction.query<CredentialRecord>(statement(LOCK, [tenant.id, id]));
    const row = rows.find((each) => each.id === id);
    if (!row) throw new OperatorError(`The tenant "${tenant.slug}" has no credential with the id ${id}`);
    return row;
  }

  private change<T>(tenant: TenantRecord, work: (transaction: Transaction, at: string) => Promise<T>): Promise<T> {
    const at = this.clock.now().toISOString();
    return runAsSystem(factsOf(tenant), this.actorName, uuidv7(), () =>
      this.database.transaction((transaction) => work(transaction, at)),
    );
  }
}

function entry(fact: AuditFact, at: string): Statement {
  return auditStatement(currentScope(), fact, at);
}

/** The status of a credential at an instant. */
export function credentialStatus(credential: CredentialRecord, at: string): 'active' | 'expired' | 'revoked' {
  if (credential.revokedAt !== null) return 'revoked';
  return credential.expiresAt !== null && credential.expiresAt <= at ? 'expired' : 'active';
}
