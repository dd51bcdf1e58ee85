import { Column } from 'typeorm';
import { civilDate, Field, flag, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { workspaceOfWhole } from '#libs/resource/types/part-of.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { trashActions } from '#libs/resource/types/standard-actions.js';

const STATES = ['open', 'reached', 'accepted'] as const;
const PROJECT_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22';
const MISSED = `(t.status = 'open' and t.due_date is not null and t.due_date < (:now at time zone 'UTC')::date)`;

/** Whether a reached milestone is accepted, and by whom. */
export class AcceptanceInput {
  @Field(flag(), { description: 'Whether the customer must accept the milestone; false by default.', optional: true })
  required!: boolean;

  @Field(id(), { description: 'Contact who accepts it.', optional: true, nullable: true })
  contactId!: string | null;
}

export class AcceptanceView {
  @Field(flag(), { description: 'Whether the customer must accept the milestone.' })
  required!: boolean;

  @Field(id(), { description: 'Contact who accepts it.', nullable: true })
  contactId!: string | null;

  @Field(instant(), { description: 'Time of acceptance; null before.', nullable: true })
  acceptedAt!: string | null;

  @Field(text({ max: 200 }), {
    description:
      'Name that the customer gave when accepting behind a public link; null if a member noted the acceptance.',
    nullable: true,
  })
  acceptedBy!: string | null;
}

/** A result that a project has to reach. */
export class Milestone extends RecordRow {
  @Attribute(id(), 'Project that it belongs to. Cannot be changed later.', {
    example: PROJECT_ID,
    once: true,
    filter: true,
  })
  projectId!: string;

  @Attribute(text({ max: 50_000 }), 'Description in Markdown.', { nullable: true })
  description!: string | null;

  @ReadOnly(oneOf(STATES), 'State of the life cycle.', { example: 'open', filter: true })
  status!: (typeof STATES)[number];

  @Attribute(civilDate(), 'Date by which it should be reached.', {
    example: '2027-01-31',
    nullable: true,
    filter: true,
    sort: true,
  })
  dueDate!: string | null;

  @Derived(flag(), 'Whether it is still open after its due date.', { example: false, filter: filter.condition(MISSED) })
  isMissed?: boolean;

  @Attribute(
    integer({ min: 0, max: MAX_MINOR }),
    'Amount that can be invoiced when it is reached, in minor units of the project’s currency. Fixed from then on.',
    { example: 400000, nullable: true },
  )
  billableMinor!: number | null;

  @ReadOnly(
    currencyCode(),
    'ISO 4217 code of the amount: the project’s currency when the milestone was reached; null before.',
    { nullable: true },
  )
  currency!: string | null;

  @Mapped(nested(AcceptanceView), 'Acceptance by the customer. A patch merges the members.', {
    given: nested(AcceptanceInput),
    example: { required: false, contactId: null, acceptedAt: null, acceptedBy: null },
    optional: true,
    privacy: 'personal',
  })
  acceptance?: AcceptanceView;

  @Column('boolean', { name: 'acceptance_required' })
  acceptanceRequired!: boolean;

  @Column('uuid', { name: 'acceptance_contact_id', nullable: true })
  acceptanceContactId!: string | null;

  @ReadOnly(instant(), 'Time at which it was reached; null before.', { nullable: true })
  reachedAt!: string | null;

  @Column('timestamptz', { name: 'accepted_at', nullable: true })
  acceptedAt!: string | null;

  @Column('text', { name: 'accepted_by', nullable: true })
  acceptedBy!: string | null;
}

/** A milestone as the API shows it. */
export type ShownMilestone = Required<Shown<Milestone>>;

/** Request body that creates or changes a milestone. */
export type MilestoneInput = Partial<Omit<Milestone, 'acceptance'>> & { acceptance?: Partial<AcceptanceInput> };

export const milestones = recordType(Milestone, {
  area: 'work',
  collection: 'milestones',
  noun: 'milestone',
  prefix: 'MS',
  partOf: 'projectId',
  permissions: { read: 'milestones:read', write: 'milestones:write' },
  reach: { workspace: workspaceOfWhole('data.work_projects', 'project_id') },
  name: { example: 'Go-live', about: 'Result to be reached.' },
  named: { projectId: { table: 'data.work_projects' }, acceptanceContactId: { table: 'data.sales_contacts' } },
  problems: { create: ['record_locked'], update: ['record_locked'] },
  bodies: {
    create: { name: 'Go-live', projectId: PROJECT_ID, dueDate: '2027-01-31', billableMinor: 400000 },
    update: { dueDate: '2027-02-15' },
  },
  lifecycle: lifecycle({
    states: STATES,
    initial: 'open',
    transitions: {
      reach: {
        from: ['open'],
        to: 'reached',
        permission: 'milestones:write',
        event: 'reached',
        summary: 'Mark a milestone as reached',
        happened: 'A milestone was reached. If it is billable, its amount can be invoiced.',
        risk: 'medium',
      },
      accept: {
        from: ['reached'],
        to: 'accepted',
        permission: 'milestones:write',
        event: 'accepted',
        summary: 'Mark a milestone as accepted by the customer',
        happened: 'A milestone was accepted by the customer.',
        risk: 'medium',
      },
      ...trashActions('milestone', ['open'], 'milestones:delete', 'medium'),
    },
  }),
});

export type MilestoneAction = keyof typeof milestones.lifecycle.transitions;
