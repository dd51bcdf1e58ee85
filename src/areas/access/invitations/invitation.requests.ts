import { command } from '#libs/http/command.js';
import { emailAddress } from '#libs/http/email-field.js';
import { Field, fieldsOf, flag, id, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { model, ONE_PAGE, PageInfo, pageOf } from '#libs/resource/types/record.dto.js';
import { type Invitation, invitations } from './invitation.js';

/** Actions of administrators on an open invitation. */
export const INVITATION_ACTIONS = ['resend', 'revoke', 'update'] as const;
export type InvitationAction = (typeof INVITATION_ACTIONS)[number];

/** Reasons for which an address was not invited. */
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
    description: 'Addresses to invite, instead of `email`.',
    example: ['bo@acme.example'],
    optional: true,
  })
  emails?: string[];

  @Field(roleIds(), { description: 'Roles of the invitees; defaults to `member`.', optional: true })
  roleIds?: string[];

  @Field(workspaceIds(), {
    description: 'Workspaces that the invitees join; defaults to the default workspace.',
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
    description: 'Days after which the invitation expires; defaults to 7.',
    example: 7,
    optional: true,
  })
  expiresInDays?: number;

  @Field(id(), {
    description:
      'Employee to link to the membership on acceptance; only with a single address. Requires `employees:manage`.',
    optional: true,
    nullable: true,
  })
  employeeId?: string | null;
}

export class ChangeInvitation {
  @Field(oneOf(INVITATION_ACTIONS), {
    description:
      '`update` changes roles, workspaces and expiry; `resend` sends a new link and invalidates earlier ones; `revoke` closes the invitation. Defaults to `update`.',
    example: 'update',
    optional: true,
  })
  action?: InvitationAction;

  @Field(roleIds(), {
    description: 'For `update`: the complete set of roles.',
    example: [MEMBER_ROLE],
    optional: true,
  })
  roleIds?: string[];

  @Field(workspaceIds(), { description: 'For `update`: the complete set of workspaces.', optional: true })
  workspaceIds?: string[];

  @Field(days(), {
    description: 'Days from now until it expires, for `update` and `resend`; `resend` defaults to 7.',
    example: 14,
    optional: true,
  })
  expiresInDays?: number;
}

command<InvitationAction>(
  ChangeInvitation,
  {
    update: { takes: ['roleIds', 'workspaceIds', 'expiresInDays'] },
    resend: { takes: ['expiresInDays'] },
    revoke: {},
  },
  { by: 'action', otherwise: 'update' },
);

export class InvitationError {
  @Field(oneOf(ERRORS), { description: 'Reason why the address was not invited.', example: 'already_member' })
  code!: InvitationErrorCode;

  @Field(text({ max: 500 }), { description: 'Explanation of the code.' })
  detail!: string;
}

export class InvitationResult {
  @Field(text({ max: 254 }), { description: 'The address.', example: 'ana@acme.example' })
  email!: string;

  @Field(flag(), { description: 'True if the address was invited.', example: true })
  ok!: boolean;

  @Field(nested(invitations.view), { description: 'The invitation; null if there is none.', nullable: true })
  invitation!: InvitationView | null;

  @Field(nested(InvitationError), { description: 'Reason why there is none.', nullable: true })
  error!: InvitationError | null;
}

export class InvitationResults {
  @Field(listOf(nested(InvitationResult), { max: 100 }), { description: 'One result per address, in the same order.' })
  data!: InvitationResult[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;

  @Field(nested(PendingApproval), {
    description: 'Request for approval if the invitations are parked and nobody has been invited yet; null otherwise.',
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
      'Request for approval if the change is parked and the invitation unchanged; null if the change was applied.',
    nullable: true,
    example: null,
  },
});
export type ChangedInvitation = InvitationView & { pendingApproval: PendingApproval | null };

export const InvitationQuery = listQuery('InvitationQuery', invitations.list!);
export const InvitationPage = pageOf(invitations.view);
