import type { EntityClass } from '#libs/database/data-source.js';
import { Milestone } from './milestones/milestone.entity.js';
import { ProjectTemplate } from './project-templates/project-template.entity.js';
import { Project } from './projects/project.entity.js';
import { Task } from './tasks/task.entity.js';
import { TimeEntry } from './time-entries/time-entry.entity.js';

export const WORK_ENTITIES: EntityClass[] = [Milestone, ProjectTemplate, Project, Task, TimeEntry];
