import { Controller, Get } from '@nestjs/common';
import { permissionNames } from '#libs/auth/permissions.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { Route, type RouteOptions } from '#libs/http/route.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { OauthServer, OauthKeySet } from './oauth.models.js';

const WELL_KNOWN = '.well-known/oauth-authorization-server';
const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'];

const metadata = (id: string): RouteOptions => ({
  id,
  summary: 'Read the metadata of the authorization server',
  description: 'RFC 8414. All paths return the same document.',
  permission: 'public',
  answer: OauthServer,
  problems: ['rate_limit_exceeded'],
  tag: 'auth oauth',
});

/** Metadata for client discovery. */
@Controller()
export class MetadataController {
  constructor(
    private readonly url: PublicUrl,
    private readonly addresses: AddressLimits,
  ) {}

  @Route(metadata('auth.oauth.metadata.get'))
  @Get(WELL_KNOWN)
  atRoot() {
    return this.describe();
  }

  @Route(metadata('auth.oauth.metadata.below_oauth'))
  @Get(`api/auth/oauth/${WELL_KNOWN}`)
  belowOauth() {
    return this.describe();
  }

  @Route(metadata('auth.oauth.metadata.below_auth'))
  @Get(`api/auth/${WELL_KNOWN}`)
  belowAuth() {
    return this.describe();
  }

  @Route({
    id: 'auth.oauth.jwks',
    summary: 'Read the key set',
    description: 'Always empty: tokens are opaque and not signed.',
    permission: 'public',
    answer: OauthKeySet,
    problems: ['rate_limit_exceeded'],
    tag: 'auth oauth',
  })
  @Get('api/auth/oauth/jwks')
  async jwks(): Promise<OauthKeySet> {
    await this.limit();
    return { keys: [] };
  }

  private async describe(): Promise<OauthServer> {
    await this.limit();
    const { origin } = this.url;
    const at = (endpoint: string) => `${origin}/api/auth/oauth/${endpoint}`;
    return {
      issuer: origin,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      revocation_endpoint: at('revoke'),
      introspection_endpoint: at('introspect'),
      jwks_uri: at('jwks'),
      scopes_supported: [...permissionNames()],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: AUTH_METHODS,
      revocation_endpoint_auth_methods_supported: AUTH_METHODS,
      introspection_endpoint_auth_methods_supported: AUTH_METHODS,
      authorization_response_iss_parameter_supported: true,
    };
  }

  private async limit(): Promise<void> {
    const limited = await this.addresses.count(currentScope().clientIp ?? '', 'documents');
    if (limited) throw limited;
  }
}
