import { Injectable } from '@nestjs/common';
import { parseKey } from '#libs/auth/api-key.js';
import { CredentialRefused, Credentials } from '#libs/auth/credentials.js';
import { throughPartner } from '#libs/auth/current-principal.js';
import type { OauthClient } from '#libs/auth/oauth-clients.js';
import { Database } from '#libs/database/database.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';
import { Grants } from '#libs/members/grants.js';
import { Members } from '#libs/members/members.js';
import { elsewhere } from '#libs/tenancy/elsewhere.js';
import { currentScope, type TenantFacts } from '#libs/tenancy/scope.js';
import { SessionsRepository } from '../sessions.repository.js';
import type { Form } from './client-authentication.service.js';
import { OauthError } from './oauth-error.js';
import type { OauthIntrospection } from './oauth.models.js';
import { ACCESS_SECONDS, OauthRepository, REFRESH_SECONDS } from './oauth.repository.js';

const INACTIVE: OauthIntrospection = { active: false };

/** A token that is good, of whatever client. */
interface GoodToken {
  tenant: TenantFacts;
  grantId: string;
  clientId: string;
  type: 'Bearer' | 'refresh_token';
  issuedMs: number;
  expiresMs: number;
}

/** What becomes of tokens that have been issued: partners revoke them and ask whether they are still good. */
@Injectable()
export class TokenStatesService {
  constructor(
    private readonly repository: OauthRepository,
    private readonly credentials: Credentials,
    private readonly grants: Grants,
    private readonly members: Members,
    private readonly sessions: SessionsRepository,
    private readonly url: PublicUrl,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Ends the grant of a token. One that is not good any more, or never was, is none to revoke, which is no error.
   * @throws OauthError for a token of another client. `Source:` RFC 7009 section 2.1.
   */
  async revoke(client: OauthClient, { token }: Form): Promise<void> {
    const good = await this.goodToken(token);
    if (!good) return;
    if (good.clientId !== client.id) throw new OauthError('unauthorized_client', 'The token is of another client.');
    await this.within(good.tenant, () =>
      this.database.transaction(async (transaction) => {
        const grant = await this.grants.rows.lock(transaction, good.grantId);
        if (grant?.revokedAt !== null) return;
        const member = await this.members.find(grant.membershipId);
        currentScope().actor = throughPartner(grant.membershipId, member?.name ?? '', grant.clientName);
        this.grants.end(transaction, grant, 'revoked by the partner');
      }),
    );
  }

  /** What a token is good for now; of another client's token no more than that it is none. `Source:` RFC 7662 section 2.2. */
  async introspect(client: OauthClient, { token }: Form): Promise<OauthIntrospection> {
    const good = await this.goodToken(token);
    if (good?.clientId !== client.id) return INACTIVE;
    return this.within(good.tenant, async () => {
      const grant = await this.grants.rows.find(good.grantId);
      const member = grant && (await this.members.find(grant.membershipId));
      if (grant?.revokedAt !== null || member?.status !== 'active') return INACTIVE;
      return {
        active: true,
        scope: grant.scopes.join(' '),
        client_id: client.id,
        token_type: good.type,
        sub: grant.membershipId,
        tenant: good.tenant.slug,
        iss: this.url.origin,
        iat: Math.floor(good.issuedMs / 1_000),
        exp: Math.floor(good.expiresMs / 1_000),
      };
    });
  }

  private goodToken(text: string | undefined): Promise<GoodToken | null> {
    if (text === undefined) throw new OauthError('invalid_request', 'The token is missing.');
    return parseKey(text) ? this.accessToken(text) : this.refreshToken(text);
  }

  private async accessToken(text: string): Promise<GoodToken | null> {
    try {
      const { delegation, tenant } = await this.credentials.acceptAnew(text, currentScope().clientIp ?? '');
      if (!delegation) return null; // a key or session, which is no business of partners
      const { grantId, clientId, issuedAt } = delegation;
      const issuedMs = Date.parse(issuedAt);
      return { tenant, grantId, clientId, type: 'Bearer', issuedMs, expiresMs: issuedMs + ACCESS_SECONDS * 1_000 };
    } catch (error) {
      if (error instanceof CredentialRefused) return null;
      throw error;
    }
  }

  private async refreshToken(text: string): Promise<GoodToken | null> {
    const stored = await this.repository.find('refresh', text);
    if (stored?.usedAt !== null || stored.expiresAt <= this.clock.now().toISOString()) return null;
    const { tenant, grantId, clientId } = stored;
    const expiresMs = Date.parse(stored.expiresAt);
    return {
      tenant,
      grantId,
      clientId,
      type: 'refresh_token',
      issuedMs: expiresMs - REFRESH_SECONDS * 1_000,
      expiresMs,
    };
  }

  private within<T>(tenant: TenantFacts, work: () => Promise<T>): Promise<T> {
    return elsewhere(tenant, () => this.sessions.tenant(tenant.slug), work);
  }
}
