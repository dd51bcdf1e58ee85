import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { toListRequest } from '#libs/resource/list-query.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import { RecordSights } from '#libs/resource/record-sights.js';
import type { Page } from '#libs/resource/resource.repository.js';
import type { ChangeInvitation, InvitationAction, InvitationView } from './invitation.dto.js';
import { INVITATION_TYPE, invitationList } from './invitation.dto.js';
import type { Invitation } from './invitation.entity.js';
import { EXPIRY, factsOf, InvitationMoves } from './invitation-moves.js';
import { checkFields, isOpen, placesWithinReach, withinReach } from './invitation.rules.js';
import { InvitationTerms } from './invitation-terms.js';
import { InvitationsRepository, type MailFigures } from './invitations.repository.js';

/** Mails that one invitation may cause, so that nobody is flooded. */
const MAX_MAILS = 10;
const RESENT_DAYS = 7;

/** Open and closed invitations. `Source:` domain document "admin", section 9. */
@Injectable()
export class InvitationsService implements OnModuleInit {
  private readonly actions: Record<
    InvitationAction,
    (transaction: Transaction, row: Invitation, input: ChangeInvitation) => Promise<Invitation>
  > = {
    update: (transaction, row, input) => this.update(transaction, row, input),
    resend: (transaction, row, input) => this.resend(transaction, row, input),
    revoke: async (transaction, row) => this.moves.close(transaction, row, 'revoked'),
  };

  constructor(
    private readonly repository: InvitationsRepository,
    private readonly moves: InvitationMoves,
    private readonly terms: InvitationTerms,
    private readonly database: Database,
    private readonly automations: Automations,
    private readonly sights: RecordSights,
  ) {}

  onModuleInit(): void {
    this.automations.timer({ kind: EXPIRY, fire: (id) => this.expire(id) });
    for (const what of [INVITATION_TYPE, ':invitationId']) this.sights.add(what, (id) => this.get(id));
  }

  async list(query: Record<string, unknown>): Promise<Page<InvitationView>> {
    const { data, page } = await this.repository.page(
      toListRequest(invitationList, query),
      invitationList,
      withinReach(),
    );
    const mails = await this.repository.mails(data.map(({ id }) => id));
    return { data: data.map((row) => present(row, mails(row.id))), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<InvitationView> {
    const row = await this.repository.find(id, withinReach());
    if (!row) throw Problem.notFound();
    return present(row, (await this.repository.mails([id]))(id));
  }

  /**
   * Takes an action on an open invitation.
   * @throws Problem 400, 403 for what the caller may not give, 404, 409 `invalid_transition` or `limit_reached`, 412.
   */
  async change(id: string, input: ChangeInvitation): Promise<InvitationView> {
    const { action = 'update' } = input;
    checkFields(action, input);
    return this.terms.explained(() =>
      this.database.transaction(async (transaction) => {
        const row = await this.repository.lock(transaction, id, withinReach());
        if (!row) throw Problem.notFound();
        checkPrecondition(row.version);
        const state = isOpen(row, this.moves.now()) ? 'pending' : row.status === 'pending' ? 'expired' : row.status;
        if (state !== 'pending') throw invalidTransition(action, { state }, []);
        const changed = await this.actions[action](transaction, row, input);
        return present(changed, (await this.repository.mails([id]))(id));
      }),
    );
  }

  private async expire(id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
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
        `An invitation is sent ${MAX_MAILS} times at most; revoke it and make another.`,
      );
    const changed = this.moves.change(transaction, row, { expiresAt: this.terms.expiry(expiresInDays) }, 'resent');
    await this.moves.send(transaction, changed);
    return changed;
  }
}

/** An invitation as administrators see it. */
export function present(row: Invitation, { sentCount, lastSentAt, mailStatus }: MailFigures): InvitationView {
  const { email, message } = row;
  return { ...factsOf(row), email, message, sentCount, lastSentAt, mailStatus };
}
