import { addDays } from '#libs/kernel/civil-time.js';
import type { Milestone, MilestoneInput } from '../milestones/milestone.js';
import type { TemplateTask } from '../project-templates/project-template.parts.js';
import type { ProjectTemplate } from '../project-templates/project-template.js';
import { orderTasks } from '../project-templates/template.rules.js';
import type { PlannedTask } from '../tasks/task.plan.js';
import type { Project } from './project.js';
import type { ProjectRole } from './project.parts.js';

/** Initial content of a project. `tasks` requires the milestones created from the plan, in the same order. */
export interface ProjectPlan {
  milestones: MilestoneInput[];
  tasks(milestones: Milestone[]): PlannedTask[];
}

/** Milestones and tasks of a template for one project; days are relative to its first day, or to today. */
export function planOf(
  template: ProjectTemplate,
  project: Project,
  { today, roles }: { today: string; roles: ProjectRole[] },
): ProjectPlan {
  const start = project.startDate ?? today;
  const milestones = template.milestones.map(
    ({ name, offsetDays, phase, billableMinor = null, acceptanceRequired = false }) => ({
      projectId: project.id,
      name,
      dueDate: addDays(start, offsetDays),
      billableMinor,
      acceptance: { required: acceptanceRequired, contactId: null },
      ownerId: project.ownerId,
      tags: tagsOf(phase),
    }),
  );
  return { milestones, tasks: (made) => planTasks(template, start, roles, made) };
}

function planTasks(
  template: ProjectTemplate,
  start: string,
  roles: ProjectRole[],
  milestones: Milestone[],
): PlannedTask[] {
  const milestoneIds = new Map(template.milestones.map(({ key }, i) => [key, milestones[i]!.id]));
  return orderTasks(template).map((task) => ({
    key: task.key,
    number: template.tasks.indexOf(task) + 1,
    parent: task.parent ?? null,
    blockedBy: task.blockedBy ?? [],
    input: {
      name: task.name,
      description: task.description ?? null,
      priority: task.priority ?? 'none',
      assigneeIds: [...new Set(roles.filter(({ role }) => role === task.role).map(({ memberId }) => memberId))],
      startDate: startOf(task, start),
      dueDate: addDays(start, task.offsetDays),
      estimateMinutes: task.estimateMinutes ?? null,
      milestoneId: task.milestone == null ? null : milestoneIds.get(task.milestone)!,
      checklist: (task.checklist ?? []).map((title) => ({ title, done: false })),
      tags: tagsOf(task.phase),
    },
  }));
}

function startOf({ offsetDays, durationDays }: TemplateTask, start: string): string | null {
  return durationDays == null ? null : addDays(start, offsetDays - durationDays);
}

function tagsOf(phase: string | null | undefined): string[] {
  return phase == null ? [] : [phase];
}
