import { Injectable } from '@nestjs/common';
import { auditStatement, type Changes } from '#libs/audit/audit-entry.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { hasFactor, isMeant, MFA_POLICIES, type MfaPolicy } from '#libs/auth/mfa-policy.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, stamp } from '#libs/tenancy/scope.js';
import { type ChangeMfa, MAX_WITHOUT_FACTOR, type MfaCoverage, type MfaView } from './mfa.dto.js';
import { MfaRepository } from './mfa.repository.js';

const DAY_MS = 86_400_000;

/** What a tenant demands of sign-ins. Each request of a session is held against it (`requireFactorForSure`). */
@Injectable()
export class MfaService {
  constructor(
    private readonly repository: MfaRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 403 `mfa_required` for a caller who would lock themselves out. */
  change({ dryRun = false, reason = null, ...change }: Omit<ChangeMfa, 'reason'> & { reason?: string | null }) {
    return this.database.transaction(async (transaction): Promise<MfaView> => {
      const before = await this.repository.find();
      const after = this.changed(before, change);
      this.refuseLockingOut(after);
      if (!dryRun) this.save(transaction, before, after, reason);
      return { ...after, coverage: await this.coverageOf(after), dryRun };
    });
  }

  /** Grace is given when more is asked than before; what is in force already stays so. */
  private changed(before: MfaPolicy, change: Partial<MfaPolicy>): MfaPolicy {
    const policy = change.policy ?? before.policy;
    const isStricter = MFA_POLICIES.indexOf(policy) > MFA_POLICIES.indexOf(before.policy);
    const gracePeriodDays = change.gracePeriodDays ?? (isStricter ? 0 : before.gracePeriodDays);
    const isNewGrace = isStricter || gracePeriodDays !== before.gracePeriodDays;
    const fromNow = new Date(Date.parse(stamp(this.clock)) + gracePeriodDays * DAY_MS).toISOString();
    const effectiveAt = policy === 'optional' ? null : isNewGrace ? fromNow : before.effectiveAt;
    return { ...before, ...change, policy, gracePeriodDays, effectiveAt };
  }

  private refuseLockingOut(after: MfaPolicy): void {
    const { signIn, authority } = currentPrincipal();
    if (!signIn || !isMeant(after, authority.powers.length > 0) || hasFactor(signIn, after)) return;
    throw new Problem(
      'mfa_required',
      'You would lock yourself out: sign in with a factor that the policy takes first.',
    );
  }

  private save(transaction: Transaction, before: MfaPolicy, after: MfaPolicy, reason: string | null): void {
    const changes: Changes = {};
    for (const field of Object.keys(after) as (keyof MfaPolicy)[])
      if (JSON.stringify(before[field]) !== JSON.stringify(after[field]))
        changes[field] = { from: before[field], to: after[field] };
    if (Object.keys(changes).length === 0) return;
    transaction.write(this.repository.save(after));
    transaction.write(
      auditStatement(
        currentScope(),
        {
          action: 'security.mfa_updated',
          target: { type: 'security.mfa', id: null, name: null },
          outcome: 'success',
          riskLevel: 'high',
          changes,
          reason,
        },
        stamp(this.clock),
      ),
    );
  }

  private async coverageOf(policy: MfaPolicy): Promise<MfaCoverage> {
    const meant = (await this.repository.members()).filter(({ runsTenant }) => isMeant(policy, runsTenant));
    const lacking = meant.filter((member) => !hasFactor(member, policy));
    const members = lacking.slice(0, MAX_WITHOUT_FACTOR).map(({ id, name, email }) => ({ id, name, email }));
    return { satisfied: meant.length - lacking.length, missing: lacking.length, members };
  }
}
