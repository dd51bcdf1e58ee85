import { statement } from '#libs/database/statement.js';
import { checkOf, days, fail, fewOf, noneOf, notApplicable, pass, warning } from '../posture-check.js';

const KEYS = '/api/settings/developer/api-keys';
const SECRETS = '/api/admin/secrets';

/** Valid API keys, as `k`. Parameters: tenant, now. */
const VALID_KEYS = `directory.api_keys(null) k
  where $1::uuid is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2::timestamptz)`;
const keysThat = (condition: string): string =>
  `select count(*)::integer as total, count(*) filter (where ${condition})::integer as found from ${VALID_KEYS}`;
const OLD_KEYS = keysThat('k.issued_at < $3::timestamptz');
const UNUSED_KEYS = keysThat('coalesce(k.last_used_at, k.issued_at) < $3::timestamptz');
const LASTING_KEYS = keysThat('k.expires_at is null');
const WILDCARD_KEYS = keysThat(`'*' = any(k.scopes)`);
const ORPHANED_KEYS = keysThat(`k.member_id is not null and not exists (select from data.memberships m
  where m.tenant_id = $1 and m.id = k.member_id and m.status = 'active' and m.deleted_at is null)`);
const EXPIRED_SECRETS = `select count(*)::integer as total,
    count(*) filter (where expires_at <= $2::timestamptz)::integer as found
  from data.secrets where tenant_id = $1`;
const OLD_SECRETS = `select count(*)::integer as total,
    count(*) filter (where coalesce(rotated_at, created_at) < $2::timestamptz)::integer as found
  from data.secrets where tenant_id = $1`;
const SCIM_TOKENS = `
  select count(*)::integer as total, count(*) filter (where t.expires_at <= $2::timestamptz)::integer as expired,
    count(*) filter (where t.expires_at <= $3::timestamptz)::integer as expiring
  from data.scim_configs c join directory.scim_tokens() t on t.config_id = c.id
  where c.tenant_id = $1 and c.status = 'active' and c.deleted_at is null`;
const OUTSIDE_SCIM = `
  select (select count(*)::integer from data.scim_configs c
      where c.tenant_id = $1 and c.status = 'active' and c.deleted_at is null) as configurations,
    count(*)::integer as members, count(*) filter (where u.config_id is null)::integer as found
  from data.memberships m left join data.scim_users u on u.tenant_id = m.tenant_id and u.id = m.id
  where m.tenant_id = $1 and m.status = 'active' and m.deleted_at is null`;
const UNUSED_GRANTS = `
  select count(*)::integer as total,
    count(*) filter (where coalesce(s.last_used_at, g.created_at) < $3::timestamptz)::integer as found
  from data.oauth_grants g
    join directory.grant_states(array(select id from data.oauth_grants where tenant_id = $1)) s on s.id = g.id
  where g.tenant_id = $1 and g.revoked_at is null and s.expires_at > $2::timestamptz`;

interface Share {
  total: number;
  found: number;
}

