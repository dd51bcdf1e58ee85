import { Module } from '@nestjs/common';
import { ChecklistsModule } from '#libs/checklists/checklists.module.js';
import { declaresMetrics } from '#libs/measures/metric-catalogue.js';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { ChecklistTemplatesRecordsModule } from '#src/areas/settings/checklist-templates/checklist-templates-records.module.js';
import { SalesRecordsModule } from '#src/areas/sales/sales-records.module.js';
import { PublicLinksRecordsModule } from '#src/areas/sharing/public-links/public-links-records.module.js';
import { CycleAutomations } from './cycles/cycle.automations.js';
import { CyclesService } from './cycles/cycles.service.js';
import { MilestoneSharingService } from './milestones/milestone-sharing.service.js';
import { MilestonesService } from './milestones/milestones.service.js';
import { ProjectTemplatesService } from './project-templates/project-templates.service.js';
import { ProjectEvents } from './projects/project.events.js';
import { ProjectsRepository } from './projects/projects.repository.js';
import { ProjectsService } from './projects/projects.service.js';
import { TaskStatesRepository } from './task-states/task-states.repository.js';
import { TaskStatesService } from './task-states/task-states.service.js';
import { TaskAutomations } from './tasks/task.automations.js';
import { TasksRepository } from './tasks/tasks.repository.js';
import { TasksService } from './tasks/tasks.service.js';
import { TimeEntriesRepository } from './time-entries/time-entries.repository.js';
import { TimeEntriesService } from './time-entries/time-entries.service.js';
import { WORK_METRICS } from './work.metrics.js';

/** Work records without routes, for the worker and other areas. */
@Module({
  imports: [
    CalendarsRecordsModule,
    ChecklistTemplatesRecordsModule,
    ChecklistsModule,
    PublicLinksRecordsModule,
    SalesRecordsModule,
  ],
  providers: [
    declaresMetrics(WORK_METRICS),
    CycleAutomations,
    CyclesService,
    MilestoneSharingService,
    MilestonesService,
    ProjectTemplatesService,
    ProjectEvents,
    ProjectsRepository,
    ProjectsService,
    TaskAutomations,
    TaskStatesRepository,
    TaskStatesService,
    TasksRepository,
    TasksService,
    TimeEntriesRepository,
    TimeEntriesService,
  ],
  exports: [
    CyclesService,
    MilestoneSharingService,
    MilestoneSharingService,
    MilestonesService,
    ProjectTemplatesService,
    ProjectsService,
    TaskStatesService,
    TasksService,
    TimeEntriesService,
  ],
})
export class WorkRecordsModule {}
