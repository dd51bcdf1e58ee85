import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fieldsOf } from '#libs/http/field.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { PRIVILEGED_GATE, RoleDoor } from '#libs/members/role-door.js';
import type { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { RecordSights } from '#libs/resource/access/record-sights.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import {
  type ChangedInvitation,
  ChangeInvitation,
  type InvitationAction,
  type InvitationView,
  Invite,
} from './invitation.requests.js';
import { type Invitation, invitations } from './invitation.js';
import { EXPIRY, InvitationMoves } from './invitation-moves.js';
import { isOpen, placesWithinReach, withinReach } from './invitation.rules.js';
import { InvitationTerms } from './invitation-terms.js';
import { InvitingService } from './inviting.service.js';
import { InvitationsRepository } from './invitations.repository.js';

/** Maximum number of mails per invitation, to prevent flooding. */
const MAX_MAILS = 10;
const RESENT_DAYS = 7;
const PERMISSION = 'members:invite';

/** Manages open and closed invitations. */
@Injectable()
export class InvitationsService implements OnModuleInit {
  private readonly actions: Record<
    InvitationAction,
    (transaction: Transaction, row: Invitation, input: ChangeInvitation) => Promise<Invitation | PendingApproval>
  > = {
    update: (transaction, row, input) => this.updateOrWait(transaction, row, input),
    resend: (transaction, row, input) => this.resend(transaction, row, input),
    revoke: async (transaction, row) => this.moves.close(transaction, row, 'revoked'),
  };

  constructor(
    private readonly repository: InvitationsRepository,
    private readonly moves: InvitationMoves,
    private readonly terms: InvitationTerms,
    private readonly automations: Automations,
    private readonly registry: ResourceRegistry,
    private readonly sights: RecordSights,
    private readonly inviting: InvitingService,
    private readonly door: RoleDoor,
  ) {}

  /** Revokes the open invitations for an employee, as a consequence of another change in the transaction. */
  async withdrawFor(transaction: Transaction, employeeId: string): Promise<void> {
    for (const row of await this.repository.lockOpenFor(transaction, employeeId))
      this.moves.close(transaction, row, 'revoked');
  }

  /** Whether the membership of an employee comes from an invitation for them. */
  hasBroughtIn(transaction: Transaction, employeeId: string, membershipId: string): Promise<boolean> {
    return this.repository.isAccepted(transaction, employeeId, membershipId);
  }

  onModuleInit(): void {
    const fields = [...fieldsOf(Invite).keys(), ...fieldsOf(ChangeInvitation).keys()];
    this.registry.addCommands({ type: invitations.type, gate: PRIVILEGED_GATE, fields, executor: this });
    this.automations.timer({
      kind: EXPIRY,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.expire(id),
    });
    for (const what of [invitations.type, ':invitationId']) this.sights.add(what, (id) => this.get(id));
  }

  list(query: object): Promise<Page<InvitationView>> {
    return this.moves.objects.list(query);
  }

  /** @throws Problem 404. */
  get(id: string): Promise<InvitationView> {
    return this.moves.objects.get(id);
  }

  /**
   * Applies an action to an open invitation.
   * @throws Problem 400, 403 for roles that the caller may not grant, 404, 409 `invalid_transition` or `limit_reached`,
   * 412.
   */
  async change(id: string, input: ChangeInvitation): Promise<ChangedInvitation> {
    const { action = 'update' } = input;
    return this.terms.explained(() =>
      this.moves.objects.unit(async (transaction) => {
        const row = await this.moves.objects.lock(transaction, id);
        this.requireOpen(row, action);
        const outcome = await this.actions[action](transaction, row, input);
        const [after, pendingApproval] = 'tenantId' in outcome ? [outcome, null] : [row, outcome];
        return { ...(await this.moves.objects.show(after)), pendingApproval };
      }),
    );
  }

