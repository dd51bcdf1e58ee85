import { Injectable } from '@nestjs/common';
import { invitationTokenHash } from '#libs/auth/api-key.js';
import { currentPrincipal, identify } from '#libs/auth/current-principal.js';
import { personOrNull } from '#libs/auth/sessions/personal-session.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { onceFor } from '#libs/http/idempotency/once-for.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { TokenLimits } from '#libs/http/token-limits.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import { Members } from '#libs/members/members.js';
import type { NewSession } from '#libs/members/session.dto.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { PageQuery } from '#libs/resource/lists/page-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { Branding } from '#libs/settings/branding.js';
import { currentScope, runAsSystem } from '#libs/tenancy/scope.js';
import { InvitationOffersService, mismatch } from '#src/areas/access/invitations/invitation-offers.service.js';
import { type Introduction, type Newcomer, NewcomersService } from '#src/areas/auth/newcomers.service.js';
import { RefusalsService } from '#src/areas/auth/refusals.service.js';
import { SessionsService } from '#src/areas/auth/sessions.service.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import { type DeclinedInvitation, type InvitationOffer } from './invitee.dto.js';
import { InviteesRepository, type PlacedInvitation } from './invitees.repository.js';

/** Invitations for invitees. Unknown and no longer valid tokens get the same 404. */
@Injectable()
export class InviteesService {
  constructor(
    private readonly directory: InviteesRepository,
    private readonly offers: InvitationOffersService,
    private readonly newcomers: NewcomersService,
    private readonly refusals: RefusalsService,
    private readonly sessions: SessionsService,
    private readonly employees: EmployeesService,
    private readonly members: Members,
    private readonly branding: Branding,
    private readonly limits: TokenLimits,
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /** @throws Problem 404, 429. */
  async read(token: string): Promise<{ offer: InvitationOffer; brand: Brand }> {
    const { invitationId, tenant } = await this.find(token);
    return runAsSystem(tenant, 'invitations', currentScope().requestId, async () => {
      const offer = await this.offers.describe(invitationId);
      if (!offer) throw notOpen();
      return { offer: { tenantName: tenant.name, ...offer }, brand: await this.branding.get() };
    });
  }

  /** @throws Problem 404, 429. */
  async decline(token: string): Promise<DeclinedInvitation> {
    const { invitationId, tenant } = await this.find(token);
    return onceFor({ tenant, secret: token }, () =>
      this.database.transaction(async (transaction) => {
        const row = await this.offers.lock(transaction, invitationId);
        if (!row) throw notOpen();
        this.offers.decline(transaction, row);
        return { status: 'declined' };
      }),
    );
  }

  /** @throws Problem 401, 403 `email_mismatch`, 404, 409 `seat_limit`, `duplicate` or `blocked`, 429, 503. */
  async accept(
    token: string,
    { inBrowser, ...introduction }: Introduction & { inBrowser: boolean },
  ): Promise<NewSession> {
    const placed = await this.find(token, inBrowser);
    return this.refusals.guard(placed.tenant, async () => {
      const newcomer = await this.newcomers.identify(introduction);
      // Identifies the invitation and the invitee. An ID token is part of the body, which is compared anyway.
      const secret = `${token} ${introduction.idToken === undefined ? introduction.session : ''}`;
      return onceFor(
        { tenant: placed.tenant, secret },
        () => this.database.transaction((transaction) => this.join(transaction, placed, { ...newcomer, inBrowser })),
        async (answer) => identify(currentScope(), await this.newcomers.accept(answer.token)),
      );
    });
  }

  /** The open invitations of the signed-in person across all tenants. An API key does not prove who its holder is. */
  async mine(query: PageQuery): Promise<Page<InvitationOffer>> {
    const userId = personOrNull()?.userId ?? (await this.userOfCaller());
    const open = userId === null ? [] : await this.directory.ofPerson(userId);
    const found: { id: string; offer: InvitationOffer }[] = [];
    for (const { invitationId, tenant } of open) {
      const offer = await runAsSystem(tenant, 'invitations', currentScope().requestId, () =>
        this.offers.describe(invitationId),
      );
      if (offer) found.push({ id: invitationId, offer: { tenantName: tenant.name, ...offer } });
    }
    const { data, page } = pageOfAll(found, query, this.cursors, ['mine', userId]);
    return { data: data.map(({ offer }) => offer), page };
  }

  private async userOfCaller(): Promise<string | null> {
    const { kind, membershipId } = currentPrincipal();
    const member = kind !== 'session' || membershipId === null ? null : await this.members.find(membershipId);
    return member?.userId ?? null;
  }

  private async join(
    transaction: Transaction,
    { invitationId, tenant }: PlacedInvitation,
    newcomer: Newcomer & { inBrowser: boolean },
  ): Promise<NewSession> {
    const { email, name, proof, inBrowser } = newcomer;
    const row = await this.offers.lock(transaction, invitationId);
    if (!row) return this.joinAgain(transaction, { invitationId, tenant }, newcomer);
    if (fold(email ?? '') !== fold(row.email)) throw mismatch();
    const userId = await newcomer.enter(transaction);
    const { member, employeeId } = await this.offers.accept(transaction, row, { email: row.email, name, userId });
    if (employeeId !== null) await this.employees.records.amend(employeeId, () => ({ membershipId: member.id }));
    return this.sessions.open(transaction, { member, userId, proof, tenant, inBrowser });
  }

  /** Another session for a browser that has just sent the form of the same person. @throws Problem 404 */
  private async joinAgain(
    transaction: Transaction,
    { invitationId, tenant }: PlacedInvitation,
    newcomer: Newcomer & { inBrowser: boolean },
  ): Promise<NewSession> {
    const { proof, inBrowser } = newcomer;
    const userId = inBrowser ? await newcomer.enter(transaction) : null;
    const member = userId && (await this.offers.justAccepted(transaction, invitationId, userId));
    if (!member) throw notOpen();
    return this.sessions.open(transaction, { member, userId, proof, tenant, inBrowser });
  }

  /**
   * The invitation for a token, rate-limited by IP address and by token. With an idempotency key or in a browser, a
   * recently closed invitation is found too, so that the response can be repeated.
   */
  private async find(token: string, inBrowser = false): Promise<PlacedInvitation> {
    const hash = invitationTokenHash(token);
    await this.limits.admit('invitation', hash);
    let placed = hash && (await this.directory.byToken(hash));
    if (hash && !placed && (inBrowser || currentScope().once)) placed = await this.directory.closedOfLate(hash);
    if (placed) return placed;
    throw await this.limits.failure(notOpen());
  }
}

function notOpen(): Problem {
  return new Problem('not_found', 'There is no open invitation with this token.');
}
