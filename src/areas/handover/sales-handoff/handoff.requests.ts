import { ChangeChecklistItem } from '#libs/checklists/checklist.js';
import { itemKey } from '#libs/checklists/template-item.js';
import { command } from '#libs/http/command.js';
import {
  addFields,
  Field,
  fieldsOf,
  flag,
  id,
  instant,
  integer,
  listOf,
  name,
  nested,
  number,
  oneOf,
  text,
} from '#libs/http/field.js';
import { within } from '#libs/kernel/action.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { mergePatchOf, model, PageInfo } from '#libs/resource/types/record.dto.js';
import { HANDOFF_ACTIONS, type HandoffAction, handoffLife, WRITE } from './handoff.lifecycle.js';
import { handoffs, type ShownHandoff } from './handoff.js';
import { HandoffSummaryPatch } from './handoff.parts.js';
import { type HandoffTemplate, handoffTemplates, MAX_TEMPLATES } from './handoff-template.js';
import { handoffList } from './handoff-list.js';

const count = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const reason = () => text({ min: 1, max: 1_000, pattern: /\S/ });

export const SalesHandoffQuery = listQuery('SalesHandoffQuery', handoffList);
addFields(SalesHandoffQuery, [
  [
    'include',
    {
      kind: listOf(oneOf(['templates']), { max: 1 }),
      description: '`templates` adds all templates of the tenant.',
      example: ['templates'],
      optional: true,
    },
  ],
]);

export class HandoffStats {
  @Field(count(), { description: 'Handoffs that are neither completed nor cancelled.', example: 4 })
  open!: number;

  @Field(count(), { description: 'Open handoffs past their due time.', example: 1 })
  overdue!: number;

  @Field(number({ min: 0, max: 100_000 }), {
    description: 'Median of the days from the submission to the acceptance; null if none was accepted.',
    example: 1.5,
    nullable: true,
  })
  medianDaysToAccept!: number | null;

  @Field(number({ min: 0, max: 1 }), {
    description:
      'Share of the submitted handoffs that were returned at least once, from 0 to 1; null if none was submitted.',
    example: 0.25,
    nullable: true,
  })
  returnRate!: number | null;
}

export class HandoffWarning {
  @Field(oneOf(['handoff_skipped_no_account']), {
    description: 'The deal was won without an account, so no handoff was created. Create one with `POST`.',
    example: 'handoff_skipped_no_account',
  })
  code!: string;

  @Field(id(), { description: 'The deal.' })
  dealId!: string;

  @Field(text({ max: 200 }), { description: 'Name of the deal.', example: 'Acme renewal' })
  dealName!: string;

  @Field(instant(), { description: 'Time of the warning.' })
  at!: string;
}

export class SalesHandoffPage {
  @Field(listOf(nested(handoffs.view), { max: 200 }), { description: 'The handoffs of this page.' })
  data!: ShownHandoff[];

  @Field(listOf(nested(handoffTemplates.view), { max: MAX_TEMPLATES }), {
    description: 'All templates, oldest first; empty without `include=templates`.',
    example: [],
  })
  templates!: ShownObject<HandoffTemplate>[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;

  @Field(nested(HandoffStats), { description: 'Figures of all handoffs that you can see.' })
  stats!: HandoffStats;

  @Field(listOf(nested(HandoffWarning), { max: 50 }), {
    description: 'The latest won deals for which no handoff was created automatically, if you can see them.',
    example: [],
  })
  warnings!: HandoffWarning[];
}

/** Members of a new handoff. */
export class NewHandoff {
  @Field(id(), { description: 'For a handoff, required: the deal.', optional: true })
  dealId?: string;

  @Field(id(), {
    description: 'For a handoff: the template; by default the one that matches the deal best.',
    optional: true,
  })
  templateId?: string;

  @Field(id(), {
    description: 'For a handoff: membership of the delivery owner; by the rule of the template if absent.',
    optional: true,
  })
  deliveryOwnerId?: string;

  @Field(instant(), {
    description: 'For a handoff: time by which it should be completed; by the template if absent.',
    example: '2099-12-12T09:00:00.000Z',
    optional: true,
  })
  dueAt?: string;

  @Field(flag(), {
    description: 'For a handoff: true to create it for an open deal whose forecast category is `commit`.',
    optional: true,
  })
  early?: boolean;

