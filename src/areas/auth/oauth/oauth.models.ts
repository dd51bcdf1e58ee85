import { constant, Field, flag, id, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';

const token = (example: string) => ({ description: 'The token.', example });
const seconds = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const url = text({ max: 2_000 });
const words = listOf(text({ max: 100 }), { max: 500 });
const ACCESS = 'top_oauth_0a1B2c3D4e5F_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY';
const REFRESH = 'top_refresh_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY';
const SCOPE = 'deals:read invoices:read';
const CLIENT_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1f20';

/** How a client says which one it is, unless it does so by HTTP Basic. */
class ClientMembers {
  @Field(id(), { description: 'Id of the client.', example: CLIENT_ID, optional: true })
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
    description: 'What is exchanged.',
    example: 'authorization_code',
  })
  grant_type!: string;

  @Field(text({ max: 100 }), {
    description: 'The code, used once. A second use ends the grant.',
    example: 'top_code_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY',
    optional: true,
  })
  code?: string;

  @Field(url, {
    description: 'As it was sent for the code.',
    example: 'https://partner.example.com/callback',
    optional: true,
  })
  redirect_uri?: string;

  @Field(text({ max: 128 }), {
    description: 'Verifier of PKCE.',
    example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    optional: true,
  })
  code_verifier?: string;

  @Field(text({ max: 100 }), {
    description: 'The refresh token, used once. A second use ends the grant.',
    example: REFRESH,
    optional: true,
  })
  refresh_token?: string;

  @Field(text({ max: 10_000 }), {
    description: 'With a refresh token: all that was granted, if it is sent.',
    example: SCOPE,
    optional: true,
  })
  scope?: string;
}

export class OauthTokens {
  @Field(text({ max: 100 }), { description: 'Send it as `Authorization: Bearer`.', example: ACCESS })
  access_token!: string;

  @Field(constant('Bearer'), { description: 'How it is sent.', example: 'Bearer' })
  token_type!: string;

  @Field(seconds, { description: 'Seconds that the access token lives.', example: 600 })
  expires_in!: number;

  @Field(text({ max: 100 }), {
    description: 'For the next access token, within 30 days. Each exchange answers another one.',
    example: REFRESH,
  })
  refresh_token!: string;

  @Field(text({ max: 20_000 }), { description: 'What was granted, which may be less than asked for.', example: SCOPE })
  scope!: string;
}

export class OauthTokenToRevoke extends ClientMembers {
  @Field(text({ max: 4_000 }), { ...token(REFRESH), description: 'An access or refresh token.' })
  token!: string;

  @Field(text({ max: 100 }), { description: 'Ignored.', example: 'refresh_token', optional: true })
  token_type_hint?: string;
}

export class OauthTokenToIntrospect extends OauthTokenToRevoke {}

/** Nothing: whatever was revoked, it is good no more. */
export class OauthRevocation {}

export class OauthIntrospection {
  @Field(flag(), { description: 'Whether the token is good, and of this client.', example: true })
  active!: boolean;

  @Field(text({ max: 20_000 }), { description: 'What was granted.', example: SCOPE, optional: true })
  scope?: string;

  @Field(id(), { description: 'Client that it was issued to.', example: CLIENT_ID, optional: true })
  client_id?: string;

