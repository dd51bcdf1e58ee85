import { Inject, Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import type { CredentialKind } from '#libs/auth/api-key.js';
import { keyChanged, revokeCredentials } from '#libs/auth/sessions/member-sessions.js';
import { credentialFact } from '#libs/auth/new-credential.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { Grants } from './grants.js';

/** How many credentials were revoked. */
export interface Revoked {
  revokedSessions: number;
  /** Grants to partners. */
  revokedTokens: number;
  revokedKeys: number;
}

/** Revokes sessions, keys and grants that act for members. */
@Injectable()
export class Revocations {
  constructor(@Inject(Grants) private readonly grants: Pick<Grants, 'endAll'>) {}

  /**
   * Revokes all sessions of a member, with `keys` their API keys too, and with `grants` their grants to partners. Their
   * next request is rejected.
   */
  async end(
    transaction: Transaction,
    memberId: string,
    { keys, grants }: { keys: boolean; grants: boolean },
    at: string,
  ): Promise<Revoked> {
    const revokedTokens = grants ? await this.grants.endAll(transaction, memberId) : 0;
    const revoked = await revokeCredentials(transaction, memberId, keys ? ['session', 'api_key'] : ['session'], at);
    for (const credential of revoked) {
      const fact = credentialFact('revoked', credential.kind, credential, { revokedAt: { from: null, to: at } });
      transaction.write(auditStatement(currentScope(), fact, at));
      if (credential.kind === 'api_key') transaction.write(keyChanged(credential.id, at));
    }
    const count = (wanted: CredentialKind) => revoked.filter(({ kind }) => kind === wanted).length;
    return { revokedSessions: count('session'), revokedTokens, revokedKeys: count('api_key') };
  }
}
