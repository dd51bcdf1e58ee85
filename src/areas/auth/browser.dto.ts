import { Field, flag, text } from '#libs/http/field.js';

/** Parameters of a browser sign-in. */
export class LoginQuery {
  @Field(text({ max: 63 }), {
    description: 'Slug of the tenant. If omitted, the person’s only tenant, or else a session without a tenant.',
    example: 'acme',
    optional: true,
  })
  tenant?: string;

  @Field(text({ max: 2_000 }), {
    description: 'Path on this host to which to redirect afterwards; any other value redirects to the console.',
    example: '/console/deals',
    optional: true,
  })
  returnTo?: string;

  @Field(flag(), { description: 'Requires the person to authenticate again.', example: true, optional: true })
  fresh?: boolean;

  @Field(text({ max: 2_000 }), {
    description: 'From `POST /api/auth/step-up`.',
    example: 'eyJhbGciOiJkaXIifQ',
    optional: true,
  })
  stepUp?: string;
}

/** The response of the identity provider, which may contain further parameters. */
export class ProviderAnswer {
  @Field(text({ max: 4_000 }), {
    description: 'Authorization code.',
    example: 'SplxlOBeZQQYbYS6WxSbIA',
    optional: true,
  })
  code?: string;

  @Field(text({ max: 500 }), { description: 'The state sent to the provider.', example: 'af0ifjsldkj', optional: true })
  state?: string;

  @Field(text({ max: 2_000 }), {
    description: 'Issuer of the response.',
    example: 'https://login.example.com',
    optional: true,
  })
  iss?: string;

  @Field(text({ max: 200 }), { description: 'Error code of the provider.', example: 'access_denied', optional: true })
  error?: string;
}
