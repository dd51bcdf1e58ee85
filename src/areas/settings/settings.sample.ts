import { completeItem, type GivenItem } from '#libs/checklists/template-item.js';
import type { SampleStory } from '#libs/resource/sample/sample-story.js';

/** A holiday: month and day, name. */
const HOLIDAYS = [
  ['01-01', 'New Year’s Day'],
  ['05-01', 'Labour Day'],
  ['10-03', 'Day of German Unity'],
  ['12-25', 'Christmas Day'],
  ['12-26', 'Boxing Day'],
] as const;

/** A checklist template: key, name, occasion, items. */
const CHECKLISTS: readonly (readonly [string, string, string, readonly GivenItem[]])[] = [
  [
    'project',
    'Project start',
    'project',
    [
      { key: 'scope_signed', title: 'Scope signed by the customer', offsetDays: 2, assignee: { role: 'owner' } },
      { key: 'team_named', title: 'Team named', offsetDays: 4, dependsOn: ['scope_signed'] },
      { key: 'kickoff', title: 'Kick-off held', offsetDays: 6, dependsOn: ['team_named'] },
      { key: 'access_granted', title: 'Access to the customer’s systems granted', offsetDays: 8 },
      { key: 'plan_agreed', title: 'Plan agreed', offsetDays: 10, dependsOn: ['kickoff'] },
    ],
  ],
  [
    'onboarding',
    'First weeks of an employee',
    'onboarding',
    [
      { key: 'contract', title: 'Contract filed', offsetDays: -5, evidence: 'file' },
      { key: 'laptop', title: 'Laptop and accounts ready', offsetDays: -1 },
      { key: 'welcome', title: 'Welcome and tour of the office', offsetDays: 0, assignee: { role: 'manager' } },
      { key: 'review', title: 'Talk after the first month', offsetDays: 20, required: false },
    ],
  ],
];

/** A calendar, and templates of checklists. */
export function settingsSample(story: SampleStory): void {
  const createdAt = story.at(420);
  const years = [...new Set([365, 0, -365].map((daysAgo) => story.day(daysAgo).slice(0, 4)))];
  story.record(
    { key: 'calendar', table: 'data.settings_calendars', name: 'Berlin office', reference: 'CAL-000001', createdAt },
    {
      timezone: 'Europe/Berlin',
      workingHours: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, from: '08:30', to: '17:00' })),
      holidays: years.flatMap((year) => HOLIDAYS.map(([day, name]) => ({ date: `${year}-${day}`, name }))),
    },
  );
  CHECKLISTS.forEach(([key, name, appliesTo, items], index) =>
    story.record(
      {
        ...{ key: `checklist template ${key}`, table: 'data.settings_checklist_templates', name, createdAt },
        reference: `CLT-00000${index + 1}`,
      },
      { appliesTo, checklistItems: items.map(completeItem) },
    ),
  );
}
