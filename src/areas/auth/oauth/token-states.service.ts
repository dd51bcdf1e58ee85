import { Injectable } from '@nestjs/common';
import { parseKey } from '#libs/auth/api-key.js';
import { CredentialRefused, Credentials } from '#libs/auth/credentials.js';
import { throughPartner } from '#libs/auth/current-principal.js';
import type { OauthClient } from '#libs/auth/oauth-clients.js';
import type { Principal } from '#libs/auth/principal.js';
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

/** An issued token of any client. */
interface FoundToken {
  /** Whether the token is neither used nor expired. */
  isFresh: boolean;
  tenant: TenantFacts;
  grantId: string;
  clientId: string;
  /** Of an access token; null for those of the grant. */
  scopes: readonly string[] | null;
  type: 'Bearer' | 'refresh_token';
  issuedMs: number;
  expiresMs: number;
}

/** Revocation and introspection of tokens. */
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
   * Revokes the grant of a token, even if the token is used or expired. An unknown token is not an error.
   * @throws OauthError for a token of another client. `Source:` RFC 7009 section 2.1.
   */
  async revoke(client: OauthClient, { token }: Form): Promise<void> {
    const found = await this.find(token);
    if (!found) return;
    if (found.clientId !== client.id)
      throw new OauthError('unauthorized_client', 'The token was issued to another client.');
    await this.within(found.tenant, () =>
      this.database.transaction(async (transaction) => {
        const grant = await this.grants.rows.lock(transaction, found.grantId);
        if (grant?.revokedAt !== null) return;
        const member = await this.members.find(grant.membershipId);
        currentScope().actor = throughPartner(grant.membershipId, member?.name ?? '', grant.clientName);
        this.grants.end(transaction, grant, 'revoked by the partner');
      }),
    );
  }

  /** The current state of a token; another client's token is reported as inactive. `Source:` RFC 7662 section 2.2. */
  async introspect(client: OauthClient, { token }: Form): Promise<OauthIntrospection> {
    const found = await this.find(token);
    if (found?.clientId !== client.id || !found.isFresh) return INACTIVE;
    return this.within(found.tenant, async () => {
      const grant = await this.grants.rows.find(found.grantId);
      const member = grant && (await this.members.find(grant.membershipId));
      if (grant?.revokedAt !== null || member?.status !== 'active') return INACTIVE;
      return {
        active: true,
        scope: (found.scopes ?? grant.scopes).join(' '),
        client_id: client.id,
        token_type: found.type,
        sub: grant.membershipId,
        tenant: found.tenant.slug,
        iss: this.url.origin,
        iat: Math.floor(found.issuedMs / 1_000),
        exp: Math.floor(found.expiresMs / 1_000),
      };
    });
  }

  private find(text: string | undefined): Promise<FoundToken | null> {
    if (text === undefined) throw new OauthError('invalid_request', 'The token is missing.');
    return parseKey(text)?.kind === 'oauth_token' ? this.accessToken(text) : this.refreshToken(text);
  }

  private async accessToken(text: string): Promise<FoundToken | null> {
    try {
      return ofAccess(await this.credentials.acceptAnew(text, currentScope().clientIp ?? ''), true);
    } catch (error) {
      if (!(error instanceof CredentialRefused)) throw error;
      return error.reason === 'expired' ? ofAccess(error.known!, false) : null;
    }
  }

  private async refreshToken(text: string): Promise<FoundToken | null> {
    const stored = await this.repository.find('refresh', text);
    if (!stored) return null;
    const { tenant, grantId, clientId, usedAt } = stored;
    const expiresMs = Date.parse(stored.expiresAt);
    const isFresh = usedAt === null && expiresMs > this.clock.nowMs();
    const issuedMs = expiresMs - REFRESH_SECONDS * 1_000;
    return { isFresh, tenant, grantId, clientId, scopes: null, type: 'refresh_token', issuedMs, expiresMs };
  }

  private within<T>(tenant: TenantFacts, work: () => Promise<T>): Promise<T> {
    return elsewhere(tenant, () => this.sessions.tenant(tenant.slug), work);
  }
}

function ofAccess({ delegation, tenant, scopes }: Principal, isFresh: boolean): FoundToken {
  const { grantId, clientId, issuedAt } = delegation!; // which every access token has
  const issuedMs = Date.parse(issuedAt);
  const expiresMs = issuedMs + ACCESS_SECONDS * 1_000;
  return { isFresh, tenant, grantId, clientId, scopes, type: 'Bearer', issuedMs, expiresMs };
}
