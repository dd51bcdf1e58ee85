import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { addressSpelling } from '#libs/kernel/domain.js';
import { fold } from '#libs/kernel/fold.js';
import { MAIL_STATES, MAIL_STATES_TEXT } from '#libs/mail/mail-states.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const INVITATION_STATUSES = ['pending', 'accepted', 'declined', 'expired', 'revoked'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

/** An invitation. The hash of its token is in the directory. Events and audit entries contain no personal data. */
export class Invitation extends VersionedRow {
  @Derived(listOf(id(), { max: 20 }), 'Roles of the invitee.', {
    example: ['00000000-0000-7000-8000-000000000004'],
  })
  @Column('uuid', { name: 'role_ids', array: true })
  roleIds!: string[];

  @Derived(listOf(id(), { max: 50 }), 'Workspaces that the invitee joins; empty for the default workspace.', {
    example: [],
  })
  @Column('uuid', { name: 'workspace_ids', array: true })
  workspaceIds!: string[];

  @ReadOnly(nested(ActorView), 'Caller who sent the invitation.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  invitedBy!: ActorView;

  @ReadOnly(id(), 'Employee to link to the membership on acceptance.', { nullable: true })
  employeeId!: string | null;

  @ReadOnly(oneOf(INVITATION_STATUSES), '`pending` while it is open, otherwise how it was closed.', {
    example: 'pending',
  })
  status!: InvitationStatus;

  @ReadOnly(instant(), 'Time at which it expires.', { example: '2026-11-28T09:15:02.114Z' })
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

  @Derived(instant(), 'Time at which the last mail was sent.', {
    example: '2026-11-21T09:15:04.020Z',
    nullable: true,
    told: false,
  })
  lastSentAt?: string | null;

  @Derived(
    oneOf(MAIL_STATES),
    `State of the newest mail; it can be resent. ${MAIL_STATES_TEXT} The link of a \`logged\` mail is in the worker log.`,
    { example: 'sent', nullable: true, told: false },
  )
  mailStatus?: string | null;

  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt!: string | null;
}

const list = {
  filters: {
    status: filter.exact(oneOf(INVITATION_STATUSES)),
    email: {
      ...filter.exact({ ...text({ max: 254 }), parse: (value) => fold(addressSpelling(value)) }),
      sql: 't.email_lower',
    },
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt', 'expiresAt'],
  defaultSort: '-createdAt',
};

export const invitations = governedType(Invitation, {
  type: 'core.invitation',
  noun: 'invitation',
  table: 'data.invitations',
  path: '/api/admin/invitations',
  risk: 'medium',
  list,
  events: {
    created: 'A person was invited. The address is not included.',
    updated: 'Roles, workspaces or expiry of an invitation were changed. The address is not included.',
    resent: 'An invitation was resent with a new link. The address is not included.',
    revoked: 'An open invitation was revoked. The address is not included.',
    accepted: 'A person accepted an invitation and became a member. The address is not included.',
    declined: 'A person declined an invitation. The address is not included.',
    expired: 'An invitation expired without being accepted or declined. The address is not included.',
  },
});
