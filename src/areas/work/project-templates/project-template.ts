import { id, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import { tag } from '#libs/resource/types/envelope.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { trashActions } from '#libs/resource/types/standard-actions.js';
import { BillingInput } from '../projects/project.billing.js';
import { TemplateMilestone, TemplateTask } from './project-template.parts.js';

const STATES = ['draft', 'published', 'archived'] as const;
const MANAGE = 'project-templates:manage';
const PARTS = {
  phases: ['Start', 'Build'],
  milestones: [{ key: 'go_live', name: 'Go-live', offsetDays: 60, phase: 'Build', billableMinor: 400000 }],
  tasks: [
    { key: 'kickoff', name: 'Kick-off meeting', offsetDays: 3, phase: 'Start', role: 'lead' },
    { key: 'build', name: 'Build it', offsetDays: 50, phase: 'Build', milestone: 'go_live', blockedBy: ['kickoff'] },
  ],
};

/** Template for projects of one kind. */
export class ProjectTemplate extends RecordRow {
  @Attribute(text({ max: 50_000 }), 'Description in Markdown.', { nullable: true })
  description!: string | null;

  @ReadOnly(oneOf(STATES), 'State of the life cycle. Projects can be made from published templates.', {
    example: 'published',
    filter: true,
  })
  status!: (typeof STATES)[number];

  @Attribute(listOf(tag(), { max: 20, unique: true }), 'Phases in their order.', {
    default: [],
    example: PARTS.phases,
  })
  phases!: string[];

  @Attribute(listOf(nested(TemplateMilestone), { max: 50 }), 'Milestones that a project starts with.', {
    default: [],
    example: PARTS.milestones,
  })
  milestones!: TemplateMilestone[];

  @Attribute(listOf(nested(TemplateTask), { max: 200 }), 'Tasks that a project starts with, numbered in this order.', {
    default: [],
    example: PARTS.tasks,
  })
  tasks!: TemplateTask[];

  @Attribute(id(), 'Checklist template of the checklist that a project starts with.', {
    nullable: true,
    names: { table: 'data.settings_checklist_templates', where: 'archived_at is null and deleted_at is null' },
  })
  checklistTemplateId!: string | null;

  @Attribute(nested(BillingInput), 'Billing of projects that do not set their own. A patch merges the members.', {
    example: { model: 'fixed', invoiceOn: 'milestone' },
    nullable: true,
  })
  billing!: Partial<BillingInput> | null;
}

export const projectTemplates = recordType(ProjectTemplate, {
  area: 'work',
  collection: 'project-templates',
  noun: 'project template',
  prefix: 'PT',
  permissions: { read: 'project-templates:read', write: MANAGE },
  name: { example: 'Customer rollout' },
  problems: { update: ['record_locked'] },
  bodies: { update: { phases: ['Start', 'Build', 'Care'] } },
  lifecycle: lifecycle({
    states: STATES,
    initial: 'draft',
    transitions: {
      publish: {
        from: ['draft', 'archived'],
        to: 'published',
        permission: MANAGE,
        event: 'published',
        summary: 'Publish a project template',
        happened: 'A project template was published.',
      },
      retire: {
        from: ['published'],
        to: 'archived', // a state of its own: no project starts from the template any more
        permission: MANAGE,
        event: 'archived',
        summary: 'Archive a project template',
        happened: 'A project template was archived.',
      },
      ...trashActions('project template', STATES, MANAGE),
    },
  }),
});
