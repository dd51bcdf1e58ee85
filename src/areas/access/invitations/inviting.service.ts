import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { cut } from '#libs/kernel/cut.js';
import { fold } from '#libs/kernel/fold.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { MembersRepository } from '#libs/members/members.repository.js';
import { RoleDoor } from '#libs/members/role-door.js';
import { Seats } from '#libs/members/seats.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { ActorView } from '#libs/resource/types/record.dto.js';
import { currentScope } from '#libs/tenancy/scope.js';
import {
  type InvitationErrorCode,
  type InvitationResult,
  type InvitationResults,
  type Invite,
} from './invitation.requests.js';
import { type Invitation, invitations } from './invitation.js';
import { InvitationMoves } from './invitation-moves.js';
import { addressesOf, isAllowed, placesWithinReach } from './invitation.rules.js';
import { InvitationTerms } from './invitation-terms.js';
import { InvitationsRepository, present } from './invitations.repository.js';

const DEFAULT_DAYS = 7;
const MAX_NAME = 200;
/** The parked action when an invitation requires approval. */
const INVITING = {
  operation: 'admin.invitations.create',
  action: 'create',
  summary: 'Invite with a privileged role',
  permission: 'members:invite',
  object: invitations.type,
};
const WAITING = { sentCount: 0, mailCount: 1, lastSentAt: null, mailStatus: 'queued' };
const DETAILS: Record<InvitationErrorCode, string> = {
  already_member: 'A member of the tenant already has this address.',
  pending_exists: 'An open invitation for this address exists; resend or update it.',
  seat_limit: 'The plan has no seats left.',
  domain_not_allowed: 'The settings of the tenant do not allow this domain.',
  role_too_high: 'The roles exceed what you may grant.',
};

/** Terms shared by all invitations of one request. */
type Promised = Pick<Invitation, 'roleIds' | 'workspaceIds' | 'message' | 'employeeId' | 'expiresAt'>;

/** The invitation of a new employee. */
export type EmployeeInvitation = Pick<Invitation, 'email' | 'roleIds' | 'workspaceIds'> & {
  employeeId: string;
  expiresInDays: number;
  invitedBy: ActorView;
};

/** Invites people: each address gets an invitation or the reason why not. */
@Injectable()
export class InvitingService {
  constructor(
    private readonly repository: InvitationsRepository,
    private readonly moves: InvitationMoves,
    private readonly terms: InvitationTerms,
    private readonly members: MembersRepository,
    private readonly seats: Seats,
    private readonly settings: TenantSettings,
    private readonly door: RoleDoor,
  ) {}

  /**
   * If the roles require approval, nobody is invited before it is granted.
   * @throws Problem 400, 403, 409 `approval_pending`. Problems with individual addresses are reported in their results.
   */
  async invite(input: Invite): Promise<InvitationResults> {
    const emails = addressesOf(input);
    return this.terms.explained(() =>
      this.moves.objects.unit(async (transaction) => {
        const roles = await this.terms.grantable(transaction, rolesOf(input));
        const work = () => this.inviteAll(transaction, emails, input, roles !== null);
        const name = cut(emails.join(', '), MAX_NAME);
        const order = {
          ...INVITING,
          row: { id: uuidv7(), version: 1, name },
          input: { ...input },
          facts: () => ({ ...input, roleIds: rolesOf(input) }),
        };
        const pendingApproval = await this.door.hold(transaction, roles ?? [], order, work);
        return { ...onePage(pendingApproval ? [] : await work()), pendingApproval };
      }),
    );
  }

  /** Sends approved invitations on behalf of the requester. */
  async execute(input: Invite): Promise<InvitationResult[]> {
    return this.moves.objects.unit(async (transaction) => {
      requirePermission(INVITING.permission, { withinReach: true });
      await this.terms.requireGrantable(transaction, rolesOf(input));
      return this.inviteAll(transaction, addressesOf(input), input, true);
    });
  }

  /** Invites a new employee, for a flow that has checked the rights of the person who started it. */
  async inviteEmployee(
    transaction: Transaction,
    { email, expiresInDays, invitedBy, ...terms }: EmployeeInvitation,
  ): Promise<InvitationResult> {
    const { allowedEmailDomains } = (await this.settings.get()).security;
    const lower = fold(email);
    if (!isAllowed(lower, allowedEmailDomains)) return failed(email, 'domain_not_allowed');
    const error = (await this.known(transaction, [email]))(lower);
    if (error) return failed(email, error);
    this.terms.requireWorkspaces(transaction, terms.workspaceIds);
    this.terms.requireEmployee(transaction, terms.employeeId);
    const promised = { ...terms, message: null, expiresAt: this.terms.expiry(expiresInDays) };
    return this.inviteOne(transaction, email, promised, invitedBy);
  }

  private async inviteAll(
    transaction: Transaction,
    emails: readonly string[],
    input: Invite,
    isGrantable: boolean,
  ): Promise<InvitationResult[]> {
    const { expiresInDays = DEFAULT_DAYS, message = null, employeeId = null } = input;
    const { allowedEmailDomains } = (await this.settings.get()).security;
    const expiresAt = this.terms.expiry(expiresInDays);
    const workspaceIds = placesWithinReach(input.workspaceIds);
    const promised: Promised = { roleIds: rolesOf(input), workspaceIds, message, employeeId, expiresAt };
    this.terms.requireWorkspaces(transaction, workspaceIds);
    this.terms.requireEmployee(transaction, employeeId);
    const known = await this.known(transaction, emails);
    const data: InvitationResult[] = [];
    for (const email of emails) {
      const lower = fold(email);
      const error = !isGrantable
        ? 'role_too_high'
        : isAllowed(lower, allowedEmailDomains)
          ? known(lower)
          : 'domain_not_allowed';
      data.push(error ? failed(email, error) : await this.inviteOne(transaction, email, promised));
    }
    return data;
  }

  /** Looks up addresses that are already known. Other invitations of the tenant wait until the transaction ends. */
  private async known(
    transaction: Transaction,
    emails: readonly string[],
  ): Promise<(lower: string) => InvitationErrorCode | null> {
    const lower = emails.map(fold);
    transaction.write(this.members.oneByOne());
    const members = await this.repository.ofMembers(transaction, lower);
    const pending = await this.repository.pending(transaction, lower);
    return (email) => {
      if (members.has(email)) return 'already_member';
      if (pending.has(email)) return 'pending_exists';
      pending.add(email); // in case the address is repeated later in the list
      return null;
    };
  }

  private async inviteOne(
    transaction: Transaction,
    email: string,
    promised: Promised,
    invitedBy: ActorView = currentScope().actor,
  ): Promise<InvitationResult> {
    try {
      await this.seats.take(transaction);
    } catch (error) {
      if (error instanceof Problem && error.code === 'seat_limit') return failed(email, 'seat_limit');
      throw error;
    }
    const open = { status: 'pending' as const, closedAt: null, acceptedMembershipId: null };
    const row = await this.moves.add(transaction, { email, ...promised, ...open, invitedBy });
    return { email, ok: true, invitation: present(row, WAITING), error: null };
  }
}

function failed(email: string, code: InvitationErrorCode): InvitationResult {
  return { email, ok: false, invitation: null, error: { code, detail: DETAILS[code] } };
}

function rolesOf({ roleIds = [SYSTEM_ROLE_IDS.member] }: Invite): string[] {
  return roleIds;
}
