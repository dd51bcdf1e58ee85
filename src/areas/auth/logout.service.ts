import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { CodeFlow } from '#libs/auth/oidc/code-flow.js';
import { type PersonalSession, personOrNull } from '#libs/auth/sessions/personal-session.js';
import type { Principal } from '#libs/auth/principal.js';
import { Database } from '#libs/database/database.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';
import type { LoggedOut, Logout } from '#libs/members/session.dto.js';
import { elsewhere } from '#libs/tenancy/elsewhere.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { PeopleRepository } from './people.repository.js';
import { PersonalSessionsService } from './personal-sessions.service.js';
import { pathOfOurs } from './paths.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

/** Ends the current session or all sessions of a person. */
@Injectable()
export class LogoutService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly personal: PersonalSessionsService,
    private readonly repository: SessionsRepository,
    private readonly people: PeopleRepository,
    private readonly flow: CodeFlow,
    private readonly url: PublicUrl,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Ends the current session; with `everywhere` all sessions of the person in all tenants. */
  async logOut({ everywhere = false }: Logout): Promise<LoggedOut> {
    const person = personOrNull();
    if (!person && currentPrincipal().kind !== 'session')
      return { sessionId: null, endedSessions: 0, providerLogoutUrl: null };
    const providerLogoutUrl = await this.flow.logoutUrl(this.url.to(pathOfOurs(undefined)));
    return person
      ? this.ofPerson(person, everywhere, providerLogoutUrl)
      : this.ofMember(currentPrincipal(), everywhere, providerLogoutUrl);
  }

  private async ofPerson({ userId, id }: PersonalSession, everywhere: boolean, providerLogoutUrl: string | null) {
    const inTenants = everywhere ? await this.endInTenants(userId, null) : 0;
    const own = everywhere ? await this.personal.endAll(userId) : Number(await this.personal.end(userId, id));
    return { sessionId: id, endedSessions: inTenants + own, providerLogoutUrl };
  }

  private async ofMember(principal: Principal, everywhere: boolean, providerLogoutUrl: string | null) {
    const { credentialId: sessionId, membershipId, tenant } = principal;
    const elsewhereEnded = everywhere ? await this.endElsewhere(sessionId, tenant.id) : 0;
    return this.database.transaction(async (transaction) => {
      const ended = everywhere
        ? await this.sessions.endAll(transaction, membershipId!)
        : await this.sessions.endOne(transaction, sessionId);
      return { sessionId, endedSessions: elsewhereEnded + ended, providerLogoutUrl };
    });
  }

  private async endElsewhere(sessionId: string, ownTenantId: string): Promise<number> {
    const { userId } = await this.people.ofSession(sessionId);
    return (await this.personal.endAll(userId)) + (await this.endInTenants(userId, ownTenantId));
  }

  /** Tenant by tenant; the current session is last, so that a request that fails halfway can be repeated. */
  private async endInTenants(userId: string, exceptId: string | null): Promise<number> {
    const places = await this.repository.placesOf(userId, this.clock.now().toISOString());
    let ended = 0;
    for (const { tenant, memberId, memberName: name } of places.filter((place) => place.tenant.id !== exceptId))
      ended += await elsewhere(
        tenant,
        () => this.repository.tenant(tenant.slug),
        () => {
          currentScope().actor = { type: 'member', id: memberId, name };
          return this.database.transaction((transaction) => this.sessions.endAll(transaction, memberId));
        },
      );
    return ended;
  }
}
