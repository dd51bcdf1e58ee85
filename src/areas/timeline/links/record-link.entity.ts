import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimelineRow } from '../timeline.entity.js';
import type { ShownRelation } from './link.relations.js';

/** A link as shown on one of its two records; the other record has a row with the same id. */
@Entity({ schema: 'data', name: 'record_links' })
export class RecordLink extends TimelineRow {
  @PrimaryColumn('uuid', { name: 'record_id' })
  recordId!: string;

  @Column('text')
  relation!: ShownRelation;

  @Column('text', { name: 'other_object' })
  otherObject!: string;

  @Column('uuid', { name: 'other_id' })
  otherId!: string;
}
