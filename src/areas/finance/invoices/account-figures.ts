import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isClosed, limitsOf } from '#libs/access/limits.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { invoices } from './invoice.js';
import { InvoicesRepository } from './invoices.repository.js';

const READ = invoices.permissions.read;

/** Adds to an account what it owes and has been charged, for callers who may read invoices. */
@Injectable()
export class AccountFigures implements OnModuleInit {
  constructor(
    private readonly accounts: AccountsService,
    private readonly repository: InvoicesRepository,
  ) {}

  onModuleInit(): void {
    this.accounts.chargedBy(async (accountId) => {
      if (isClosed(invoices, READ)) return null;
      const rows = await this.repository.figuresOfAccount(accountId, limitsOf(invoices, READ));
      return {
        receivableMinor: rows
          .filter(({ receivableMinor }) => receivableMinor !== 0)
          .map(({ currency, receivableMinor }) => ({ currency, valueMinor: receivableMinor })),
        lifetimeMinor: rows.map(({ currency, lifetimeMinor }) => ({ currency, valueMinor: lifetimeMinor })),
      };
    });
  }
}
