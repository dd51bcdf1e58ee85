import { Column, Entity } from 'typeorm';
import { TimelineRow } from '../timeline.entity.js';

@Entity({ schema: 'data', name: 'attachments' })
export class Attachment extends TimelineRow {
  @Column('uuid', { name: 'record_id' })
  recordId!: string;

  /** Null for an attachment from before there were files. */
  @Column('uuid', { name: 'file_id', nullable: true })
  fileId!: string | null;

  /** As the file was when it was attached, like the three below. */
  @Column('text', { name: 'file_name' })
  fileName!: string;

  @Column('text', { name: 'content_type' })
  contentType!: string;

  @Column('bigint', { name: 'size_bytes' })
  sizeBytes!: number;

  /** Hexadecimal. */
  @Column('text', { nullable: true })
  sha256!: string | null;

  @Column('text', { nullable: true })
  url!: string | null;

  @Column('text', { nullable: true })
  label!: string | null;
}
