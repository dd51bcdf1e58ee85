import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import type { CredentialKind } from '#libs/auth/api-key.js';
import { credentialFact } from '#libs/auth/new-credential.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';

const SUSPEND = `update data.memberships set status = 'suspended'
  where tenant_id = $1 and id = $2 and status in ('active', 'invited') returning name`;
const RESUME = `update data.memberships set status = 'active'
  where tenant_id = $1 and id = $2 and status = 'suspended' returning name`;
const REVOKE = `select credential_id as id, credential_kind as kind, credential_name as name
  from directory.revoke_member($1, $2)`;

/** What people can do on the platform, as far as it depends on their employment. */
@Injectable()
export class MemberAccess {
  /** Suspends a membership and revokes the keys that act for it: the very next request with one of them is refused. */
  async remove(transaction: Transaction, membershipId: string, at: string): Promise<void> {
    const scope = currentScope();
    await this.setStatus(transaction, SUSPEND, membershipId, at, { from: 'active', to: 'suspended' });
    const keys = await transaction.query<{ id: string; kind: CredentialKind; name: string }>(
      statement(REVOKE, [membershipId, at]),
    );
    for (const key of keys) {
      const fact = credentialFact('revoked', key.kind, key, { revokedAt: { from: null, to: at } });
      transaction.write(auditStatement(scope, fact, at));
    }
  }

  /** Resumes a suspended membership. Keys that were revoked stay revoked. */
  async restore(transaction: Transaction, membershipId: string, at: string): Promise<void> {
    await this.setStatus(transaction, RESUME, membershipId, at, { from: 'suspended', to: 'active' });
  }

  private async setStatus(
    transaction: Transaction,
    change: string,
    id: string,
    at: string,
    status: { from: string; to: string },
  ): Promise<void> {
    const [row] = await transaction.query<{ name: string }>(statement(change, [currentTenant().id, id]));
    if (!row) return;
    const fact = {
      action: `core.membership.${status.to === 'suspended' ? 'suspended' : 'resumed'}`,
      target: { type: 'core.membership', id, name: row.name },
      outcome: 'success',
      riskLevel: 'high',
      changes: { status },
    } as const;
    transaction.write(auditStatement(currentScope(), fact, at));
  }
}
