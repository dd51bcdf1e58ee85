import { Module } from '@nestjs/common';
import { GuarantorsModule } from '#libs/auth/guarantors.module.js';
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
    GuarantorsModule,
    LinksRecordsModule,
    SalesRecordsModule,
    WorkRecordsModule,
  ],
  providers: [
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
