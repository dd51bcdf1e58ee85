import { Module } from '@nestjs/common';
import { Authorities } from '#libs/auth/authority.js';
import { Credentials } from '#libs/auth/credentials.js';
import { Guarantors } from '#libs/auth/guarantors.js';
import { ChecklistsModule } from '#libs/checklists/checklists.module.js';
import { FinanceRecordsModule } from '#src/areas/finance/finance-records.module.js';
import { SalesRecordsModule } from '#src/areas/sales/sales-records.module.js';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { LinksRecordsModule } from '#src/areas/timeline/links/links-records.module.js';
import { WorkRecordsModule } from '#src/areas/work/work-records.module.js';
import { HandoffAcceptance } from './handoff-acceptance.js';
import { HandoffFlows } from './handoff.flows.js';
import { HandoffRecords } from './handoff-records.js';
import { HandoffSteps } from './handoff-steps.js';
import { HandoffTemplatesService } from './handoff-templates.service.js';
import { HandoffsRepository } from './handoffs.repository.js';

/** Handoffs without routes, for the worker, which creates and executes them. */
@Module({
  imports: [
    CalendarsRecordsModule,
    ChecklistsModule,
    FinanceRecordsModule,
    LinksRecordsModule,
    SalesRecordsModule,
    WorkRecordsModule,
  ],
  providers: [
    Authorities,
    Credentials,
    Guarantors,
    HandoffAcceptance,
    HandoffFlows,
    HandoffRecords,
    HandoffSteps,
    HandoffTemplatesService,
    HandoffsRepository,
  ],
  exports: [
    ChecklistsModule,
    HandoffAcceptance,
    HandoffRecords,
    HandoffSteps,
    HandoffTemplatesService,
    SalesRecordsModule,
  ],
})
export class SalesHandoffRecordsModule {}
