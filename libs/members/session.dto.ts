import { constant, Field, id, instant, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { model, PageInfo } from '#libs/resource/types/record.dto.js';

/** Type key of sessions; also the beginning of their event types. */
export const SESSION_TYPE = 'auth.session';
/** Path in the API of the sessions of the member who asks. */
export const SESSIONS_PATH = '/api/auth/sessions';

const slug = () => text({ min: 1, max: 63, pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/ });
export const idToken = () => text({ min: 20, max: 16_384, pattern: /^[\w-]+(\.[\w-]*){2}$/ });
export const nonce = () => text({ min: 1, max: 255 });
const ID_TOKEN = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

export class SignIn {
  @Field(idToken(), {
    description: 'ID token of the OpenID provider, not used before. It opens one session.',
    example: ID_TOKEN,
  })
  idToken!: string;

  @Field(slug(), { description: 'Slug of the tenant that the session is for.', example: 'acme' })
  tenantSlug!: string;

  @Field(nonce(), {
    description: 'The nonce that the app sent to the provider; the token must have it.',
    example: 'n-0S6_WzA2Mj',
    optional: true,
  })
  nonce?: string;
}

/** A session as those see it whose it is. */
export class SessionView {
  @Field(id(), { description: 'Id of the session.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c01' })
  id!: string;

  @Field(constant(SESSION_TYPE), { description: 'Type of the record.', example: SESSION_TYPE })
  object!: string;

  @Field(id(), { description: 'Membership that it acts for.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40' })
  membershipId!: string;

  @Field(instant(), { description: 'Time at which it was opened.' })
  createdAt!: string;

  @Field(instant(), { description: 'Time of its last use, to half a minute.' })
  lastSeenAt!: string;

  @Field(instant(), { description: 'Time at which it ends if it is not used until then.' })
  idleExpiresAt!: string;

  @Field(instant(), { description: 'Time at which it ends in any case.' })
  expiresAt!: string;

  @Field(instant(), { description: 'Time at which it was ended; null for one that is open.', nullable: true })
  revokedAt!: string | null;

  @Field(text({ max: 64 }), {
    description: 'Address that it was opened from; null in events.',
    example: '192.0.2.10',
    nullable: true,
  })
  ip!: string | null;

  @Field(text({ max: 500 }), {
    description: 'User agent that opened it; null in events.',
    example: 'Mozilla/5.0',
    nullable: true,
  })
  userAgent!: string | null;

  @Field(listOf(text({ max: 100 }), { max: 20 }), {
    description: 'How the person signed in, as the provider names it (`amr`, RFC 8176).',
    example: ['mfa', 'pwd'],
  })
  authMethods!: string[];

  @Field(instant(), {
    description: 'Time at which the person signed in at the provider (`auth_time`).',
    nullable: true,
  })
  authTime!: string | null;

  @Field(instant(), {
    description: 'The same if several factors were seen. Protected operations take one of the last 15 minutes.',
    nullable: true,
  })
  multiFactorAt!: string | null;
}

export class SignedInMember {
  @Field(id(), { description: 'Id of the membership.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40' })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Name of the person.', example: 'Ana Silva' })
  name!: string;

  @Field(text({ max: 254 }), { description: 'Address of the person.', example: 'ana@acme.example' })
  email!: string;
}

export class SignedInTenant {
  @Field(id(), { description: 'Id of the tenant.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01' })
  id!: string;

  @Field(slug(), { description: 'Slug of the tenant.', example: 'acme' })
  slug!: string;

  @Field(text({ max: 200 }), { description: 'Name of the tenant.', example: 'Acme Inc.' })
  name!: string;
}

/** A session that was just opened. */
export class NewSession {
  @Field(id(), { description: 'Id of the session.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c01' })
  id!: string;

  @Field(text({ max: 100, pattern: /^top_sess_\w+$/ }), {
    description: 'Send it as `Authorization: Bearer`. Shown this once.',
    example: 'top_sess_4Fz7Qm2LkT9c_7dXr0aWmVq8nZB3yTf6JhC1uKpEoRsGiL5xMvQw2Nt4_0kT3Zb',
  })
  token!: string;

  @Field(instant(), { description: 'Time at which it ends in any case.' })
  expiresAt!: string;

  @Field(instant(), { description: 'Time at which it ends if it is not used until then.' })
  idleExpiresAt!: string;

  @Field(nested(SessionView), { description: 'The session.' })
  session!: SessionView;

  @Field(nested(SignedInMember), { description: 'Member who has signed in.' })
  membership!: SignedInMember;

  @Field(nested(SignedInTenant), { description: 'The tenant that the session is for.' })
  tenant!: SignedInTenant;
}

/** Who makes the request. */
export class CurrentCaller {
  @Field(oneOf(['session', 'api_key']), {
    description: 'Kind of credential that the request came with.',
    example: 'session',
  })
  kind!: 'session' | 'api_key';

  @Field(nested(SessionView), { description: 'The session; null for an API key.', nullable: true })
  session!: SessionView | null;

  @Field(nested(SignedInMember), { description: 'Member that it acts for; null for a service key.', nullable: true })
  membership!: SignedInMember | null;

  @Field(nested(SignedInTenant), { description: 'The tenant.' })
  tenant!: SignedInTenant;
}

/** Most sessions that a list shows. */
export const MAX_SESSIONS = 1_000;

export const SessionList = model('SessionList', {
  data: {
    kind: listOf(nested(SessionView), { max: MAX_SESSIONS }),
    description: 'The open sessions, the newest first.',
  },
  page: { kind: nested(PageInfo), description: 'How to go on.' },
});

export class LoggedOut {
  @Field(id(), { description: 'The session that has ended; null for an API key, which goes on.', nullable: true })
  sessionId!: string | null;
}
