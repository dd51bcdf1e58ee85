import { Module } from '@nestjs/common';
import { BudgetAlerts } from './budget-alerts.js';
import { BudgetPeriods } from './budget-periods.js';
import { BudgetsRepository } from './budgets.repository.js';
import { BudgetsService } from './budgets.service.js';
import { LedgerCheck } from './ledger-check.js';
import { Spending } from './spending.js';

const OWN = [BudgetAlerts, BudgetPeriods, BudgetsRepository, BudgetsService, LedgerCheck, Spending];

/** Budgets of AI jobs without routes, for jobs, the worker and the statistics. */
@Module({ providers: OWN, exports: OWN })
export class AiMoneyModule {}
