import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLE_IDS, systemRoleOf } from '#libs/auth/roles.js';
import type { Transaction } from '#libs/database/transaction.js';
import { cut } from '#libs/kernel/cut.js';
import { Problem } from '#libs/kernel/problem.js';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import type { Member } from '#libs/members/member.js';
import { Members } from '#libs/members/members.js';
import { systemRole } from '#libs/members/role-book.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { Invitation } from './invitation.js';
import { InvitationMoves } from './invitation-moves.js';
import { isOpen } from './invitation.rules.js';
import { InvitationsRepository } from './invitations.repository.js';

const MAX_NAME = 200;

/** The terms of an invitation shown to the invitee. */
export interface DescribedOffer {
  /** Name of the inviter. */
  invitedBy: string;
  /** Names of the roles of the invitation. */
  roles: string[];
  expiresAt: string;
}

/** The person who accepts. */
export interface Invitee {
  /** Verified. */
  email: string;
  name: string | null;
  /** Id of the person across all tenants. */
  userId: string;
}

/** Open invitations of the tenant in scope, for invitees. */
@Injectable()
export class InvitationOffersService {
  constructor(
    private readonly repository: InvitationsRepository,
    private readonly moves: InvitationMoves,
    private readonly members: Members,
  ) {}

  /** Null for an invitation that is no longer open. */
  async describe(id: string): Promise<DescribedOffer | null> {
    const row = await this.repository.find(id);
    if (!row || !isOpen(row, this.moves.now())) return null;
    const { invitedBy, roleIds, expiresAt } = row;
    const own = await this.repository.customRoles(roleIds);
    const roles = roleIds.flatMap((roleId) => systemRole(roleId)?.name ?? own.get(roleId) ?? []);
    return { invitedBy: invitedBy.name, roles, expiresAt };
  }

  /** Locks an open invitation until the transaction ends; null for one that is no longer open. */
  async lock(transaction: Transaction, id: string): Promise<Invitation | null> {
    const row = await this.repository.lock(transaction, id);
    return row && isOpen(row, this.moves.now()) ? row : null;
  }

  /**
   * The member who accepted an invitation within the last minute; null for any other person, and later. So a form that a
   * browser has sent twice is answered twice, because it shows only the last response.
   */
  async justAccepted(transaction: Transaction, id: string, userId: string): Promise<Member | null> {
    const row = await this.repository.lock(transaction, id);
    if (row?.status !== 'accepted' || row.acceptedMembershipId === null) return null;
    if (Date.parse(row.closedAt!) + MINUTE_MS < Date.parse(this.moves.now())) return null;
    const member = await this.members.lock(transaction, row.acceptedMembershipId);
    return member?.userId === userId && member.status === 'active' ? member : null;
  }

  decline(transaction: Transaction, row: Invitation): void {
    this.moves.close(transaction, row, 'declined');
  }

  /**
   * Makes the invitee a member with those promised roles and workspaces that still exist. The member takes over the
   * invitation's seat.
   * @returns the member, and the employee to link to them.
   * @throws Problem 403 `email_mismatch`, 409 `seat_limit`, `duplicate` or `blocked`.
   */
  async accept(
    transaction: Transaction,
    row: Invitation,
    { email, name, userId }: Invitee,
  ): Promise<{ member: Member; employeeId: string | null }> {
    const known = await this.members.findByEmail(transaction, row.email);
    if (known?.status === 'suspended' || known?.status === 'deactivated')
      throw new Problem('blocked', 'Your membership is blocked. Ask an administrator of the tenant to reactivate it.');
    if (known && known.userId !== null && known.userId !== userId) throw mismatch();
    if (await this.repository.isElsewhere(transaction, userId, row.email))
      throw new Problem('duplicate', 'You are a member of this tenant with another address.');
    currentScope().actor = { type: 'anonymous', id: null, name: nameOf(name, email) };
    transaction.write(this.repository.freeSeat(row.id));
    const workspaceIds = await this.repository.openWorkspaces(transaction, row.workspaceIds);
    const member = await this.members
      .join(transaction, {
        email: row.email,
        name: nameOf(name, email),
        userId,
        source: (await this.repository.isOfMapping(transaction, row.id)) ? 'talent_mapping' : 'invite',
        roleIds: await this.rolesLeft(row.roleIds),
        ...(workspaceIds.length > 0 ? { workspaceIds } : {}),
      })
      .catch(withoutFigures);
    currentScope().actor = { type: 'member', id: member.id, name: member.name };
    this.moves.close(transaction, row, 'accepted', member.id);
    const { employeeId } = row;
    const isUntied = employeeId !== null && (await this.repository.isUntied(transaction, employeeId));
    return { member, employeeId: isUntied ? employeeId : null };
  }

  private async rolesLeft(roleIds: readonly string[]): Promise<string[]> {
    const own = await this.repository.customRoles(roleIds);
    const left = roleIds.filter((id) => systemRoleOf(id) !== null || own.has(id));
    return left.length > 0 ? left : [SYSTEM_ROLE_IDS.member];
  }
}

/** @returns the refusal for people whose verified address is not the invited one. */
export function mismatch(): Problem {
  return new Problem('email_mismatch', 'Sign in with the verified address that the invitation was sent to.');
}

/** Hides the number of seats from the invitee. */
function withoutFigures(error: unknown): never {
  if (error instanceof Problem && error.code === 'seat_limit')
    throw new Problem('seat_limit', 'The tenant has no seats left. Contact the person who invited you.');
  throw error;
}

function nameOf(name: string | null, email: string): string {
  return cut(name ?? email.split('@')[0]!, MAX_NAME);
}
