import { Module } from '@nestjs/common';
import { declaresMetrics } from '#libs/kpi/metric-catalogue.js';
import { SalesRecordsModule } from '#src/areas/sales/sales-records.module.js';
import { MilestonesService } from './milestones/milestones.service.js';
import { ProjectTemplatesService } from './project-templates/project-templates.service.js';
import { ProjectEvents } from './projects/project.events.js';
import { ProjectsRepository } from './projects/projects.repository.js';
import { ProjectsService } from './projects/projects.service.js';
import { TaskAutomations } from './tasks/task.automations.js';
import { TasksRepository } from './tasks/tasks.repository.js';
import { TasksService } from './tasks/tasks.service.js';
import { TimeEntriesRepository } from './time-entries/time-entries.repository.js';
import { TimeEntriesService } from './time-entries/time-entries.service.js';
import { WORK_METRICS } from './work.metrics.js';

/** Work records without routes, for the worker and other areas. */
@Module({
  imports: [SalesRecordsModule],
  providers: [
    declaresMetrics(WORK_METRICS),
    MilestonesService,
    ProjectTemplatesService,
    ProjectEvents,
    ProjectsRepository,
    ProjectsService,
    TaskAutomations,
    TasksRepository,
    TasksService,
    TimeEntriesRepository,
    TimeEntriesService,
  ],
  exports: [MilestonesService, ProjectTemplatesService, ProjectsService, TasksService, TimeEntriesService],
})
export class WorkRecordsModule {}
