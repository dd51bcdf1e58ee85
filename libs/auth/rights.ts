import { reachesAsFar, type Reach, type Rights } from './reach.js';
import type { RoleGrant } from './roles.js';

/** What a credential may do that acts for a member: what both its scopes and the roles of the member allow. */
export class MemberRights implements Rights {
  private readonly reaches = new Map<string, Reach>();

  /** @param grants of all roles of the member; of several for one permission the widest counts. */
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

/** What a credential may do that is confined to workspaces: nothing that takes the whole tenant. */
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

/** What of the grants goes beyond somebody's own rights, reach counted. Nobody may give it to anybody. */
export function exceeding(rights: Rights, grants: readonly RoleGrant[]): RoleGrant[] {
  return grants.filter(({ permission, reach }) => !reachesAsFar(rights.reach(permission), reach));
}
