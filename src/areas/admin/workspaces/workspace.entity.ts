import { Column, Entity } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import { VersionedRow } from '#libs/database/tenant-row.js';

/** A unit of a tenant that people and records belong to. */
@Entity({ schema: 'data', name: 'workspaces' })
export class Workspace extends VersionedRow {
  @Column({ type: 'text', collation: ALPHABET })
  name!: string;

  @Column('text', { nullable: true })
  key!: string | null;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('uuid', { name: 'parent_id', nullable: true })
  parentId!: string | null;

  /** Membership of who leads it. */
  @Column('uuid', { name: 'lead_id', nullable: true })
  leadId!: string | null;

  @Column('text')
  visibility!: 'open' | 'closed';

  @Column('uuid', { name: 'default_role_ids', array: true })
  defaultRoleIds!: string[];

  @Column('boolean', { name: 'is_default' })
  isDefault!: boolean;

  @Column('timestamptz', { name: 'archived_at', nullable: true })
  archivedAt!: string | null;
}
