import type { Row } from '#libs/database/flight.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { DEFAULT_MFA, type MfaPolicy, type SignInFacts } from './mfa-policy.js';

const DELEGATION = `select * from directory.delegation_of($1)`;

/** What somebody has let a partner do for them. */
export interface Delegation {
  grantId: string;
  clientId: string;
  clientName: string;
  /** Whether the operator has suspended the partner. */
  isSuspended: boolean;
  /** How the person had signed in who consented, and what the tenant demands of that now. */
  signIn: SignInFacts & { mfa: MfaPolicy };
  /** When the access token was issued. */
  issuedAt: string;
}

/** The statement for the access token with a key id. */
export function delegationStatement(keyId: string): Statement {
  return statement(DELEGATION, [keyId]);
}

/** What the statement answered; null for a credential that is no access token. */
export function delegationOf([row]: readonly Row[]): Delegation | null {
  if (!row) return null;
  return {
    grantId: row['grant_id'] as string,
    clientId: row['client_id'] as string,
    clientName: row['client_name'] as string,
    isSuspended: row['suspended'] as boolean,
    issuedAt: row['issued_at'] as string,
    signIn: {
      methods: row['methods'] as string[],
      multiFactorAt: row['multi_factor_at'] as string | null,
      mfa: (row['mfa'] as MfaPolicy | null) ?? DEFAULT_MFA,
    },
  };
}
