import { Module } from '@nestjs/common';
import { ChecklistsModule } from '#libs/checklists/checklists.module.js';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { ChecklistTemplatesRecordsModule } from '#src/areas/settings/checklist-templates/checklist-templates-records.module.js';
import { ChecklistsController } from './checklists/checklists.controller.js';
import { ChecklistsService } from './checklists/checklists.service.js';
import { checklistsSample } from './checklists.sample.js';
import { JobsController } from './jobs.controller.js';
import { BackgroundJobsService } from './jobs.service.js';

/** Asynchronous jobs and checklists over HTTP. */
@Module({
  imports: [CalendarsRecordsModule, ChecklistTemplatesRecordsModule, ChecklistsModule],
  controllers: [ChecklistsController, JobsController],
  providers: [ChecklistsService, contributesSample('operations', checklistsSample), BackgroundJobsService],
})
export class OperationsModule {}
