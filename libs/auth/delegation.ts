import type { Row } from '#libs/database/flights/flight.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { DEFAULT_MFA, type MfaPolicy, type SignInFacts } from './mfa-policy.js';

const DELEGATION = `select * from directory.delegation_of($1)`;

/** Delegated access of a partner on behalf of a member. */
export interface Delegation {
  grantId: string;
  clientId: string;
  clientName: string;
  /** Whether the operator has suspended the partner. */
  isSuspended: boolean;
  /** The sign-in behind the consent, and the current multi-factor policy of the tenant. */
  signIn: SignInFacts & { mfa: MfaPolicy };
  /** Time of issue of the access token. */
  issuedAt: string;
}

/** The statement that reads the delegation of an access token. */
export function delegationStatement(keyId: string): Statement {
  return statement(DELEGATION, [keyId]);
}

/** The delegation in the result; null if the credential is not an access token. */
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
