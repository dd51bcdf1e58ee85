import { Injectable } from '@nestjs/common';
import { amountText } from '#libs/kernel/money.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import type { InvoiceWarning } from './invoice.parts.js';
import type { Invoice } from './invoice.js';
import { InvoicesRepository } from './invoices.repository.js';

/**
 * Compares what accounts owe with their credit limits. A limit is in the currency of its account, or the tenant's, and
 * invoices in other currencies do not count towards it.
 */
@Injectable()
export class CreditLimits {
  constructor(
    private readonly repository: InvoicesRepository,
    private readonly accounts: AccountsService,
  ) {}

  /** Warnings about the issue of a draft: its account would owe more than its credit limit. */
  async warnings({ accountId, currency, totalMinor }: Invoice): Promise<InvoiceWarning[]> {
    if (accountId === null || totalMinor === 0) return [];
    const account = await this.accounts.records.readPlainly(accountId);
    const { creditLimitMinor, name } = account;
    if (creditLimitMinor === null || currency !== (account.currency ?? currentTenant().currency)) return [];
    const owed = (await this.repository.openOfAccount(accountId, currency)) + BigInt(totalMinor);
    const excess = owed - BigInt(creditLimitMinor);
    if (excess <= 0n) return [];
    const [owes, more] = [owed, excess].map((minor) => amountText(Number(minor), currency));
    const detail = `The account ${name} owes ${owes}, ${more} more than its credit limit.`;
    return [{ code: 'credit_limit_exceeded', detail }];
  }
}
