import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Route } from '#libs/http/route.js';
import { LoginQuery, ProviderAnswer } from './browser.dto.js';
import { BrowserSignInService } from './browser-sign-in.service.js';
import { cookiesOf, depart } from './sign-in-cookies.js';

@Controller('api/auth')
export class BrowserController {
  constructor(private readonly signIns: BrowserSignInService) {}

  @Route({
    id: 'auth.login',
    summary: 'Sign in by browser',
    description: 'Redirects the browser to the identity provider. Browsers get errors as pages.',
    permission: 'public',
    status: 303,
    query: LoginQuery,
    answer: [],
    answerDescription: 'To the identity provider',
    page: { signIn: 'login' },
    problems: ['sign_in_failed', 'sign_in_not_configured', 'rate_limit_exceeded', 'unavailable'],
    tag: 'auth',
  })
  @Get('login')
  async login(
    @Query() query: LoginQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    depart(reply, await this.signIns.begin(query, cookiesOf(request)));
  }

  @Route({
    id: 'auth.callback',
    summary: 'Complete the sign-in by browser',
    description:
      'The redirect URI for the identity provider. Sets the session in the cookie `session` and redirects the browser to its target. Browsers get errors as pages.',
    permission: 'public',
    status: 303,
    query: ProviderAnswer,
    openQuery: true,
    answer: [],
    answerDescription: 'To where the sign-in was to lead',
    page: { signIn: 'login' },
    problems: ['sign_in_failed', 'unauthenticated', 'sign_in_not_configured', 'rate_limit_exceeded', 'unavailable'],
    tag: 'auth',
  })
  @Get('callback')
  async callback(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    depart(reply, await this.signIns.finish(/\?.*$/.exec(request.url)?.[0] ?? '', cookiesOf(request)));
  }
}
