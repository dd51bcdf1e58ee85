import { Injectable } from '@nestjs/common';
import { generateKey, generateOauthToken, oauthTokenHash } from '#libs/auth/api-key.js';
import { findOauthClient, type OauthClient } from '#libs/auth/oauth-clients.js';
import type { SignInFacts } from '#libs/auth/mfa-policy.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { OauthGrant } from '#libs/members/grant.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import { later } from '../session-views.js';

export const CODE_SECONDS = 60;
export const ACCESS_SECONDS = 600;
export const REFRESH_SECONDS = 30 * 86_400;

const OPEN = `select directory.open_oauth_grant($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const ADD_CODE = `select directory.add_oauth_code($1, $2, $3, $4, $5, $6)`;
const FIND = `select token_id as "tokenId", kind, grant_id as "grantId", client_id as "clientId", challenge,
  redirect_uri as "redirectUri", expires_at as "expiresAt", used_at as "usedAt", id, slug, plan, currency, epoch::text as epoch
  from directory.find_oauth_token($1)`;
const USE = `select directory.use_oauth_token($1, $2) as fresh`;
const ISSUE = `select directory.issue_oauth_tokens($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

/** A code or refresh token as stored in the directory. */
export interface StoredToken {
  tokenId: string;
  kind: 'code' | 'refresh';
  grantId: string;
  clientId: string;
  /** PKCE code challenge. Null for a refresh token, like the next field. */
  challenge: string | null;
  redirectUri: string | null;
  expiresAt: string;
  usedAt: string | null;
  tenant: TenantFacts;
}

/** The grant that a code is for, and what its exchange must match. */
export interface CodeTerms {
  id: string;
  challenge: string;
  redirectUri: string;
}

/** Clients, codes and tokens in the directory. */
@Injectable()
export class OauthRepository {
  constructor(private readonly database: Database) {}

  /** The client; null if it does not exist. */
  client(id: string): Promise<OauthClient | null> {
    return findOauthClient(this.database, id);
  }

  /** The statement that creates a grant in the current tenant, and its code. Only the hash of the code is stored. */
  open(
    grant: CodeTerms & { clientId: string },
    { methods, multiFactorAt }: SignInFacts,
    at: string,
  ): { code: string; save: Statement } {
    const { id, clientId, challenge, redirectUri } = grant;
    const { text, hash } = generateOauthToken('top_code');
    const secondFactor = multiFactorAt === null ? null : new Date(multiFactorAt).toISOString();
    const until = later(at, CODE_SECONDS);
    const values = [id, clientId, [...methods], secondFactor, uuidv7(), hash, challenge, redirectUri, until];
    return { code: text, save: statement(OPEN, values) };
  }

  /** The statement that gives a grant of the current tenant another code. */
  addCode({ id, challenge, redirectUri }: CodeTerms, at: string): { code: string; save: Statement } {
    const { text, hash } = generateOauthToken('top_code');
    const values = [id, uuidv7(), hash, challenge, redirectUri, later(at, CODE_SECONDS)];
    return { code: text, save: statement(ADD_CODE, values) };
  }

  /** Finds the code or refresh token for a secret; null if there is none. */
  async find(kind: StoredToken['kind'], text: string): Promise<StoredToken | null> {
    const hash = oauthTokenHash(kind === 'code' ? 'top_code' : 'top_refresh', text);
    if (!hash) return null;
    const [row] = await this.database.systemRead<Omit<StoredToken, 'tenant'> & TenantFacts>(statement(FIND, [hash]));
    if (!row) return null;
    const { id, slug, plan, currency, epoch, ...token } = row;
    return { ...token, tenant: { id, slug, plan, currency, epoch } };
  }

  /** Marks a token as used in the current transaction. @returns whether this is its first use. */
  async use(transaction: Transaction, { tokenId }: StoredToken, at: string): Promise<boolean> {
    const [row] = await transaction.query<{ fresh: boolean }>(statement(USE, [tokenId, at]));
    return row!.fresh;
  }

  /**
   * The statement that issues the next tokens of a grant, and the tokens. Only their hashes are stored.
   * @param scopes of the access token.
   */
  issue(
    { id, membershipId }: OauthGrant,
    { memberName, scopes }: { memberName: string; scopes: readonly string[] },
    at: string,
  ) {
    const access = generateKey('oauth_token');
    const refresh = generateOauthToken('top_refresh');
    const save = statement(ISSUE, [
      id,
      memberName,
      scopes,
      membershipId,
      uuidv7(),
      access.keyId,
      access.hash,
      later(at, ACCESS_SECONDS),
      uuidv7(),
      refresh.hash,
      later(at, REFRESH_SECONDS),
      at,
    ]);
    return { accessToken: access.text, refreshToken: refresh.text, save };
  }
}
