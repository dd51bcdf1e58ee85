import { Injectable } from '@nestjs/common';
import { CredentialRefused, Credentials, TenantRequired } from '#libs/auth/credentials.js';
import { callerOrNull, currentPrincipal } from '#libs/auth/current-principal.js';
import { type PersonalSession, personOrNull } from '#libs/auth/sessions/personal-session.js';
import type { Principal } from '#libs/auth/principal.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type KnownPerson, PeopleRepository } from '../people.repository.js';
import type { NamedTenant } from '../sessions.repository.js';

/** The user at the browser: a member's session, or a session without a tenant. */
export type Visitor = { session: string } & ({ member: Principal } | { person: PersonalSession });

/** Identifies the user of a browser that a partner has redirected here. */
@Injectable()
export class VisitorsService {
  constructor(
    private readonly credentials: Credentials,
    private readonly people: PeopleRepository,
  ) {}

  /** The user of the session cookies; null if they must sign in. @throws Problem 403 if the session cannot be used. */
  async at(cookies: readonly string[]): Promise<Visitor | null> {
    const ip = currentScope().clientIp ?? '';
    const cookie = await this.credentials.chosen(cookies, ip);
    if (cookie === null) return null;
    try {
      const member = await this.credentials.acceptAnew(cookie, ip);
      return member.kind === 'session' ? { session: member.credentialId, member } : null;
    } catch (error) {
      if (error instanceof TenantRequired) return { session: error.session.id, person: error.session };
      if (!(error instanceof CredentialRefused)) throw error;
      if (error.problem.status !== 401) throw error.problem;
      return null;
    }
  }

  /** The caller of a request with a session. */
  caller(): Visitor {
    const person = personOrNull();
    if (!callerOrNull() && person) return { session: person.id, person };
    const member = currentPrincipal();
    return { session: member.credentialId, member };
  }

  /** The user and the tenants that they can select. */
  async describe(visitor: Visitor): Promise<{ person: KnownPerson; tenants: NamedTenant[] }> {
    const person = 'person' in visitor ? visitor.person : await this.people.ofSession(visitor.session);
    return { person, tenants: await this.people.tenantsOf(person.userId) };
  }
}
