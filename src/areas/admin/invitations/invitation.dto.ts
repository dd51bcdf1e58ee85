import { emailAddress } from '#libs/http/email-field.js';
import { constant, Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';
import { PendingApproval } from '#libs/resource/approval.dto.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/list-query.js';
import { ActorView, pageOf } from '#libs/resource/record.dto.js';
import { INVITATION_STATUSES, type InvitationStatus } from './invitation.entity.js';

/** Type key of invitations; also the beginning of their event types. */
export const INVITATION_TYPE = 'core.invitation';
/** Path of the invitations in the API. */
export const INVITATIONS_PATH = '/api/admin/invitations';

/** What administrators do with an open invitation. */
export const INVITATION_ACTIONS = ['resend', 'revoke', 'update'] as const;
export type InvitationAction = (typeof INVITATION_ACTIONS)[number];

/** Why somebody was not invited. */
const ERRORS = ['already_member', 'pending_exists', 'seat_limit', 'domain_not_allowed', 'role_too_high'] as const;
export type InvitationErrorCode = (typeof ERRORS)[number];

const roleIds = () => listOf(id(), { min: 1, max: 20, unique: true });
const workspaceIds = () => listOf(id(), { min: 1, max: 50, unique: true });
const days = () => integer({ min: 1, max: 30 });
const MEMBER_ROLE = '00000000-0000-7000-8000-000000000004';

export class Invite {
  @Field(emailAddress(), { description: 'Whom to invite.', example: 'ana@acme.example', optional: true })
  email?: string;

  @Field(listOf(emailAddress(), { min: 1, max: 100 }), {
    description: 'Whom to invite, in the place of `email`.',
    example: ['bo@acme.example'],
    optional: true,
  })
  emails?: string[];

  @Field(roleIds(), { description: 'Roles that they get; that of members if not given.', optional: true })
  roleIds?: string[];

  @Field(workspaceIds(), { description: 'Workspaces that they join; the default one if not given.', optional: true })
  workspaceIds?: string[];

  @Field(text({ min: 1, max: 1_000 }), {
    description: 'Stands in the mail.',
    example: 'Welcome aboard!',
    optional: true,
    nullable: true,
  })
  message?: string | null;

  @Field(days(), {
    description: 'Days after which the invitation expires; 7 if not given.',
    example: 7,
    optional: true,
  })
  expiresInDays?: number;

  @Field(id(), {
    description: 'Employee who is tied to the membership at acceptance; for one address. Takes `employees:manage`.',
    optional: true,
    nullable: true,
  })
  employeeId?: string | null;
}

export class ChangeInvitation {
  @Field(oneOf(INVITATION_ACTIONS), {
    description:
      '`update` changes roles, workspaces and expiry; `resend` sends a new link, after which no earlier one works; `revoke` closes it.',
    example: 'update',
    optional: true,
  })
  action?: InvitationAction;

  @Field(roleIds(), { description: 'For `update`: the roles that they get.', example: [MEMBER_ROLE], optional: true })
  roleIds?: string[];

  @Field(workspaceIds(), { description: 'For `update`: the workspaces that they join.', optional: true })
  workspaceIds?: string[];

  @Field(days(), {
    description: 'Days from now after which it expires, for `update` and `resend`; 7 for `resend` if not given.',
    example: 14,
    optional: true,
  })
  expiresInDays?: number;
}

/** An invitation without what is personal. */
export class InvitationFacts {
  @Field(id(), { description: 'Id of the invitation.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1d01' })
  id!: string;

  @Field(constant(INVITATION_TYPE), { description: 'Type of the record.', example: INVITATION_TYPE })
  object!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Rises with each change; also the ETag.', example: 1 })
  version!: number;

  @Field(listOf(id(), { max: 20 }), { description: 'Roles that they get.', example: [MEMBER_ROLE] })
  roleIds!: string[];

  @Field(listOf(id(), { max: 50 }), {
    description: 'Workspaces that they join; the default one if empty.',
    example: [],
  })
  workspaceIds!: string[];

  @Field(nested(ActorView), { description: 'Who invited them.' })
  invitedBy!: ActorView;

  @Field(id(), { description: 'Employee who is tied to the membership at acceptance.', nullable: true })
  employeeId!: string | null;

  @Field(oneOf(INVITATION_STATUSES), { description: 'What has become of it.', example: 'pending' })
  status!: InvitationStatus;

  @Field(instant(), { description: 'When it expires, or did.', example: '2026-11-28T09:15:02.114Z' })
  expiresAt!: string;

  @Field(id(), { description: 'The membership of who accepted it.', nullable: true })
  acceptedMembershipId!: string | null;

  @Field(instant(), { description: 'When it was made.' })
  createdAt!: string;

  @Field(instant(), { description: 'When it last changed.' })
  updatedAt!: string;
}

export class InvitationView extends InvitationFacts {
  @Field(text({ max: 254 }), { description: 'Who is invited.', example: 'ana@acme.example' })
  email!: string;

  @Field(text({ max: 1_000 }), { description: 'Stands in the mail.', example: 'Welcome aboard!', nullable: true })
  message!: string | null;

  @Field(integer({ min: 0, max: 1_000 }), { description: 'Mails that have been sent.', example: 1 })
  sentCount!: number;

  @Field(instant(), { description: 'When the last of them was sent.', nullable: true })
  lastSentAt!: string | null;

  @Field(oneOf(['waiting', 'sent', 'logged', 'failed', 'cancelled']), {
    description:
      'What became of the newest mail: `failed` when it has been given up; resend it then. `logged` where the platform has no mail server: nobody got it, and the log of the worker has the link.',
    example: 'sent',
    nullable: true,
  })
  mailStatus!: string | null;
}

export class InvitationError {
  @Field(oneOf(ERRORS), { description: 'Why not.', example: 'already_member' })
  code!: InvitationErrorCode;

  @Field(text({ max: 500 }), { description: 'The same in words.' })
  detail!: string;
}

export class InvitationResult {
  @Field(text({ max: 254 }), { description: 'The address.', example: 'ana@acme.example' })
  email!: string;

  @Field(flag(), { description: 'Whether they are invited.', example: true })
  ok!: boolean;

  @Field(nested(InvitationView), { description: 'The invitation.', nullable: true })
  invitation!: InvitationView | null;

  @Field(nested(InvitationError), { description: 'Why there is none.', nullable: true })
  error!: InvitationError | null;
}

export class InvitationResults {
  @Field(listOf(nested(InvitationResult), { max: 100 }), { description: 'One for each address, in the same order.' })
  data!: InvitationResult[];

  @Field(nested(PendingApproval), {
    description: 'The request for approval that all of it waits for: nobody is invited yet. Null if it is done.',
    nullable: true,
    example: null,
  })
  pendingApproval!: PendingApproval | null;
}

export class ChangedInvitation extends InvitationView {
  @Field(nested(PendingApproval), {
    description: 'The request for approval that the change waits for: the invitation is as it was. Null if it is done.',
    nullable: true,
    example: null,
  })
  pendingApproval!: PendingApproval | null;
}

export const invitationList: ListOptions = {
  filters: {
    status: filter.exact(oneOf(INVITATION_STATUSES)),
    email: { ...filter.exact({ ...text({ max: 254 }), parse: fold }), sql: 't.email_lower' },
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt', 'expiresAt'],
  defaultSort: '-createdAt',
};

export const InvitationQuery = listQuery('InvitationQuery', invitationList);
export const InvitationPage = pageOf(InvitationView);
