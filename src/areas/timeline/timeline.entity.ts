import { Column, PrimaryColumn } from 'typeorm';
import type { ActorStamp } from '#libs/resource/record.entity.js';

/** The columns of everything that hangs on a record. */
export abstract class TimelineRow {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  /** Type of the record. */
  @Column('text')
  object!: string;

  /** The record; a column of each table, in some part of the key. */
  abstract recordId: string;

  @Column('integer')
  version!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: string;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;
}
