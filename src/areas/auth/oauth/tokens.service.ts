import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OauthClient } from '#libs/auth/oauth-clients.js';
import { coveredBy, isScope } from '#libs/auth/permissions.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { OauthGrant } from '#libs/members/grant.js';
import { Grants } from '#libs/members/grants.js';
import { Members } from '#libs/members/members.js';
import { elsewhere } from '#libs/tenancy/elsewhere.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { SessionsRepository } from '../sessions.repository.js';
import type { Form } from './client-authentication.service.js';
import { OauthError } from './oauth-error.js';
import type { OauthTokens } from './oauth.models.js';
import { ACCESS_SECONDS, OauthRepository, type StoredToken } from './oauth.repository.js';

/** The scopes of the next access token of a grant. @throws OauthError */
type ScopesOf = (grant: OauthGrant) => readonly string[];

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Exchanges codes and refresh tokens for the next tokens of their grant. Each works once. A second use suggests that
 * it was stolen and therefore revokes the grant. Exchanges of one grant are serialized.
 */
@Injectable()
export class TokensService {
  constructor(
    private readonly repository: OauthRepository,
    private readonly grants: Grants,
    private readonly members: Members,
    private readonly sessions: SessionsRepository,
    private readonly tenants: TenantReader,
    private readonly database: Database,
  ) {}

  /** @throws OauthError. */
  exchange(client: OauthClient, form: Form): Promise<OauthTokens> {
    const { grant_type: type } = form;
    if (type === 'authorization_code') return this.code(client, form);
    if (type === 'refresh_token') return this.refresh(client, form);
    if (type === undefined) throw new OauthError('invalid_request', 'The grant_type is missing.');
    throw new OauthError('unsupported_grant_type', 'The grant_type must be authorization_code or refresh_token.');
  }

  private async code(client: OauthClient, form: Form): Promise<OauthTokens> {
    const { code, redirect_uri: redirectUri, code_verifier: verifier } = form;
    if (code === undefined || redirectUri === undefined || verifier === undefined)
      throw new OauthError('invalid_request', 'The exchange of a code requires code, redirect_uri and code_verifier.');
    const stored = await this.find('code', code, client);
    return this.next(stored, ({ scopes }) => {
      if (stored.redirectUri !== redirectUri)
        throw refused('The redirect_uri does not match the authorization request.');
      if (!VERIFIER.test(verifier) || hash('sha256', verifier, 'base64url') !== stored.challenge)
        throw refused('The code_verifier does not match the code_challenge.');
      return scopes;
    });
  }

  private async refresh(client: OauthClient, form: Form): Promise<OauthTokens> {
    const { refresh_token: token, scope } = form;
    if (token === undefined) throw new OauthError('invalid_request', 'The refresh_token is missing.');
    return this.next(await this.find('refresh', token, client), ({ scopes }) =>
      scope === undefined ? scopes : scopesWithin(scopes, scope),
    );
  }

  private async find(kind: StoredToken['kind'], text: string, client: OauthClient): Promise<StoredToken> {
    const stored = await this.repository.find(kind, text);
    if (stored?.clientId !== client.id) throw refused('The token is unknown or was issued to another client.');
    return stored;
  }

  /** @param check validates the other parameters of the request and returns the scopes of the access token. */
  private async next(stored: StoredToken, check: ScopesOf): Promise<OauthTokens> {
    const { tenant } = stored;
    const issued = await elsewhere(
      tenant,
      () => this.sessions.tenant(tenant.slug),
      () => this.database.transaction((transaction) => this.nextIn(transaction, stored, check)),
    );
    if (!issued) throw refused('The token has already been used, so the grant is revoked.');
    return issued;
  }

  /** Null if the token was used before; its grant is then revoked. */
  private async nextIn(transaction: Transaction, stored: StoredToken, check: ScopesOf): Promise<OauthTokens | null> {
    const grant = await this.grants.rows.lock(transaction, stored.grantId);
    if (grant?.revokedAt !== null) throw refused('The grant is no longer valid.');
    if (stored.usedAt !== null) return this.endOf(transaction, grant, stored);
    const at = this.grants.objects.now();
    if (stored.expiresAt <= at) throw refused('The token has expired.');
    const scopes = check(grant);
    await this.requireServed();
    const member = await this.members.find(grant.membershipId);
    if (member?.status !== 'active') throw refused('The member who granted the access is not active.');
    if (!(await this.repository.use(transaction, stored, at))) return this.endOf(transaction, grant, stored);
    const { accessToken, refreshToken, save } = this.repository.issue(grant, { memberName: member.name, scopes }, at);
    transaction.write(save);
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: ACCESS_SECONDS,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    };
  }

  private endOf(transaction: Transaction, grant: OauthGrant, { kind }: StoredToken): null {
    currentScope().actor = { type: 'system', id: null, name: 'oauth' };
    this.grants.end(transaction, grant, kind === 'code' ? 'code_reused' : 'refresh_token_reused');
    return null;
  }

  private async requireServed(): Promise<void> {
    try {
      await this.tenants.requireServed();
    } catch (error) {
      throw error instanceof Problem && error.code === 'tenant_suspended' ? refused(error.detail) : error;
    }
  }
}

/**
 * The permissions of a requested scope, which may be narrower than the granted one. The grant stays as it is. `Source:`
 * RFC 6749 section 6.
 */
function scopesWithin(granted: readonly string[], scope: string): string[] {
  const scopes = scope.split(' ').filter((each) => each !== '');
  const wanted: string[] = coveredBy(scopes);
  if (wanted.length === 0 || !scopes.every(isScope) || !wanted.every((each) => granted.includes(each)))
    throw new OauthError('invalid_scope', 'The scope must be within the granted scope, or be omitted.');
  return wanted;
}

function refused(description: string): OauthError {
  return new OauthError('invalid_grant', description);
}
