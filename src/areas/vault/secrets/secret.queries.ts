import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const ofTenant =
  (text: string) =>
  (...values: unknown[]): Statement =>
    statement(text, [currentTenant().id, ...values]);

const USES = `select 'ai.provider' as object, p.id from data.ai_providers p
    where p.tenant_id = s.tenant_id and p.secret_name = s.name and p.deleted_at is null
  union all select 'audit.stream', a.id from data.audit_streams a
    where a.tenant_id = s.tenant_id and a.credential_secret_id = s.id
  order by id limit 200`;
/** Each secret with its references and the end of its previous value's grace period. Parameter: instant. */
export const figures = ofTenant(`select s.id, coalesce((select json_agg(u) from (${USES}) u), '[]') as "usedBy",
    (select max(v.usable_until) from data.secret_versions v
      where v.tenant_id = s.tenant_id and v.secret_id = s.id and v.usable_until > $2) as "previousUsableUntil"
  from data.secrets s where s.tenant_id = $1`);
/** Adds an encrypted value. Parameters: id, secret id, version number, encrypted text, instant. */
export const addVersion = ofTenant(`insert into data.secret_versions
    (tenant_id, id, secret_id, version, sealed, created_at) values ($1, $2, $3, $4, $5, $6)`);
/** Limits a value to an instant. Parameters: secret id, version number, instant. */
export const endVersion = ofTenant(`update data.secret_versions set usable_until = $4
  where tenant_id = $1 and secret_id = $2 and version = $3`);

const DESTROY = 'delete from data.secret_versions where tenant_id = $1 and secret_id = $2';
/** Destroys all values of a secret. Parameter: secret id. */
export const destroyAll = ofTenant(DESTROY);
/** Destroys the values before a version. Parameters: secret id, version number. */
export const destroyBefore = ofTenant(`${DESTROY} and version < $3`);
/** Destroys the values that are no longer valid at an instant. Parameters: secret id, instant. */
export const destroyEnded = ofTenant(`${DESTROY} and usable_until <= $3`);

/** The usable values of a secret, newest first. Parameters: name, instant. */
export const usable = ofTenant(`select v.id, v.sealed from data.secrets s
    join data.secret_versions v on v.tenant_id = s.tenant_id and v.secret_id = s.id
  where s.tenant_id = $1 and s.name = $2 and (s.expires_at is null or s.expires_at > $3)
    and (v.version = s.version or v.usable_until > $3) order by v.version desc limit 2`);
/** Records the use of a secret. Parameters: name, instant. */
export const touch = ofTenant(`update data.secrets set last_used_at = $3
  where tenant_id = $1 and name = $2 and (last_used_at is null or last_used_at < $3)`);
