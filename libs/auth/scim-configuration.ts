import { statement, type Statement } from '#libs/database/statement.js';
import type { Actor } from '#libs/tenancy/scope.js';
import type { IssuedCredential } from './new-credential.js';

// Other columns keep their defaults: users get no other role, and addresses are not restricted.
const INSERT = `insert into data.scim_configs (tenant_id, id, name, status, default_role_ids, token_last4, created_at,
    created_by, updated_at)
  values ($1, $2, $3, 'active', $4, $5, $6, $7, $6)`;

/**
 * The statement that creates the configuration of a SCIM token that starts a lineage. It has the id of the lineage, and
 * users provisioned through it become members.
 */
export function configurationOfToken(
  tenantId: string,
  { id, text }: IssuedCredential,
  { name, memberRoleId, at, by }: { name: string; memberRoleId: string; at: string; by: Actor },
): Statement {
  return statement(INSERT, [tenantId, id, name, [memberRoleId], text.slice(-4), at, JSON.stringify(by)]);
}
