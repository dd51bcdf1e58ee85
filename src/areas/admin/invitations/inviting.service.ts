import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fold } from '#libs/kernel/fold.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { MembersRepository } from '#libs/members/members.repository.js';
import { Seats } from '#libs/members/seats.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import type { InvitationErrorCode, InvitationResult, InvitationResults, Invite } from './invitation.dto.js';
import type { Invitation } from './invitation.entity.js';
import { InvitationMoves } from './invitation-moves.js';
import { addressesOf, isAllowed, placesWithinReach } from './invitation.rules.js';
import { InvitationTerms } from './invitation-terms.js';
import { present } from './invitations.service.js';
import { InvitationsRepository } from './invitations.repository.js';

const DEFAULT_DAYS = 7;
const WAITING = { sentCount: 0, mailCount: 1, lastSentAt: null, mailStatus: 'waiting' };
const DETAILS: Record<InvitationErrorCode, string> = {
  already_member: 'The tenant has a member with this address.',
  pending_exists: 'There is an open invitation for this address; resend or update it.',
  seat_limit: 'The plan has no seat left.',
  domain_not_allowed: 'The settings of the tenant do not allow this domain.',
  role_too_high: 'The roles go beyond what you may give.',
};

/** What is the same for everybody who is invited by one request. */
type Promised = Pick<Invitation, 'roleIds' | 'workspaceIds' | 'message' | 'employeeId' | 'expiresAt'>;

/** Brings people in: each address gets an invitation, or a reason why not. */
@Injectable()
export class InvitingService {
  constructor(
    private readonly repository: InvitationsRepository,
    private readonly moves: InvitationMoves,
    private readonly terms: InvitationTerms,
    private readonly members: MembersRepository,
    private readonly seats: Seats,
    private readonly settings: TenantSettings,
    private readonly database: Database,
  ) {}

  /** @throws Problem 400, 403. What is wrong with single addresses is told by their results. */
  async invite(input: Invite): Promise<InvitationResults> {
    const emails = addressesOf(input);
    const {
      roleIds = [SYSTEM_ROLE_IDS.member],
      expiresInDays = DEFAULT_DAYS,
      message = null,
      employeeId = null,
    } = input;
    const { allowedEmailDomains } = (await this.settings.get()).security;
    return this.terms.explained(() =>
      this.database.transaction(async (transaction) => {
        const expiresAt = this.terms.expiry(expiresInDays);
        const workspaceIds = placesWithinReach(input.workspaceIds);
        const promised: Promised = { roleIds, workspaceIds, message, employeeId, expiresAt };
        const isGrantable = await this.terms.isGrantable(transaction, roleIds);
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
        return { data };
      }),
    );
  }

  /** What the tenant has for an address; nobody else invites in it until the transaction ends. */
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
      pending.add(email); // for the same address further on in the list
      return null;
    };
  }

  private async inviteOne(transaction: Transaction, email: string, promised: Promised): Promise<InvitationResult> {
    try {
      await this.seats.take(transaction);
    } catch (error) {
      if (error instanceof Problem && error.code === 'seat_limit') return failed(email, 'seat_limit');
      throw error;
    }
    const at = this.moves.now();
    const row: Invitation = {
      tenantId: currentTenant().id,
      id: uuidv7(),
      email,
      ...promised,
      status: 'pending',
      invitedBy: currentScope().actor,
      closedAt: null,
      acceptedMembershipId: null,
      version: 1,
      createdAt: at,
      updatedAt: at,
    };
    await this.moves.add(transaction, row);
    return { email, ok: true, invitation: present(row, WAITING), error: null };
  }
}

function failed(email: string, code: InvitationErrorCode): InvitationResult {
  return { email, ok: false, invitation: null, error: { code, detail: DETAILS[code] } };
}
