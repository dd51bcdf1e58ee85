import { Module } from '@nestjs/common';
import { BudgetsController } from './budgets.controller.js';
import { AiMoneyModule } from './budgets-records.module.js';

/** Budgets for AI jobs. */
@Module({ imports: [AiMoneyModule], controllers: [BudgetsController] })
export class BudgetsModule {}
