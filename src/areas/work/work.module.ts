import { Module } from '@nestjs/common';
import { MilestonesController } from './milestones/milestones.controller.js';
import { ProjectTemplatesController } from './project-templates/project-templates.controller.js';
import { ProjectsController } from './projects/projects.controller.js';
import { TasksController } from './tasks/tasks.controller.js';
import { TimeEntriesController } from './time-entries/time-entries.controller.js';
import { WorkRecordsModule } from './work-records.module.js';

/** Projects with their tasks, milestones and time, and the templates that they start from. */
@Module({
  imports: [WorkRecordsModule],
  controllers: [
    MilestonesController,
    ProjectTemplatesController,
    ProjectsController,
    TasksController,
    TimeEntriesController,
  ],
})
export class WorkModule {}
