import { DEFAULT_MFA, type MfaPolicy } from '#libs/auth/mfa-policy.js';
import { statement } from '#libs/database/statement.js';
import { effective, type OwnSettings } from '#libs/settings/tenant-settings.js';
import { PRIVILEGED_GATE } from '#libs/members/role-door.js';
import { checkOf, fail, pass, warning } from '../posture-check.js';

const SETTINGS_PATH = '/api/admin/settings';

const MFA_POLICY = `select directory.mfa_policy() as policy`;
const SETTINGS = `select (select s.values from data.tenant_settings s where s.tenant_id = $1) as values`;
const DENIED = `
  select count(*) filter (where occurred_at > $2::timestamptz)::integer as today,
    (count(*) filter (where occurred_at <= $2::timestamptz) / 7.0)::float8 as usual
  from data.audit_log where tenant_id = $1 and outcome = 'denied' and occurred_at > $3::timestamptz`;

interface SettingsRow {
  values: OwnSettings | null;
}

export const SIGN_IN_CHECKS = [
  checkOf<{ policy: Partial<MfaPolicy> | null }>()({
    key: 'sign_in.mfa_policy',
    category: 'sign_in',
    title: 'A second factor is required',
    severity: 'high',
    why: 'Without a policy, the identity provider decides alone whether a password is enough.',
    expected: () => 'Required of members with privileged roles, or of all, and in force',
    remediation: { text: 'Set the policy to `admins` or `all`.', path: '/api/admin/security/mfa' },
    read: () => statement(MFA_POLICY),
    judge: ({ policy: own }, { now }) => {
      const { policy, effectiveAt } = { ...DEFAULT_MFA, ...own };
      const measured = `Policy ${policy}`;
      if (policy === 'optional') return fail(measured);
      return effectiveAt !== null && effectiveAt > now
        ? warning(0.5, `${measured} from ${effectiveAt}`)
        : pass(measured);
    },
  }),
  checkOf<SettingsRow>()({
    key: 'sign_in.session_lifetime',
    category: 'sign_in',
    title: 'Sessions end in time',
    severity: 'medium',
    why: 'A stolen session is valid until it ends.',
    thresholds: {
      maxHours: { default: 24, min: 1, max: 720 },
      maxIdleMinutes: { default: 120, min: 5, max: 1_440 },
    },
    expected: ({ maxHours, maxIdleMinutes }) => `After at most ${maxHours} hours, and ${maxIdleMinutes} minutes idle`,
    remediation: { text: 'Lower `security.sessionHours` and `security.idleMinutes`.', path: SETTINGS_PATH },
    read: ({ tenantId }) => statement(SETTINGS, [tenantId]),
    judge: ({ values }, { limits }) => {
      const { sessionHours, idleMinutes } = effective(values ?? {}).security;
      const measured = `${sessionHours} hours, ${idleMinutes} minutes idle`;
      const kept = [sessionHours <= limits.maxHours, idleMinutes <= limits.maxIdleMinutes].filter(Boolean).length;
      return kept === 2 ? pass(measured) : kept === 1 ? warning(0.5, measured) : fail(measured);
    },
  }),
  checkOf<SettingsRow>()({
    key: 'sign_in.email_domains',
    category: 'sign_in',
    title: 'Only addresses of known domains can be invited',
    severity: 'low',
    why: 'A typo in an invitation gives access to somebody outside the company.',
    expected: () => 'At least one allowed domain',
    remediation: { text: 'Set `security.allowedEmailDomains`.', path: SETTINGS_PATH },
    read: ({ tenantId }) => statement(SETTINGS, [tenantId]),
    judge: ({ values }) => {
      const { allowedEmailDomains: domains } = effective(values ?? {}).security;
      return domains.length > 0 ? pass(`${domains.length} allowed domains`) : fail('Any domain is allowed');
    },
  }),
  checkOf<SettingsRow>()({
    key: 'sign_in.privileged_gate',
    category: 'sign_in',
    title: 'Granting privileged roles needs a second person',
    severity: 'medium',
    why: 'One compromised administrator could create others.',
    expected: () => `The gate ${PRIVILEGED_GATE} is enabled`,
    remediation: { text: `Enable the gate \`${PRIVILEGED_GATE}\`.`, path: '/api/settings/gates' },
    read: ({ tenantId }) => statement(SETTINGS, [tenantId]),
    judge: ({ values }) => {
      const isOn = effective(values ?? {}).gates.some(({ key, enabled }) => key === PRIVILEGED_GATE && enabled);
      return isOn ? pass('The gate is enabled') : fail('The gate is not enabled');
    },
  }),
  checkOf<{ today: number; usual: number }>()({
    key: 'sign_in.denied_spike',
    category: 'sign_in',
    title: 'Refused attempts are not unusually frequent',
    severity: 'medium',
    why: 'Many refused requests or sign-ins within a day can be an attack, or a client with a wrong credential.',
    thresholds: { minAttempts: { default: 100, min: 1, max: 1_000_000 }, factor: { default: 3, min: 1, max: 100 } },
    expected: ({ minAttempts, factor }) =>
      `Within 24 hours at most ${minAttempts}, or ${factor} times the daily average of the week before`,
    remediation: { text: 'Find who is refused, and revoke or correct the credential.', path: '/api/admin/audit-logs' },
    read: ({ tenantId, daysAgo }) => statement(DENIED, [tenantId, daysAgo(1), daysAgo(8)]),
    judge: ({ today, usual }, { limits }) => {
      const measured = `${today} in 24 hours, ${usual.toFixed(1)} a day before`;
      const most = Math.max(limits.minAttempts, limits.factor * usual);
      if (today <= most) return pass(measured);
      return today <= 2 * most ? warning(0.5, measured) : fail(measured);
    },
  }),
];
