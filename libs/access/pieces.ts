import type { Authority } from '#libs/auth/authority.js';
import { levelOf } from '#libs/auth/levels.js';
import type { Principal } from '#libs/auth/principal.js';
import type { Reach } from '#libs/auth/reach.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Guard, some } from './guard.js';

/** The records of a type, as far as rights go by them. */
export interface Subject {
  /** Type key, e.g. `sales.deal`. */
  type: string;
  reach?: {
    /**
     * SQL of who counts as the owner of a row `t` besides `owner_id`. `:me` stands for the membership, `:tenant` for the
     * tenant.
     */
    own?: readonly string[];
    /** SQL of the workspace that a row `t` is in, for parts of other records that are where these are. */
    workspace?: string;
  };
}

/** Whose rights, and where they stand. */
export type Holder = Pick<Principal, 'permissions' | 'authority'>;

/**
 * The decision about a permission for the rows of a type, in its parts. The first that says something decides: what is
 * denied, what the roles reach, what is allowed by exception. Each is SQL that goes by what the tables say when it runs,
 * so that an exception ends at its second.
 */
export interface Pieces {
  /** Null when nothing is denied. */
  denied: Guard | null;
  /** How far the roles reach; null when they do not. */
  reach: Reach | null;
  /** The rows that they reach; null for all of the tenant's, and for none. */
  reached: Guard | null;
  /** Null when nothing is allowed by exception. */
  allowed: Guard | null;
  /** The rows that the credential may be used on at all; null when it is not confined. */
  confined: Guard | null;
}

/** The parts of the decision for rows that are there. */
export function piecesOf(holder: Holder, subject: Subject, permission: string): Pieces {
  const { denials, grants, reach } = exceptionsFor(holder, subject, permission);
  return {
    denied: some(denials.single, denials.wide),
    reach,
    reached: reach === 'tenant' || reach === null ? null : reachedRows(reach, subject, holder.authority),
    allowed: some(grants.single, grants.wide),
    confined: confinement(subject, holder.authority),
  };
}

/** The same for the workspace that a row is put in: to be its owner is not enough there. */
export function piecesOfPlace(holder: Holder, subject: Subject, permission: string): Pieces {
  const { denials, grants, reach } = exceptionsFor(holder, subject, permission);
  return {
    denied: denials.wide,
    reach,
    reached: reach === 'tenant' || reach === null ? null : inWorkspacesOf(subject, holder.authority),
    allowed: grants.wide,
    confined: confinement(subject, holder.authority),
  };
}

function exceptionsFor({ permissions, authority }: Holder, subject: Subject, permission: string) {
  const reach = permissions.reachWithin(permission);
  const isOpen = reach !== 'tenant' && permissions.inScope(permission);
  const level = levelOf(permission);
  return {
    reach,
    denials: excepted(subject, authority, 'deny', level),
    grants: isOpen ? excepted(subject, authority, 'allow', level) : { single: null, wide: null },
  };
}

function reachedRows(reach: 'workspace' | 'own', subject: Subject, authority: Authority): Guard | null {
  const own = ownedRows(subject, authority.membershipId!); // only members have rights of a narrow reach
  return reach === 'own' ? own : some(own, inWorkspacesOf(subject, authority));
}

function ownedRows({ reach: { own = [] } = {} }: Subject, membershipId: string): Guard {
  return (add) => {
    const me = `${add(membershipId)}::uuid`;
    const others = own.map((sql) =>
      sql.replaceAll(':me', () => me).replaceAll(':tenant', () => `${add(currentTenant().id)}::uuid`),
    );
    return `(${[`t.owner_id = ${me}`, ...others].join(' or ')})`;
  };
}

function confinement(subject: Subject, { confinedTo, defaultWorkspaceId }: Authority): Guard | null {
  return confinedTo && inWorkspacesOf(subject, { workspaceIds: confinedTo, defaultWorkspaceId });
}

/** Rows in workspaces that somebody belongs to. Those without a workspace count as rows of the default one. */
function inWorkspacesOf(
  { reach }: Subject,
  { workspaceIds, defaultWorkspaceId }: Pick<Authority, 'workspaceIds' | 'defaultWorkspaceId'>,
): Guard {
  const withoutToo = defaultWorkspaceId !== null && workspaceIds.includes(defaultWorkspaceId);
  return (add) => {
    const mine = `${add(workspaceIds)}::uuid[]`;
    if (reach?.workspace !== undefined)
      return withoutToo ? `coalesce(${reach.workspace} = any(${mine}), true)` : `${reach.workspace} = any(${mine})`;
    return `(t.workspace_id = any(${mine})${withoutToo ? ' or t.workspace_id is null' : ''})`;
  };
}

/**
 * SQL of whether a denial `g` reaches somebody with these powers. One that names a person or a key does; one for all of a
 * role or workspace leaves out who is above whoever gave it.
 */
export function denialReaches(powers: string): string {
  return `(g.principal_type not in ('role', 'workspace') or g.given_with @> ${powers})`;
}

/**
 * Rows that exceptions name: by themselves, and with all others of their workspace. Null where there are none, which
 * holds as long as the tenant's epoch does.
 */
function excepted(
  { type, reach }: Subject,
  { exceptions, granted, denied, powers, defaultWorkspaceId }: Authority,
  effect: 'allow' | 'deny',
  level: number,
): { single: Guard | null; wide: Guard | null } {
  const found = (exceptions.get(type) ?? []).filter(
    (each) => each.effect === effect && (effect === 'deny' ? each.rank <= level : each.rank >= level),
  );
  const reaching = (add: (value: unknown) => string) =>
    effect === 'deny' ? ` and ${denialReaches(`${add(powers)}::text[]`)}` : '';
  const targets = (column: string, add: (value: unknown) => string) =>
    `select g.${column} from data.resource_grants g where g.tenant_id = ${add(currentTenant().id)}
      and g.object = '${type}' and g.principal_id = any(${add(effect === 'deny' ? denied : granted)}::uuid[])
      and g.effect = '${effect}' and g.rank ${effect === 'deny' ? '<=' : '>='} ${level}
      and g.${column} is not null and (g.expires_at is null or g.expires_at > now())${reaching(add)}`;
  // An array can be looked up in an index of the rows. What is denied is never looked for, only left out.
  const single: Guard = (add) =>
    effect === 'deny' ? `t.id in (${targets('object_id', add)})` : `t.id = any(array(${targets('object_id', add)}))`;
  const wide: Guard = (add) => {
    const place = reach?.workspace ?? 't.workspace_id';
    const within = `${place} = any(array(${targets('workspace_id', add)}))`;
    if (defaultWorkspaceId === null) return `coalesce(${within}, false)`;
    return `coalesce(${within}, ${add(defaultWorkspaceId)}::uuid = any(array(${targets('workspace_id', add)})))`;
  };
  return {
    single: found.some((each) => each.single) ? single : null,
    wide: found.some((each) => each.wide) ? wide : null,
  };
}
