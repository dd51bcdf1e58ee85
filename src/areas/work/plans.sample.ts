import { startOfDayMs } from '#libs/kernel/civil-time.js';
import type { SampleMove, SampleStory } from '#libs/resource/sample/sample-story.js';
import { CYCLE_TIMER } from './cycles/cycles.service.js';
import type { TemplateMilestone, TemplateTask } from './project-templates/project-template.parts.js';

/** A cycle: name, goal, first and last day as days ago, tasks of the project in it. None is closed: it takes no tasks. */
const CYCLES = [
  ['Sprint 2', 'Key users accept the portal.', 14, -2, 'current', [6, 7]],
  ['Sprint 3', 'Operations has taken over.', -3, -17, 'upcoming', [8]],
] as const;
const CYCLED = 'DEMOPORTAL';

/** The current cycle of a project, and the next one. */
export function cycles(story: SampleStory): void {
  CYCLES.forEach(([name, goal, first, last, status], index) => {
    const key = `cycle ${index}`;
    const createdAt = story.at(30, 9);
    const moves: SampleMove[] =
      status === 'current' ? [{ action: 'start', from: 'upcoming', to: 'current', at: story.at(first, 0) }] : [];
    story.record(
      {
        ...{ key, table: 'data.work_cycles', name, reference: `CYC-00000${index + 1}`, createdAt },
        ...{ version: 1 + moves.length, updatedAt: moves.at(-1)?.at ?? createdAt },
      },
      {
        ...{ projectId: story.id(`project ${CYCLED}`), goal, status, closedAt: null },
        ...{ startDate: story.day(first), endDate: story.day(last) },
      },
    );
    story.moves('work.cycle', key, createdAt, moves);
    const turnsOn = story.day(status === 'upcoming' ? first : last - 1);
    story.link('data.automation_runs', {
      ...{ kind: CYCLE_TIMER, key: story.id(key), state: 'waiting', attempts: 0, createdAt: story.now },
      dueAt: new Date(startOfDayMs(turnsOn, story.settings.general.timezone)).toISOString(),
    });
  });
}

/** The cycle of a task; null for those that were done before. */
export function cycleOf(story: SampleStory, project: string, number: number): string | null {
  const index =
    project === CYCLED ? CYCLES.findIndex(([, , , , , numbers]) => numbers.some((each) => each === number)) : -1;
  return index === -1 ? null : story.id(`cycle ${index}`);
}

const task = (key: string, name: string, phase: string, offsetDays: number, more: Partial<TemplateTask> = {}) => ({
  ...{ key, name, description: null, offsetDays, durationDays: null, phase, role: null, milestone: null },
  ...{ parent: null, blockedBy: [], estimateMinutes: null, priority: 'none', checklist: [], ...more },
});
const milestone = (key: string, name: string, phase: string, offsetDays: number): TemplateMilestone => ({
  ...{ key, name, offsetDays, phase, billableMinor: null, acceptanceRequired: false },
});

/** Templates of projects: one in use, one being written. */
export function projectTemplates(story: SampleStory): void {
  const createdAt = story.at(300);
  const publishedAt = story.at(290, 15);
  const table = 'data.work_project_templates';
  const nothing = { ...{ description: null, phases: [], milestones: [], tasks: [] }, billing: null };
  story.record(
    {
      ...{ key: 'project template 0', table, name: 'Customer rollout', reference: 'PT-000001' },
      ...{ createdAt, updatedAt: publishedAt, version: 2 },
    },
    {
      ...nothing,
      ...{ description: 'From the concept to the handover to operations.', status: 'published' },
      phases: ['Concept', 'Build', 'Handover'],
      milestones: [
        milestone('concept', 'Concept agreed', 'Concept', 15),
        milestone('delivered', 'System delivered', 'Build', 50),
      ],
      tasks: [
        task('goals', 'Agree the goals', 'Concept', 5, { milestone: 'concept', estimateMinutes: 240 }),
        task('model', 'Design the data model', 'Concept', 15, { milestone: 'concept', blockedBy: ['goals'] }),
        task('build', 'Build the first version', 'Build', 45, { milestone: 'delivered', blockedBy: ['model'] }),
        task('train', 'Train the users', 'Handover', 55, { blockedBy: ['build'], estimateMinutes: 480 }),
      ],
      ...{ checklistTemplateId: story.id('checklist template project'), billing: { model: 'fixed' } },
    },
  );
  story.moves('work.project_template', 'project template 0', createdAt, [
    { action: 'publish', from: 'draft', to: 'published', at: publishedAt },
  ]);
  story.record(
    {
      ...{ key: 'project template 1', table, name: 'Support contract', reference: 'PT-000002' },
      createdAt: story.at(12),
    },
    { ...nothing, status: 'draft', phases: ['Start', 'Care'], checklistTemplateId: null },
  );
}
