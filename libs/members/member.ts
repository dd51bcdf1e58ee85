import type { WorkingHours } from '#libs/settings/working-hours.js';
import type { OwnChoices } from './notification-choices.js';

/** Type key of a membership; also the prefix of its event types. */
export const MEMBERSHIP_TYPE = 'core.membership';

export const MEMBER_STATUSES = ['invited', 'active', 'suspended', 'deactivated'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** How a person became a member. */
export const MEMBER_SOURCES = ['invite', 'scim', 'sso', 'talent_mapping', 'bootstrap'] as const;
export type MemberSource = (typeof MEMBER_SOURCES)[number];

export const WORKSPACE_ROLES = ['lead', 'member', 'guest'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** Source of grants made by people. All other sources start with `scim:`. Each source revokes only its own grants. */
export const MANUAL = 'manual';

/**
 * Whose rights limit a change of a membership: the caller's; nobody's (`platform`: the platform, and operations that
 * have checked a permission themselves); or an identity provider's (`scim`), which cannot make owners.
 */
export type Doer = 'caller' | 'platform' | 'scim';

/** The days, in their own time zone, on which a member is away, and the membership of their delegate. */
export interface OutOfOffice {
  fromDate: string;
  toDate: string;
  delegateId: string;
}

/** A membership, with roles and workspaces and the sources that granted them. */
export interface Member {
  id: string;
  /** The person across all tenants; null until the first sign-in. */
  userId: string | null;
  email: string;
  name: string;
  title: string | null;
  /** Null uses the value of the tenant. */
  locale: string | null;
  /** Null uses the value of the tenant. */
  timezone: string | null;
  /** Null if the member has named none. */
  workingHours: WorkingHours[] | null;
  outOfOffice: OutOfOffice | null;
  /** Whether `outOfOffice` was set for a leave, and not by the member. */
  awayOnLeave: boolean;
  /** How the member receives notifications, where that differs from the defaults. */
  notifications: OwnChoices;
  status: MemberStatus;
  source: MemberSource;
  version: number;
  /** Increases when all sessions are revoked. */
  sessionEpoch: number;
  joinedAt: string | null;
  /** Accurate to about five minutes. */
  lastActiveAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** Whether an identity provider manages e-mail, name, title and status. */
  managedByScim: boolean;
  roles: { roleId: string; source: string }[];
  workspaces: { workspaceId: string; workspaceRole: WorkspaceRole; source: string }[];
}

/** The distinct roles of a member, from all sources. */
export function roleIdsOf({ roles }: Pick<Member, 'roles'>): string[] {
  return [...new Set(roles.map(({ roleId }) => roleId))].sort();
}

/** The distinct workspaces of a member. */
export function workspaceIdsOf({ workspaces }: Pick<Member, 'workspaces'>): string[] {
  return [...new Set(workspaces.map(({ workspaceId }) => workspaceId))].sort();
}
