import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const USES = `select 'ai.provider' as object, p.id from data.ai_providers p
    where p.tenant_id = s.tenant_id and p.secret_name = s.name and p.deleted_at is null
  union all select 'audit.stream', a.id from data.audit_streams a
    where a.tenant_id = s.tenant_id and a.credential_secret_id = s.id
  order by id limit 200`;
const FIGURES = `select s.id, coalesce((select json_agg(u) from (${USES}) u), '[]') as "usedBy",
    (select max(v.usable_until) from data.secret_versions v
      where v.tenant_id = s.tenant_id and v.secret_id = s.id and v.usable_until > $2) as "previousUsableUntil"
  from data.secrets s where s.tenant_id = $1`;
const ADD_VERSION = `insert into data.secret_versions (tenant_id, id, secret_id, version, sealed, created_at)
  values ($1, $2, $3, $4, $5, $6)`;
const END_VERSION = `update data.secret_versions set usable_until = $4
  where tenant_id = $1 and secret_id = $2 and version = $3`;
const DESTROY = `delete from data.secret_versions where tenant_id = $1 and secret_id = $2 and version < $3`;
const DESTROY_ENDED = `delete from data.secret_versions where tenant_id = $1 and secret_id = $2 and usable_until <= $3`;
const USABLE = `select v.id, v.sealed from data.secrets s
    join data.secret_versions v on v.tenant_id = s.tenant_id and v.secret_id = s.id
  where s.tenant_id = $1 and s.name = $2 and (s.expires_at is null or s.expires_at > $3)
    and (v.version = s.version or v.usable_until > $3) order by v.version desc limit 2`;
const TOUCH = `update data.secrets set last_used_at = $3
  where tenant_id = $1 and name = $2 and (last_used_at is null or last_used_at < $3)`;

const ofTenant =
  (text: string) =>
  (...values: unknown[]): Statement =>
    statement(text, [currentTenant().id, ...values]);

/** Each secret with its references and the end of its previous value's grace period. Parameter: instant. */
export const figures = ofTenant(FIGURES);
/** Adds an encrypted value. Parameters: id, secret id, version number, encrypted text, instant. */
export const addVersion = ofTenant(ADD_VERSION);
/** Limits a value to an instant. Parameters: secret id, version number, instant. */
export const endVersion = ofTenant(END_VERSION);
/** Destroys the values before a version. Parameters: secret id, version number. */
export const destroyBefore = ofTenant(DESTROY);
/** Destroys the values that are no longer valid at an instant. Parameters: secret id, instant. */
export const destroyEnded = ofTenant(DESTROY_ENDED);
/** The usable values of a secret, newest first. Parameters: name, instant. */
export const usable = ofTenant(USABLE);
/** Records the use of a secret. Parameters: name, instant. */
export const touch = ofTenant(TOUCH);
