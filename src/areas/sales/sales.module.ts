import { Module } from '@nestjs/common';
import { AccountsController } from './accounts/accounts.controller.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { DealsController } from './deals/deals.controller.js';
import { LeadsController } from './leads/leads.controller.js';
import { PipelinesController } from './pipelines/pipelines.controller.js';
import { ProductsController } from './products/products.controller.js';
import { SalesRecordsModule } from './sales-records.module.js';

/** Accounts, contacts, leads, products, deals and the pipelines they move through. */
@Module({
  imports: [SalesRecordsModule],
  controllers: [
    AccountsController,
    ContactsController,
    DealsController,
    LeadsController,
    PipelinesController,
    ProductsController,
  ],
})
export class SalesModule {}
