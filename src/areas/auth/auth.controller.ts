import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Route } from '#libs/http/route.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { Deleted } from '#libs/resource/types/record.dto.js';
import {
  CurrentCaller,
  LoggedOut,
  Logout,
  MAX_SESSIONS,
  NewSession,
  SessionList,
  SignIn,
  StepUp,
  StepUpPlace,
  SwitchedSession,
  SwitchTenant,
} from '#libs/members/session.dto.js';
import { CallerService } from './caller.service.js';
import { LogoutService } from './logout.service.js';
import { SESSION_EXAMPLE } from './session.js';
import { SessionsService } from './sessions.service.js';
import { comesByCookie, SignInCookies } from './sign-in-cookies.js';
import { SignInService } from './sign-in.service.js';
import { StepUpService } from './step-up.service.js';
import { TenantSwitchService } from './tenant-switch.service.js';

@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    private readonly callers: CallerService,
    private readonly logouts: LogoutService,
    private readonly switches: TenantSwitchService,
    private readonly stepUps: StepUpService,
    private readonly cookies: SignInCookies,
  ) {}

  @Route({
    id: 'auth.session.create',
    summary: 'Sign in with an ID token',
    description:
      'Opens a session for the member identified by the ID token: by its verified email address at the first sign-in, and by its subject after that. The response does not reveal whether the tenant or the member exists.',
    permission: 'public',
    status: 201,
    body: SignIn,
    answer: NewSession,
    secretAnswer: true,
    location: '/api/auth/sessions',
    problems: ['unauthenticated', 'tenant_suspended', 'rate_limit_exceeded', 'sign_in_not_configured', 'unavailable'],
    tag: 'auth',
  })
  @Post('session')
  signIn(@Body() input: SignIn) {
    return this.signIns.signIn(input);
  }

  @Route({
    id: 'auth.session.get',
    summary: 'Read the current caller',
    description:
      'The session or API key of the request, the member that it acts for, the tenant, and the current permissions.',
    permission: 'any',
    forPartners: true,
    byPerson: true,
    tenantless: true,
    answer: CurrentCaller,
    tag: 'auth',
  })
  @Get('session')
  current() {
    return this.callers.current();
  }

  @Route({
    id: 'auth.sessions.list',
    summary: 'List your open sessions',
    description:
      'Open sessions of the member that the caller acts for; for a session without a tenant, the sessions without a tenant.',
    permission: 'any',
    tenantless: true,
    query: PageQuery,
    answer: SessionList,
    problems: ['cursor_invalid'],
    example: {
      answer: { data: [SESSION_EXAMPLE], page: { limit: MAX_SESSIONS, hasMore: false, nextCursor: null } },
    },
    tag: 'auth',
  })
  @Get('sessions')
  list(@Query() query: PageQuery) {
    return this.sessions.list(query);
  }

  @Route({
    id: 'auth.sessions.delete',
    summary: 'End a session',
    description: 'One of your own sessions, or with `sessions:revoke` any session. Takes effect with the next request.',
    permission: 'any',
    tenantless: true,
    besides: [{ scope: 'sessions:revoke', when: 'For a session of another member.' }],
    answer: Deleted,
    problems: ['not_found', 'permission_denied'],
    tag: 'auth',
  })
  @Delete('sessions/:id')
  end(@Param('id') id: string) {
    return this.sessions.end(id);
  }

  @Route({
    id: 'auth.logout',
    summary: 'Sign out',
    description:
      'Ends the current session, or all sessions of the person in all tenants. API keys stay valid. The identity provider has its own session: send the browser to `providerLogoutUrl` to end it too.',
    permission: 'any',
    tenantless: true,
    body: Logout,
    bodyOptional: true,
    answer: LoggedOut,
    tag: 'auth',
  })
  @Post('logout')
  async logOut(@Body() input: Logout, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    if (comesByCookie(request)) void reply.header('set-cookie', this.cookies.noSession());
    return this.logouts.logOut(input);
  }

  @Route({
    id: 'auth.tenant.switch',
    summary: 'Switch to another tenant',
    description:
      'Opens a session in another tenant of which you are a member. It expires no later than the current session. In a browser it replaces the current session in the cookie, which is then revoked. The response does not reveal whether the tenant exists or you are not a member.',
    permission: 'any',
    tenantless: true,
    body: SwitchTenant,
    answer: SwitchedSession,
    secretAnswer: true,
    problems: ['not_found', 'blocked'],
    tag: 'auth',
  })
  @Post('switch-tenant')
  switchTenant(
    @Body() input: SwitchTenant,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return comesByCookie(request) ? this.switches.inBrowser(input, reply) : this.switches.switchTo(input);
  }

  @Route({
    id: 'auth.step_up',
    summary: 'Sign in again',
    description:
      'Returns the URL to which to send the browser. The identity provider then authenticates the person again, which updates `authTime` and `multiFactorAt` of the session. It must be the same person, and the session of a browser must be in that browser. An app can also exchange a new ID token for a session.',
    permission: 'any',
    tenantless: true,
    body: StepUp,
    bodyOptional: true,
    answer: StepUpPlace,
    problems: ['blocked'],
    tag: 'auth',
  })
  @Post('step-up')
  stepUp(@Body() { returnTo }: StepUp) {
    return this.stepUps.begin(returnTo);
  }
}
