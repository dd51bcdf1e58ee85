import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookieOf } from '#libs/auth/session-cookie.js';
import { sendPage } from '#libs/http/page.js';
import { Route } from '#libs/http/route.js';
import { AuthorizationService } from './authorization.service.js';
import { consentPage } from './consent-page.js';
import { AuthorizationQuery, ConsentForm } from './oauth.models.js';

/** Where partners send the browsers of people. */
@Controller('api/auth/oauth')
export class AuthorizationController {
  constructor(private readonly authorization: AuthorizationService) {}

  @Route({
    id: 'auth.oauth.authorize',
    summary: 'Ask a person for access',
    description:
      'RFC 6749 with PKCE S256. Has the person sign in and shows who asks for what, in which tenant. What is wrong with the request the client is told at its `redirect_uri`; the browser is sent to no address that is not registered.',
    permission: 'public',
    status: 303,
    query: AuthorizationQuery,
    openQuery: true,
    answer: [],
    answerDescription: 'To the sign-in, or back to the client with an error',
    page: '../login',
    pageDescription: 'The page that asks',
    problems: ['bad_request', 'mfa_required', 'tenant_suspended', 'rate_limit_exceeded', 'unavailable'],
    tag: 'auth oauth',
  })
  @Get('authorize')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const search = /\?.*$/.exec(request.url)?.[0] ?? '';
    const step = await this.authorization.ask(search, sessionCookieOf(request.headers.cookie));
    if ('location' in step) void reply.code(303).header('location', step.location).send();
    else sendPage(reply.code(200), consentPage(step.consent));
  }

  @Route({
    id: 'auth.oauth.consent',
    summary: 'Answer a partner’s request for access',
    description: 'What the page of `GET /api/auth/oauth/authorize` sends, with the session that it was shown in.',
    permission: 'any',
    credential: 'session',
    tenantless: true,
    inPerson: true,
    status: 303,
    form: true,
    keyless: true,
    body: ConsentForm,
    answer: [],
    answerDescription: 'Back to the client with a code or an error, or to the page for another tenant',
    page: '../login',
    problems: ['mfa_required', 'not_found', 'tenant_required'],
    tag: 'auth oauth',
  })
  @Post('authorize')
  async decide(@Body() form: ConsentForm, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    void reply.header('location', await this.authorization.decide(form, reply));
  }
}
