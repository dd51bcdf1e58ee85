import { Column } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';

/** The common columns of timeline objects. */
export abstract class TimelineRow extends TenantRow {
  /** Type of the record. */
  @Column('text')
  object!: string;

  /** The record. Declared by each table, because in some it is part of the key. */
  abstract recordId: string;

  @Column('integer')
  version!: number;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;
}
