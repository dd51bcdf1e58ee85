import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { type ProvenPerson, SignInRefused } from '#libs/auth/oidc/id-tokens.js';
import { personOrNull } from '#libs/auth/sessions/personal-session.js';
import { Database } from '#libs/database/database.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { SESSION_TYPE } from '#libs/members/session.dto.js';
import { elsewhere } from '#libs/tenancy/elsewhere.js';
import { currentScope, stamp } from '#libs/tenancy/scope.js';
import { pathOfOurs } from './paths.js';
import { NewcomersService } from './newcomers.service.js';
import { PeopleRepository } from './people.repository.js';
import { type NamedTenant, SessionsRepository, type StoredSession } from './sessions.repository.js';
import { type Attempt, SignInPapers } from './sign-in-papers.js';

/** How far the clocks of the provider and of this machine may be apart. */
const TOLERANCE_MS = 60_000;

/** Lets people with a session sign in again, to renew the proof of their identity. */
@Injectable()
export class StepUpService {
  constructor(
    private readonly papers: SignInPapers,
    private readonly sessions: SessionsRepository,
    private readonly people: PeopleRepository,
    private readonly newcomers: NewcomersService,
    private readonly url: PublicUrl,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Where the person is to go with their browser. @throws Problem 409 for an API key. */
  async begin(returnTo: string | undefined): Promise<{ url: string }> {
    const path = pathOfOurs(returnTo);
    const url = new URL(this.url.to('/api/auth/login'));
    if (personOrNull()) {
      url.search = new URLSearchParams({ fresh: 'true', returnTo: path }).toString();
      return { url: url.href };
    }
    const { kind, credentialId, tenant } = currentPrincipal();
    if (kind !== 'session') throw new Problem('blocked', 'An API key cannot sign in again.');
    const paper = await this.papers.write('step-up', { tenant: tenant.slug, returnTo: path, session: credentialId });
    url.search = new URLSearchParams({ stepUp: paper }).toString();
    return { url: url.href };
  }

  /**
   * Renews the session of an attempt with an ID token. It must be of the same person, and one in a browser must be
   * in this one, so that nobody can make another person sign in for them.
   * @returns the new token of a session in a browser; null for one of an app, which keeps its own.
   * @throws SignInRefused
   */
  async renew(
    person: ProvenPerson,
    { session: id, startedMs }: Attempt,
    tenant: NamedTenant | null,
    cookies: readonly string[],
  ): Promise<{ token: string | null; expiresAt: string }> {
    if (!tenant) throw new SignInRefused('no_tenant');
    const { authenticatedAt } = person;
    if (authenticatedAt === null || Date.parse(authenticatedAt) < startedMs - TOLERANCE_MS)
      throw new SignInRefused('sign_in_not_fresh', 'The identity provider has not authenticated you again.');
    const cookie = await this.newcomers.chosen(cookies);
    const held = cookie === null ? null : await this.newcomers.accept(cookie).catch(() => null);
    return elsewhere(
      tenant,
      () => this.sessions.tenant(tenant.slug),
      () => this.renewIn(person, id!, held?.credentialId ?? null),
    );
  }

  private renewIn(person: ProvenPerson, id: string, heldId: string | null) {
    return this.database.transaction(async (transaction) => {
      if (!(await this.people.useToken(transaction, person))) throw new SignInRefused('token_used');
      const session = await this.sessions.find(id);
      const inBrowser = await this.sessions.isInBrowser(id);
      if (session?.revokedAt !== null || session.expiresAt <= stamp(this.clock))
        throw new SignInRefused('session_ended', 'The session is no longer valid.');
      if (inBrowser && heldId !== id) throw new SignInRefused('other_browser', 'The session is not in this browser.');
      const userId = await this.people.find(transaction, person);
      if (userId === null || userId !== session.userId)
        throw new SignInRefused('other_person', 'A different person has signed in.');
      currentScope().actor = { type: 'member', id: session.memberId, name: session.name };
      const { token, save } = this.sessions.renew(id, person, inBrowser);
      transaction.write(save);
      transaction.write(this.entry(session, person));
      return { token, expiresAt: session.expiresAt };
    });
  }

  private entry(session: StoredSession, person: ProvenPerson) {
    const changes = Object.fromEntries(
      (['methods', 'authenticatedAt', 'multiFactorAt'] as const).map((field) => [
        field,
        { from: session[field], to: person[field] },
      ]),
    );
    const target = { type: SESSION_TYPE, id: session.id, name: session.name };
    const fact = { action: `${SESSION_TYPE}.renewed`, target, outcome: 'success', riskLevel: 'low', changes } as const;
    return auditStatement(currentScope(), fact, stamp(this.clock));
  }
}
