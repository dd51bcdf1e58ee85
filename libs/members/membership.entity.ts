import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MemberSource, MemberStatus } from './member.js';

/** What lists of members are filtered and sorted by; roles and workspaces stand in tables of their own. */
@Entity({ schema: 'data', name: 'memberships' })
export class Membership {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  email!: string;

  @Column('text')
  name!: string;

  @Column('text')
  status!: MemberStatus;

  @Column('text')
  source!: MemberSource;

  @Column('timestamptz', { name: 'joined_at', nullable: true })
  joinedAt!: string | null;

  @Column('timestamptz', { name: 'last_active_at', nullable: true })
  lastActiveAt!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: string;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}
