import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { SignInRefused } from '#libs/auth/oidc/id-tokens.js';
import { personOrNull } from '#libs/auth/sessions/personal-session.js';
import { Database } from '#libs/database/database.js';
import { onceFor } from '#libs/http/idempotency/once-for.js';
import { Problem } from '#libs/kernel/problem.js';
import type { NewSession, SwitchedSession, SwitchTenant } from '#libs/members/session.dto.js';
import { elsewhere } from '#libs/tenancy/elsewhere.js';
import { type KnownPerson, PeopleRepository } from './people.repository.js';
import { type NamedTenant, SessionsRepository } from './sessions.repository.js';
import { PersonalSessionsService } from './personal-sessions.service.js';
import { SignInCookies } from './sign-in-cookies.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';

/** The person who switches, and the expiry of their session. */
interface Switcher extends KnownPerson {
  sessionId: string;
  expiresAt: string;
}

/** Opens a session in another tenant for a signed-in person: a session is valid in one tenant only. */
@Injectable()
export class TenantSwitchService {
  constructor(
    private readonly tenants: SessionsRepository,
    private readonly people: PeopleRepository,
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    private readonly personal: PersonalSessionsService,
    private readonly cookies: SignInCookies,
    private readonly database: Database,
  ) {}

  /**
   * The new session expires no later than the current one. The response does not reveal whether the tenant is unknown or
   * the person is not an active member.
   * @throws Problem 404; 409 for an API key.
   */
  switchTo({ tenantSlug }: SwitchTenant): Promise<NewSession> {
    return this.go(tenantSlug, false);
  }

  /** As {@link switchTo} for a browser, in which the new session replaces the current one. */
  async inBrowser({ tenantSlug }: SwitchTenant, reply: FastifyReply): Promise<SwitchedSession> {
    const person = personOrNull();
    const { token, ...session } = await this.go(tenantSlug, true);
    void reply.header('set-cookie', this.cookies.session(token, session.expiresAt));
    const answer = { ...session, token: null };
    if (!person) return this.leave(currentPrincipal().credentialId, answer);
    await this.personal.end(person.userId, person.id);
    return answer;
  }

  private leave(sessionId: string, answer: SwitchedSession): Promise<SwitchedSession> {
    return this.database.transaction(async (transaction) => {
      await this.sessions.endOne(transaction, sessionId);
      return answer;
    });
  }

  private async go(tenantSlug: string, inBrowser: boolean): Promise<NewSession> {
    const who = await this.switcher();
    const tenant = await this.tenants.tenant(tenantSlug);
    if (!tenant) throw unknown();
    const work = () => this.open(who, tenant, inBrowser);
    return personOrNull() ? onceFor({ tenant, secret: who.sessionId }, work) : work();
  }

  private async open(who: Switcher, tenant: NamedTenant, inBrowser: boolean): Promise<NewSession> {
    try {
      return await elsewhere(
        tenant,
        () => this.tenants.tenant(tenant.slug),
        () =>
          this.database.transaction((transaction) =>
            this.signIns.enterAs(transaction, { person: who, tenant, inBrowser, notAfter: who.expiresAt }),
          ),
      );
    } catch (error) {
      throw error instanceof SignInRefused ? unknown() : error;
    }
  }

  private async switcher(): Promise<Switcher> {
    const person = personOrNull();
    if (person) return { ...person, sessionId: person.id };
    const { kind, credentialId } = currentPrincipal();
    if (kind !== 'session') throw new Problem('blocked', 'An API key belongs to one tenant.');
    const known = await this.people.ofSession(credentialId);
    const { expiresAt } = (await this.tenants.find(credentialId))!; // the caller has just been let in with it
    return { ...known, sessionId: credentialId, expiresAt };
  }
}

function unknown(): Problem {
  return new Problem('not_found', 'The tenant does not exist, or you are not a member.');
}
