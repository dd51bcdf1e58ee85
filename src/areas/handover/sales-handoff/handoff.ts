import { Column } from 'typeorm';
import { StartedItem } from '#libs/checklists/checklist.js';
import type { Subject } from '#libs/access/pieces.js';
import { ALPHABET } from '#libs/database/alphabet.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, flag, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import { Step } from '#libs/steps/step.js';
import type { HandoffPromise } from './handoff-promise.js';
import { HANDOFF_PATH } from './handoff-template.js';
import {
  EMPTY_SUMMARY,
  HANDOFF_STATUSES,
  type HandoffStatus,
  HandoffSummary,
  REQUIRABLE,
  type RequirableField,
} from './handoff.parts.js';
import { HANDOFF_ACTIONS } from './handoff.lifecycle.js';

const ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

/** A file attached to the deal. */
export class HandoffFile {
  @Field(id(), { description: 'Attachment of the deal.' })
  id!: string;

  @Field(id(), { description: 'The file; null for an attachment from before there were files.', nullable: true })
  fileId!: string | null;

  @Field(text({ max: 255 }), { description: 'Name of the file.', example: 'offer.pdf' })
  fileName!: string;

  @Field(text({ max: 200 }), { description: 'Short description.', nullable: true })
  label!: string | null;

  @Field(text({ max: 2_000 }), { description: 'URL of an attachment without a file.', nullable: true })
  url!: string | null;
}

/** The transfer of a deal from sales to delivery. */
export class Handoff extends VersionedRow {
  @Derived(name(), 'Name; by default that of the deal.', { example: 'Acme renewal' })
  @Column({ type: 'text', collation: ALPHABET })
  name!: string;

  @ReadOnly(id(), 'Deal that is handed over. A deal has at most one handoff that is not cancelled.', { example: ID })
  dealId!: string;

  @ReadOnly(id(), 'Account of the deal.', { nullable: true })
  accountId!: string | null;

  @ReadOnly(id(), 'Workspace of the deal.', { nullable: true })
  workspaceId!: string | null;

  @ReadOnly(
    oneOf(HANDOFF_STATUSES),
    'Status. An `accepted` handoff becomes `executing` when its first step runs. A `failed` one waits for `retry`. If it failed with `approval_changed`, because the deal has another value, currency or account than delivery accepted, only a `retry` of somebody who may accept it continues.',
    { example: 'draft' },
  )
  status!: HandoffStatus;

  @ReadOnly(id(), 'Template that it was created from.', { nullable: true })
  templateId!: string | null;

  @Derived(id(), 'Membership of the sales owner: the owner of the deal.', { nullable: true })
  @Column('uuid', { name: 'owner_id', nullable: true })
  salesOwnerId!: string | null;

  @ReadOnly(id(), 'Membership of the delivery owner, who may accept and return it.', { nullable: true })
  deliveryOwnerId!: string | null;

  @ReadOnly(instant(), 'Time by which it should be completed.', { nullable: true, example: '2026-12-12T09:00:00.000Z' })
  dueAt!: string | null;

  @Derived(flag(), 'Whether it is past its due time and neither completed nor cancelled.', {
    example: false,
    told: false,
  })
  overdue?: boolean;

  @ReadOnly(nested(HandoffSummary), 'What delivery has to know.', { example: EMPTY_SUMMARY })
  summary!: HandoffSummary;

  @ReadOnly(
    listOf(oneOf(REQUIRABLE), { max: REQUIRABLE.length }),
    'Fields that must not be empty when it is submitted.',
    {
      example: ['summary.scope'],
    },
  )
  requiredFields!: RequirableField[];

  @ReadOnly(id(), 'Checklist about the deal; null if the template has no items.', { nullable: true })
  checklistId!: string | null;

  @Derived(listOf(nested(StartedItem), { max: 100 }), 'Items of the checklist.', { example: [], told: false })
  checklist?: StartedItem[];

  @Derived(listOf(nested(HandoffFile), { max: 1_000 }), 'Files attached to the deal, oldest first.', {
    example: [],
    told: false,
  })
  files?: HandoffFile[];

  @ReadOnly(id(), 'Project template from which the project is created.', { nullable: true })
  projectTemplateId!: string | null;

  @ReadOnly(integer({ min: 0, max: 100 }), 'Deposit in percent of the deal’s value.', { example: 30 })
  depositPercent!: number;

  @ReadOnly(id(), 'Project that it created.', { nullable: true })
  projectId!: string | null;

  @ReadOnly(id(), 'Draft of the deposit invoice that it created.', { nullable: true })
  invoiceId!: string | null;

  @ReadOnly(text({ max: 1_000 }), 'Why it was last returned.', { nullable: true })
  returnReason!: string | null;

  @ReadOnly(integer({ min: 0, max: 2_147_483_647 }), 'Number of times that it was returned.', { example: 0 })
  returnCount!: number;

  @ReadOnly(instant(), 'Time of the last submission.', { nullable: true })
  submittedAt!: string | null;

  @ReadOnly(nested(ActorView), 'Who last submitted it.', { nullable: true })
  submittedBy!: ActorView | null;

  /** The person behind the last submission, who may not accept it. */
  @Column('uuid', { name: 'submitted_by_person', nullable: true })
  submittedByPerson!: string | null;

  @ReadOnly(instant(), 'Time of acceptance.', { nullable: true })
  acceptedAt!: string | null;

  @ReadOnly(nested(ActorView), 'Who accepted it.', { nullable: true })
  acceptedBy!: ActorView | null;

  /** What was accepted; null before. */
  @Column('jsonb', { nullable: true })
  promise!: HandoffPromise | null;

  @ReadOnly(instant(), 'Time of completion.', { nullable: true })
  completedAt!: string | null;

  @ReadOnly(
    listOf(nested(Step), { max: 20 }),
    'Steps that follow the acceptance, each in a transaction of its own; empty before.',
    { example: [] },
  )
  steps!: Step[];

  @Derived(listOf(oneOf(HANDOFF_ACTIONS), { max: HANDOFF_ACTIONS.length }), 'Actions that the status allows.', {
    example: ['submit', 'cancel'],
    told: false,
  })
  allowedActions?: string[];
}

export const handoffs = governedType(Handoff, {
  type: 'sales.handoff',
  noun: 'handoff',
  table: 'data.sales_handoffs',
  about: { type: `'sales.deal'`, id: 't.deal_id' },
  path: HANDOFF_PATH,
  hasPath: false,
  risk: 'low',
  events: {
    created: 'A handoff of a deal to delivery was created.',
    updated: 'A handoff was changed, one of its steps ran, or a failed one continues.',
    submitted: 'A handoff was submitted to delivery.',
    accepted: 'Delivery accepted a handoff.',
    returned: 'Delivery returned a handoff to sales.',
    cancelled: 'A handoff was cancelled.',
    completed: 'All steps of a handoff are done.',
    failed: 'A step of a handoff failed.',
  },
});

/** A handoff as the API shows it. */
export type ShownHandoff = Omit<ShownObject<Handoff>, 'submittedByPerson' | 'promise'>;

/** The delivery owner has the rights of an owner. */
export const HANDOFF_SUBJECT: Subject = { type: handoffs.type, reach: { own: ['t.delivery_owner_id = :me'] } };