  @Field(oneOf(['Bearer', 'refresh_token']), {
    description: 'Kind of the token: `Bearer` for an access token.',
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

  @Field(seconds, { description: 'When it was issued, in Unix seconds.', example: 1_795_252_562, optional: true })
  iat?: number;

  @Field(seconds, { description: 'When it expires, in Unix seconds.', example: 1_795_253_162, optional: true })
  exp?: number;
}

/** `Source:` RFC 8414. */
export class OauthServer {
  @Field(url, { description: 'Issuer.', example: 'https://platform.example.com' })
  issuer!: string;

  @Field(url, {
    description: 'Where a person’s browser is sent.',
    example: 'https://platform.example.com/api/auth/oauth/authorize',
  })
  authorization_endpoint!: string;

  @Field(url, {
    description: 'Where codes are exchanged.',
    example: 'https://platform.example.com/api/auth/oauth/token',
  })
  token_endpoint!: string;

  @Field(url, {
    description: 'Where tokens are revoked.',
    example: 'https://platform.example.com/api/auth/oauth/revoke',
  })
  revocation_endpoint!: string;

  @Field(url, {
    description: 'Where tokens are explained.',
    example: 'https://platform.example.com/api/auth/oauth/introspect',
  })
  introspection_endpoint!: string;

  @Field(url, { description: 'Key set.', example: 'https://platform.example.com/api/auth/oauth/jwks' })
  jwks_uri!: string;

  @Field(words, { description: 'Permissions that can be granted.', example: ['deals:read'] })
  scopes_supported!: string[];

  @Field(words, { description: 'Kinds of answers.', example: ['code'] })
  response_types_supported!: string[];

  @Field(words, { description: 'Ways to answer.', example: ['query'] })
  response_modes_supported!: string[];

  @Field(words, { description: 'Kinds of exchanges.', example: ['authorization_code', 'refresh_token'] })
  grant_types_supported!: string[];

  @Field(words, { description: 'Forms of PKCE.', example: ['S256'] })
  code_challenge_methods_supported!: string[];

  @Field(words, { description: 'How clients authenticate.', example: ['client_secret_basic'] })
  token_endpoint_auth_methods_supported!: string[];

  @Field(words, { description: 'The same for revocation.', example: ['client_secret_basic'] })
  revocation_endpoint_auth_methods_supported!: string[];

  @Field(words, { description: 'The same for introspection.', example: ['client_secret_basic'] })
  introspection_endpoint_auth_methods_supported!: string[];

  @Field(flag(), { description: 'Whether answers name the issuer (RFC 9207).', example: true })
  authorization_response_iss_parameter_supported!: boolean;
}

export class OauthKey {
  @Field(text({ max: 10 }), { description: 'Kind of the key.', example: 'EC' })
  kty!: string;
}

export class OauthKeySet {
  @Field(listOf(nested(OauthKey), { max: 10 }), {
    description: 'Always empty: tokens are opaque, and nothing is signed.',
    example: [],
  })
  keys!: OauthKey[];
}

export class AuthorizationQuery {
  @Field(text({ max: 100 }), { description: 'Id of the client.', example: CLIENT_ID })
  client_id!: string;

  @Field(url, {
    description: 'Where to send the browser back to; one that is registered, letter by letter.',
    example: 'https://partner.example.com/callback',
  })
  redirect_uri!: string;

  @Field(text({ max: 100 }), { description: 'Always `code`.', example: 'code' })
  response_type!: string;

  @Field(url, { description: 'Permissions, with spaces between.', example: SCOPE })
  scope!: string;

  @Field(text({ max: 500 }), { description: 'Comes back with the answer.', example: 'af0ifjsldkj', optional: true })
  state?: string;

  @Field(text({ max: 43 }), {
    description: 'Challenge of PKCE.',
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  })
  code_challenge!: string;

  @Field(text({ max: 10 }), { description: 'Always `S256`.', example: 'S256' })
  code_challenge_method!: string;
}

export const DECISIONS = ['allow', 'deny', 'switch'] as const;

/** What the consent page sends. */
export class ConsentForm {
  @Field(text({ min: 1, max: 20_000 }), {
    description: 'From the page. It is good for one answer, in the session that it was shown in.',
    example: 'eyJhbGciOiJkaXIifQ',
  })
  request!: string;

  @Field(oneOf(DECISIONS), {
    description: '`switch` goes to another tenant and asks there.',
    example: 'allow',
  })
  decision!: (typeof DECISIONS)[number];

  @Field(text({ max: 63 }), { description: 'With `switch`: slug of the tenant.', example: 'acme', optional: true })
  tenant?: string;
}
