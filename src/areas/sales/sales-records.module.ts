import { Module } from '@nestjs/common';
import { declaresMetrics } from '#libs/measures/metric-catalogue.js';
import { AccountFlows } from './accounts/account.flows.js';
import { AccountsService } from './accounts/accounts.service.js';
import { ContactsService } from './contacts/contacts.service.js';
import { DealsService } from './deals/deals.service.js';
import { LeadsService } from './leads/leads.service.js';
import { PipelinesService } from './pipelines/pipelines.service.js';
import { SALES_METRICS } from './sales.metrics.js';

const SERVICES = [AccountsService, ContactsService, DealsService, LeadsService, PipelinesService];

/** Sales records without routes, for the worker and other areas. */
@Module({
  providers: [declaresMetrics(SALES_METRICS), ...SERVICES, AccountFlows],
  exports: SERVICES,
})
export class SalesRecordsModule {}
