import { VersionedRow } from '#libs/database/tenant-row.js';
import { flag, id, integer, listOf, name, nested, oneOf } from '#libs/http/field.js';
import { TemplateItem } from '#libs/checklists/template-item.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { DeliveryOwnerRule, HandoffMatch, REQUIRABLE, type RequirableField } from './handoff.parts.js';

export const HANDOFF_PATH = '/api/admin/sales-handoff';
/** Maximum number of templates per tenant. */
export const MAX_TEMPLATES = 200;
export const DEFAULT_DUE_IN_DAYS = 14;

const ITEMS = [{ key: 'scope_signed', title: 'Scope signed by the customer', evidence: 'note', offsetDays: 2 }];

/** Template of handoffs. A handoff copies it when it is created. */
export class HandoffTemplate extends VersionedRow {
  @Attribute(name(), 'Name of the template.', { example: 'Enterprise rollout' })
  name!: string;

  @Attribute(flag(), 'Whether the template is used if no other one matches. Replaces the previous default.', {
    default: false,
  })
  isDefault!: boolean;

  @Attribute(
    nested(HandoffMatch),
    'Deals that the template is chosen for. Among several templates, the one with the most matching criteria is used, then the one with the narrower value range, then the older one. Without criteria it must be named, or be the default.',
    { example: { dealTypes: ['new_business'], minValueMinor: 5_000_000 }, optional: true },
  )
  match!: HandoffMatch;

  @Attribute(
    listOf(nested(TemplateItem), { max: 100 }),
    'Items of the checklist, in their order. Due dates count from the creation of the handoff.',
    { example: ITEMS, optional: true },
  )
  items!: TemplateItem[];

  @Attribute(
    listOf(oneOf(REQUIRABLE), { max: REQUIRABLE.length, unique: true }),
    'Fields of the handoff that must not be empty when it is submitted.',
    { example: ['summary.scope', 'deliveryOwnerId'], optional: true },
  )
  requiredFields!: RequirableField[];

  @Attribute(id(), 'Published project template from which the project is created; a plain project if null.', {
    nullable: true,
  })
  projectTemplateId!: string | null;

  @Attribute(nested(DeliveryOwnerRule), 'Who becomes the delivery owner; the owner of the deal by default.', {
    example: { type: 'deal_owner' },
    optional: true,
  })
  deliveryOwnerRule!: DeliveryOwnerRule;

  @Attribute(
    integer({ min: 0, max: 100 }),
    'Share of the deal’s value that is drafted as a deposit invoice, in percent; 0 for none.',
    { default: 0 },
  )
  depositPercent!: number;

  @Attribute(integer({ min: 0, max: 3_650 }), 'Calendar days until a handoff is due.', { default: DEFAULT_DUE_IN_DAYS })
  dueInDays!: number;
}

export const handoffTemplates = governedType(HandoffTemplate, {
  type: 'sales.handoff_template',
  noun: 'handoff template',
  table: 'data.sales_handoff_templates',
  path: HANDOFF_PATH,
  hasPath: false,
  risk: 'low',
  limit: { max: MAX_TEMPLATES, detail: `A tenant can have ${MAX_TEMPLATES} handoff templates.` },
  events: {
    created: 'A handoff template was created.',
    updated: 'A handoff template was changed.',
    deleted: 'A handoff template was deleted.',
  },
});
