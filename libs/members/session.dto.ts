import { constant, Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { model, PageInfo } from '#libs/resource/types/record.dto.js';

/** Type key of sessions; also the prefix of their event types. */
export const SESSION_TYPE = 'auth.session';
/** API path of the caller's sessions. */
export const SESSIONS_PATH = '/api/auth/sessions';

const slug = () => text({ min: 1, max: 63, pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/ });
export const idToken = () => text({ min: 20, max: 16_384, pattern: /^[\w-]+(\.[\w-]*){2}$/ });
export const nonce = () => text({ min: 1, max: 255 });
const ID_TOKEN = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

export class SignIn {
  @Field(idToken(), {
    description: 'ID token of the OpenID provider. Each token can be used once.',
    example: ID_TOKEN,
  })
  idToken!: string;

  @Field(slug(), { description: 'Slug of the tenant that the session is for.', example: 'acme' })
  tenantSlug!: string;

  @Field(nonce(), {
    description: 'The nonce that the app sent to the provider; the token must contain it.',
    example: 'n-0S6_WzA2Mj',
    optional: true,
  })
  nonce?: string;
}

/** A session as shown to its owner. */
export class SessionView {
  @Field(id(), { description: 'Id of the session.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c01' })
  id!: string;

  @Field(constant(SESSION_TYPE), { description: 'Type of the record.', example: SESSION_TYPE })
  object!: string;

  @Field(id(), {
    description: 'Membership that it acts for; null for a session without a tenant.',
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40',
    nullable: true,
  })
  membershipId!: string | null;

  @Field(instant(), { description: 'Time at which it was opened.' })
  createdAt!: string;

  @Field(instant(), { description: 'Time of its last use, accurate to half a minute.' })
  lastSeenAt!: string;

  @Field(instant(), { description: 'Time at which it expires if it is not used before.' })
  idleExpiresAt!: string;

  @Field(instant(), { description: 'Time at which it expires in any case.' })
  expiresAt!: string;

  @Field(instant(), { description: 'Time at which it was revoked; null for an open session.', nullable: true })
  revokedAt!: string | null;

  @Field(text({ max: 64 }), {
    description: 'IP address that it was opened from; null in events.',
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
    description:
      'Time of a sign-in with several factors; null if there was none. Protected operations require one within the last 15 minutes.',
    nullable: true,
  })
  multiFactorAt!: string | null;
}

export class SignedInMember {
  @Field(id(), { description: 'Id of the membership.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40' })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Name of the person.', example: 'Ana Silva' })
  name!: string;

  @Field(text({ max: 254 }), { description: 'E-mail address of the person.', example: 'ana@acme.example' })
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
    description: 'Send it as `Authorization: Bearer`. Shown only once.',
    example: 'top_sess_4Fz7Qm2LkT9c_7dXr0aWmVq8nZB3yTf6JhC1uKpEoRsGiL5xMvQw2Nt4_0kT3Zb',
  })
  token!: string;

  @Field(instant(), { description: 'Time at which it expires in any case.' })
  expiresAt!: string;

  @Field(instant(), { description: 'Time at which it expires if it is not used before.' })
  idleExpiresAt!: string;

  @Field(nested(SessionView), { description: 'The session.' })
  session!: SessionView;

  @Field(nested(SignedInMember), { description: 'Member who has signed in.' })
  membership!: SignedInMember;

  @Field(nested(SignedInTenant), { description: 'The tenant that the session is for.' })
  tenant!: SignedInTenant;
}

/** Maximum number of tenants listed to choose from. */
const MAX_TENANTS = 100;

/** The API key that made a request. */
export class CallingKey {
  @Field(id(), { description: 'Id of the key.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1d10' })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Name of the key.', example: 'Nightly import' })
  name!: string;

  @Field(listOf(text({ max: 100 }), { max: 1_000 }), { description: 'Scopes of the key.', example: ['deals:*'] })
  scopes!: string[];
}

/** The partner that makes a request on behalf of a member. */
export class CallingClient {
  @Field(id(), { description: 'Id of the client.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1f20' })
  id!: string;

  @Field(text({ max: 80 }), { description: 'Name of the partner.', example: 'Ledger Sync' })
  name!: string;

  @Field(id(), { description: 'Id of the grant.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1f21' })
  grantId!: string;

  @Field(listOf(text({ max: 100 }), { max: 1_000 }), { description: 'Granted permissions.', example: ['deals:read'] })
  scopes!: string[];
}

