import type { StartedItem } from '#libs/checklists/checklist.js';
import type { SampleStory } from '#libs/resource/sample/sample-story.js';

/** A checklist: project, title, kind, days since its start, items that are done. */
const CHECKLISTS = [
  ['DEMOPORTAL', 'Customer handover', 'handoff', 148, 5],
  ['DEMOWIND', 'Project start', 'project', 3, 2],
] as const;
const ITEMS = [
  ['scope_signed', 'Scope signed by the customer'],
  ['team_named', 'Team named'],
  ['kickoff', 'Kick-off held'],
  ['access_granted', 'Access to the customer’s systems granted'],
  ['plan_agreed', 'Plan agreed'],
] as const;

/** Checklists of projects. */
export function checklistsSample(story: SampleStory): void {
  for (const [project, title, kind, daysAgo, done] of CHECKLISTS) {
    const createdAt = story.at(daysAgo, 11);
    const completedAt = done === ITEMS.length ? story.at(daysAgo - done * 2, 15) : null;
    const items = ITEMS.map(([key, name], index): StartedItem => {
      const isDone = index < done;
      return {
        ...{ key, title: name, description: null, required: true, assigneeId: story.memberId },
        ...{ dueDate: story.day(daysAgo - (index + 1) * 2), evidence: 'none', status: isDone ? 'done' : 'pending' },
        ...{ dependsOn: index === 0 ? [] : [ITEMS[index - 1]![0]], note: null, link: null, fileId: null, reason: null },
        changedAt: isDone ? story.at(Math.max(daysAgo - index - 1, 0), 15) : null,
        changedBy: isDone ? story.author : null,
      };
    });
    story.detail('data.checklists', {
      ...{ version: 1 + done, title, kind, subject: { object: 'work.project', id: story.id(`project ${project}`) } },
      ...{
        templateId: story.id('checklist template project'),
        startDate: story.day(daysAgo),
        items,
        completedAt,
        createdAt,
      },
      updatedAt: completedAt ?? story.at(Math.max(daysAgo - done, 0), 15),
    });
  }
}
