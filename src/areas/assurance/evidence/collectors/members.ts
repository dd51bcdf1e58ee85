import { DEFAULT_MFA, hasFactor, type MfaPolicy } from '#libs/auth/mfa-policy.js';
import { isPrivileged } from '#libs/auth/permission-risk.js';
import { permissionNames } from '#libs/auth/permissions.js';
import { grantsOf, parseGrants, SYSTEM_ROLE_IDS, type SystemRole, systemRoleOf } from '#libs/auth/roles.js';

/** A role as the queries read it. */
interface RoleFacts {
  id: string;
  /** Null for system roles. */
  name: string | null;
  permissions: string[] | null;
}

export interface RawMember {
  membershipId: string;
  name: string;
  email: string;
  status: string;
  source: string;
  joinedAt: string | null;
  roles: RoleFacts[];
  methods: string[] | null;
  multiFactorAt: string | null;
  policy: Partial<MfaPolicy> | null;
}

/** Members who are in the tenant, with their roles and last sign-in. `m` is the membership. */
export const MEMBERS = `
  select m.id as "membershipId", m.name, m.email, m.status, m.source, m.joined_at as "joinedAt",
    coalesce((select jsonb_agg(jsonb_build_object('id', a.role_id, 'name', r.name, 'permissions', r.permissions)
        order by a.role_id)
      from (select distinct role_id from data.role_assignments
        where tenant_id = m.tenant_id and membership_id = m.id) a
      left join data.roles r on r.tenant_id = m.tenant_id and r.id = a.role_id), '[]') as roles,
    s.methods, s.multi_factor_at as "multiFactorAt", (select directory.mfa_policy()) as policy
  from data.memberships m left join directory.last_sign_ins() s on s.member_id = m.id
  where m.tenant_id = $1 and m.deleted_at is null`;

const nameOf = ({ id, name }: RoleFacts): string => name ?? systemRoleOf(id) ?? id;

function isPrivilegedRole({ id, permissions }: RoleFacts): boolean {
  const system = systemRoleOf(id);
  if (system === 'owner') return true;
  return isPrivileged(system ? grantsOf(system) : parseGrants(permissions ?? []));
}

function usedFactor({ methods, multiFactorAt, policy }: RawMember): boolean {
  return hasFactor({ methods: methods ?? [], multiFactorAt }, { ...DEFAULT_MFA, ...policy });
}

export function memberOf(row: RawMember) {
  const { membershipId, name, email, status, source, joinedAt, roles } = row;
  const known = { membershipId, name, email, status, source, joinedAt };
  return {
    ...known,
    roles: roles.map(nameOf).sort(),
    privileged: roles.some(isPrivilegedRole),
    secondFactor: usedFactor(row),
  };
}

export type ShownMember = ReturnType<typeof memberOf>;

const isPrivilegedGrant = (text: string): boolean => isPrivileged(parseGrants([text]));
/** All grants of custom roles that are privileged: permissions and wildcards. */
const PRIVILEGED_GRANTS = [
  ...new Set(permissionNames().flatMap((name) => [name, name.replace(/:.*/, ':*'), name.replace(/.*:/, '*:'), '*'])),
]
  .filter(isPrivilegedGrant)
  .flatMap((text) => [text, `${text}@tenant`]);
const PRIVILEGED_IDS = Object.entries(SYSTEM_ROLE_IDS)
  .filter(([key]) => key === 'owner' || isPrivileged(grantsOf(key as SystemRole)))
  .map(([, id]) => id);

const listed = (texts: readonly string[]): string => `array[${texts.map((text) => `'${text}'`).join(', ')}]`;

/** Whether a row of {@link MEMBERS} has a privileged role. */
export const HAS_PRIVILEGES = `exists (select from jsonb_array_elements(roles) r
  where r ->> 'id' = any (${listed(PRIVILEGED_IDS)}) or r -> 'permissions' ?| ${listed(PRIVILEGED_GRANTS)})`;
