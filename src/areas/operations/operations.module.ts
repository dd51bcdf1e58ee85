import { Module } from '@nestjs/common';
import { ChecklistTemplatesRecordsModule } from '#src/areas/settings/checklist-templates/checklist-templates-records.module.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { ChecklistsController } from './checklists/checklists.controller.js';
import { ChecklistsRecordsModule } from './checklists/checklists-records.module.js';
import { ChecklistsService } from './checklists/checklists.service.js';
import { JobsController } from './jobs.controller.js';
import { JobsService } from './jobs.service.js';

/** Asynchronous jobs and checklists over HTTP. */
@Module({
  imports: [ChecklistTemplatesRecordsModule, ChecklistsRecordsModule],
  controllers: [ChecklistsController, JobsController],
  providers: [ChecklistsService, JobsService, RecordSubjects],
})
export class OperationsModule {}
