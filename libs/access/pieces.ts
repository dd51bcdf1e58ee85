import type { Authority } from '#libs/auth/authority.js';
import { levelOf } from '#libs/auth/levels.js';
import type { Principal } from '#libs/auth/principal.js';
import type { Reach } from '#libs/auth/reach.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Guard, some } from './guard.js';

/** What access decisions need to know about a record type. */
export interface Subject {
  /** Type key, e.g. `sales.deal`. */
  type: string;
  reach?: {
    /**
     * SQL conditions that make the member an owner of a row `t` in addition to `owner_id`. `:me` is the membership,
     * `:tenant` the tenant.
     */
    own?: readonly string[];
    /**
     * Field of the person whom a record is about. Whoever may only write their own records may create them for
     * themselves alone, and give them to nobody else: being the `owner_id` is not enough.
     */
    person?: string;
    /**
     * SQL expression for the workspace of a row `t`, for parts of records that inherit the workspace of their parent.
     */
    workspace?: string;
  };
}

type Add = Parameters<Guard>[0];

/** The rights and the position of a principal. */
export type Holder = Pick<Principal, 'permissions' | 'authority'>;

/**
 * The parts of an access decision for the rows of a type. Denials come first, then the reach of the roles, then
 * exceptions that allow. Each part is SQL evaluated against current data, so an exception ends to the second.
 */
export interface Pieces {
  /** Rows denied by exceptions; null when there are none. */
  denied: Guard | null;
  /** Reach of the permission in the roles; null when no role grants it. */
  reach: Reach | null;
  /** The rows within that reach; null when the reach is the tenant or there is none. */
  reached: Guard | null;
  /** Rows allowed by exceptions; null when there are none. */
  allowed: Guard | null;
  /** The rows in the workspaces that the credential is confined to; null when it is not confined. */
  confined: Guard | null;
}

/** The parts of the decision for existing rows. */
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

/** The same for the workspace that a row is put in, where being its owner is not enough. */
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

/** The same for the person whom a row is about, where being its owner is not enough. */
export function piecesOfPerson(holder: Holder, subject: Subject, permission: string): Pieces {
  const pieces = piecesOf(holder, subject, permission);
  const { reach } = pieces;
  if (reach !== 'own' && reach !== 'workspace') return pieces;
  const person = (add: Add) => `(${ownConditions(subject, holder.authority.membershipId!, add).join(' or ')})`;
  return { ...pieces, reached: reach === 'own' ? person : some(person, inWorkspacesOf(subject, holder.authority)) };
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
  const own = ownedRows(subject, authority.membershipId!); // only members have rights narrower than the tenant
  return reach === 'own' ? own : some(own, inWorkspacesOf(subject, authority));
}

function ownedRows(subject: Subject, membershipId: string): Guard {
  return (add) => {
    const owner = `t.owner_id = ${add(membershipId)}::uuid`;
    return `(${[owner, ...ownConditions(subject, membershipId, add)].join(' or ')})`;
  };
}

function ownConditions({ reach: { own = [] } = {} }: Subject, membershipId: string, add: Add): string[] {
  return own.map((sql) =>
    sql
      .replaceAll(':me', () => `${add(membershipId)}::uuid`)
      .replaceAll(':tenant', () => `${add(currentTenant().id)}::uuid`),
  );
}

function confinement(subject: Subject, { confinedTo, defaultWorkspaceId }: Authority): Guard | null {
  return confinedTo && inWorkspacesOf(subject, { workspaceIds: confinedTo, defaultWorkspaceId });
}

/** Rows in workspaces that the principal belongs to. Rows without a workspace belong to the default one. */
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
 * SQL condition for whether a denial `g` applies to a principal with these powers. A denial for a person or key always
 * applies; one for a role or workspace does not apply to anybody above the person who issued it.
 */
export function denialReaches(powers: string): string {
  return `(g.principal_type not in ('role', 'workspace') or g.given_with @> ${powers})`;
}

/**
 * Rows covered by exceptions, for single records (`single`) and for whole workspaces (`wide`). Null when there are
 * none; this stays valid until the tenant's epoch changes.
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
  // An array comparison can use an index on the rows. Denied rows are only filtered out, so they need none.
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
