import { CHECKLIST_KINDS, type ChecklistKind, TemplateItem } from '#libs/checklists/template-item.js';
import { listOf, nested, oneOf } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { archiveActions } from '#libs/resource/types/standard-actions.js';

const ITEMS = [
  { key: 'scope_signed', title: 'Scope signed by the customer', evidence: 'note', offsetDays: 2 },
  { key: 'kickoff', title: 'Kick-off planned', assignee: { role: 'owner' }, dependsOn: ['scope_signed'] },
];

/** Template for checklists on one occasion. */
export class ChecklistTemplate extends RecordRow {
  @Attribute(
    oneOf(CHECKLIST_KINDS),
    'Occasion for which the template is meant. What starts checklists on its own accepts only templates of its occasion.',
    { example: 'project', filter: true },
  )
  appliesTo!: ChecklistKind;

  @Attribute(listOf(nested(TemplateItem), { min: 1, max: 100 }), 'Items in their order.', { example: ITEMS })
  checklistItems!: TemplateItem[];
}

export const checklistTemplates = recordType(ChecklistTemplate, {
  type: 'core.checklist_template',
  base: '/api',
  area: 'settings',
  collection: 'checklist-templates',
  noun: 'checklist template',
  prefix: 'CLT',
  permissions: { read: 'checklists:read', write: 'settings:manage' },
  name: { example: 'Customer rollout' },
  defaultSort: 'name',
  problems: { archive: ['in_use'] },
  bodies: { update: { checklistItems: ITEMS.slice(0, 1) } },
  lifecycle: stateless(archiveActions('checklist template', ['active'], 'settings:manage')),
});
