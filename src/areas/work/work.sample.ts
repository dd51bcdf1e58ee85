import type { SampleMove, SampleStory } from '#libs/resource/sample/sample-story.js';
import type { BillingModel } from './projects/project.billing.js';
import type { ProjectStatus } from './projects/project.lifecycle.js';
import { cycleOf, cycles, projectTemplates } from './plans.sample.js';
import { PRIORITIES } from './ranks.js';

/** A project for a won deal. Times are in days before today; negative ones are ahead. */
interface SampleProject {
  key: string;
  name: string;
  deal: number;
  start: number;
  target: number;
  status: ProjectStatus;
  model: BillingModel;
  budget: number;
  /** Number of its tasks that are done. */
  done: number;
  ended?: number;
}

const PROJECTS: readonly SampleProject[] = [
  { key: 'DEMOPLANT', name: 'Plant monitoring rollout', deal: 0, start: 280, target: 150, status: 'completed', model: 'fixed', budget: 48_000, done: 8, ended: 155 },
  { key: 'DEMOFLEET', name: 'Fleet contract delivery', deal: 1, start: 235, target: 90, status: 'completed', model: 'fixed', budget: 72_000, done: 8, ended: 72 },
  { key: 'DEMOPORTAL', name: 'Patient portal', deal: 2, start: 150, target: -30, status: 'active', model: 'fixed', budget: 64_000, done: 6 },
  { key: 'DEMOGRID', name: 'Grid analytics', deal: 3, start: 120, target: 5, status: 'active', model: 'time_and_materials', budget: 120_000, done: 4 },
  { key: 'DEMOSITE', name: 'Site reporting', deal: 8, start: 60, target: -60, status: 'active', model: 'time_and_materials', budget: 42_000, done: 3 },
  { key: 'DEMOSENSOR', name: 'Sensor upgrade', deal: 11, start: 40, target: -35, status: 'on_hold', model: 'fixed', budget: 26_000, done: 2, ended: 10 },
  { key: 'DEMOWIND', name: 'Wind park rollout', deal: 13, start: -10, target: -120, status: 'planned', model: 'fixed', budget: 95_000, done: 0 },
]; // prettier-ignore

const TASKS = [
  ['Agree the goals', 240],
  ['Describe the processes', 480],
  ['Design the data model', 720],
  ['Build the first version', 2_400],
  ['Connect the source systems', 1_440],
  ['Test with key users', 960],
  ['Train the users', 480],
  ['Hand over to operations', 240],
] as const;
const MILESTONES = ['Concept agreed', 'System delivered', 'Accepted by the customer'] as const;
/** Number of the last task of each milestone. */
const LAST_TASKS = [3, 6, 8] as const;
const POSITION_STEP = 65_536;
const HOURLY_RATE = 120;
const TIMED_PROJECTS = ['DEMOPORTAL', 'DEMOGRID', 'DEMOSITE'] as const;
const TIMED_DAYS = 30;

/** Projects for won deals, with milestones, tasks and time entries. */
export function workSample(story: SampleStory): void {
  projectTemplates(story);
  PROJECTS.forEach((each, index) => project(story, each, index));
  cycles(story);
  for (const each of PROJECTS) {
    const createdAt = story.get<string>(`project ${each.key}`, 'createdAt');
    milestones(story, each, createdAt);
    tasks(story, each, createdAt);
  }
  if (story.memberId !== null) timeEntries(story, story.memberId);
}

function project(story: SampleStory, each: SampleProject, index: number): void {
  const { key, name, deal, start, target, status, model, budget, ended } = each;
  const isBegun = status !== 'planned';
  const createdAt = story.at(Math.max(start, 0) + 5);
  const moves: SampleMove[] = isBegun
    ? [{ action: 'start', from: 'planned', to: 'active', at: story.at(start, 8) }]
    : [];
  const endedAt = ended === undefined ? null : story.at(ended, 17);
  if (endedAt !== null)
    moves.push({ action: status === 'on_hold' ? 'hold' : 'complete', from: 'active', to: status, at: endedAt });
  story.record(
    {
      ...{ key: `project ${key}`, table: 'data.work_projects', name, createdAt },
      ...{ reference: `PRJ-00000${index + 1}`, version: 1 + moves.length, updatedAt: moves.at(-1)?.at ?? createdAt },
    },
    {
      ...{ key, description: null, status, health: 0, priority: 1 + (index % 4) },
      ...{ startDate: story.day(start), targetDate: story.day(target) },
      ...{ heldAt: status === 'on_hold' ? endedAt : null, completedAt: status === 'completed' ? endedAt : null },
      ...{ memberIds: [], visibility: 'workspace' },
      ...{ accountId: story.get(`deal ${deal}`, 'accountId'), dealId: story.id(`deal ${deal}`) },
      ...{ billingModel: model, budgetMinor: story.minor(budget), currency: story.currency },
      hourlyRateMinor: model === 'time_and_materials' ? story.minor(HOURLY_RATE) : null,
      ...{ budgetMinutes: null, invoiceOn: 'manual', progressMethod: 'tasks', progressPercent: 0 },
      ...{ handoffId: key === 'DEMOSITE' ? story.id('handoff 8') : null, templateId: null },
    },
  );
  story.moves('work.project', `project ${key}`, createdAt, moves);
}

