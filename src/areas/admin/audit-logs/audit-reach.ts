import { every, type Guard } from '#libs/access/guard.js';
import { limitsOf } from '#libs/access/limits.js';
import type { Principal } from '#libs/auth/principal.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const READ = 'audit:read';

/**
 * The entries that a caller without tenant-wide permission may read: actions of the caller and of their keys and, with
 * workspace reach, entries about visible records in their workspaces. Null for all entries.
 */
export function auditWithin(
  { permissions, credentialId, membershipId }: Principal,
  resources: readonly Resource[],
): Guard | null {
  const reach = permissions.reach(READ);
  if (reach === 'tenant') return null;
  return (add) => {
    const own = `t.actor_id = any(array(select k::text from directory.keys_of(${add(membershipId)}::uuid) k)
      || ${add([credentialId, membershipId])}::text[])`;
    if (reach !== 'workspace') return own;
    const tenant = `${add(currentTenant().id)}::uuid`;
    // The target is looked up in the table of its type: `o` is the entry, the inner `t` is the record.
    const cases = resources.map(({ definition, service }) => {
      const limits = every(limitsOf(definition, READ), service.disclosed());
      return `when '${definition.type}' then exists (select 1 from (select t.target_id::uuid as id) o,
        ${service.table} t where t.tenant_id = ${tenant} and t.id = o.id${limits ? ` and ${limits(add)}` : ''})`;
    });
    return `(${own} or case t.target_type ${cases.join(' ')} else false end)`;
  };
}
