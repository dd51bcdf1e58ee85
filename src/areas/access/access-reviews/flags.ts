import type { RoleGrant } from '#libs/auth/roles.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Flag, ReviewSnapshot } from './access-review-item.js';
import type { HeldRole } from './population.queries.js';

const INACTIVE_MS = 90 * DAY_MS;
/** Pairs of permissions that one person should not hold together. */
const CONFLICTS = [
  ['invoices:issue', 'payments:write'],
  ['offers:write', 'offers:approve'],
  ['proposals:write', 'proposals:approve'],
  ['employees:write', 'employees.compensation:write'],
] as const;

/** The facts behind the flags of an item. Only members have roles, employment and a second factor. */
export interface FlagFacts {
  snapshot: ReviewSnapshot;
  isPrivileged: boolean;
  isTerminated: boolean;
  /** Undefined if no completed review contained subjects of this type; null if none contained this one. */
  earlier: { roles: { id: string }[] } | null | undefined;
  /** Whether the platform records its use. */
  isUsed: boolean;
  /** Whether it could have an expiry. */
  canExpire: boolean;
  roles?: readonly HeldRole[];
  grants?: readonly RoleGrant[];
}

/** The flags of an item at an instant. */
export function flagsOf(facts: FlagFacts, at: string): Flag[] {
  const { snapshot, earlier, isUsed, canExpire, roles = [], grants = [] } = facts;
  const { lastActiveAt, createdAt, mfa, expiresAt } = snapshot;
  const isStale = Date.parse(at) - Date.parse(lastActiveAt ?? createdAt) > INACTIVE_MS;
  const found: Record<Flag, boolean> = {
    privileged: facts.isPrivileged,
    inactive_90d: isUsed && isStale,
    no_mfa: mfa === false,
    terminated_employee: facts.isTerminated,
    role_growth: hasGrown(roles, earlier?.roles, createdAt, at),
    conflicting_duties: conflict(grants),
    never_used: isUsed && lastActiveAt === null,
    new_since_last_review: earlier === null,
    no_expiry: canExpire && expiresAt === null,
  };
  return (Object.keys(found) as Flag[]).filter((flag) => found[flag]);
}

function hasGrown(
  roles: readonly HeldRole[],
  before: readonly { id: string }[] | undefined,
  createdAt: string,
  at: string,
): boolean {
  if (before) return roles.some(({ id }) => before.every((each) => each.id !== id));
  const [now, joined] = [Date.parse(at), Date.parse(createdAt)];
  return roles.some((role) => Date.parse(role.at) > joined + DAY_MS && now - Date.parse(role.at) <= INACTIVE_MS);
}

function conflict(grants: readonly RoleGrant[]): boolean {
  const held = new Set<string>(grants.map(({ permission }) => permission));
  return CONFLICTS.some((pair) => pair.every((permission) => held.has(permission)));
}