function milestones(story: SampleStory, { key, start, target, done, ended }: SampleProject, createdAt: string): void {
  MILESTONES.forEach((name, index) => {
    const due = Math.round(start - ((start - target) * (index + 1)) / MILESTONES.length);
    const isReached = done >= LAST_TASKS[index]!;
    const reachedAt = isReached ? story.at(Math.max(due, ended ?? 0, 1), 15) : null;
    const milestoneKey = `milestone ${key} ${index}`;
    story.record(
      {
        ...{ key: milestoneKey, table: 'data.work_milestones', name, createdAt },
        reference: `MS-${key.slice(4)}-${index + 1}`,
        ...{ version: isReached ? 2 : 1, updatedAt: reachedAt ?? createdAt },
      },
      {
        ...{ projectId: story.id(`project ${key}`), description: null, status: isReached ? 'reached' : 'open' },
        ...{ dueDate: story.day(due), billableMinor: null, currency: isReached ? story.currency : null },
        ...{ acceptanceRequired: false, acceptanceContactId: null, reachedAt, acceptedAt: null },
      },
    );
    if (reachedAt !== null)
      story.moves('work.milestone', milestoneKey, createdAt, [
        { action: 'reach', from: 'open', to: 'reached', at: reachedAt },
      ]);
  });
}

function tasks(
  story: SampleStory,
  { key, start, target, status, done, ended }: SampleProject,
  createdAt: string,
): void {
  const lastDay = Math.max(ended ?? 1, 1);
  TASKS.forEach(([name, estimateMinutes], index) => {
    const number = index + 1;
    const isDone = index < done;
    const isStarted = index === done && status === 'active';
    const state = isDone ? 'done' : isStarted ? 'in_progress' : index < done + 3 ? 'todo' : 'backlog';
    const dayOf = (step: number) => Math.round(start - ((start - lastDay) * step) / Math.max(done, 1));
    const moves: SampleMove[] = [];
    if (state !== 'backlog') moves.push({ action: 'plan', from: 'backlog', to: 'todo', at: createdAt });
    if (isDone || isStarted)
      moves.push({
        action: 'start',
        from: 'todo',
        to: 'in_progress',
        at: story.at(Math.max(dayOf(index), lastDay), 9),
      });
    if (isDone) moves.push({ action: 'complete', from: 'in_progress', to: 'done', at: story.at(dayOf(number), 16) });
    const taskKey = `task ${key} ${number}`;
    story.record(
      {
        ...{ key: taskKey, table: 'data.work_tasks', name, createdAt },
        ...{ reference: '', version: 1 + moves.length, updatedAt: moves.at(-1)?.at ?? createdAt },
      },
      {
        ...{ reference: `${key}-${number}`, projectId: story.id(`project ${key}`), number, description: null, state },
        priority: (number * 3) % PRIORITIES.length,
        assigneeIds: story.memberId !== null && index % 2 === 0 ? [story.memberId] : [],
        ...{
          parentId: null,
          startDate: null,
          estimateMinutes,
          blockedByIds: index === 5 ? [story.id(`task ${key} 5`)] : [],
        },
        dueDate: story.day(Math.round(start - ((start - target) * number) / TASKS.length)),
        cycleId: cycleOf(story, key, number),
        milestoneId: story.id(`milestone ${key} ${LAST_TASKS.findIndex((last) => number <= last)}`),
        ...{ checklist: [], position: number * POSITION_STEP, completedAt: isDone ? moves.at(-1)!.at : null },
      },
    );
    story.moves('work.task', taskKey, createdAt, moves);
  });
}

/** Time of the owner of the sample data: approved, except in the last two weeks. */
function timeEntries(story: SampleStory, membershipId: string): void {
  story.workdays(TIMED_DAYS).forEach((daysAgo, index) => {
    const projectKey = TIMED_PROJECTS[index % TIMED_PROJECTS.length]!;
    const status = daysAgo > 14 ? 'approved' : daysAgo > 4 ? 'submitted' : 'draft';
    const billable = projectKey !== 'DEMOPORTAL';
    const minutes = 60 + ((index * 45) % 240);
    const isApproved = status === 'approved';
    const createdAt = story.at(daysAgo, 17);
    const approvedAt = isApproved ? story.at(daysAgo - 3, 12) : null;
    const key = `time ${index}`;
    const moves: SampleMove[] = [];
    if (status !== 'draft') moves.push({ action: 'submit', from: 'draft', to: 'submitted', at: createdAt });
    if (approvedAt !== null) moves.push({ action: 'approve', from: 'submitted', to: 'approved', at: approvedAt });
    story.record(
      {
        ...{ key, table: 'data.work_time_entries', name: 'Time entry', createdAt },
        reference: `TIME-${String(index + 1).padStart(6, '0')}`,
        ...{ version: 1 + moves.length, updatedAt: moves.at(-1)?.at ?? createdAt },
      },
      {
        ...{ membershipId, projectId: story.id(`project ${projectKey}`), taskId: story.id(`task ${projectKey} 5`) },
        ...{ workDate: story.day(daysAgo), minutes, runningSince: null, billable, note: 'Work with the key users' },
        ...{ status, rejectedReason: null, approvedAt },
        rateMinor: isApproved && billable ? story.minor(HOURLY_RATE) : null,
        amountMinor: isApproved && billable ? Math.floor((minutes * story.minor(HOURLY_RATE) * 2 + 60) / 120) : null,
        invoiceLineId: null,
      },
    );
    story.moves('work.time_entry', key, createdAt, moves);
  });
}
