import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { hasFactor, isMeant, isWeakened, MFA_POLICIES, type MfaPolicy } from '#libs/auth/mfa-policy.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fieldsOf } from '#libs/http/field.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import type { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { Gates } from '#libs/resource/gates/gates.js';
import { Commits } from '#libs/resource/records/commits.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import { rehearse } from '#libs/resource/records/rehearsal.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentTenant, stamp } from '#libs/tenancy/scope.js';
import {
  type ChangedMfa,
  ChangeMfa,
  MAX_WITHOUT_FACTOR,
  MFA_TYPE,
  type MfaCoverage,
  MfaRules,
  type MfaView,
} from './mfa.dto.js';
import { MfaRepository } from './mfa.repository.js';

const PERMISSION = 'mfa:manage';
const PATH = '/api/admin/security/mfa';
const NAME = 'Multi-factor rules';
/** The gate that holds weaker policies for approval. */
export const WEAKENING_GATE = 'mfa.weaken';

type Wanted = Omit<ChangeMfa, 'dryRun' | 'reason'>;

/** The multi-factor policy of a tenant. Each request of a session is checked against it (`requireFactorForSure`). */
@Injectable()
export class MfaService implements OnModuleInit {
  constructor(
    private readonly repository: MfaRepository,
    private readonly database: Database,
    private readonly commits: Commits,
    private readonly registry: ResourceRegistry,
    private readonly gates: Gates,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const fields = [...fieldsOf(ChangeMfa).keys()];
    this.registry.addCommands({ type: MFA_TYPE, gate: WEAKENING_GATE, fields, executor: this });
    this.registry.declareObject({
      type: MFA_TYPE,
      told: MfaRules,
      events: { updated: 'The multi-factor policy changed.' },
      example: EXAMPLE,
      path: PATH,
      hasPath: false,
    });
  }

  /** The current policy and the members without the factor. */
  async read(): Promise<MfaView> {
    return this.present(await this.repository.find());
  }

  /**
   * Changes the policy. A weaker policy waits at the gate `mfa.weaken` if the tenant has enabled it.
   * @throws Problem 403 `mfa_required` for a caller who would lock themselves out, `gate_denied`; 409 `approval_pending`.
   */
  change({ dryRun = false, reason, ...wanted }: ChangeMfa): Promise<ChangedMfa> {
    return this.database.transaction(async (transaction) => {
      const before = await this.repository.lock(transaction);
      const after = this.changed(before, wanted);
      refuseLockingOut(after);
      if (dryRun) return { ...(await this.present(after)), dryRun, pendingApproval: null };
      const work = () => Promise.resolve(this.save(transaction, before, after, reason ?? null));
      const input = { ...wanted, ...(reason !== undefined && { reason }) };
      const pendingApproval = await this.hold(transaction, { before, after, input }, work);
      const holding = pendingApproval ? before : await work();
      return { ...(await this.present(holding)), dryRun, pendingApproval };
    });
  }

  /** Applies an approved change as its requester. @throws Problem 403, 409 `stale_target`. */
  async execute(
    _action: string,
    _id: string,
    { reason = null, ...wanted }: Approved,
    version: number,
  ): Promise<MfaPolicy> {
    return this.database.transaction(async (transaction) => {
      requirePermission(PERMISSION);
      const before = await this.repository.lock(transaction);
      if (before.version !== version)
        throw new Problem('stale_target', 'The policy has changed since approval was requested.');
      const after = this.changed(before, wanted);
      refuseLockingOut(after);
      return this.save(transaction, before, after, reason);
    });
  }

  translate(error: unknown): unknown {
    return error;
  }

