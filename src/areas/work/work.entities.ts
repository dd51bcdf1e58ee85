import type { EntityClass } from '#libs/database/data-source.js';
import { Cycle } from './cycles/cycle.js';
import { Milestone } from './milestones/milestone.js';
import { ProjectTemplate } from './project-templates/project-template.js';
import { Project } from './projects/project.js';
import { Task } from './tasks/task.js';
import { TaskState } from './task-states/task-state.js';
import { TimeEntry } from './time-entries/time-entry.js';

export const WORK_ENTITIES: EntityClass[] = [Cycle, Milestone, ProjectTemplate, Project, Task, TaskState, TimeEntry];
