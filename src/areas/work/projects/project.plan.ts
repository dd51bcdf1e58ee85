import type { BusinessDays } from '#libs/kernel/business-days.js';
import type { Milestone, MilestoneInput } from '../milestones/milestone.js';
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

/** Milestones and tasks of a template for a project that starts at `start`. */
export function planOf(
  template: ProjectTemplate,
  project: Project,
  { start, days, roles }: { start: string; days: BusinessDays; roles: ProjectRole[] },
): ProjectPlan {
  const dayAfter = (offset: number) => days.add(start, offset, '/startDate');
  const milestones = template.milestones.map(
    ({ name, offsetDays, phase, billableMinor = null, acceptanceRequired = false }) => ({
      projectId: project.id,
      name,
      dueDate: dayAfter(offsetDays),
      billableMinor,
      acceptance: { required: acceptanceRequired, contactId: null },
      ownerId: project.ownerId,
      tags: tagsOf(phase),
    }),
  );
  return { milestones, tasks: (made) => planTasks(template, dayAfter, roles, made) };
}

function planTasks(
  template: ProjectTemplate,
  dayAfter: (offset: number) => string,
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
      startDate: task.durationDays == null ? null : dayAfter(task.offsetDays - task.durationDays),
      dueDate: dayAfter(task.offsetDays),
      estimateMinutes: task.estimateMinutes ?? null,
      milestoneId: task.milestone == null ? null : milestoneIds.get(task.milestone)!,
      checklist: (task.checklist ?? []).map((title) => ({ title, done: false })),
      tags: tagsOf(task.phase),
    },
  }));
}

function tagsOf(phase: string | null | undefined): string[] {
  return phase == null ? [] : [phase];
}