  /** Executes an approved action on behalf of the requester. @throws Problem 409 `stale_target`. */
  async execute(action: string, id: string, input: Record<string, unknown>, version: number): Promise<unknown> {
    if (action === 'create') return this.inviting.execute(input); // as it was validated
    return this.moves.objects.unit(async (transaction) => {
      requirePermission(PERMISSION, { withinReach: true });
      const row = await this.repository.lock(transaction, id, withinReach());
      if (!row) throw Problem.notFound();
      this.requireOpen(row, 'update');
      if (row.version !== version)
        throw new Problem('stale_target', 'The invitation has changed since approval was requested.');
      return this.update(transaction, row, input);
    });
  }

  /** Revokes an invitation as a consequence of another change; false if it is no longer open. */
  async withdraw(transaction: Transaction, id: string): Promise<boolean> {
    const row = await this.repository.lock(transaction, id);
    if (!row || !isOpen(row, this.moves.now())) return false;
    this.moves.close(transaction, row, 'revoked');
    return true;
  }

  translate(error: unknown): unknown {
    return this.terms.translate(error);
  }

  /** @throws Problem 409 `invalid_transition` for an invitation that is no longer open. */
  private requireOpen(row: Invitation, action: InvitationAction): void {
    const state = isOpen(row, this.moves.now()) ? 'pending' : row.status === 'pending' ? 'expired' : row.status;
    if (state !== 'pending') throw invalidTransition(action, { state }, []);
  }

  private async updateOrWait(
    transaction: Transaction,
    row: Invitation,
    input: ChangeInvitation,
  ): Promise<Invitation | PendingApproval> {
    const { roleIds = row.roleIds } = input;
    const roles = await this.terms.requireGrantable(transaction, roleIds, row.roleIds);
    const work = () => this.update(transaction, row, input);
    const order = {
      operation: 'admin.invitations.change',
      action: 'update',
      summary: 'Promise a privileged role',
      permission: PERMISSION,
      object: invitations.type,
      row: { id: row.id, version: row.version, name: row.email },
      input: { ...input },
      facts: () => ({ ...this.moves.objects.tell(row), ...input }),
    };
    return (await this.door.hold(transaction, roles, order, work)) ?? work();
  }

  private async expire(id: string): Promise<void> {
    await this.moves.objects.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.status === 'pending' && row.expiresAt <= this.moves.now()) this.moves.close(transaction, row, 'expired');
    });
  }

  private async update(
    transaction: Transaction,
    row: Invitation,
    { roleIds = row.roleIds, workspaceIds, expiresInDays }: ChangeInvitation,
  ): Promise<Invitation> {
    const changes = {
      roleIds,
      workspaceIds: workspaceIds ? placesWithinReach(workspaceIds) : row.workspaceIds,
      expiresAt: expiresInDays === undefined ? row.expiresAt : this.terms.expiry(expiresInDays),
    };
    const isSame = (Object.keys(changes) as (keyof typeof changes)[]).every(
      (field) => String(changes[field]) === String(row[field]),
    );
    if (isSame) return row;
    await this.terms.requireGrantable(transaction, roleIds, row.roleIds);
    this.terms.requireWorkspaces(transaction, changes.workspaceIds);
    return this.moves.change(transaction, row, changes, 'updated');
  }

  private async resend(
    transaction: Transaction,
    row: Invitation,
    { expiresInDays = RESENT_DAYS }: ChangeInvitation,
  ): Promise<Invitation> {
    const { mailCount } = (await this.repository.mails([row.id]))(row.id);
    if (mailCount >= MAX_MAILS)
      throw new Problem(
        'limit_reached',
        `An invitation can be sent at most ${MAX_MAILS} times; revoke it and create a new one.`,
      );
    const changed = this.moves.change(transaction, row, { expiresAt: this.terms.expiry(expiresInDays) }, 'resent');
    await this.moves.send(transaction, changed);
    return changed;
  }
}
