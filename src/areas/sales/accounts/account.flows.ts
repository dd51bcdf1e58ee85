import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { DealsService } from '../deals/deals.service.js';
import { AccountsService } from './accounts.service.js';

/** Changes of accounts caused by their deals. */
@Injectable()
export class AccountFlows implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly accounts: AccountsService,
    private readonly deals: DealsService,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'sales.account_on_deal_won',
      event: 'sales.deal.won',
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: ({ subject }) => this.welcome(subject.id),
    });
  }

  /**
   * Marks the account of a won deal as a customer. The deal is read again, because its account may have been merged or
   * the deal reopened in the meantime.
   */
  private async welcome(dealId: string): Promise<void> {
    const deal = await this.deals.records.find(dealId);
    if (deal?.status === 'won' && deal.accountId !== null) await this.accounts.becomeCustomer(deal.accountId);
  }
}
