import { Body, Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Route, type RouteOptions } from '#libs/http/route.js';
import { ClientAuthenticationService, type Form } from './client-authentication.service.js';
import { dialectAt } from './oauth.dialect.js';
import {
  OauthIntrospection,
  OauthRevocation,
  OauthTokens,
  OauthTokenRequest,
  OauthTokenToIntrospect,
  OauthTokenToRevoke,
} from './oauth.models.js';
import { TokenStatesService } from './token-states.service.js';
import { TokensService } from './tokens.service.js';

const PROTOCOL = {
  permission: 'public',
  form: true,
  keyless: true,
  problems: ['unauthenticated', 'rate_limit_exceeded', 'unavailable'],
  tag: 'auth oauth',
} as const satisfies Partial<RouteOptions>;

/** What partners' servers call. They authenticate as clients, by HTTP Basic or in the form. */
@Controller('api/auth/oauth')
export class ProtocolController {
  constructor(
    private readonly clients: ClientAuthenticationService,
    private readonly tokens: TokensService,
    private readonly states: TokenStatesService,
  ) {}

  @Route({
    ...PROTOCOL,
    problems: [...PROTOCOL.problems],
    id: 'auth.oauth.token',
    summary: 'Exchange a code or refresh token',
    description:
      'RFC 6749 with PKCE: answers an access token for 10 minutes and the next refresh token for 30 days. A code lives for 60 seconds. Using a code or refresh token twice ends the grant with all its tokens.',
    dialect: dialectAt('token'),
    body: OauthTokenRequest,
    answer: OauthTokens,
  })
  @Post('token')
  async token(@Req() { headers }: FastifyRequest, @Body() form: Form = {}) {
    return this.tokens.exchange(await this.clients.authenticate(headers.authorization, form), form);
  }

  @Route({
    ...PROTOCOL,
    problems: [...PROTOCOL.problems],
    id: 'auth.oauth.revoke',
    summary: 'Revoke a token',
    description:
      'RFC 7009: ends the grant of the token with all its tokens; the next request with one is refused. A token that is not good is no error.',
    dialect: dialectAt('revoke'),
    body: OauthTokenToRevoke,
    answer: OauthRevocation,
  })
  @Post('revoke')
  async revoke(@Req() { headers }: FastifyRequest, @Body() form: Form = {}): Promise<OauthRevocation> {
    await this.states.revoke(await this.clients.authenticate(headers.authorization, form), form);
    return {};
  }

  @Route({
    ...PROTOCOL,
    problems: [...PROTOCOL.problems],
    id: 'auth.oauth.introspect',
    summary: 'Ask whether a token is good',
    description: 'RFC 7662, for tokens of the client that asks. Of any other it says only that it is not active.',
    dialect: dialectAt('introspect'),
    body: OauthTokenToIntrospect,
    answer: OauthIntrospection,
  })
  @Post('introspect')
  async introspect(@Req() { headers }: FastifyRequest, @Body() form: Form = {}) {
    return this.states.introspect(await this.clients.authenticate(headers.authorization, form), form);
  }
}
