import { Injectable } from '@nestjs/common';
import { isPrivileged } from '#libs/auth/permission-risk.js';
import { coveredBy } from '#libs/auth/permissions.js';
import { parseGrants, type RoleGrant } from '#libs/auth/roles.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Role, RoleBook } from '#libs/members/role-book.js';
import type { Flag, ReviewSnapshot, ReviewSubject, SubjectType } from './access-review-item.js';
import type { AccessReviewScope } from './access-review.parts.js';
import { flagsOf } from './flags.js';
import {
  configurations,
  type ConfigurationRow,
  earlier,
  type GrantRow,
  grants,
  type KeyRow,
  keys,
  MAX_ITEMS,
  type MemberRow,
  members,
  someMembers,
} from './population.queries.js';

/** An item of a population, before it has a reviewer. */
export interface Candidate {
  subject: ReviewSubject;
  snapshot: ReviewSnapshot;
  flags: Flag[];
  /** The person whose access it is. */
  memberId: string | null;
  managerId: string | null;
  workspaceIds: string[];
}

interface Earlier {
  id: string;
  type: SubjectType;
  roles: { id: string }[];
}

/** What all subjects are judged by. */
interface Known {
  at: string;
  roles: Map<string, Role>;
  members: Map<string, MemberRow>;
  /** By type, then by id. */
  earlier: Map<SubjectType, Map<string, Earlier>>;
}

const EMPTY: ReviewSnapshot = {
  roles: [],
  scopes: [],
  permissionCount: 0,
  lastActiveAt: null,
  createdAt: '',
  expiresAt: null,
  mfa: null,
  source: null,
};

/** Reads the access that a scope covers from live data. */
@Injectable()
export class Populations {
  constructor(private readonly roles: RoleBook) {}

  /** All subjects of a scope at an instant, ordered by type and name. @throws Problem 409 `limit_reached`. */
  async read(transaction: Transaction, scope: AccessReviewScope, at: string): Promise<Candidate[]> {
    const found = await this.memberRows(transaction, scope, at);
    const keyRows = scope.apiKeys ? await transaction.query<KeyRow>(keys(scope, at)) : [];
    const grantRows = scope.grants ? await transaction.query<GrantRow>(grants(scope, at)) : [];
    const configs = scope.scimConfigurations ? await transaction.query<ConfigurationRow>(configurations(scope)) : [];
    if (found.length + keyRows.length + grantRows.length + configs.length > MAX_ITEMS)
      throw new Problem('limit_reached', `A review can have at most ${MAX_ITEMS} items; narrow its scope.`);
    const people = [...keyRows, ...grantRows].flatMap(({ memberId }) => memberId ?? []);
    const owners = people.length > 0 ? await transaction.query<MemberRow>(someMembers([...new Set(people)], at)) : [];
    const known: Known = {
      at,
      members: new Map([...found, ...owners].map((member) => [member.id, member])),
      roles: await this.rolesOf(transaction, [...found, ...owners], configs),
      earlier: byType(await transaction.query<Earlier>(earlier())),
    };
    return [
      ...found.map((row) => memberItem(row, known)),
      ...keyRows.map((row) => keyItem(row, known)),
      ...grantRows.map((row) => grantItem(row, known)),
      ...configs.map((row) => configurationItem(row, known)),
    ];
  }

  private async memberRows(transaction: Transaction, scope: AccessReviewScope, at: string): Promise<MemberRow[]> {
    const isWanted = scope.memberships || scope.scimGroups || (scope.roleIds ?? []).length > 0;
    return isWanted ? transaction.query<MemberRow>(members(scope, at)) : [];
  }

  private async rolesOf(
    transaction: Transaction,
    people: readonly MemberRow[],
    configs: readonly ConfigurationRow[],
  ): Promise<Map<string, Role>> {
    const held = [...people.flatMap(({ roles }) => roles.map(({ id }) => id)), ...configs.flatMap((c) => c.roleIds)];
    const roles = await this.roles.resolve(transaction, [...new Set(held)], '/roleIds');
    return new Map(roles.map((role) => [role.id, role]));
  }
}

