import { Module } from '@nestjs/common';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { cycles } from './cycles/cycle.js';
import { CyclesService } from './cycles/cycles.service.js';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { DeliveryControlModule } from './delivery-control/delivery-control.module.js';
import { milestones } from './milestones/milestone.js';
import { MilestonesService } from './milestones/milestones.service.js';
import { projectTemplates } from './project-templates/project-template.js';
import { ProjectTemplatesService } from './project-templates/project-templates.service.js';
import { projects } from './projects/project.js';
import { ProjectsService } from './projects/projects.service.js';
import { taskStates } from './task-states/task-state.js';
import { TaskStatesService } from './task-states/task-states.service.js';
import { tasks } from './tasks/task.js';
import { TasksService } from './tasks/tasks.service.js';
import { TimeEntriesController } from './time-entries/time-entries.controller.js';
import { WorkRecordsModule } from './work-records.module.js';
import { workSample } from './work.sample.js';

/** Projects with their tasks, cycles, milestones and time entries, and project templates; control of their delivery. */
@Module({
  imports: [DeliveryControlModule, WorkRecordsModule],
  providers: [contributesSample('work', workSample)],
  controllers: [
    controllerOf(cycles, CyclesService),
    controllerOf(milestones, MilestonesService),
    controllerOf(projectTemplates, ProjectTemplatesService),
    controllerOf(projects, ProjectsService),
    controllerOf(taskStates, TaskStatesService),
    controllerOf(tasks, TasksService),
    TimeEntriesController,
  ],
})
export class WorkModule {}
