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
import { type KnownPerson, PeopleRepository } from './people.repository.js';
import { RefusalsService } from './refusals.service.js';
import type { NewSession, SignIn } from '#libs/members/session.dto.js';
import { type NamedTenant, SessionsRepository } from './sessions.repository.js';
import { type Opening, SessionsService } from './sessions.service.js';

/**
 * Turns an ID token of the identity provider into a session of one tenant.
 *
 * The first sign-in is matched by verified email address, later ones by the subject of the provider, so a reassigned
 * address gives no access. The response does not reveal whether the tenant is unknown or the person is not an active
 * member.
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
    return this.refusals.guard(tenant, async (identified) => {
      const person = identified(await this.idTokens.verify(idToken, nonce ?? null));
      if (!tenant) throw new SignInRefused('no_tenant');
      return onceFor(
        { tenant, secret: idToken },
        () => this.database.transaction((transaction) => this.enter(transaction, { person, tenant })),
        async ({ token }) => identify(currentScope(), await this.newcomers.accept(token)),
      );
    });
  }

  /** Opens a session of the tenant in scope for somebody whose ID token was verified, and uses it up. @throws SignInRefused */
  async enter(
    transaction: Transaction,
    { person, tenant, inBrowser = false }: { person: ProvenPerson; tenant: NamedTenant; inBrowser?: boolean },
  ): Promise<NewSession> {
    if (!(await this.people.useToken(transaction, person)))
      throw new SignInRefused('token_used', 'The ID token has already been used.');
    const found = await this.memberOf(transaction, await this.people.find(transaction, person), person.email);
    const userId = await this.people.keep(transaction, person, this.clock.now().toISOString());
    const member = await this.bind(transaction, found, userId);
    return this.sessions.open(transaction, { member, userId, proof: person, tenant, inBrowser });
  }

  /** The same for a person with a session of another tenant. @throws SignInRefused */
  async enterAs(
    transaction: Transaction,
    { person, ...opening }: { person: KnownPerson } & Omit<Opening, 'member' | 'userId' | 'proof'>,
  ): Promise<NewSession> {
    const { userId, email } = person;
    const found = await this.memberOf(transaction, userId, email);
    const member = await this.bind(transaction, found, userId);
    return this.sessions.open(transaction, { ...opening, member, userId, proof: person });
  }

  /** Links a person to their membership and makes the member the actor. */
  private bind(transaction: Transaction, member: Member, userId: string): Promise<Member> {
    currentScope().actor = { type: 'member', id: member.id, name: member.name };
    return this.members.change(transaction, member, { userId }, 'platform');
  }

  /** The active membership of a person, locked. @throws SignInRefused */
  private async memberOf(transaction: Transaction, userId: string | null, email: string | null): Promise<Member> {
    const found = await this.anyMemberOf(transaction, userId, email);
    if (!found) throw new SignInRefused('no_membership');
    if (found.status !== 'active') throw new SignInRefused(`membership_${found.status}`);
    return found;
  }

  private async anyMemberOf(
    transaction: Transaction,
    userId: string | null,
    email: string | null,
  ): Promise<Member | null> {
    const membershipId = userId && (await this.people.membershipOf(transaction, userId));
    if (membershipId !== null) return this.members.lock(transaction, membershipId);
    if (email === null) throw new SignInRefused('email_not_verified');
    const member = await this.members.findByEmail(transaction, email);
    return member?.userId === null ? member : null;
  }
}
