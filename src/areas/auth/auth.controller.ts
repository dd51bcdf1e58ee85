import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { ShortListQuery } from '#libs/resource/lists/page-query.js';
import { Deleted } from '#libs/resource/types/record.dto.js';
import { CurrentCaller, LoggedOut, MAX_SESSIONS, NewSession, SessionList, SignIn } from '#libs/members/session.dto.js';
import { SESSION_EXAMPLE } from './session.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';

@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
  ) {}

  @Route({
    id: 'auth.session.create',
    summary: 'Sign in with an ID token',
    description:
      'Opens a session for the member whom the ID token proves. The first time that is the member with the verified address of the token, from then on the one with its subject. Whether there is no such tenant, or no such member, is not told.',
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
    summary: 'See who you are',
    description: 'The session or API key of the request, the member that it acts for, and the tenant.',
    permission: 'any',
    answer: CurrentCaller,
    tag: 'auth',
  })
  @Get('session')
  current() {
    return this.sessions.current();
  }

  @Route({
    id: 'auth.sessions.list',
    summary: 'List your open sessions',
    description: 'Those of the member that the caller acts for.',
    permission: 'any',
    query: ShortListQuery,
    answer: SessionList,
    problems: ['cursor_invalid'],
    example: {
      answer: { data: [SESSION_EXAMPLE], page: { limit: MAX_SESSIONS, hasMore: false, nextCursor: null } },
    },
    tag: 'auth',
  })
  @Get('sessions')
  list(@Query() query: ShortListQuery) {
    return this.sessions.list(query);
  }

  @Route({
    id: 'auth.sessions.delete',
    summary: 'End a session',
    description: 'One of your own; with `sessions:revoke` anybody’s. The next request with it is refused.',
    permission: 'any',
    besides: [{ scope: 'sessions:revoke', when: 'For a session of somebody else.' }],
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
    description: 'Ends the session that the request came with. An API key goes on.',
    permission: 'any',
    answer: LoggedOut,
    tag: 'auth',
  })
  @Post('logout')
  logOut() {
    return this.sessions.logOut();
  }
}