export const CREDENTIAL_CHECKS = [
  checkOf<Share>()({
    key: 'credentials.key_age',
    category: 'credentials',
    title: 'API keys are rotated',
    severity: 'medium',
    why: 'The longer a key is in use, the more places it has leaked to.',
    thresholds: { maxDays: days(365) },
    expected: ({ maxDays }) => `No valid key older than ${maxDays} days`,
    remediation: { text: 'Rotate old keys.', path: KEYS },
    read: ({ tenantId, now, limits, daysAgo }) => statement(OLD_KEYS, [tenantId, now, daysAgo(limits.maxDays)]),
    judge: ({ total, found }) => fewOf(found, total, 'API keys are too old'),
  }),
  checkOf<Share>()({
    key: 'credentials.key_unused',
    category: 'credentials',
    title: 'API keys are used',
    severity: 'medium',
    why: 'Nobody misses an unused key, or notices who uses it again.',
    thresholds: { maxDays: days(90) },
    expected: ({ maxDays }) => `No valid key unused for ${maxDays} days`,
    remediation: { text: 'Revoke unused keys.', path: KEYS },
    read: ({ tenantId, now, limits, daysAgo }) => statement(UNUSED_KEYS, [tenantId, now, daysAgo(limits.maxDays)]),
    judge: ({ total, found }) => fewOf(found, total, 'API keys are unused'),
  }),
  checkOf<Share>()({
    key: 'credentials.key_expiry',
    category: 'credentials',
    title: 'API keys expire',
    severity: 'medium',
    why: 'A forgotten key without an expiry is valid for ever.',
    expected: () => 'Every valid key has an expiry',
    remediation: { text: 'Set `expiresAt` of the keys that have none.', path: KEYS },
    read: ({ tenantId, now }) => statement(LASTING_KEYS, [tenantId, now]),
    judge: ({ total, found }) => fewOf(found, total, 'API keys never expire'),
  }),
  checkOf<Share>()({
    key: 'credentials.key_wildcard',
    category: 'credentials',
    title: 'No API key has all scopes',
    severity: 'high',
    why: 'Whoever finds a key with the scope `*` can do everything.',
    expected: () => 'No valid key with the scope `*`',
    remediation: { text: 'Restrict these keys to the scopes that they use.', path: KEYS },
    read: ({ tenantId, now }) => statement(WILDCARD_KEYS, [tenantId, now]),
    judge: ({ found }) => noneOf(found, 'API keys with all scopes'),
  }),
  checkOf<Share>()({
    key: 'credentials.key_owner',
    category: 'credentials',
    title: 'Personal API keys belong to active members',
    severity: 'high',
    why: 'The key works again, unnoticed, if the member is reactivated.',
    expected: () => 'No valid personal key of a member who is not active',
    remediation: { text: 'Revoke these keys.', path: KEYS },
    read: ({ tenantId, now }) => statement(ORPHANED_KEYS, [tenantId, now]),
    judge: ({ found }) => noneOf(found, 'API keys of members who are not active'),
  }),
  checkOf<Share>()({
    key: 'credentials.secret_expired',
    category: 'credentials',
    title: 'Secrets have not expired',
    severity: 'high',
    why: 'An integration with an expired secret no longer works.',
    expected: () => 'No expired secret',
    remediation: { text: 'Store a new value, or delete the secret.', path: SECRETS },
    read: ({ tenantId, now }) => statement(EXPIRED_SECRETS, [tenantId, now]),
    judge: ({ total, found }) => (total === 0 ? notApplicable('0 secrets') : noneOf(found, 'expired secrets')),
  }),
  checkOf<Share>()({
    key: 'credentials.secret_age',
    category: 'credentials',
    title: 'Secrets are rotated',
    severity: 'medium',
    why: 'The longer a secret is in use, the more people have seen it.',
    thresholds: { maxDays: days(365) },
    expected: ({ maxDays }) => `No secret older than ${maxDays} days`,
    remediation: { text: 'Store new values for old secrets.', path: SECRETS },
    read: ({ tenantId, limits, daysAgo }) => statement(OLD_SECRETS, [tenantId, daysAgo(limits.maxDays)]),
    judge: ({ total, found }) => fewOf(found, total, 'secrets are too old'),
  }),
  checkOf<{ total: number; expired: number; expiring: number }>()({
    key: 'credentials.scim_token',
    category: 'credentials',
    title: 'SCIM tokens do not expire soon',
    severity: 'medium',
    why: 'With an expired token, people who leave keep their access.',
    thresholds: { minDays: days(30) },
    expected: ({ minDays }) => `No token of an active connection expires within ${minDays} days`,
    remediation: { text: 'Rotate the token, and enter it at the identity provider.', path: '/api/admin/scim' },
    read: ({ tenantId, now, limits, daysAgo }) => statement(SCIM_TOKENS, [tenantId, now, daysAgo(-limits.minDays)]),
    judge: ({ total, expired, expiring }) => {
      const measured = `${expired} expired, ${expiring - expired} expiring of ${total} SCIM tokens`;
      if (total === 0) return notApplicable(measured);
      if (expired > 0) return fail(measured);
      return expiring > 0 ? warning(0.5, measured) : pass(measured);
    },
  }),
  checkOf<{ configurations: number; members: number; found: number }>()({
    key: 'credentials.outside_scim',
    category: 'credentials',
    title: 'The identity provider manages the members',
    severity: 'low',
    why: 'Members whom the identity provider does not know keep their access when they leave.',
    thresholds: { maxMembers: { default: 2, min: 0, max: 10_000 } },
    expected: ({ maxMembers }) => `At most ${maxMembers} active members who are not provisioned by SCIM`,
    remediation: {
      text: 'Assign these people at the identity provider, or deactivate them.',
      path: '/api/admin/memberships',
    },
    read: ({ tenantId }) => statement(OUTSIDE_SCIM, [tenantId]),
    judge: ({ configurations, members, found }, { limits }) => {
      const measured = `${found} of ${members} active members`;
      if (configurations === 0) return notApplicable('No active SCIM connection');
      return found <= limits.maxMembers ? pass(measured) : fail(measured);
    },
  }),
  checkOf<Share>()({
    key: 'credentials.grant_unused',
    category: 'credentials',
    title: 'Access granted to partners is used',
    severity: 'low',
    why: 'Nobody notices when unused access is abused.',
    thresholds: { maxDays: days(90) },
    expected: ({ maxDays }) => `No valid OAuth grant unused for ${maxDays} days`,
    remediation: { text: 'Revoke unused grants.', path: '/api/settings/developer/oauth-grants' },
    read: ({ tenantId, now, limits, daysAgo }) => statement(UNUSED_GRANTS, [tenantId, now, daysAgo(limits.maxDays)]),
    judge: ({ total, found }) => fewOf(found, total, 'OAuth grants are unused'),
  }),
];
