import { Field, flag, text } from '#libs/http/field.js';

/** What a sign-in by browser is for. */
export class LoginQuery {
  @Field(text({ max: 63 }), {
    description:
      'Slug of the tenant. Without it: the only one that the person is a member of, else a session without a tenant.',
    example: 'acme',
    optional: true,
  })
  tenant?: string;

  @Field(text({ max: 2_000 }), {
    description: 'Path of ours to go on to; anything else is the console.',
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

/** What the identity provider answers; it may add to it. */
export class ProviderAnswer {
  @Field(text({ max: 4_000 }), {
    description: 'Code of the provider.',
    example: 'SplxlOBeZQQYbYS6WxSbIA',
    optional: true,
  })
  code?: string;

  @Field(text({ max: 500 }), { description: 'As it was sent to the provider.', example: 'af0ifjsldkj', optional: true })
  state?: string;

  @Field(text({ max: 2_000 }), {
    description: 'Issuer of the answer.',
    example: 'https://login.example.com',
    optional: true,
  })
  iss?: string;

  @Field(text({ max: 200 }), { description: 'Why nobody was signed in.', example: 'access_denied', optional: true })
  error?: string;
}