  @Field(nested(HandoffSummaryPatch), { description: 'For a handoff: what delivery has to know.', optional: true })
  summary?: HandoffSummaryPatch;
}

const TYPES = ['handoff', 'template'] as const;

/** The body of a POST: a handoff or a template. */
export const CreateSalesHandoff = mergePatchOf('CreateSalesHandoff', handoffTemplates.create, {
  type: {
    kind: oneOf(TYPES),
    description: 'Type to create; `handoff` by default.',
    example: 'handoff',
    optional: true,
  },
  name: {
    kind: name(),
    description: 'Name; required for a template, by default that of the deal for a handoff.',
    optional: true,
  },
  ...Object.fromEntries(fieldsOf(NewHandoff)),
});
export const createHandoff = command(
  CreateSalesHandoff,
  {
    handoff: {
      may: [within('handoffs:write'), { permission: 'deals:read', object: 'sales.deal' }],
      needs: ['dealId'],
      takes: ['name', ...[...fieldsOf(NewHandoff).keys()].filter((member) => member !== 'dealId')],
    },
    template: {
      may: [{ permission: 'handoff-templates:manage' }],
      needs: ['name'],
      takes: [...fieldsOf(handoffTemplates.create).keys()].filter((member) => member !== 'name'),
    },
  },
  { by: 'type', otherwise: 'handoff' },
);
export type CreateSalesHandoff = { type?: (typeof TYPES)[number] } & Partial<HandoffTemplate> & NewHandoff;

/** A change of one checklist item. */
export const HandoffItemChange = model('HandoffItemChange', {
  key: { kind: itemKey(), description: 'Key of the item.', example: 'scope_signed' },
  ...Object.fromEntries(fieldsOf(ChangeChecklistItem)),
});
export type HandoffItemChange = { key: string } & ChangeChecklistItem;

export class ChangeSalesHandoff {
  @Field(id(), { description: 'The handoff.' })
  id!: string;

  @Field(oneOf(HANDOFF_ACTIONS), {
    description:
      'Taken after the other changes. `submit` requires that the checklist and the required fields are complete. `accept` starts the execution. `return` and `cancel` require a `reason`. `retry` continues a failed handoff at the failed step.',
    example: 'submit',
    optional: true,
  })
  action?: HandoffAction;

  @Field(name(), { description: 'Name.', optional: true })
  name?: string;

  @Field(nested(HandoffSummaryPatch), {
    description: 'Knowledge for delivery. Omitted members stay unchanged, null clears one.',
    example: { scope: 'Rollout at two sites.' },
    optional: true,
  })
  summary?: HandoffSummaryPatch;

  @Field(listOf(nested(HandoffItemChange), { min: 1, max: 100 }), {
    description:
      'Changes of checklist items, in this order, each item at most once. Skipping a required item requires `checklists:manage`.',
    example: [{ key: 'scope_signed', status: 'done', note: 'Signed on Monday.' }],
    optional: true,
  })
  checklist?: HandoffItemChange[];

  @Field(id(), {
    description: 'Membership of the delivery owner. Naming yourself requires `handoffs:accept`.',
    optional: true,
    nullable: true,
  })
  deliveryOwnerId?: string | null;

  @Field(instant(), {
    description: 'Time by which it should be completed.',
    example: '2099-12-12T09:00:00.000Z',
    optional: true,
    nullable: true,
  })
  dueAt?: string | null;

  @Field(reason(), { description: 'For `return` and `cancel`: the reason.', optional: true })
  reason?: string;
}

export const changeHandoff = command(ChangeSalesHandoff, handoffLife.transitions, {
  by: 'action',
  edits: { members: ['name', 'summary', 'checklist', 'deliveryOwnerId', 'dueAt'], may: WRITE },
});

const EFFECTS = ['checklist_changed', 'execution_started'] as const;

/** What a change did besides changing the handoff. */
export class HandoffEffect {
  @Field(oneOf(EFFECTS), { description: 'Kind of effect.', example: 'execution_started' })
  type!: (typeof EFFECTS)[number];

  @Field(text({ max: 60 }), { description: 'Type of the object.', example: 'sales.handoff' })
  object!: string;

  @Field(id(), { description: 'Id of the object.' })
  id!: string;
}

export const SalesHandoffResult = model('SalesHandoffResult', {
  ...Object.fromEntries(fieldsOf(handoffs.view)),
  effects: {
    kind: listOf(nested(HandoffEffect), { max: 10 }),
    description: 'Effects besides the change of the handoff. The steps of an accepted handoff run afterwards.',
    example: [],
  },
});
export type SalesHandoffResult = ShownHandoff & { effects: HandoffEffect[] };
