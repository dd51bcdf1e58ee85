import { PRIVILEGED_GRANTS } from '#libs/auth/permission-risk.js';
import { PRIVILEGED_SYSTEM_ROLES } from '../../mfa.repository.js';

const literal = (texts: readonly string[]): string => `'{${texts.map((text) => `"${text}"`).join(',')}}'`;

/** Condition: the member `m` is active. */
export const ACTIVE = `m.status = 'active' and m.deleted_at is null`;

/** Condition: the member `m` has a role that allows running the tenant. */
export const RUNS_TENANT = `exists (
  select from data.role_assignments a left join data.roles r on r.tenant_id = a.tenant_id and r.id = a.role_id
  where a.tenant_id = m.tenant_id and a.membership_id = m.id
    and (a.role_id = any(${literal(PRIVILEGED_SYSTEM_ROLES)}::uuid[])
      or r.permissions && ${literal(PRIVILEGED_GRANTS)}::text[]))`;
