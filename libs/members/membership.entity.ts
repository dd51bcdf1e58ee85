import { Column, Entity } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { MemberSource, MemberStatus } from './member.js';

/** The columns that lists of members are filtered and sorted by. Roles and workspaces are in separate tables. */
@Entity({ schema: 'data', name: 'memberships' })
export class Membership extends TenantRow {
  @Column('text')
  email!: string;

  @Column({ type: 'text', collation: ALPHABET })
  name!: string;

  @Column('text')
  status!: MemberStatus;

  @Column('text')
  source!: MemberSource;

  @Column('timestamptz', { name: 'joined_at', nullable: true })
  joinedAt!: string | null;

  @Column('timestamptz', { name: 'last_active_at', nullable: true })
  lastActiveAt!: string | null;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}
