import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const INVITATION_STATUSES = ['pending', 'accepted', 'declined', 'expired', 'revoked'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];
const MAIL_STATES = ['waiting', 'sent', 'logged', 'failed', 'cancelled'];

/** An invitation. The hash of its token stands in the directory; events and audit entries hold nothing personal. */
export class Invitation extends VersionedRow {
  @Derived(listOf(id(), { max: 20 }), 'Roles that the invitee gets.', {
    example: ['00000000-0000-7000-8000-000000000004'],
  })
  @Column('uuid', { name: 'role_ids', array: true })
  roleIds!: string[];

  @Derived(listOf(id(), { max: 50 }), 'Workspaces that the invitee joins; the default one if empty.', { example: [] })
  @Column('uuid', { name: 'workspace_ids', array: true })
  workspaceIds!: string[];

  @ReadOnly(nested(ActorView), 'Caller who sent the invitation.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  invitedBy!: ActorView;

  @ReadOnly(id(), 'Employee who is tied to the membership at acceptance.', { nullable: true })
  employeeId!: string | null;

  @ReadOnly(oneOf(INVITATION_STATUSES), '`pending` while it is open, otherwise the way in which it was closed.', {
    example: 'pending',
  })
  status!: InvitationStatus;

  @ReadOnly(instant(), 'Time at which it expires or has expired.', { example: '2026-11-28T09:15:02.114Z' })
  expiresAt!: string;

  @ReadOnly(id(), 'Membership of the invitee who accepted it.', { nullable: true })
  acceptedMembershipId!: string | null;

  @ReadOnly(text({ max: 254 }), 'E-mail address of the invitee.', {
    example: 'ana@acme.example',
    privacy: 'personal',
    told: false,
  })
  email!: string;

  @ReadOnly(text({ max: 1_000 }), 'Text in the mail.', {
    example: 'Welcome aboard!',
    nullable: true,
    privacy: 'personal',
    told: false,
  })
  message!: string | null;

  @Derived(integer({ min: 0, max: 1_000 }), 'Number of mails that have been sent.', { example: 1, told: false })
  sentCount?: number;

  @Derived(instant(), 'Time at which the last of them was sent.', {
    example: '2026-11-21T09:15:04.020Z',
    nullable: true,
    told: false,
  })
  lastSentAt?: string | null;

  @Derived(
    oneOf(MAIL_STATES),
    'State of the newest mail: `failed` when it has been given up; resend it then. `logged` where the platform has no mail server: nobody got it, and the log of the worker has the link.',
    { example: 'sent', nullable: true, told: false },
  )
  mailStatus?: string | null;

  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt!: string | null;
}

export const invitations = governedType(Invitation, {
  type: 'core.invitation',
  noun: 'invitation',
  table: 'data.invitations',
  path: '/api/admin/invitations',
  risk: 'medium',
  events: {
    created: 'Somebody was invited. Without the address.',
    updated: 'What an invitation gives, or its expiry, changed. Without the address.',
    resent: 'An invitation was sent again, with a new link. Without the address.',
    revoked: 'An open invitation was taken back. Without the address.',
    accepted: 'Somebody accepted an invitation and is a member. Without the address.',
    declined: 'Somebody declined an invitation. Without the address.',
    expired: 'An invitation was neither accepted nor declined in time. Without the address.',
  },
});
