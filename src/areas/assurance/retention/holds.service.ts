import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { HeldMembers } from '#libs/members/held-members.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import type { Merge } from '#libs/resource/records/merge.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { lockHolds } from '#libs/resource/retention/holds.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { type HoldScope, holds, type LegalHold } from './legal-hold.js';
import type { RetentionCommand } from './retention.requests.js';

const MAX_SHOWN = 1_000;
const NAME = `insert into data.legal_hold_ids (tenant_id, hold_id, named_id) values ($1, $2, $3) on conflict do nothing`;

/** Legal holds. */
@Injectable()
export class HoldsService {
  private readonly objects: GovernedObjects<LegalHold>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly members: HeldMembers,
  ) {
    this.objects = new GovernedObjects(holds, kit, this);
    kit.registry.followMerges((transaction, merge) => this.follow(transaction, merge));
  }

  /** The newest holds. */
  async list(): Promise<ShownObject<LegalHold>[]> {
    const rows = await this.objects.rows.all();
    return rows
      .reverse()
      .slice(0, MAX_SHOWN)
      .map((hold) => this.objects.view(hold));
  }

  /** @throws Problem 400, 409 `limit_reached`. */
  place({ name, matter, scope: given, reason }: RetentionCommand): Promise<ShownObject<LegalHold>> {
    const scope = completeScope(given);
    this.check({ name, reason, scope });
    return this.objects.unit(async (transaction) => {
      const tables = await this.expectKnown(transaction, scope);
      await transaction.query(lockHolds());
      // A deletion may have ended meanwhile. Others wait for the lock, so this looks only where the records were.
      await this.expectKnown(transaction, scope, tables);
      await this.objects.refuseBeyondLimit();
      const own = { name: name!, matter: matter ?? null, scope, reason: reason!, placedBy: currentScope().actor };
      const open = { status: 'active' as const, releaseReason: null, releasedBy: null, releasedAt: null };
      return this.objects.view(this.objects.add(transaction, { ...own, ...open }, 'placed', { reason: reason! }));
    });
  }

  /**
   * Looks for the records of `objectIds` in these tables and returns the ones that have them.
   * @throws Problem 400 if an id in a scope is unknown, or the caller may not see its record.
   */
  async expectKnown(
    transaction: Transaction,
    scope: Partial<HoldScope>,
    tables: readonly string[] = this.kit.registry.everything().map(({ service }) => service.table),
  ): Promise<string[]> {
    const { objectIds = [], membershipIds = [], accountIds = [] } = scope;
    await this.expectIds(transaction, 'membershipIds', membershipIds, ['data.memberships']);
    await this.expectIds(transaction, 'accountIds', accountIds, ['data.sales_accounts']);
    return this.expectIds(transaction, 'objectIds', objectIds, tables);
  }

  /** @throws Problem 400, 404, 409 `invalid_transition`. */
  release({ id, reason }: RetentionCommand): Promise<ShownObject<LegalHold>> {
    refuseMissing({ id, reason });
    const decide = () => ({
      status: 'released' as const,
      releaseReason: reason!,
      releasedBy: currentScope().actor,
      releasedAt: this.objects.now(),
    });
    return this.objects.act('release_hold', id!, decide, {
      reason: reason!,
      saved: (transaction) => this.members.removeReleased(transaction),
    });
  }

  stateOf({ status }: LegalHold): string {
    return status;
  }

  /** An active hold that names a merged record also names the one that remains, which has what belonged to it. */
  private async follow(transaction: Transaction, { from, into }: Merge): Promise<void> {
    const naming: Guard = (add) => `(t.status = 'active' and position(${add(from)} in t.scope::text) > 0)`;
    for (const hold of await this.objects.rows.lockAll(transaction, naming)) {
      const both = (ids: string[]) => (ids.includes(from) && !ids.includes(into) ? [...ids, into] : ids);
      const { objectIds, accountIds } = hold.scope;
      const scope = { ...hold.scope, objectIds: both(objectIds), accountIds: both(accountIds) };
      this.objects.change(transaction, hold, { scope }, 'extended');
      transaction.write(statement(NAME, [currentTenant().id, hold.id, into]));
    }
  }

  private async expectIds(
    transaction: Transaction,
    field: keyof HoldScope,
    ids: readonly string[],
    tables: readonly string[],
  ): Promise<string[]> {
    if (ids.length === 0) return [];
    const values: unknown[] = [currentTenant().id, ids];
    const found = tables.map((table) => {
      const visible = this.kit.registry.visibleIn(table)?.((value) => `$${values.push(value)}`) ?? 'true';
      return `select t.id, '${table}' as table from ${table} t where t.tenant_id = $1 and t.id = any($2::uuid[]) and (${visible})`;
    });
    const query = statement(found.join(' union all '), values);
    const known = await transaction.query<{ id: string; table: string }>(query);
    const unknown = ids.findIndex((id) => !known.some((each) => each.id === id));
    if (unknown < 0) return [...new Set(known.map(({ table }) => table))];
    const pointer = `/scope/${field}/${unknown}`;
    throw Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
  }

  private check({ scope, ...required }: { name: unknown; reason: unknown; scope: HoldScope }): void {
    refuseMissing(required);
    const violations: Violation[] = [];
    scope.objects.forEach((type, index) => {
      if (this.kit.registry.ofType(type)) return;
      const pointer = `/scope/objects/${index}`;
      violations.push({ pointer, code: 'unknown_record_type', detail: 'There is no such type of record.' });
    });
    if (Object.values(scope).every((value: unknown) => value === null || (Array.isArray(value) && value.length === 0)))
      violations.push({ pointer: '/scope', code: 'required', detail: 'A hold needs at least one criterion.' });
    if (scope.from !== null && scope.to !== null && scope.from > scope.to)
      violations.push({ pointer: '/scope/to', code: 'out_of_range', detail: 'It must not be before `from`.' });
    if (violations.length > 0) throw Problem.validation(violations);
  }
}

/** @throws Problem 400 for every value that is missing or blank. */
export function refuseMissing(values: Record<string, unknown>): void {
  const missing = Object.entries(values).filter(
    ([, value]) => value === undefined || (typeof value === 'string' && value.trim() === ''),
  );
  if (missing.length > 0)
    throw Problem.validation(
      missing.map(([field]) => ({ pointer: `/${field}`, code: 'required', detail: 'The action needs this value.' })),
    );
}

function completeScope(given: Partial<HoldScope> = {}): HoldScope {
  const { objects = [], objectIds = [], membershipIds = [], accountIds = [], from = null, to = null } = given;
  return { objects, objectIds, membershipIds, accountIds, from: utc(from), to: utc(to) };
}

function utc(at: string | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