/** A role of the member who makes the request. */
export class CallersRole {
  @Field(id(), { description: 'Id of the role.', example: '00000000-0000-7000-8000-000000000003' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Key of the role.', example: 'manager' })
  key!: string;

  @Field(text({ max: 200 }), { description: 'Name of the role.', example: 'Manager' })
  name!: string;
}

/** Who makes the request. */
export class CurrentCaller {
  @Field(oneOf(['session', 'api_key', 'oauth_token']), {
    description: 'Kind of credential sent with the request.',
    example: 'session',
  })
  kind!: 'session' | 'api_key' | 'oauth_token';

  @Field(nested(SessionView), { description: 'The session; null for other credentials.', nullable: true })
  session!: SessionView | null;

  @Field(nested(SignedInMember), { description: 'Member that it acts for; null for a service key.', nullable: true })
  membership!: SignedInMember | null;

  @Field(nested(SignedInTenant), {
    description:
      'The tenant; null for a session without one, which may call `/api/auth`, `/api/bootstrap` and `/api/invitations/mine`.',
    nullable: true,
  })
  tenant!: SignedInTenant | null;

  @Field(listOf(nested(SignedInTenant), { max: MAX_TENANTS }), {
    description: 'Tenants that the person can switch to; empty unless the credential is a session.',
  })
  tenants!: SignedInTenant[];

  @Field(nested(CallingKey), { description: 'The API key; null for other credentials.', nullable: true })
  apiKey!: CallingKey | null;

  @Field(nested(CallingClient), {
    description: 'The partner that acts for the member; null without delegated access.',
    nullable: true,
  })
  client!: CallingClient | null;

  @Field(listOf(nested(CallersRole), { max: 100 }), { description: 'Roles of the member.' })
  roles!: CallersRole[];

  @Field(listOf(text({ max: 100 }), { max: 1_000 }), {
    description:
      'Effective permissions of the caller, from scopes and roles. `@own` and `@workspace` mark a permission that does not reach the whole tenant.',
    example: ['deals:read', 'deals:write@own'],
  })
  permissions!: string[];
}

/** Maximum number of sessions in a list. */
export const MAX_SESSIONS = 1_000;

export const SessionList = model('SessionList', {
  data: {
    kind: listOf(nested(SessionView), { max: MAX_SESSIONS }),
    description: 'The open sessions, newest first.',
  },
  page: { kind: nested(PageInfo), description: 'Paging information.' },
});

export class Logout {
  @Field(flag(), {
    description: 'Ends all sessions of the person in every tenant.',
    example: true,
    optional: true,
  })
  everywhere?: boolean;
}

export class LoggedOut {
  @Field(id(), { description: 'The session that was ended; null for an API key, which stays valid.', nullable: true })
  sessionId!: string | null;

  @Field(integer({ min: 0, max: 1_000_000 }), { description: 'Number of sessions ended.', example: 1 })
  endedSessions!: number;

  @Field(text({ max: 4_000 }), {
    description:
      'URL to send the browser to in order to sign out at the identity provider too; null if the provider does not support it.',
    example: 'https://login.example.com/session/end?client_id=platform',
    nullable: true,
  })
  providerLogoutUrl!: string | null;
}

export class SwitchTenant {
  @Field(slug(), { description: 'Slug of the tenant to switch to.', example: 'acme' })
  tenantSlug!: string;
}

/** A session in another tenant. */
export class SwitchedSession {
  @Field(id(), { description: 'Id of the session.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c01' })
  id!: string;

  @Field(text({ max: 100 }), {
    description: 'Send it as `Authorization: Bearer`. Null for a browser, which gets it as a cookie.',
    example: 'top_sess_4Fz7Qm2LkT9c_7dXr0aWmVq8nZB3yTf6JhC1uKpEoRsGiL5xMvQw2Nt4_0kT3Zb',
    nullable: true,
  })
  token!: string | null;

  @Field(nested(SessionView), { description: 'The session.' })
  session!: SessionView;

  @Field(nested(SignedInMember), { description: 'Membership of the person in that tenant.' })
  membership!: SignedInMember;

  @Field(nested(SignedInTenant), { description: 'The tenant that the session is for.' })
  tenant!: SignedInTenant;
}

export class StepUp {
  @Field(text({ max: 2_000 }), {
    description: 'Path on this host to continue at; anything else leads to the console.',
    example: '/console/settings',
    optional: true,
  })
  returnTo?: string;
}

export class StepUpPlace {
  @Field(text({ max: 4_000 }), {
    description: 'URL to send the browser to. It is valid for ten minutes.',
    example: 'https://api.example.com/api/auth/login?stepUp=eyJhbGciOiJkaXIifQ',
  })
  url!: string;
}
