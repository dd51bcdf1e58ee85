import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isClosed, limitsOf } from '#libs/access/limits.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ActionHandler, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { shorthandOf } from '#libs/resource/records/shorthand.js';
import type { StandardAction } from '#libs/resource/types/standard-actions.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { deals } from '../deals/deal.js';
import { type MergeDecisions, Merging } from '../merging/merging.js';
import { Account, accounts, type ShownAccount } from './account.js';
import { type AccountAction, accountLifecycle } from './account.lifecycle.js';
import { type OpenDeals, patchedAddress } from './account.parts.js';
import { below, idOfDomain, idOfName, openDeals } from './account.queries.js';

const ADDRESSES = ['billingAddress', 'shippingAddress'] as const;

/** Amounts of an account from invoices; null for a caller who may not read them. */
type Charges = (accountId: string) => Promise<Pick<ShownAccount, 'receivableMinor' | 'lifetimeMinor'> | null>;

const UNKNOWN = { receivableMinor: null, lifetimeMinor: null };

/** Customers, vendors and partners. */
@Injectable()
export class AccountsService
  implements Decisions<Account, ShownAccount, AccountAction>, MergeDecisions<Account>, OnModuleInit
{
  readonly actions: Partial<Record<Exclude<AccountAction, StandardAction>, ActionHandler<Account>>> = {
    block: (row) => ({ lifecycleBefore: row.lifecycle }),
    unblock: (row) => ({ lifecycle: row.lifecycleBefore!, lifecycleBefore: null }),
  };
  readonly constraints = {
    sales_accounts_parent_ring: () =>
      Problem.validation([
        { pointer: '/parentAccountId', code: 'cycle', detail: 'The account would be above itself.' },
      ]),
  };
  readonly records: Records<Account, ShownAccount, AccountAction>;
  readonly merging: Merging<Account, ShownAccount, AccountAction>;
  private readonly repository: ResourceRepository<Account>;
  private charges: Charges | null = null;

  constructor(private readonly kit: ResourceKit) {
    this.repository = kit.rows(Account);
    this.records = Records.of(accounts, kit, this, this.repository);
    this.merging = new Merging(this.records, this);
  }

  onModuleInit(): void {
    this.merging.referredBy(this.records, 'parentAccountId');
  }

  /** Makes the account of a won deal an active customer. An archived, blocked or deleted account is left unchanged. */
  async becomeCustomer(id: string): Promise<void> {
    const { rows } = this.records;
    await this.records.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.deletedAt !== null || row.archivedAt !== null || row.lifecycle === 'blocked') return;
      const roles = row.roles.includes('customer')
        ? row.roles
        : [...row.roles.filter((role) => role !== 'prospect'), 'customer' as const];
      if (row.lifecycle === 'active') await rows.apply(transaction, row, { roles }, 'updated');
      else await rows.apply(transaction, row, { roles, lifecycle: 'active' }, 'activated', { move: 'activate' });
    });
  }

  /** Registers the source of what accounts owe and have been charged. */
  chargedBy(charges: Charges): void {
    this.charges = charges;
  }

  /** @throws Problem 409 `account_blocked`, 404. */
  async refuseBlocked(id: string): Promise<void> {
    const { lifecycle, name } = await this.records.readPlainly(id);
    if (lifecycle === 'blocked') throw new Problem('account_blocked', `The account ${name} is blocked.`);
  }

  /** ISO 4217 code for an account's deals; null if none is set or the account does not exist. */
  async currencyOf(id: string): Promise<string | null> {
    return (await this.repository.find(id))?.currency ?? null;
  }

  /**
   * Finds the account of a company: the oldest with its internet domain, else with its name, including accounts merged
   * into another one; null if there is none.
   */
  async match(company: { domain: string | null; name: string | null }): Promise<string | null> {
    const found = company.domain === null ? null : await this.idFrom(idOfDomain(company.domain));
    return found ?? (company.name === null ? null : this.idFrom(idOfName(company.name)));
  }

  draft(input: Input): Draft<Account> {
    return { ...input, ...normal(input, null) } as unknown as Draft<Account>; // validated members are columns
  }

  edit(row: Account, patch: Input): Partial<Account> {
    return { ...patch, ...normal(patch, row) };
  }

  derive(): Partial<ShownAccount> {
    return { openDealsMinor: null, ...UNKNOWN };
  }

  /** Adds the totals of open deals and of invoices, for callers who may read these. */
  async detail(view: ShownAccount): Promise<ShownAccount> {
    const sums = isClosed(deals, 'deals:read') ? null : openDeals(view.id, limitsOf(deals, 'deals:read'));
    const openDealsMinor = sums && (await this.kit.database.read<OpenDeals>(sums));
    return { ...view, openDealsMinor, ...(await this.charges?.(view.id)) };
  }

  /** A patch of `lifecycle` may only return a blocked account to its previous state. */
  shorthand(patch: Input, row: Account): { action: AccountAction; input: Input } | null {
    const { lifecycle } = patch;
    if (lifecycle === undefined || row.lifecycle !== 'blocked') return null;
    if (lifecycle !== row.lifecycleBefore)
      throw this.records.rules.refusal(row, 'unblock', `The blocked account returns to ${row.lifecycleBefore}.`);
    const { input } = shorthandOf(accounts, 'blocked', {
      ...patch,
      lifecycle: accountLifecycle.transitions.unblock.to,
    })!;
    return { action: 'unblock', input };
  }

  async prepare(transaction: Transaction, row: Account, action: AccountAction): Promise<Account> {
    await this.merging.refuseImpossible(transaction, row, action);
    return row;
  }

  takenOver(into: Account, from: Account): Partial<Account> {
    const roles = [...new Set([...into.roles, ...from.roles])];
    return {
      domain: into.domain ?? from.domain,
      taxId: into.taxId ?? from.taxId,
      roles: roles.includes('customer') ? roles.filter((role) => role !== 'prospect') : roles,
      creditLimitMinor: from.creditLimitMinor === null ? into.creditLimitMinor : lowerLimit(into, from),
    };
  }

  /**
   * If an account absorbs one of its ancestors, it takes the ancestor's position in the hierarchy. If it absorbs a blocked
   * one, it is blocked.
   * @throws Problem 409 `currency_mismatch` for a credit limit in another currency than that of the remaining account.
   */
  async beforeMove(from: Account, into: Account): Promise<void> {
    const [own, other] = [into, from].map(({ currency }) => currency ?? currentTenant().currency);
    if (from.creditLimitMinor !== null && own !== other)
      throw new Problem(
        'currency_mismatch',
        `The credit limit of ${from.name} is in ${other}, that of ${into.name} in ${own}: remove the first one.`,
      );
    if (from.lifecycle === 'blocked' && into.lifecycle !== 'blocked')
      await this.records.follow('block', into.id, { reason: `${from.name}, which was blocked, was merged into it.` });
    if ((await this.kit.database.read(below(into.id, from.id))).length > 0)
      await this.records.amend(into.id, () => ({ parentAccountId: from.parentAccountId }));
  }

  private async idFrom(query: Statement): Promise<string | null> {
    const [row] = await this.kit.database.read<{ id: string }>(query);
    return row?.id ?? null;
  }
}

function lowerLimit(...accounts: readonly Account[]): number {
  return Math.min(...accounts.map(({ creditLimitMinor }) => creditLimitMinor ?? Infinity));
}

function normal(input: Input, row: Account | null): Partial<Account> {
  const changes: Partial<Account> = {};
  for (const field of ADDRESSES)
    if (input[field] !== undefined) changes[field] = patchedAddress(row?.[field] ?? null, input[field]);
  return changes;
}
