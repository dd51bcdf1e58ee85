import { Field, instant, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { idToken, nonce } from '#libs/members/session.dto.js';
import { model, PageInfo } from '#libs/resource/types/record.dto.js';

/** The terms of an invitation, without further data of the tenant. */
export class InvitationOffer {
  @Field(text({ max: 200 }), { description: 'Name of the tenant.', example: 'Acme Inc.' })
  tenantName!: string;

  @Field(text({ max: 200 }), { description: 'Name of the inviter.', example: 'Ana Silva' })
  invitedBy!: string;

  @Field(listOf(text({ max: 200 }), { max: 20 }), { description: 'Names of the roles.', example: ['Member'] })
  roles!: string[];

  @Field(instant(), { description: 'Time at which it expires.', example: '2026-11-28T09:15:02.114Z' })
  expiresAt!: string;
}

/** Maximum number of invitations shown to a person. */
const MAX_INVITATIONS = 20;

export const MyInvitations = model('MyInvitations', {
  data: { kind: listOf(nested(InvitationOffer), { max: MAX_INVITATIONS }), description: 'The open invitations.' },
  page: { kind: nested(PageInfo), description: 'Paging information.' },
});

export class AcceptInvitation {
  @Field(idToken(), {
    description:
      'ID token of the OpenID provider with the invited e-mail address, verified. Without it, the session of the request identifies you.',
    example: 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    optional: true,
  })
  idToken?: string;

  @Field(nonce(), {
    description: 'The nonce that the app sent to the provider; the token must contain it.',
    example: 'n-0S6_WzA2Mj',
    optional: true,
  })
  nonce?: string;
}

export class DeclinedInvitation {
  @Field(oneOf(['declined']), { description: 'Status of the invitation.', example: 'declined' })
  status!: 'declined';
}
