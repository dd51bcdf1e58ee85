import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { hasHolds, lockDeletions } from '#libs/resource/retention/holds.js';
import { currentScope, stamp } from '#libs/tenancy/scope.js';
import { statusOf, type Tenant, TENANT_TYPE, type TenantStatus } from './tenant.js';
import { TenantReader } from './tenant-reader.js';
import { type TenantView, viewOf } from './tenant.dto.js';
import { type TenantChange, TenantRecords } from './tenant-records.js';

/** Days within which the closure of a tenant can be cancelled. */
export const CLOSING_DAYS = 30;

/** The states in which each transition is allowed, by its name in API and CLI. */
const MOVES = {
  suspend: ['active', 'closing'],
  reactivate: ['suspended'],
  close: ['active'],
  'cancel-closing': ['closing'],
} as const satisfies Record<string, readonly TenantStatus[]>;
type Move = keyof typeof MOVES;

const LOCK = statement(`select directory.lock_tenant()`);
const CHANGE = `select directory.change_tenant($1, $2, $3, $4)`;
const CLOSE = `select directory.close_tenant($1) as closed`;

/** Life cycle of the tenant in scope. Each change writes an audit entry and an event. */
@Injectable()
export class TenantLife {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantReader,
    private readonly records: TenantRecords,
    private readonly clock: Clock,
  ) {}

  /** Renames the tenant; the slug stays. @throws Problem 412. */
  rename(name: string): Promise<TenantView> {
    return this.change(null, 'renamed', () => ({ name }));
  }

  /** Suspends the tenant: its next request is refused, and the worker defers its work. @throws Problem 409, 412. */
  suspend(reason: string): Promise<TenantView> {
    return this.change('suspend', 'suspended', (at) => ({ suspendedAt: at, suspensionReason: reason }), reason);
  }

  /** Reactivates the tenant; deferred work resumes. @throws Problem 409, 412. */
  reactivate(): Promise<TenantView> {
    return this.change('reactivate', 'reactivated', () => ({ suspendedAt: null, suspensionReason: null }));
  }

  /**
   * Schedules the closure in {@link CLOSING_DAYS} days; until then the tenant works as before. @throws Problem 409,
   * 412, 423 `legal_hold` while a hold is active.
   */
  startClosing(reason: string | null): Promise<TenantView> {
    const closesAt = (at: string) => new Date(Date.parse(at) + CLOSING_DAYS * DAY_MS).toISOString();
    return this.change('close', 'closing_started', (at) => ({ closesAt: closesAt(at) }), reason);
  }

  /** Cancels a scheduled closure. @throws Problem 409, 412. */
  cancelClosing(): Promise<TenantView> {
    return this.change('cancel-closing', 'closing_cancelled', () => ({ closesAt: null }));
  }

  /**
   * Permanently ends all access when the closure is due: credentials, sessions and invitations. The data stays. Returns
   * whether the tenant was closed: not while a legal hold is active. There is no event, because no subscriber is left.
   */
  async end(): Promise<boolean> {
    const at = stamp(this.clock);
    return this.database.transaction(async (transaction) => {
      const { id, name } = await this.tenants.current();
      if (await this.isHeld(transaction)) return false;
      const [row] = await transaction.query<{ closed: boolean }>(statement(CLOSE, [at]));
      if (!row!.closed) return false;
      const target = { type: TENANT_TYPE, id, name };
      const fact = { action: `${TENANT_TYPE}.closed`, target, outcome: 'success', riskLevel: 'high' } as const;
      transaction.write(auditStatement(currentScope(), fact, at));
      return true;
    });
  }

  private async change(
    move: Move | null,
    verb: TenantChange['verb'],
    changesAt: (at: string) => Partial<Tenant>,
    reason: string | null = null,
  ): Promise<TenantView> {
    const at = stamp(this.clock);
    return this.database.transaction(async (transaction) => {
      const before = await this.lock(transaction);
      if (move === 'close' && (await this.isHeld(transaction))) throw underHold();
      if (move) requireMove(move, statusOf(before));
      const changed = { ...before, ...changesAt(at) };
      if (changed.name === before.name && !move) return viewOf(before);
      const after = nextVersion(before, { ...changed, updatedAt: at });
      const save = statement(CHANGE, [after.name, after.suspendedAt, after.suspensionReason, after.closesAt]);
      this.records.add(transaction, { verb, before, after, save, riskLevel: move ? 'high' : 'low', reason });
      return viewOf(after);
    });
  }

  private async isHeld(transaction: Transaction): Promise<boolean> {
    transaction.write(lockDeletions());
    const [row] = await transaction.query<{ held: boolean }>(hasHolds());
    return row!.held;
  }

  private async lock(transaction: Transaction): Promise<Tenant> {
    await transaction.query(LOCK);
    const tenant = await this.tenants.current();
    checkPrecondition(tenant.version);
    return tenant;
  }
}

function underHold(): Problem {
  return new Problem('legal_hold', 'The tenant has active legal holds. Release them before closing it.');
}

/** @throws Problem 409 `invalid_transition`. */
function requireMove(move: Move, state: TenantStatus): void {
  const leadsFrom = (each: Move): readonly TenantStatus[] => MOVES[each];
  if (leadsFrom(move).includes(state)) return;
  const allowed = (Object.keys(MOVES) as Move[]).filter((each) => leadsFrom(each).includes(state));
  throw invalidTransition(move, { state }, allowed);
}
