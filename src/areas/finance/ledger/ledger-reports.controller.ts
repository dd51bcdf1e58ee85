import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Aging, AgingQuery, TrialBalance, TrialBalanceQuery } from './ledger-report.dto.js';
import { LedgerService } from './ledger.service.js';

@Controller('api/v1/finance')
export class LedgerReportsController {
  constructor(private readonly service: LedgerService) {}

  @Route({
    id: 'finance.trial_balance.get',
    summary: 'Read the trial balance',
    permission: 'ledger:read',
    query: TrialBalanceQuery,
    answer: TrialBalance,
    tag: 'finance ledger entries',
  })
  @Get('trial-balance')
  trialBalance(@Query() query: TrialBalanceQuery) {
    return this.service.trialBalance(query);
  }

  @Route({
    id: 'finance.invoices.aging',
    summary: 'Read what customers owe, by how long it is overdue',
    permission: 'ledger:read',
    query: AgingQuery,
    answer: Aging,
    tag: 'finance ledger entries',
    problems: ['cursor_invalid'],
  })
  @Get('invoices/aging')
  aging(@Query() query: AgingQuery) {
    return this.service.aging(query);
  }
}
