import { Module } from '@nestjs/common';
import { BudgetsController } from './budgets.controller.js';
import { AiMoneyModule } from './budgets-records.module.js';
import { BudgetsService } from './budgets.service.js';

/** Budgets for AI jobs. */
@Module({ imports: [AiMoneyModule], providers: [BudgetsService], controllers: [BudgetsController] })
export class BudgetsModule {}
