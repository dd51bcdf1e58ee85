import { generateKey } from '#libs/auth/api-key.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';

const ADD = `select directory.add_scim_token($1, $2, $3, $4, $5, $6, $7)`;
const END = `select directory.end_scim_tokens($1, $2)`;
const RENEW = `select directory.renew_scim_token($1, $2, $3)`;
const REVOKE = `select directory.revoke_scim_tokens($1, $2)`;

/** A new token. `text` is not stored anywhere; the directory keeps its hash. */
export interface IssuedToken {
  text: string;
  last4: string;
  insert: Statement;
}

/** Generates a token for a configuration, with the statement that stores it for the tenant in scope. */
export function newToken(configId: string, name: string, at: string, expiresAt: string): IssuedToken {
  const { text, keyId, hash } = generateKey('scim_token');
  const insert = statement(ADD, [uuidv7(), configId, keyId, name, hash, at, expiresAt]);
  return { text, last4: text.slice(-4), insert };
}

/** The statement that makes all tokens of a configuration expire at an instant at the latest. */
export function endTokens(configId: string, at: string): Statement {
  return statement(END, [configId, at]);
}

/** The statement that changes the expiry of the newest token; an expired one stays expired. */
export function renewToken(configId: string, at: string, expiresAt: string): Statement {
  return statement(RENEW, [configId, at, expiresAt]);
}

/** The statement that revokes all tokens of a configuration immediately. */
export function revokeTokens(configId: string, at: string): Statement {
  return statement(REVOKE, [configId, at]);
}
