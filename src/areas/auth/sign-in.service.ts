import { Injectable } from '@nestjs/common';
import { IdTokens, type ProvenPerson, SignInRefused } from '#libs/auth/oidc/id-tokens.js';
import { identify } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { onceFor } from '#libs/http/idempotency/once-for.js';
import { Clock } from '#libs/kernel/clock.js';
import type { Member } from '#libs/members/member.js';
import { Members } from '#libs/members/members.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { NewcomersService } from './newcomers.service.js';
import { PeopleRepository } from './people.repository.js';
import { RefusalsService } from './refusals.service.js';
import type { NewSession, SignIn } from '#libs/members/session.dto.js';
import { type NamedTenant, SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

/**
 * Turns an ID token of the identity provider into a session of one tenant.
 *
 * Who signs in for the first time is the member with their verified address; from then on the subject that the provider
 * knows them by counts, and an address that changes hands opens nothing. That there is no such tenant, or that the person
 * is no active member of it, is one and the same answer.
 */
@Injectable()
export class SignInService {
  constructor(
    private readonly idTokens: IdTokens,
    private readonly tenants: SessionsRepository,
    private readonly people: PeopleRepository,
    private readonly sessions: SessionsService,
    private readonly members: Members,
    private readonly newcomers: NewcomersService,
    private readonly refusals: RefusalsService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 401, 429; 404 when there is no provider, 503 when it cannot be asked. */
  async signIn({ idToken, nonce, tenantSlug }: SignIn): Promise<NewSession> {
    const tenant = await this.tenants.tenant(tenantSlug);
    return this.refusals.guard(tenant, async () => {
      const person = await this.idTokens.verify(idToken, nonce ?? null);
      if (!tenant) throw new SignInRefused('no_tenant');
      return onceFor(
        { tenant, secret: idToken },
        () => this.database.transaction((transaction) => this.enter(transaction, person, tenant)),
        async ({ token }) => identify(currentScope(), await this.newcomers.accept(token)),
      );
    });
  }

  private async enter(transaction: Transaction, person: ProvenPerson, tenant: NamedTenant): Promise<NewSession> {
    if (!(await this.people.useToken(transaction, person)))
      throw new SignInRefused('token_used', 'The ID token has been used already.');
    const found = await this.memberOf(transaction, person);
    if (!found) throw new SignInRefused('no_membership');
    if (found.status !== 'active') throw new SignInRefused(`membership_${found.status}`);
    const userId = await this.people.keep(transaction, person, this.clock.now().toISOString());
    const scope = currentScope();
    scope.actor = { type: 'member', id: found.id, name: found.name };
    const member = await this.members.change(transaction, found, { userId }, 'platform');
    return this.sessions.open(transaction, { member, userId, proof: person, tenant });
  }

  /** The membership of a person, locked. */
  private async memberOf(transaction: Transaction, person: ProvenPerson): Promise<Member | null> {
    const userId = await this.people.find(transaction, person);
    const membershipId = userId && (await this.people.membershipOf(transaction, userId));
    if (membershipId !== null) return this.members.lock(transaction, membershipId);
    if (person.email === null) throw new SignInRefused('email_not_verified');
    const member = await this.members.findByEmail(transaction, person.email);
    return member?.userId === null ? member : null;
  }
}
