import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { text } from '#libs/http/field.js';
import { Route } from '#libs/http/route.js';
import { ShortListQuery } from '#libs/resource/lists/page-query.js';
import { NewSession } from '#libs/members/session.dto.js';
import { AcceptInvitation, DeclinedInvitation, InvitationOffer, MyInvitations } from './invitee.dto.js';
import { InviteesService } from './invitees.service.js';

/** Not looked at more closely: a malformed token leads nowhere, as any other that is not ours. */
const PARAMS = {
  token: { kind: text({ min: 1, max: 500 }), description: 'The token from the link in the mail.' },
};

@Controller('api/invitations')
export class InviteesController {
  constructor(private readonly invitees: InviteesService) {}

  @Route({
    id: 'invitations.mine.list',
    summary: 'List the invitations for you',
    description:
      'Open invitations, in any tenant, for the verified address of the person who has signed in. It takes a session: an API key belongs to one tenant, and sees none of them. The links are in the mails.',
    permission: 'any',
    query: ShortListQuery,
    answer: MyInvitations,
    problems: ['cursor_invalid'],
    tag: 'invitations',
  })
  @Get('mine')
  mine(@Query() query: ShortListQuery) {
    return this.invitees.mine(query);
  }

  @Route({
    id: 'invitations.get',
    summary: 'See what an invitation offers',
    description: 'Unknown, expired, revoked and used tokens are all answered alike. Looking changes nothing.',
    permission: 'public',
    params: PARAMS,
    answer: InvitationOffer,
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'invitations',
  })
  @Get(':token')
  read(@Param('token') token: string) {
    return this.invitees.read(token);
  }

  @Route({
    id: 'invitations.accept',
    summary: 'Accept an invitation',
    description:
      'Makes you a member, with the invited roles and workspaces, and signs you in. Your address, as the identity provider has verified it, must be the invited one: prove it with an ID token, or with a session that you have in another tenant (`Authorization: Bearer`).',
    permission: 'public',
    params: PARAMS,
    body: AcceptInvitation,
    bodyOptional: true,
    answer: NewSession,
    secretAnswer: true,
    problems: [
      'unauthenticated',
      'email_mismatch',
      'tenant_suspended',
      'not_found',
      'seat_limit',
      'duplicate',
      'blocked',
      'rate_limit_exceeded',
      'sign_in_not_configured',
      'unavailable',
    ],
    tag: 'invitations',
  })
  @Post(':token/accept')
  accept(
    @Param('token') token: string,
    @Body() { idToken, nonce }: AcceptInvitation,
    @Req() { headers }: FastifyRequest,
  ) {
    return this.invitees.accept(token, { idToken, nonce, authorization: headers.authorization });
  }

  @Route({
    id: 'invitations.decline',
    summary: 'Decline an invitation',
    permission: 'public',
    params: PARAMS,
    answer: DeclinedInvitation,
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'invitations',
  })
  @Post(':token/decline')
  decline(@Param('token') token: string) {
    return this.invitees.decline(token);
  }
}
