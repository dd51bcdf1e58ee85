import { Field, flag, id, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { type Violation } from '#libs/kernel/problem.js';

/** Occasions of checklists. */
export const CHECKLIST_KINDS = ['handoff', 'onboarding', 'offboarding', 'project', 'other'] as const;
export type ChecklistKind = (typeof CHECKLIST_KINDS)[number];

const MAX_DAYS = 3_650;
/** Business days from the date of a checklist to a due date. */
export const offset = () => integer({ min: -MAX_DAYS, max: MAX_DAYS });

/** Roles that stand for a person until the checklist starts. */
export const ITEM_ROLES = ['owner', 'sales_owner', 'delivery_owner', 'manager', 'employee'] as const;
export type ItemRole = (typeof ITEM_ROLES)[number];

/** What must be given when an item is done. */
export const EVIDENCE = ['none', 'note', 'file', 'link'] as const;

export const itemKey = () =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z][a-z0-9_]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits and underscores',
  });

/** Who does an item: a role or a member. */
export class ItemAssignee {
  @Field(oneOf(ITEM_ROLES), {
    description: 'Role; the member who has it when the checklist starts is assigned.',
    example: 'owner',
    optional: true,
  })
  role?: ItemRole;

  @Field(id(), { description: 'Membership id.', optional: true })
  membershipId?: string;
}

/** An item of a checklist template. */
export class TemplateItem {
  @Field(itemKey(), { description: 'Key, unique in the checklist.', example: 'scope_signed' })
  key!: string;

  @Field(name(), { description: 'Task.', example: 'Scope signed by the customer' })
  title!: string;

  @Field(text({ max: 2_000 }), { description: 'How to do it.', optional: true, nullable: true })
  description!: string | null;

  @Field(flag(), {
    description: 'Whether the checklist is incomplete without it; true by default.',
    example: true,
    optional: true,
  })
  required!: boolean;

  @Field(nested(ItemAssignee), {
    description: 'Assignee: `role` or `membershipId`; nobody if null.',
    example: { role: 'owner' },
    optional: true,
    nullable: true,
  })
  assignee!: ItemAssignee | null;

  @Field(offset(), {
    description: 'Business days from the start of the checklist to the due date; no due date if null.',
    example: 2,
    optional: true,
    nullable: true,
  })
  offsetDays!: number | null;

  @Field(oneOf(EVIDENCE), {
    description: 'Evidence required when the item is done; `none` by default.',
    example: 'note',
    optional: true,
  })
  evidence!: (typeof EVIDENCE)[number];

  @Field(listOf(itemKey(), { max: 50, unique: true }), {
    description: 'Keys of the items that must be done or skipped before it.',
    optional: true,
  })
  dependsOn!: string[];
}

/** An item as sent by a caller: members with defaults may be missing. */
export type GivenItem = Pick<TemplateItem, 'key' | 'title'> & Partial<TemplateItem>;

/** An item with its defaults. */
export function completeItem(item: GivenItem): TemplateItem {
  return {
    description: null,
    required: true,
    assignee: null,
    offsetDays: null,
    evidence: 'none',
    dependsOn: [],
    ...item,
  };
}

/** What is wrong with the keys, assignees and dependencies of the items of a template, which are at `place`. */
export function itemFaults(items: readonly GivenItem[], place = '/checklistItems'): Violation[] {
  const faults: Violation[] = [];
  const keys = new Set<string>();
  items.forEach(({ key, assignee }, i) => {
    if (keys.has(key))
      faults.push({ pointer: `${place}/${i}/key`, code: 'not_unique', detail: 'The key occurs twice.' });
    keys.add(key);
    if (assignee && (assignee.role === undefined) === (assignee.membershipId === undefined))
      faults.push({
        pointer: `${place}/${i}/assignee`,
        code: 'invalid_value',
        detail: 'Give either `role` or `membershipId`.',
      });
  });
  items.forEach(({ dependsOn = [] }, i) => {
    if (dependsOn.some((each) => !keys.has(each)))
      faults.push({ pointer: `${place}/${i}/dependsOn`, code: 'unknown_key', detail: 'There is no such item.' });
  });
  return faults.length > 0 ? faults : cycleFaults(items, place);
}

function cycleFaults(items: readonly GivenItem[], place: string): Violation[] {
  const sorted = new Set<string>();
  for (let waiting = items; waiting.length > 0; waiting = waiting.filter(({ key }) => !sorted.has(key))) {
    const ready = waiting.filter(({ dependsOn = [] }) => dependsOn.every((each) => sorted.has(each)));
    if (ready.length === 0) {
      const index = items.indexOf(waiting[0]!);
      return [{ pointer: `${place}/${index}/dependsOn`, code: 'cycle', detail: 'The item waits for itself.' }];
    }
    for (const { key } of ready) sorted.add(key);
  }
  return [];
}
