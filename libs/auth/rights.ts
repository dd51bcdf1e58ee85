import { type Permission, permissionNames, PermissionSet } from './permissions.js';
import { reachesAsFar, type Reach, type Rights } from './reach.js';
import type { RoleGrant } from './roles.js';

/** Rights of a credential that acts for a member: the intersection of its scopes and the member's roles. */
export class MemberRights implements Rights {
  private readonly reaches = new Map<string, Reach>();

  /** @param grants of all roles of the member; the widest reach per permission counts. */
  constructor(
    private readonly scopes: Rights,
    grants: readonly RoleGrant[],
  ) {
    for (const { permission, reach } of grants) {
      const known = this.reaches.get(permission);
      if (known === undefined || reachesAsFar(reach, known)) this.reaches.set(permission, reach);
    }
  }

  has(permission: string): boolean {
    return this.reaches.has(permission) && this.scopes.has(permission);
  }

  reach(permission: string): Reach | null {
    return this.scopes.has(permission) ? (this.reaches.get(permission) ?? null) : null;
  }

  reachWithin(permission: string): Reach | null {
    return this.reach(permission);
  }

  inScope(permission: string): boolean {
    return this.scopes.has(permission);
  }

  isNamed(permission: string): boolean {
    return this.scopes.isNamed(permission);
  }
}

/** Rights of a credential that is confined to workspaces: no permission reaches the whole tenant. */
export class ConfinedRights implements Rights {
  constructor(private readonly rights: Rights) {}

  has(permission: string): boolean {
    return this.rights.has(permission);
  }

  reach(permission: string): Reach | null {
    const reach = this.rights.reach(permission);
    return reach === 'tenant' ? 'workspace' : reach;
  }

  reachWithin(permission: string): Reach | null {
    return this.rights.reach(permission);
  }

  inScope(permission: string): boolean {
    return this.rights.inScope(permission);
  }

  isNamed(permission: string): boolean {
    return this.rights.isNamed(permission);
  }
}

/** The grants that exceed a principal's own rights, including their reach. A principal may not grant these. */
export function exceeding(rights: Rights, grants: readonly RoleGrant[]): RoleGrant[] {
  return grants.filter(({ permission, reach }) => !reachesAsFar(rights.reach(permission), reach));
}

/** Whether grants include others, with their reach. */
export function includesAll(held: readonly RoleGrant[], grants: readonly RoleGrant[]): boolean {
  return exceeding(new MemberRights(new PermissionSet(['*']), held), grants).length === 0;
}

/** The permissions that the scopes of a credential include, whatever its holder may do; null for all. */
export function includedIn(rights: Rights): Permission[] | null {
  const included = permissionNames().filter((permission) => rights.inScope(permission));
  return included.length === permissionNames().length ? null : included;
}

/** The permissions held, with the reach after `@` unless it is the whole tenant. */
export function heldIn(rights: Rights): string[] {
  return permissionNames().flatMap((permission) => {
    const reach = rights.reach(permission);
    return reach === null ? [] : [reach === 'tenant' ? permission : `${permission}@${reach}`];
  });
}
