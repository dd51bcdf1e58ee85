import { emailAddress } from '#libs/http/email-field.js';
import { Field, fieldsOf, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { model, pageOf } from '#libs/resource/types/record.dto.js';
import { type Invitation, INVITATION_STATUSES, invitations } from './invitation.js';

/** What administrators do with an open invitation. */
export const INVITATION_ACTIONS = ['resend', 'revoke', 'update'] as const;
export type InvitationAction = (typeof INVITATION_ACTIONS)[number];

/** Why somebody was not invited. */
const ERRORS = ['already_member', 'pending_exists', 'seat_limit', 'domain_not_allowed', 'role_too_high'] as const;
export type InvitationErrorCode = (typeof ERRORS)[number];

export type InvitationView = ShownObject<Invitation>;

const roleIds = () => listOf(id(), { min: 1, max: 20, unique: true });
const workspaceIds = () => listOf(id(), { min: 1, max: 50, unique: true });
const days = () => integer({ min: 1, max: 30 });
const MEMBER_ROLE = '00000000-0000-7000-8000-000000000004';

export class Invite {
  @Field(emailAddress(), {
    description: 'Address to invite; send this or `emails`.',
    example: 'ana@acme.example',
    optional: true,
  })
  email?: string;

  @Field(listOf(emailAddress(), { min: 1, max: 100 }), {
    description: 'Addresses to invite, in the place of `email`.',
    example: ['bo@acme.example'],
    optional: true,
  })
  emails?: string[];

  @Field(roleIds(), { description: 'Roles that the invitees get; that of members if not given.', optional: true })
  roleIds?: string[];

  @Field(workspaceIds(), {
    description: 'Workspaces that the invitees join; the default one if not given.',
    optional: true,
  })
  workspaceIds?: string[];

  @Field(text({ min: 1, max: 1_000 }), {
    description: 'Text for the mail.',
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
      '`update` changes roles, workspaces and expiry; `resend` sends a new link, after which no earlier one works; `revoke` closes it. `update` if not given.',
    example: 'update',
    optional: true,
  })
  action?: InvitationAction;

  @Field(roleIds(), {
    description: 'For `update`: all roles that the invitee gets.',
    example: [MEMBER_ROLE],
    optional: true,
  })
  roleIds?: string[];

  @Field(workspaceIds(), { description: 'For `update`: all workspaces that the invitee joins.', optional: true })
  workspaceIds?: string[];

  @Field(days(), {
    description: 'Days from now after which it expires, for `update` and `resend`; 7 for `resend` if not given.',
    example: 14,
    optional: true,
  })
  expiresInDays?: number;
}

export class InvitationError {
  @Field(oneOf(ERRORS), { description: 'Reason for which the address was not invited.', example: 'already_member' })
  code!: InvitationErrorCode;

  @Field(text({ max: 500 }), { description: 'The same in words.' })
  detail!: string;
}

export class InvitationResult {
  @Field(text({ max: 254 }), { description: 'The address.', example: 'ana@acme.example' })
  email!: string;

  @Field(flag(), { description: 'True if the address is invited.', example: true })
  ok!: boolean;

  @Field(nested(invitations.view), { description: 'The invitation; null if there is none.', nullable: true })
  invitation!: InvitationView | null;

  @Field(nested(InvitationError), { description: 'Reason for which there is none.', nullable: true })
  error!: InvitationError | null;
}

export class InvitationResults {
  @Field(listOf(nested(InvitationResult), { max: 100 }), { description: 'One for each address, in the same order.' })
  data!: InvitationResult[];

  @Field(nested(PendingApproval), {
    description: 'Request for approval that all of it waits for, while nobody is invited; null if it is done.',
    nullable: true,
    example: null,
  })
  pendingApproval!: PendingApproval | null;
}

export const ChangedInvitation = model('ChangedInvitation', {
  ...Object.fromEntries(fieldsOf(invitations.view)),
  pendingApproval: {
    kind: nested(PendingApproval),
    description:
      'Request for approval that the change waits for, while the invitation stays as it was; null if it is done.',
    nullable: true,
    example: null,
  },
});
export type ChangedInvitation = InvitationView & { pendingApproval: PendingApproval | null };

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
export const InvitationPage = pageOf(invitations.view);
