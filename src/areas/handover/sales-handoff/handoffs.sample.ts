import type { StartedItem } from '#libs/checklists/checklist.js';
import { completeItem } from '#libs/checklists/template-item.js';
import type { SampleStory } from '#libs/resource/sample/sample-story.js';
import type { Step } from '#libs/steps/step.js';
import { DEFAULT_DUE_IN_DAYS } from './handoff-template.js';
import { NO_MATCH } from './handoff.parts.js';

const ITEMS = [
  { key: 'scope_signed', title: 'Scope signed by the customer' },
  { key: 'contacts_named', title: 'Contacts of the customer named' },
  { key: 'risks_told', title: 'Risks explained to delivery' },
];
const REQUIRED = ['summary.scope', 'deliveryOwnerId'];
/** A sample employee of sales, because nobody accepts what they have submitted. */
const SALES = { type: 'member', id: null, name: 'Carla Novotny' };

/** A handoff: deal, days since its submission, project of a completed one. */
const HANDOFFS = [
  { deal: 8, submitted: 70, project: 'DEMOSITE' },
  { deal: 15, submitted: 3, project: null },
] as const;
const SCOPES = ['Reports of two building sites, with access for the foremen.', 'Dashboard for three production lines.'];

/** A handoff that waits for delivery, a completed one, and their template. */
export function handoffsSample(story: SampleStory): void {
  const createdAt = story.at(200);
  story.object('handoff template', 'data.sales_handoff_templates', {
    ...{ version: 1, name: 'Standard handoff', isDefault: false, match: NO_MATCH, items: ITEMS.map(completeItem) },
    ...{ requiredFields: REQUIRED, projectTemplateId: story.id('project template 0') },
    ...{ deliveryOwnerRule: { type: 'deal_owner' }, depositPercent: 0, dueInDays: DEFAULT_DUE_IN_DAYS },
    ...{ createdAt, updatedAt: createdAt },
  });
  HANDOFFS.forEach((each, index) => handoff(story, each, SCOPES[index]!));
}

function handoff(story: SampleStory, { deal, submitted, project }: (typeof HANDOFFS)[number], scope: string): void {
  const dealKey = `deal ${deal}`;
  const [createdAt, submittedAt] = [story.at(submitted + 4), story.at(submitted, 15)];
  const acceptedAt = project === null ? null : story.at(submitted - 2, 11);
  const accountId = story.get<string>(dealKey, 'accountId');
  const contact = story.keyOf(story.get<string>(dealKey, 'primaryContactId'));
  const stakeholder = { name: story.get<string>(contact, 'name'), role: 'Sponsor', email: null };
  story.object(`handoff ${deal}`, 'data.sales_handoffs', {
    ...{ version: project === null ? 2 : 8, name: story.get<string>(dealKey, 'name'), dealId: story.id(dealKey) },
    ...{ accountId, workspaceId: null, ownerId: story.memberId, deliveryOwnerId: story.memberId },
    ...{ templateId: story.id('handoff template'), status: project === null ? 'submitted' : 'completed' },
    dueAt: story.at(submitted + 4 - DEFAULT_DUE_IN_DAYS),
    summary: {
      ...{ scope, goals: 'Figures of the day without spreadsheets.', risks: 'The customer’s data is incomplete.' },
      ...{ commitments: null, stakeholders: [stakeholder] },
    },
    ...{ requiredFields: REQUIRED, projectTemplateId: project === null ? story.id('project template 0') : null },
    ...{ depositPercent: 0, checklistId: checklist(story, dealKey, submitted), invoiceId: null },
    ...{ projectId: project === null ? null : story.id(`project ${project}`), returnReason: null, returnCount: 0 },
    ...{ submittedAt, submittedBy: SALES, submittedByPerson: null, acceptedAt },
    ...{ acceptedBy: acceptedAt === null ? null : story.author, completedAt: acceptedAt },
    steps: project === null || acceptedAt === null ? [] : stepsOf(story, project, dealKey, acceptedAt),
    ...{ createdAt, updatedAt: acceptedAt ?? submittedAt },
  });
}

function stepsOf(story: SampleStory, project: string, dealKey: string, at: string): Step[] {
  const done = (key: string, object: string, id: string): Step => ({
    ...{ key, status: 'done', target: { object, id }, error: null, at },
  });
  const projectId = story.id(`project ${project}`);
  return [
    done('project', 'work.project', projectId),
    done('links', 'work.project', projectId),
    done('kickoff', 'work.task', story.id(`task ${project} 1`)),
    { key: 'invoice', status: 'skipped', target: null, error: null, at },
    done('deal', 'sales.deal', story.id(dealKey)),
  ];
}

/** The checklist of a handoff, with all items done before the submission. */
function checklist(story: SampleStory, dealKey: string, submitted: number): string {
  const [createdAt, completedAt] = [story.at(submitted + 4), story.at(submitted, 14)];
  const id = story.id(`checklist of ${dealKey}`);
  const items = ITEMS.map(({ key, title }): StartedItem => ({
    ...{ key, title, description: null, required: true, assigneeId: story.memberId, dueDate: null },
    ...{ evidence: 'none', status: 'done', dependsOn: [], note: null, link: null, fileId: null, reason: null },
    ...{ changedAt: completedAt, changedBy: story.author },
  }));
  story.link('data.checklists', {
    ...{ id, version: 1 + items.length, title: 'Handoff', kind: 'handoff', templateId: null },
    ...{ subject: { object: 'sales.deal', id: story.id(dealKey) }, startDate: story.day(submitted + 4), items },
    ...{ completedAt, createdAt, updatedAt: completedAt },
  });
  return id;
}
