import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { type PersonalSession, personOrNull } from '#libs/auth/sessions/personal-session.js';
import type { Principal } from '#libs/auth/principal.js';
import { heldIn } from '#libs/auth/rights.js';
import { CallersRoles } from '#libs/members/callers-roles.js';
import { Members } from '#libs/members/members.js';
import type { CurrentCaller, SignedInTenant } from '#libs/members/session.dto.js';
import { PeopleRepository } from './people.repository.js';
import { presentPersonalSession, presentSession, namedTenant } from './session-views.js';
import { SessionsRepository } from './sessions.repository.js';

/** Describes callers and their permissions. */
@Injectable()
export class CallerService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly people: PeopleRepository,
    private readonly members: Members,
    private readonly roles: CallersRoles,
  ) {}

  /** The caller and the credential of the request. */
  current(): Promise<CurrentCaller> {
    const person = personOrNull();
    return person ? this.withoutTenant(person) : this.ofTenant(currentPrincipal());
  }

  /** Tenants that the caller can switch to; empty for an API key. */
  async tenants(): Promise<SignedInTenant[]> {
    const person = personOrNull();
    if (person) return (await this.people.tenantsOf(person.userId)).map(namedTenant);
    const { kind, credentialId } = currentPrincipal();
    return kind === 'session' ? (await this.people.tenantsOfSession(credentialId)).map(namedTenant) : [];
  }

  private async withoutTenant(person: PersonalSession): Promise<CurrentCaller> {
    const session = presentPersonalSession(person);
    const nothing = { membership: null, tenant: null, apiKey: null, client: null, roles: [], permissions: [] };
    return { kind: 'session', session, tenants: await this.tenants(), ...nothing };
  }

  private async ofTenant(principal: Principal): Promise<CurrentCaller> {
    const { kind, credentialId, membershipId, tenant, name: keyName, scopes, authority, delegation } = principal;
    const session = kind === 'session' ? await this.sessions.find(credentialId) : null;
    const member = membershipId === null ? null : await this.members.find(membershipId);
    const { name } = (await this.sessions.tenant(tenant.slug))!; // the credential belongs to it
    return {
      kind: kind === 'scim_token' ? 'api_key' : kind,
      session: session && presentSession(session),
      membership: member && { id: member.id, name: member.name, email: member.email },
      tenant: namedTenant({ ...tenant, name }),
      tenants: await this.tenants(),
      apiKey: session || delegation ? null : { id: credentialId, name: keyName, scopes: [...scopes] },
      client: delegation && {
        id: delegation.clientId,
        name: delegation.clientName,
        grantId: delegation.grantId,
        scopes: [...scopes],
      },
      roles: await this.roles.named(authority.roleIds),
      permissions: heldIn(principal.permissions),
    };
  }
}
