import { constant, Field, flag, id, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';

const token = (example: string) => ({ description: 'The token.', example });
const seconds = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const url = text({ max: 2_000 });
const words = listOf(text({ max: 100 }), { max: 500 });
const ACCESS = 'top_oauth_0a1B2c3D4e5F_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY';
const REFRESH = 'top_refresh_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY';
const SCOPE = 'deals:read invoices:read';
const CLIENT_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1f20';

/** Client credentials in the form, as an alternative to HTTP Basic. */
class ClientMembers {
  @Field(id(), { description: 'Id of the client, unless sent by HTTP Basic.', example: CLIENT_ID, optional: true })
  client_id?: string;

  @Field(text({ max: 100 }), {
    description: 'Secret of a confidential client.',
    example: 'top_client_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY',
    optional: true,
  })
  client_secret?: string;
}

export class OauthTokenRequest extends ClientMembers {
  @Field(oneOf(['authorization_code', 'refresh_token']), {
    description: 'Type of the exchange.',
    example: 'authorization_code',
  })
  grant_type!: string;

  @Field(text({ max: 100 }), {
    description: 'The authorization code. It can be used once; a second use revokes the grant.',
    example: 'top_code_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY',
    optional: true,
  })
  code?: string;

  @Field(url, {
    description: 'Redirect URI of the authorization request.',
    example: 'https://partner.example.com/callback',
    optional: true,
  })
  redirect_uri?: string;

  @Field(text({ max: 128 }), {
    description: 'PKCE code verifier.',
    example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    optional: true,
  })
  code_verifier?: string;

  @Field(text({ max: 100 }), {
    description: 'The refresh token. It can be used once; a second use revokes the grant.',
    example: REFRESH,
    optional: true,
  })
  refresh_token?: string;

  @Field(text({ max: 10_000 }), {
    description:
      'For a refresh token, optional: permissions of the access token, all within the granted scope, which stays as it is.',
    example: SCOPE,
    optional: true,
  })
  scope?: string;
}

export class OauthTokens {
  @Field(text({ max: 100 }), { description: 'Access token. Send it as `Authorization: Bearer`.', example: ACCESS })
  access_token!: string;

  @Field(constant('Bearer'), { description: 'Token type.', example: 'Bearer' })
  token_type!: string;

  @Field(seconds, { description: 'Lifetime of the access token in seconds.', example: 600 })
  expires_in!: number;

  @Field(text({ max: 100 }), {
    description: 'Refresh token for the next exchange. It expires after 30 days; each exchange returns a new one.',
    example: REFRESH,
  })
  refresh_token!: string;

  @Field(text({ max: 20_000 }), {
    description: 'Granted scope, which can be less than the requested scope.',
    example: SCOPE,
  })
  scope!: string;
}

export class OauthTokenToRevoke extends ClientMembers {
  @Field(text({ max: 4_000 }), { ...token(REFRESH), description: 'An access or refresh token.' })
  token!: string;

  @Field(text({ max: 100 }), { description: 'Ignored.', example: 'refresh_token', optional: true })
  token_type_hint?: string;
}

export class OauthTokenToIntrospect extends OauthTokenToRevoke {}

/** Empty: clients ignore the body and read the status (RFC 7009 section 2.2). */
export class OauthRevocation {}

export class OauthIntrospection {
  @Field(flag(), { description: 'Whether the token is valid and belongs to this client.', example: true })
  active!: boolean;

  @Field(text({ max: 20_000 }), { description: 'Granted scope.', example: SCOPE, optional: true })
  scope?: string;

  @Field(id(), { description: 'Client that the token was issued to.', example: CLIENT_ID, optional: true })
  client_id?: string;

  @Field(oneOf(['Bearer', 'refresh_token']), {
    description: 'Token type: `Bearer` for an access token.',
    example: 'Bearer',
    optional: true,
  })
  token_type?: string;

  @Field(id(), { description: 'Member that the client acts for.', optional: true })
  sub?: string;

  @Field(text({ max: 63 }), { description: 'Slug of the tenant.', example: 'acme', optional: true })
  tenant?: string;

  @Field(url, { description: 'Issuer.', example: 'https://platform.example.com', optional: true })
  iss?: string;

  @Field(seconds, { description: 'Time of issue, in Unix seconds.', example: 1_795_252_562, optional: true })
  iat?: number;

  @Field(seconds, { description: 'Expiry time, in Unix seconds.', example: 1_795_253_162, optional: true })
  exp?: number;
}

/** `Source:` RFC 8414. */
export class OauthServer {
  @Field(url, { description: 'Issuer.', example: 'https://platform.example.com' })
  issuer!: string;

  @Field(url, {
    description: 'Authorization endpoint, opened in the user’s browser.',
    example: 'https://platform.example.com/api/auth/oauth/authorize',
  })
  authorization_endpoint!: string;

  @Field(url, {
    description: 'Token endpoint.',
    example: 'https://platform.example.com/api/auth/oauth/token',
  })
  token_endpoint!: string;

  @Field(url, {
    description: 'Revocation endpoint.',
    example: 'https://platform.example.com/api/auth/oauth/revoke',
  })
  revocation_endpoint!: string;

  @Field(url, {
    description: 'Introspection endpoint.',
    example: 'https://platform.example.com/api/auth/oauth/introspect',
  })
  introspection_endpoint!: string;

  @Field(url, { description: 'Key set.', example: 'https://platform.example.com/api/auth/oauth/jwks' })
  jwks_uri!: string;

  @Field(words, { description: 'Permissions that can be granted.', example: ['deals:read'] })
  scopes_supported!: string[];

  @Field(words, { description: 'Supported response types.', example: ['code'] })
  response_types_supported!: string[];

  @Field(words, { description: 'Supported response modes.', example: ['query'] })
  response_modes_supported!: string[];

  @Field(words, { description: 'Supported grant types.', example: ['authorization_code', 'refresh_token'] })
  grant_types_supported!: string[];

  @Field(words, { description: 'Supported PKCE methods.', example: ['S256'] })
  code_challenge_methods_supported!: string[];

  @Field(words, {
    description: 'Client authentication methods of the token endpoint.',
    example: ['client_secret_basic'],
  })
  token_endpoint_auth_methods_supported!: string[];

  @Field(words, {
    description: 'Client authentication methods of the revocation endpoint.',
    example: ['client_secret_basic'],
  })
  revocation_endpoint_auth_methods_supported!: string[];

  @Field(words, {
    description: 'Client authentication methods of the introspection endpoint.',
    example: ['client_secret_basic'],
  })
  introspection_endpoint_auth_methods_supported!: string[];

  @Field(flag(), { description: 'Whether authorization responses contain `iss` (RFC 9207).', example: true })
  authorization_response_iss_parameter_supported!: boolean;
}

export class OauthKey {
  @Field(text({ max: 10 }), { description: 'Key type.', example: 'EC' })
  kty!: string;
}

export class OauthKeySet {
  @Field(listOf(nested(OauthKey), { max: 10 }), {
    description: 'Always empty: tokens are opaque and not signed.',
    example: [],
  })
  keys!: OauthKey[];
}

export class AuthorizationQuery {
  @Field(text({ max: 100 }), { description: 'Id of the client.', example: CLIENT_ID })
  client_id!: string;

  @Field(url, {
    description: 'A registered redirect URI; it must match exactly.',
    example: 'https://partner.example.com/callback',
  })
  redirect_uri!: string;

  @Field(text({ max: 100 }), { description: 'Always `code`.', example: 'code' })
  response_type!: string;

  @Field(url, { description: 'Requested permissions, separated by spaces.', example: SCOPE })
  scope!: string;

  @Field(text({ max: 500 }), {
    description: 'Returned unchanged in the response.',
    example: 'af0ifjsldkj',
    optional: true,
  })
  state?: string;

  @Field(text({ max: 43 }), {
    description: 'PKCE code challenge.',
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  })
  code_challenge!: string;

  @Field(text({ max: 10 }), { description: 'Always `S256`.', example: 'S256' })
  code_challenge_method!: string;
}

export const DECISIONS = ['allow', 'deny', 'switch'] as const;

/** The form of the consent page. */
export class ConsentForm {
  @Field(text({ min: 1, max: 20_000 }), {
    description: 'Value from the page. It can be submitted once, in the session in which the page was shown.',
    example: 'eyJhbGciOiJkaXIifQ',
  })
  request!: string;

  @Field(oneOf(DECISIONS), {
    description: '`switch` changes to another tenant and shows the page again.',
    example: 'allow',
  })
  decision!: (typeof DECISIONS)[number];

  @Field(text({ max: 63 }), { description: 'With `switch`: slug of the tenant.', example: 'acme', optional: true })
  tenant?: string;
}
