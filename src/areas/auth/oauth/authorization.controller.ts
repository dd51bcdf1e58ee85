import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookiesOf } from '#libs/auth/sessions/session-cookie.js';
import { sendPage } from '#libs/http/page.js';
import { Route } from '#libs/http/route.js';
import { AuthorizationService } from './authorization.service.js';
import { consentPage } from './consent-page.js';
import { AuthorizationQuery, ConsentForm } from './oauth.models.js';

/** The authorization endpoint, which partners open in the user's browser. */
@Controller('api/auth/oauth')
export class AuthorizationController {
  constructor(private readonly authorization: AuthorizationService) {}

  @Route({
    id: 'auth.oauth.authorize',
    summary: 'Request access from a user',
    description:
      'RFC 6749 with PKCE S256. Signs the user in and shows the consent page: the client, the tenant and the requested permissions. Errors in the request are returned to the `redirect_uri`. If the client or its `redirect_uri` is not registered, the user sees an error page and is not redirected.',
    permission: 'public',
    status: 303,
    query: AuthorizationQuery,
    openQuery: true,
    answer: [],
    answerDescription: 'Redirect to the sign-in, or to the client with an error',
    page: { signIn: '../login', comesBack: true },
    pageDescription: 'The consent page',
    problems: ['bad_request', 'mfa_required', 'tenant_suspended', 'rate_limit_exceeded', 'unavailable'],
    tag: 'auth oauth',
  })
  @Get('authorize')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const search = /\?.*$/.exec(request.url)?.[0] ?? '';
    const step = await this.authorization.ask(search, sessionCookiesOf(request.headers.cookie));
    if ('location' in step) void reply.code(303).header('location', step.location).send();
    else sendPage(reply.code(200), consentPage(step.consent));
  }

  @Route({
    id: 'auth.oauth.consent',
    summary: 'Submit the decision on a request for access',
    description:
      'The form of the consent page (`GET /api/auth/oauth/authorize`). Requires the session in which the page was shown.',
    permission: 'any',
    credential: 'session',
    tenantless: true,
    status: 303,
    form: true,
    keyless: true,
    body: ConsentForm,
    answer: [],
    answerDescription: 'Redirect to the client with a code or an error, or to the consent page for another tenant',
    page: { signIn: '../login', comesBack: true },
    problems: ['mfa_required', 'not_found', 'tenant_required'],
    tag: 'auth oauth',
  })
  @Post('authorize')
  async decide(@Body() form: ConsentForm, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    void reply.header('location', await this.authorization.decide(form, reply));
  }
}
