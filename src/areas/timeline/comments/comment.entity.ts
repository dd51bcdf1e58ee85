import { Column, Entity } from 'typeorm';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { TimelineRow } from '../timeline.entity.js';

@Entity({ schema: 'data', name: 'comments' })
export class Comment extends TimelineRow {
  @Column('uuid', { name: 'record_id' })
  recordId!: string;

  /** The comment that it replies to. */
  @Column('uuid', { name: 'parent_id', nullable: true })
  parentId!: string | null;

  @Column('text')
  body!: string;

  @Column('text')
  visibility!: 'internal' | 'customer';

  /** Membership ids. */
  @Column('uuid', { array: true })
  mentions!: string[];

  /** Membership that wrote it; null for a service key. */
  @Column('uuid', { name: 'author_id', nullable: true })
  authorId!: string | null;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: string;

  @Column('jsonb', { name: 'updated_by' })
  updatedBy!: ActorStamp;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}
