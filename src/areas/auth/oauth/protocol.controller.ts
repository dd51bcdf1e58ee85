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

/** Endpoints for partners' servers, which authenticate as clients by HTTP Basic or in the form. */
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
      'RFC 6749 with PKCE. Returns an access token, valid for 10 minutes, and a new refresh token, valid for 30 days. A code expires after 60 seconds. Using a code or refresh token twice revokes the grant and all its tokens.',
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
      'RFC 7009. Revokes the grant of the token and all its tokens with immediate effect. An invalid token is not an error.',
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
    summary: 'Introspect a token',
    description: 'RFC 7662, for tokens of the calling client. For any other token it returns only `active: false`.',
    dialect: dialectAt('introspect'),
    body: OauthTokenToIntrospect,
    answer: OauthIntrospection,
  })
  @Post('introspect')
  async introspect(@Req() { headers }: FastifyRequest, @Body() form: Form = {}) {
    return this.states.introspect(await this.clients.authenticate(headers.authorization, form), form);
  }
}
