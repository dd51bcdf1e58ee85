import { Column, Entity } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import type { ActorStamp } from '#libs/resource/record.entity.js';

export const INVITATION_STATUSES = ['pending', 'accepted', 'declined', 'expired', 'revoked'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

/** An invitation. The hash of its token stands in the directory. */
@Entity({ schema: 'data', name: 'invitations' })
export class Invitation extends VersionedRow {
  @Column('text')
  email!: string;

  @Column('uuid', { name: 'role_ids', array: true })
  roleIds!: string[];

  @Column('uuid', { name: 'workspace_ids', array: true })
  workspaceIds!: string[];

  @Column('text', { nullable: true })
  message!: string | null;

  @Column('uuid', { name: 'employee_id', nullable: true })
  employeeId!: string | null;

  @Column('text')
  status!: InvitationStatus;

  @Column('jsonb', { name: 'invited_by' })
  invitedBy!: ActorStamp;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: string;

  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt!: string | null;

  @Column('uuid', { name: 'accepted_membership_id', nullable: true })
  acceptedMembershipId!: string | null;
}
