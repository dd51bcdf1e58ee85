import { Module } from '@nestjs/common';
import { AccountsController } from './accounts/accounts.controller.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { DealsController } from './deals/deals.controller.js';
import { leads } from './leads/lead.js';
import { LeadsService } from './leads/leads.service.js';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { pipelines } from './pipelines/pipeline.js';
import { PipelinesService } from './pipelines/pipelines.service.js';
import { SalesRecordsModule } from './sales-records.module.js';
import { SalesSample } from './sales.sample.js';

/** Accounts, contacts, leads, deals and pipelines. */
@Module({
  imports: [SalesRecordsModule],
  providers: [SalesSample],
  controllers: [
    AccountsController,
    ContactsController,
    DealsController,
    controllerOf(leads, LeadsService),
    controllerOf(pipelines, PipelinesService),
  ],
})
export class SalesModule {}
