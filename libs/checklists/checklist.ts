import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { civilDate, Field, flag, id, instant, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import {
  CHECKLIST_KINDS,
  type ChecklistKind,
  EVIDENCE,
  ITEM_ROLES,
  itemKey,
  type ItemRole,
  offset,
} from './template-item.js';

export const ITEM_STATUSES = ['pending', 'in_progress', 'done', 'skipped', 'blocked'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

const RECORD_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

/** The record that a checklist is about. */
export class ChecklistSubject {
  @Field(text({ min: 3, max: 60 }), { description: 'Type of the record.', example: 'work.project' })
  object!: string;

  @Field(id(), { description: 'Id of the record.', example: RECORD_ID })
  id!: string;
}

/** An item of a checklist. */
export class StartedItem {
  @Field(itemKey(), { description: 'Key, unique in the checklist.', example: 'kickoff' })
  key!: string;

  @Field(name(), { description: 'Task.', example: 'Kick-off planned' })
  title!: string;

  @Field(text({ max: 2_000 }), { description: 'How to do it.', nullable: true })
  description!: string | null;

  @Field(flag(), { description: 'Whether the checklist is incomplete without it.', example: true })
  required!: boolean;

  @Field(id(), { description: 'Membership id of the assignee.', nullable: true })
  assigneeId!: string | null;

  @Field(oneOf(ITEM_ROLES), {
    description: 'Role that the template assigns it to; absent if the template names a member or nobody.',
    example: 'owner',
    optional: true,
  })
  role?: ItemRole;

  @Field(civilDate(), { description: 'Due date.', example: '2026-12-02', nullable: true })
  dueDate!: string | null;

  @Field(offset(), {
    description:
      'Business days from the date of the checklist to the due date; null without one, absent in checklists started before this was kept.',
    example: 2,
    nullable: true,
    optional: true,
  })
  offsetDays?: number | null;

  @Field(oneOf(EVIDENCE), { description: 'Evidence required when it is done.', example: 'note' })
  evidence!: (typeof EVIDENCE)[number];

  @Field(listOf(itemKey(), { max: 50 }), { description: 'Keys of the items that come first.', example: [] })
  dependsOn!: string[];

  @Field(oneOf(ITEM_STATUSES), { description: 'Status.', example: 'pending' })
  status!: ItemStatus;

  @Field(text({ max: 2_000 }), { description: 'Note.', nullable: true })
  note!: string | null;

  @Field(text({ max: 2_000 }), { description: 'URL given as evidence.', nullable: true })
  link!: string | null;

  @Field(id(), { description: 'Attachment of the record given as evidence.', nullable: true })
  fileId!: string | null;

  @Field(text({ max: 500 }), { description: 'Why it was skipped or is blocked.', nullable: true })
  reason!: string | null;

  @Field(instant(), { description: 'Time of the last change.', nullable: true })
  changedAt!: string | null;

  @Field(nested(ActorView), { description: 'Author of the last change.', nullable: true })
  changedBy!: ActorStamp | null;
}

/** A merge patch of an item. */
export class ChangeChecklistItem {
  @Field(oneOf(ITEM_STATUSES), { description: 'New status.', example: 'done', optional: true })
  status?: ItemStatus;

  @Field(text({ max: 2_000 }), { description: 'Note.', example: 'Signed on Monday.', optional: true, nullable: true })
  note?: string | null;

  @Field(text({ max: 2_000, pattern: /^https?:\/\/\S+$/, form: 'a URL with http or https' }), {
    description: 'URL as evidence.',
    optional: true,
    nullable: true,
  })
  link?: string | null;

  @Field(id(), { description: 'Attachment of the record as evidence.', optional: true, nullable: true })
  fileId?: string | null;

  @Field(text({ min: 1, max: 500 }), {
    description: 'Why the item is skipped or blocked; required for these statuses.',
    optional: true,
    nullable: true,
  })
  reason?: string | null;
}

/** A checklist about a record. */
export class Checklist extends VersionedRow {
  @Attribute(name(), 'Title of the checklist.', { example: 'Customer rollout' })
  title!: string;

  @Attribute(oneOf(CHECKLIST_KINDS), 'Occasion.', { example: 'project' })
  kind!: ChecklistKind;

  @Attribute(nested(ChecklistSubject), 'Record that it is about.', {
    example: { object: 'work.project', id: RECORD_ID },
  })
  subject!: ChecklistSubject;

  @Attribute(id(), 'Template from which it was started.', { nullable: true })
  templateId!: string | null;

  @Derived(
    civilDate(),
    'Date from which due dates count. Events about an offboarding contain neither this date nor due dates.',
    { example: '2026-11-30', nullable: true },
  )
  @Column('date', { name: 'start_date' })
  startDate!: string;

  @Attribute(listOf(nested(StartedItem), { max: 100 }), 'Items in their order.', { example: [] })
  items!: StartedItem[];

  @Attribute(instant(), 'Time at which the last required item was done or skipped; null while one is open.', {
    nullable: true,
  })
  completedAt!: string | null;
}

export const checklists = governedType(Checklist, {
  type: 'core.checklist',
  noun: 'checklist',
  table: 'data.checklists',
  path: '/api/operations/checklists',
  about: { type: `t.subject->>'object'`, id: `t.subject->>'id'` },
  names: { subject: 'updated' },
  risk: 'low',
  events: {
    started: 'A checklist was started for a record.',
    updated: 'An item of a checklist changed, or the record that it is about was merged into another one.',
    assigned: 'Open items of a checklist were assigned to the member who now has their role.',
    moved: 'A checklist was moved to another date, with the due dates of its open items.',
    closed: 'The open items of a checklist were skipped, because its occasion has ended.',
    completed: 'The last required item of a checklist was done or skipped.',
    reopened: 'A required item of a complete checklist was opened again.',
    deleted: 'A checklist was deleted.',
  },
});