  /** A stricter policy or another length starts a new grace period; otherwise `effectiveAt` stays. */
  private changed(before: MfaPolicy, change: Wanted): MfaPolicy {
    const policy = change.policy ?? before.policy;
    const isStricter = MFA_POLICIES.indexOf(policy) > MFA_POLICIES.indexOf(before.policy);
    const gracePeriodDays = change.gracePeriodDays ?? (isStricter ? 0 : before.gracePeriodDays);
    const isNewGrace = isStricter || gracePeriodDays !== before.gracePeriodDays;
    const fromNow = new Date(Date.parse(stamp(this.clock)) + gracePeriodDays * DAY_MS).toISOString();
    const effectiveAt = policy === 'optional' ? null : isNewGrace ? fromNow : before.effectiveAt;
    return { ...before, ...change, policy, gracePeriodDays, effectiveAt };
  }

  /** Requests approval for a weaker policy; null if the gate allows the change at once. @throws Problem 403, 409. */
  private async hold(
    transaction: Transaction,
    { before, after, input }: { before: MfaPolicy; after: MfaPolicy; input: Approved },
    work: () => Promise<unknown>,
  ): Promise<PendingApproval | null> {
    if (!isWeakened(before, after, this.clock.nowMs())) return null;
    const gate = await this.gates.holding(WEAKENING_GATE, () => ({ ...after }));
    if (!gate) return null;
    await rehearse(transaction, work);
    const { id, status } = await this.gates.park(transaction, {
      gate,
      operation: 'admin.security.mfa.update',
      action: 'update',
      summary: 'Weaken the multi-factor policy',
      permission: PERMISSION,
      object: MFA_TYPE,
      row: { id: currentTenant().id, version: before.version, name: NAME },
      input: { ...input },
    });
    return { id, status };
  }

  private save(transaction: Transaction, before: MfaPolicy, policy: MfaPolicy, reason: string | null): MfaPolicy {
    if (isDeepStrictEqual(policy, before)) return before;
    const after = nextVersion(before, policy);
    this.commits.add(transaction, {
      save: this.repository.save(after),
      event: `${MFA_TYPE}.updated`,
      subject: {
        type: MFA_TYPE,
        id: currentTenant().id,
        reference: null,
        version: after.version,
        url: PATH,
        name: NAME,
      },
      before: told(before),
      after: told(after),
      at: stamp(this.clock),
      riskLevel: 'high',
      reason,
    });
    return after;
  }

  private async present(policy: MfaPolicy): Promise<MfaView> {
    const { effectiveAt } = policy;
    const isGrace = effectiveAt !== null && Date.parse(effectiveAt) > this.clock.nowMs();
    return { ...told(policy), coverage: await this.coverageOf(policy), graceEndsAt: isGrace ? effectiveAt : null };
  }

  private async coverageOf(policy: MfaPolicy): Promise<MfaCoverage> {
    const meant = (await this.repository.members()).filter(({ runsTenant }) => isMeant(policy, runsTenant));
    const lacking = meant.filter((member) => !hasFactor(member, policy));
    const members = lacking.slice(0, MAX_WITHOUT_FACTOR).map(({ id, name, email }) => ({ id, name, email }));
    return { satisfied: meant.length - lacking.length, missing: lacking.length, members };
  }
}

/** A change as validated when approval was requested. */
type Approved = Wanted & { reason?: string | null };

/** @throws Problem 403 `mfa_required`. */
function refuseLockingOut(after: MfaPolicy): void {
  const { signIn, authority } = currentPrincipal();
  if (!signIn || !isMeant(after, authority.powers.length > 0) || hasFactor(signIn, after)) return;
  throw new Problem('mfa_required', 'This would lock you out: first sign in with a factor that the policy accepts.');
}

function told(policy: MfaPolicy): MfaRules {
  return { id: currentTenant().id, object: MFA_TYPE, ...policy };
}

const EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01',
  object: MFA_TYPE,
  version: 2,
  policy: 'admins',
  gracePeriodDays: 7,
  allowedMethods: ['webauthn', 'totp'],
  stepUpMaxAgeMinutes: 15,
  effectiveAt: '2026-11-28T09:15:02.114Z',
};