function memberItem(row: MemberRow, known: Known): Candidate {
  const { id, name, createdAt, lastActiveAt, source, mfa, managerId, workspaceIds } = row;
  const roles = rolesOf(row, known);
  const held = roles.flatMap(({ grants }) => grants);
  const snapshot = { ...EMPTY, ...contentOf(roles), lastActiveAt, createdAt, mfa, source };
  const facts = {
    snapshot,
    isPrivileged: isPrivileged(held),
    isTerminated: row.terminated,
    earlier: earlierOf('membership', id, known),
    isUsed: true,
    canExpire: false,
    roles: row.roles,
    grants: held,
  };
  return {
    subject: { type: 'membership', id, name },
    snapshot,
    flags: flagsOf(facts, known.at),
    memberId: id,
    managerId,
    workspaceIds,
  };
}

/** A personal key is only as powerful as its owner. */
function keyItem(row: KeyRow, known: Known): Candidate {
  const { id, name, createdAt, lastActiveAt, expiresAt, scopes, memberId } = row;
  const owner = memberId === null ? undefined : known.members.get(memberId);
  const permissionCount = coveredBy(scopes).length;
  const source = memberId === null ? 'service' : 'personal';
  const snapshot = { ...EMPTY, scopes, permissionCount, createdAt, lastActiveAt, expiresAt, source };
  const isOwnerPowerful = !owner || isPrivileged(rolesOf(owner, known).flatMap(({ grants }) => grants));
  const facts = {
    snapshot,
    isPrivileged: isOwnerPowerful && (row.allowProtected || isPrivileged(parseGrants(scopes))),
    isTerminated: owner?.terminated ?? false,
    earlier: earlierOf('api_key', id, known),
    isUsed: true,
    canExpire: true,
  };
  return {
    subject: { type: 'api_key', id, name },
    snapshot,
    flags: flagsOf(facts, known.at),
    memberId,
    managerId: owner?.managerId ?? null,
    workspaceIds: owner?.workspaceIds ?? row.workspaceIds,
  };
}

function grantItem(row: GrantRow, known: Known): Candidate {
  const { id, name, level, createdAt, expiresAt, memberId, workspaceId } = row;
  const person = memberId === null ? undefined : known.members.get(memberId);
  const snapshot = { ...EMPTY, createdAt, expiresAt, lastActiveAt: person?.lastActiveAt ?? null };
  const facts = {
    snapshot,
    isPrivileged: level === 'manage',
    isTerminated: person?.terminated ?? false,
    earlier: earlierOf('resource_permission', id, known),
    isUsed: false,
    canExpire: true,
  };
  return {
    subject: { type: 'resource_permission', id, name },
    snapshot,
    flags: flagsOf(facts, known.at),
    memberId,
    managerId: person?.managerId ?? null,
    workspaceIds: workspaceId === null ? (person?.workspaceIds ?? []) : [workspaceId],
  };
}

function configurationItem(row: ConfigurationRow, known: Known): Candidate {
  const { id, name, createdAt, lastActiveAt, expiresAt, roleIds } = row;
  const roles = roleIds.map((roleId) => known.roles.get(roleId)!);
  const snapshot = { ...EMPTY, ...contentOf(roles), createdAt, lastActiveAt, expiresAt };
  const facts = {
    snapshot,
    isPrivileged: roles.some((role) => role.isPrivileged),
    isTerminated: false,
    earlier: earlierOf('scim_configuration', id, known),
    isUsed: true,
    canExpire: true,
  };
  return {
    subject: { type: 'scim_configuration', id, name },
    snapshot,
    flags: flagsOf(facts, known.at),
    memberId: null,
    managerId: null,
    workspaceIds: [],
  };
}

function rolesOf({ roles }: MemberRow, known: Known): Role[] {
  return roles.map(({ id }) => known.roles.get(id)!); // all have been resolved
}

function contentOf(roles: readonly Role[]): Pick<ReviewSnapshot, 'roles' | 'permissionCount'> {
  const permissions = new Set(
    roles.flatMap(({ grants }: { grants: readonly RoleGrant[] }) => grants.map((g) => g.permission)),
  );
  return { roles: roles.map(({ id, name }) => ({ id, name })), permissionCount: permissions.size };
}

function byType(rows: readonly Earlier[]): Known['earlier'] {
  const groups = Map.groupBy(rows, ({ type }) => type);
  return new Map([...groups].map(([type, all]) => [type, new Map(all.map((each) => [each.id, each]))]));
}

/** As in {@link FlagFacts}. */
function earlierOf(type: SubjectType, id: string, known: Known): Earlier | null | undefined {
  const ofType = known.earlier.get(type);
  return ofType && (ofType.get(id) ?? null);
}
