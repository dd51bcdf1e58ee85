import { every, type Guard, some } from '#libs/access/guard.js';
import { limitsOf } from '#libs/access/limits.js';
import type { Principal } from '#libs/auth/principal.js';
import { aboutKnownRecord, disclosing, ofReadableTypes } from '#libs/resource/access/disclosure.js';
import type { ResourceRegistry } from '#libs/resource/resource-registry.js';

const READ = 'audit:read';
/** The record that a row `t` of the audit log is about. */
const ABOUT = { type: 't.target_type', id: 't.target_id' };

/**
 * The entries that a caller may read. With the permission for the tenant, all except those about types that they may
 * not read at all. Otherwise actions of the caller and of their keys and, with workspace reach, entries about records
 * in their workspaces, in both cases without those about records that they may not see. With a confined key, own actions
 * on records of its workspaces. Null for all entries.
 */
export function auditWithin(
  { permissions, credentialId, membershipId, authority }: Principal,
  registry: ResourceRegistry,
): Guard | null {
  const reach = permissions.reach(READ);
  if (reach === 'tenant') return wholeLog(registry);
  const actions: Guard = (add) =>
    `t.actor_id = any(array(select k::text from directory.keys_of(${add(membershipId)}::uuid) k)
      || ${add([credentialId, membershipId])}::text[])`;
  const known = authority.confinedTo === null ? disclosing(registry, ABOUT) : aboutKnownRecord(registry, ABOUT);
  const own = every(actions, known);
  return reach === 'workspace' ? some(own, inWorkspaces(registry)) : own;
}

/** The entries of the whole log, except those about types that the caller may not read at all; null for all. */
export function wholeLog(registry: ResourceRegistry): Guard | null {
  return ofReadableTypes(registry, ABOUT);
}

function inWorkspaces(registry: ResourceRegistry): Guard {
  return aboutKnownRecord(registry, ABOUT, (definition) => limitsOf(definition, READ));
}
