import { Column, Entity } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { EmailChoice, NotificationKind } from '#libs/members/notification-choices.js';

/**
 * What a member is told. Several unread ones of one kind and subject within a short time are one row. A row that is
 * neither listed nor mailed only has the `once` of something that another row tells.
 */
@Entity({ schema: 'data', name: 'notifications' })
export class Notification extends TenantRow {
  @Column('uuid', { name: 'member_id' })
  memberId!: string;

  @Column('text')
  kind!: NotificationKind;

  /** Type key of the subject; null without one. */
  @Column('text', { name: 'subject_type', nullable: true })
  subjectType!: string | null;

  @Column('uuid', { name: 'subject_id', nullable: true })
  subjectId!: string | null;

  @Column('text')
  title!: string;

  @Column('text', { nullable: true })
  body!: string | null;

  /** The comment that the body quotes; null without one. */
  @Column('uuid', { name: 'comment_id', nullable: true })
  commentId!: string | null;

  /** Path of the subject in the API. */
  @Column('text', { nullable: true })
  url!: string | null;

  @Column('integer')
  count!: number;

  /** Whether it is listed. */
  @Column('boolean', { name: 'in_app' })
  inApp!: boolean;

  @Column('text')
  email!: EmailChoice;

  /** When it was last mailed, alone or in the daily mail. */
  @Column('timestamptz', { name: 'mailed_at', nullable: true })
  mailedAt!: string | null;

  @Column('timestamptz', { name: 'read_at', nullable: true })
  readAt!: string | null;

  /** Unique for the member: what has this key is told once. */
  @Column('text', { nullable: true })
  once!: string | null;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: string;
}
