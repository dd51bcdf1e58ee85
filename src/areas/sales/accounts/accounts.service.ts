import { Injectable } from '@nestjs/common';
import { isClosed, limitsOf } from '#libs/access/limits.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import { dealResource } from '../deals/deal.resource.js';
import { MergeableService } from '../merging/mergeable.service.js';
import type { AccountView } from './account.dto.js';
import type { Account } from './account.entity.js';
import { type AccountAction, accountLifecycle } from './account.lifecycle.js';
import { accountResource } from './account.resource.js';
import { patchedAddress } from './address.dto.js';
import { AccountsRepository } from './accounts.repository.js';

type Input = Record<string, unknown>;

const ADDRESSES = ['billingAddress', 'shippingAddress'] as const;

/** Customers, vendors and partners. */
@Injectable()
export class AccountsService extends MergeableService<Account, AccountView, AccountAction> {
  protected override readonly handlers: Partial<
    Record<Exclude<AccountAction, StandardAction>, ActionHandler<Account>>
  > = {
    block: (row) => ({ lifecycleBefore: row.lifecycle }),
    unblock: (row) => ({ lifecycle: row.lifecycleBefore!, lifecycleBefore: null }),
  };
  protected override readonly constraints = {
    sales_accounts_parent_ring: () =>
      Problem.validation([
        { pointer: '/parentAccountId', code: 'invalid_value', detail: 'The account would be above itself.' },
      ]),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: AccountsRepository,
    events: EventCatalogue,
  ) {
    super(accountResource, kit, repository, events);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.referredBy(this, 'parentAccountId');
  }

  /** With what its open deals come to, for who may read deals. */
  override async get(id: string): Promise<AccountView> {
    const account = await super.get(id);
    if (!isClosed(dealResource, 'deals:read'))
      account.openDealsMinor = await this.repository.openDeals(id, limitsOf(dealResource, 'deals:read'));
    return account;
  }

  /** A patch of `lifecycle` lets a blocked account return to where it was, and nowhere else. */
  override async update(id: string, patch: Input): Promise<AccountView> {
    const { lifecycle } = patch;
    if (lifecycle === undefined) return super.update(id, patch);
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id);
      if (row.lifecycle !== 'blocked') return super.update(id, patch);
      if (lifecycle !== row.lifecycleBefore)
        throw this.refusal(row, 'unblock', `The blocked account returns to ${row.lifecycleBefore}.`);
      return super.update(id, { ...patch, lifecycle: accountLifecycle.transitions.unblock.to });
    });
  }

  /**
   * Makes an account an active customer, as a consequence of a deal that was won. One that is archived, blocked or gone
   * stays as it is.
   */
  async becomeCustomer(id: string): Promise<void> {
    await this.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.deletedAt !== null || row.archivedAt !== null || row.lifecycle === 'blocked') return;
      const roles = row.roles.includes('customer')
        ? row.roles
        : [...row.roles.filter((role) => role !== 'prospect'), 'customer' as const];
      if (row.lifecycle === 'active') this.apply(transaction, row, { roles }, 'updated');
      else this.apply(transaction, row, { roles, lifecycle: 'active' }, 'activated', { move: 'activate' });
    });
  }

  /** @throws Problem 409 `account_blocked`, 404. */
  async refuseBlocked(id: string): Promise<void> {
    const { lifecycle, name } = await this.readPlainly(id);
    if (lifecycle === 'blocked') throw new Problem('account_blocked', `The account ${name} is blocked.`);
  }

  /** ISO 4217 code of an account's deals; null when it says none, or there is no such account. */
  async currencyOf(id: string): Promise<string | null> {
    return (await this.repository.find(id))?.currency ?? null;
  }

  /**
   * The account of a company: the oldest known by its internet domain, else by its name, also through
   * one that was merged into it; null when there is none.
   */
  async match(company: { domain: string | null; name: string | null }): Promise<string | null> {
    const found = company.domain === null ? null : await this.repository.idOfDomain(company.domain);
    return found ?? (company.name === null ? null : this.repository.idOfName(company.name));
  }

  protected override derive(): Partial<AccountView> {
    return { openDealsMinor: null };
  }

  protected override async draft(input: Input): Promise<Draft<Account>> {
    return { ...input, ...normal(input, null) } as unknown as Draft<Account>; // validated members are columns
  }

  protected override edit(row: Account, patch: Input): Partial<Account> {
    return { ...patch, ...normal(patch, row) };
  }

  protected override takenOver(into: Account, from: Account): Partial<Account> {
    return { domain: into.domain ?? from.domain, taxId: into.taxId ?? from.taxId };
  }

  /** An account that takes over the ones above it takes their place. */
  protected override async move(transaction: Transaction, from: Account, into: Account): Promise<void> {
    if (await this.repository.isBelow(into.id, from.id))
      await this.amend(into.id, () => ({ parentAccountId: from.parentAccountId }));
    await super.move(transaction, from, into);
  }
}

function normal(input: Input, row: Account | null): Partial<Account> {
  const changes: Partial<Account> = {};
  if (typeof input['domain'] === 'string') changes.domain = input['domain'].toLowerCase();
  for (const field of ADDRESSES)
    if (input[field] !== undefined) changes[field] = patchedAddress(row?.[field] ?? null, input[field]);
  return changes;
}
