/** Type key of a membership; also the beginning of its event types. */
export const MEMBERSHIP_TYPE = 'core.membership';

export const MEMBER_STATUSES = ['invited', 'active', 'suspended', 'deactivated'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** How a person came to be a member. */
export const MEMBER_SOURCES = ['invite', 'scim', 'sso', 'talent_mapping', 'bootstrap'] as const;
export type MemberSource = (typeof MEMBER_SOURCES)[number];

export const WORKSPACE_ROLES = ['lead', 'member', 'guest'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** What people give by hand. Any other source is `scim:` and what gave it; each takes back only its own. */
export const MANUAL = 'manual';

/**
 * Whose rights a change of a membership has to be within: those of the caller, nobody's (the platform, and operations that
 * have checked a permission of their own), or an identity provider's, which never touches owners.
 */
export type Doer = 'caller' | 'platform' | 'scim';

/** Kinds of mails that members can do without; invitations are not among them. */
export const MAIL_KINDS = ['endpoint', 'security'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** The days, in their own time zone, on which somebody is away, and the membership of who stands in for them. */
export interface OutOfOffice {
  fromDate: string;
  toDate: string;
  delegateId: string;
}

/** A person's place in a tenant, with what they have been given and by whom. */
export interface Member {
  id: string;
  /** The person over all tenants; null until they have signed in. */
  userId: string | null;
  email: string;
  name: string;
  title: string | null;
  /** Null for the tenant's. */
  locale: string | null;
  /** Null for the tenant's. */
  timezone: string | null;
  outOfOffice: OutOfOffice | null;
  /** Mails that they do not want. */
  mutedMails: readonly MailKind[];
  status: MemberStatus;
  source: MemberSource;
  version: number;
  /** Rises when all sessions are ended. */
  sessionEpoch: number;
  joinedAt: string | null;
  /** To about five minutes. */
  lastActiveAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** Whether an identity provider has the say about e-mail, name, title and status. */
  managedByScim: boolean;
  roles: { roleId: string; source: string }[];
  workspaces: { workspaceId: string; workspaceRole: WorkspaceRole; source: string }[];
}

/** The roles of a member, each once, whoever gave them. */
export function roleIdsOf({ roles }: Pick<Member, 'roles'>): string[] {
  return [...new Set(roles.map(({ roleId }) => roleId))].sort();
}

/** The workspaces of a member, each once. */
export function workspaceIdsOf({ workspaces }: Pick<Member, 'workspaces'>): string[] {
  return [...new Set(workspaces.map(({ workspaceId }) => workspaceId))].sort();
}
