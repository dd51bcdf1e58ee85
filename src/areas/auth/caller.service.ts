import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { type PersonalSession, personOrNull } from '#libs/auth/personal-session.js';
import type { Principal } from '#libs/auth/principal.js';
import { heldIn } from '#libs/auth/rights.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Members } from '#libs/members/members.js';
import type { CallersRole, CurrentCaller } from '#libs/members/session.dto.js';
import { PeopleRepository } from './people.repository.js';
import { presentPersonalSession, presentSession, namedTenant } from './session-views.js';
import { SessionsRepository } from './sessions.repository.js';

const CUSTOM_ROLES = `select id, key, name from data.roles where tenant_id = $1 and id = any($2::uuid[]) order by name`;

/** Tells callers who they are and what they may do. */
@Injectable()
export class CallerService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly people: PeopleRepository,
    private readonly members: Members,
    private readonly database: Database,
  ) {}

  /** Who makes the request, and with what. */
  current(): Promise<CurrentCaller> {
    const person = personOrNull();
    return person ? this.withoutTenant(person) : this.ofTenant(currentPrincipal());
  }

  private async withoutTenant(person: PersonalSession): Promise<CurrentCaller> {
    const session = presentPersonalSession(person);
    const tenants = await this.people.tenantsOf(person.userId);
    const nothing = { membership: null, tenant: null, apiKey: null, client: null, roles: [], permissions: [] };
    return { kind: 'session', session, tenants: tenants.map(namedTenant), ...nothing };
  }

  private async ofTenant(principal: Principal): Promise<CurrentCaller> {
    const { kind, credentialId, membershipId, tenant, name: keyName, scopes, authority, delegation } = principal;
    const session = kind === 'session' ? await this.sessions.find(credentialId) : null;
    const tenants = session ? await this.people.tenantsOf(session.userId) : [];
    const member = membershipId === null ? null : await this.members.find(membershipId);
    const { name } = (await this.sessions.tenant(tenant.slug))!; // the credential belongs to it
    return {
      kind: kind === 'scim_token' ? 'api_key' : kind,
      session: session && presentSession(session),
      membership: member && { id: member.id, name: member.name, email: member.email },
      tenant: namedTenant({ ...tenant, name }),
      tenants: tenants.map(namedTenant),
      apiKey: session || delegation ? null : { id: credentialId, name: keyName, scopes: [...scopes] },
      client: delegation && {
        id: delegation.clientId,
        name: delegation.clientName,
        grantId: delegation.grantId,
        scopes: [...scopes],
      },
      roles: await this.rolesOf(tenant.id, authority.roleIds),
      permissions: heldIn(principal.permissions),
    };
  }

  private async rolesOf(tenantId: string, ids: readonly string[]): Promise<CallersRole[]> {
    const system = Object.entries(SYSTEM_ROLE_IDS)
      .filter(([, id]) => ids.includes(id))
      .map(([key, id]) => ({ id, key, name: key[0]!.toUpperCase() + key.slice(1) }));
    if (system.length === ids.length) return system;
    const custom = await this.database.read<CallersRole>(statement(CUSTOM_ROLES, [tenantId, [...ids]]));
    return [...system, ...custom];
  }
}
