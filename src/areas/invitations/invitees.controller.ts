import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { text } from '#libs/http/field.js';
import { sendPage, sendShown } from '#libs/http/page.js';
import { Route } from '#libs/http/route.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { NewSession } from '#libs/members/session.dto.js';
import { PresentedSessionsService } from '#src/areas/auth/presented-sessions.service.js';
import { declinedPage, joinedPage, offerPage } from './invitation-page.js';
import { AcceptInvitation, DeclinedInvitation, InvitationOffer, MyInvitations } from './invitee.dto.js';
import { InviteesService } from './invitees.service.js';

/** Not validated further: a malformed token gets the same 404 as an unknown one. */
const PARAMS = {
  token: { kind: text({ min: 1, max: 500 }), description: 'The token from the link in the mail.' },
};

@Controller('api/invitations')
export class InviteesController {
  constructor(
    private readonly invitees: InviteesService,
    private readonly presented: PresentedSessionsService,
  ) {}

  @Route({
    id: 'invitations.mine.list',
    summary: 'List your invitations',
    description:
      'Open invitations of all tenants for the verified e-mail address of the signed-in person. Requires a session; the list is empty for API keys, which belong to one tenant. The links to accept are only in the mails.',
    permission: 'any',
    tenantless: true,
    query: PageQuery,
    answer: MyInvitations,
    problems: ['cursor_invalid'],
    tag: 'invitations',
  })
  @Get('mine')
  mine(@Query() query: PageQuery) {
    return this.invitees.mine(query);
  }

  @Route({
    id: 'invitations.get',
    summary: 'Read an invitation by its token',
    description:
      'Unknown, expired, revoked and used tokens all return the same 404. Reading does not change the invitation. A browser gets a page to sign in and accept, or to decline.',
    permission: 'public',
    params: PARAMS,
    answer: InvitationOffer,
    page: { signIn: '../auth/login', comesBack: true },
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'invitations',
  })
  @Get(':token')
  async read(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { offer, brand } = await this.invitees.read(token);
    void reply.header('vary', 'accept');
    if (!this.presented.isInBrowser(request)) return void reply.send(offer);
    sendPage(reply, offerPage(offer, { token, who: await this.presented.addressIn(request), brand }));
  }

  @Route({
    id: 'invitations.accept',
    summary: 'Accept an invitation',
    description:
      'Makes you a member with the roles and workspaces of the invitation, and signs you in. Your verified e-mail address must be the invited one. Prove it with an ID token, or with a session of another tenant (`Authorization: Bearer` or the session cookie). A browser that submits the form of the invitation page gets a page, with the session in its cookie.',
    permission: 'public',
    params: PARAMS,
    body: AcceptInvitation,
    bodyOptional: true,
    answer: NewSession,
    page: { signIn: '../../auth/login', comesBack: true },
    secretAnswer: true,
    problems: [
      'unauthenticated',
      'email_mismatch',
      'tenant_suspended',
      'csrf_refused',
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
  async accept(
    @Param('token') token: string,
    @Body() { idToken, nonce }: AcceptInvitation,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const inBrowser = this.presented.isInBrowser(request);
    const session = await this.invitees.accept(token, {
      idToken,
      nonce,
      session: await this.presented.of(request),
      inBrowser,
    });
    if (!inBrowser) return void reply.send(session);
    this.presented.give(reply, session);
    sendPage(reply, joinedPage(session.tenant.name));
  }

  @Route({
    id: 'invitations.decline',
    summary: 'Decline an invitation',
    description: 'The token is enough. A browser that submits the form of the invitation page gets a page.',
    permission: 'public',
    params: PARAMS,
    answer: DeclinedInvitation,
    page: { signIn: null },
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'invitations',
  })
  @Post(':token/decline')
  async decline(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendShown(request, reply, await this.invitees.decline(token), declinedPage);
  }
}
