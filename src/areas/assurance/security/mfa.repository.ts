import { Injectable } from '@nestjs/common';
import { DEFAULT_MFA, type MfaPolicy } from '#libs/auth/mfa-policy.js';
import { isPrivileged } from '#libs/auth/permission-risk.js';
import { grantsOf, parseGrants, SYSTEM_ROLE_IDS, type SystemRole } from '#libs/auth/roles.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const FIND = `select directory.mfa_policy() as policy`;
const LOCK = `select directory.lock_mfa_policy() as policy`;
const SAVE = `select directory.set_mfa_policy($1::jsonb)`;
const CUSTOM_ROLES = `select id, permissions from data.roles where tenant_id = $1`;
const MEMBERS = `
  select m.id, m.name, m.email, coalesce(s.methods, '{}') as methods, s.multi_factor_at as "multiFactorAt",
    exists (select 1 from data.role_assignments a
      where a.tenant_id = m.tenant_id and a.membership_id = m.id and a.role_id = any($2::uuid[])) as "runsTenant"
  from data.memberships m left join directory.last_sign_ins() s on s.member_id = m.id
  where m.tenant_id = $1 and m.status = 'active' and m.deleted_at is null
  order by m.name, m.id`;

/** An active member with their last sign-in. */
export interface MemberSignIn {
  id: string;
  name: string;
  email: string;
  methods: string[];
  multiFactorAt: string | null;
  /** Whether they hold a privileged role. */
  runsTenant: boolean;
}

/** Ids of the system roles with privileged permissions. */
export const PRIVILEGED_SYSTEM_ROLES: readonly string[] = Object.entries(SYSTEM_ROLE_IDS)
  .filter(([key]) => key === 'owner' || isPrivileged(grantsOf(key as SystemRole)))
  .map(([, id]) => id);

/** The multi-factor policy of the current tenant, and the sign-ins of its members. */
@Injectable()
export class MfaRepository {
  constructor(private readonly database: Database) {}

  async find(): Promise<MfaPolicy> {
    const [row] = await this.database.read<Row>(statement(FIND, []));
    return policyOf(row);
  }

  /** As {@link find}, and locks the policy for a change. */
  async lock(transaction: Transaction): Promise<MfaPolicy> {
    const [row] = await transaction.query<Row>(statement(LOCK, []));
    return policyOf(row);
  }

  save(policy: MfaPolicy): Statement {
    return statement(SAVE, [JSON.stringify(policy)]);
  }

  /** The active members, by name. */
  async members(): Promise<MemberSignIn[]> {
    const { id } = currentTenant();
    const roles = await this.database.read<{ id: string; permissions: string[] }>(statement(CUSTOM_ROLES, [id]));
    const custom = roles.filter(({ permissions }) => isPrivileged(parseGrants(permissions)));
    const privileged = [...PRIVILEGED_SYSTEM_ROLES, ...custom.map((role) => role.id)];
    return this.database.read<MemberSignIn>(statement(MEMBERS, [id, privileged]));
  }
}

interface Row {
  policy: Partial<MfaPolicy> | null;
}

/** Policies from before versions were introduced have version 1. */
function policyOf(row: Row | undefined): MfaPolicy {
  return { ...DEFAULT_MFA, ...row?.policy };
}
