import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { DEFAULT_MFA, hasFactor, type MfaPolicy, type SignInFacts } from '#libs/auth/mfa-policy.js';
import { statement } from '#libs/database/statement.js';
import { checkOf, days, fail, fewOf, noneOf, notApplicable, pass, warning } from '../posture-check.js';
import { ACTIVE, RUNS_TENANT } from './live-sql.js';

const MEMBERS = '/api/admin/memberships';
const REVIEWS = '/api/admin/compliance/access-reviews';

const OWNERS = `select count(*)::integer as owners from data.memberships m where m.tenant_id = $1 and ${ACTIVE}
  and exists (select from data.role_assignments a where a.tenant_id = m.tenant_id and a.membership_id = m.id
    and a.role_id = '${SYSTEM_ROLE_IDS.owner}')`;
const COVERAGE = `
  select directory.mfa_policy() as policy, coalesce(json_agg(json_build_object(
    'methods', coalesce(s.methods, '{}'), 'multiFactorAt', s.multi_factor_at)), '[]') as "signIns"
  from data.memberships m left join directory.last_sign_ins() s on s.member_id = m.id
  where m.tenant_id = $1 and ${ACTIVE} and ${RUNS_TENANT}`;
const INACTIVE = `
  select count(*)::integer as total,
    count(*) filter (where coalesce(m.last_active_at, m.created_at) < $2::timestamptz)::integer as inactive
  from data.memberships m where m.tenant_id = $1 and ${ACTIVE} and ${RUNS_TENANT}`;
const TERMINATED = `
  select count(*)::integer as found from data.people_employees e
    join data.memberships m on m.tenant_id = e.tenant_id and m.id = e.membership_id
  where e.tenant_id = $1 and e.status = 'terminated' and e.deleted_at is null and ${ACTIVE}`;
const SHARE = `
  select count(*)::integer as members, count(*) filter (where ${RUNS_TENANT})::integer as privileged
  from data.memberships m where m.tenant_id = $1 and ${ACTIVE}`;
const UNUSED_ROLES = `
  select count(*)::integer as total, count(*) filter (where r.created_at < $2::timestamptz
    and not exists (select from data.role_assignments a where a.tenant_id = r.tenant_id and a.role_id = r.id)
    and not exists (select from data.invitations i
      where i.tenant_id = r.tenant_id and i.status = 'pending' and r.id = any(i.role_ids))
    and not exists (select from data.workspaces w where w.tenant_id = r.tenant_id and r.id = any(w.default_role_ids))
    and not exists (select from data.scim_configs c
      where c.tenant_id = r.tenant_id and c.deleted_at is null and r.id = any(c.default_role_ids))
    and not exists (select from data.scim_mappings g where g.tenant_id = r.tenant_id and r.id = any(g.role_ids))
  )::integer as unused
  from data.roles r where r.tenant_id = $1`;

/** Active members `m` who joined before an instant, and how many of them no completed review has covered since. */
const unreviewed = (condition: string): string => `
  select count(*)::integer as total, count(*) filter (where not exists (
    select from data.access_reviews r join data.access_review_items i on i.tenant_id = r.tenant_id and i.review_id = r.id
    where r.tenant_id = m.tenant_id and r.completed_at >= $2::timestamptz
      and i.subject_type = 'membership' and i.subject_id = m.id))::integer as found
  from data.memberships m
  where m.tenant_id = $1 and coalesce(m.joined_at, m.created_at) < $2::timestamptz and ${ACTIVE} and ${condition}`;
const UNREVIEWED = unreviewed('true');
const UNREVIEWED_PRIVILEGED = unreviewed(RUNS_TENANT);
const LATE_REVIEWS = `
  select count(*)::integer as total, count(*) filter (where r.status = 'in_progress' and r.due_at < $2::timestamptz
    or r.status = 'pending_actions' and r.decided_at < $3::timestamptz)::integer as found
  from data.access_reviews r where r.tenant_id = $1 and r.status in ('in_progress', 'pending_actions')`;

interface Share {
  total: number;
  found: number;
}

export const MEMBER_CHECKS = [
  checkOf<{ owners: number }>()({
    key: 'members.owners',
    category: 'members',
    title: 'The tenant has enough owners, and not too many',
    severity: 'high',
    why: 'With a single owner, one lost account locks everybody out. Each further owner can do anything.',
    thresholds: { minOwners: { default: 2, min: 1, max: 10 }, maxOwners: { default: 5, min: 1, max: 100 } },
    expected: ({ minOwners, maxOwners }) => `${minOwners} to ${maxOwners} active owners`,
    remediation: { text: 'Grant or revoke the owner role.', path: MEMBERS },
    read: ({ tenantId }) => statement(OWNERS, [tenantId]),
    judge: ({ owners }, { limits }) => {
      const measured = `${owners} active ${owners === 1 ? 'owner' : 'owners'}`;
      if (owners < limits.minOwners) return fail(measured);
      return owners > limits.maxOwners ? warning(0.5, measured) : pass(measured);
    },
  }),
  checkOf<{ policy: Partial<MfaPolicy> | null; signIns: SignInFacts[] }>()({
    key: 'members.mfa_coverage',
    category: 'members',
    title: 'Members with privileged roles sign in with a second factor',
    severity: 'critical',
    why: 'A stolen password of a privileged member is enough to take over the tenant.',
    thresholds: { warnPercent: { default: 80, min: 1, max: 100 } },
    expected: ({ warnPercent }) => `All; partial credit from ${warnPercent} percent`,
    remediation: { text: 'Require a second factor of members with privileged roles.', path: '/api/admin/security/mfa' },
    read: ({ tenantId }) => statement(COVERAGE, [tenantId]),
    judge: ({ policy, signIns }, { limits }) => {
      const covered = signIns.filter((signIn) => hasFactor(signIn, { ...DEFAULT_MFA, ...policy })).length;
      const measured = `${covered} of ${signIns.length} privileged members with a second factor`;
      if (signIns.length === 0) return notApplicable(measured);
      if (covered === signIns.length) return pass(measured);
      const share = covered / signIns.length;
      return 100 * share >= limits.warnPercent ? warning(share, measured) : fail(measured);
    },
  }),
  checkOf<{ total: number; inactive: number }>()({
    key: 'members.inactive_privileged',
    category: 'members',
    title: 'Members with privileged roles are active',
    severity: 'high',
    why: 'Nobody notices when an account that its owner no longer uses is taken over.',
    thresholds: { maxDays: days(90) },
    expected: ({ maxDays }) => `No privileged member inactive for ${maxDays} days`,
    remediation: { text: 'Suspend inactive members or revoke their privileged roles.', path: MEMBERS },
    read: ({ tenantId, limits, daysAgo }) => statement(INACTIVE, [tenantId, daysAgo(limits.maxDays)]),
    judge: ({ total, inactive }) =>
      total === 0 ? notApplicable('0 privileged members') : noneOf(inactive, 'inactive privileged members'),
  }),
  checkOf<{ found: number }>()({
    key: 'members.terminated_access',
    category: 'members',
    title: 'Terminated employees have no access',
    severity: 'critical',
    why: 'People who have left can still read and change data.',
    expected: () => 'No terminated employee with an active membership',
    remediation: { text: 'Deactivate the memberships of these employees.', path: MEMBERS },
    read: ({ tenantId }) => statement(TERMINATED, [tenantId]),
    judge: ({ found }) => noneOf(found, 'terminated employees with access'),
  }),
  checkOf<{ members: number; privileged: number }>()({
    key: 'members.privileged_share',
    category: 'members',
    title: 'Few members have privileged roles',
    severity: 'medium',
    why: 'Each privileged account is a way to take over the tenant.',
    thresholds: { maxPercent: { default: 10, min: 1, max: 100 }, minMembers: { default: 20, min: 1, max: 10_000 } },
    expected: ({ maxPercent, minMembers }) => `At most ${maxPercent} percent, from ${minMembers} active members on`,
    remediation: { text: 'Replace privileged roles by narrower ones.', path: '/api/admin/roles' },
    read: ({ tenantId }) => statement(SHARE, [tenantId]),
    judge: ({ members, privileged }, { limits }) => {
      const measured = `${privileged} of ${members} active members`;
      if (members < limits.minMembers) return notApplicable(measured);
      const percent = (100 * privileged) / members;
      if (percent <= limits.maxPercent) return pass(measured);
      return percent <= 2 * limits.maxPercent ? warning(0.5, measured) : fail(measured);
    },
  }),
  checkOf<{ total: number; unused: number }>()({
    key: 'members.unused_roles',
    category: 'members',
    title: 'Custom roles are used',
    severity: 'low',
    why: 'Roles that nobody reviews keep permissions that nobody expects.',
    thresholds: { graceDays: days(30) },
    expected: ({ graceDays }) => `No custom role older than ${graceDays} days without members`,
    remediation: { text: 'Delete roles that nobody needs.', path: '/api/admin/roles' },
    read: ({ tenantId, limits, daysAgo }) => statement(UNUSED_ROLES, [tenantId, daysAgo(limits.graceDays)]),
    judge: ({ total, unused }) => fewOf(unused, total, 'custom roles are unused'),
  }),
  checkOf<Share>()({
    key: 'members.access_review',
    category: 'members',
    title: 'The access of members is reviewed',
    severity: 'medium',
    why: 'People keep rights that their work no longer requires.',
    thresholds: { maxDays: days(180) },
    expected: ({ maxDays }) => `Every member was part of an access review completed within ${maxDays} days`,
    remediation: { text: 'Start an access review of all members, and complete it.', path: REVIEWS },
    read: ({ tenantId, limits, daysAgo }) => statement(UNREVIEWED, [tenantId, daysAgo(limits.maxDays)]),
    judge: ({ total, found }) => fewOf(found, total, 'members are not reviewed'),
  }),
  checkOf<Share>()({
    key: 'members.privileged_review',
    category: 'members',
    title: 'Privileged access is reviewed',
    severity: 'high',
    why: 'Rights to run the tenant do the most harm when they are forgotten.',
    thresholds: { maxDays: days(90) },
    expected: ({ maxDays }) => `Every privileged member was part of an access review completed within ${maxDays} days`,
    remediation: { text: 'Start an access review of these roles, and complete it.', path: REVIEWS },
    read: ({ tenantId, limits, daysAgo }) => statement(UNREVIEWED_PRIVILEGED, [tenantId, daysAgo(limits.maxDays)]),
    judge: ({ total, found }) =>
      total === 0 ? notApplicable('0 privileged members') : noneOf(found, 'privileged members are not reviewed'),
  }),
  checkOf<Share>()({
    key: 'members.review_overdue',
    category: 'members',
    title: 'Access reviews are finished in time',
    severity: 'medium',
    why: 'Access that was revoked still works until the review is completed.',
    thresholds: { maxDays: days(7, 90) },
    expected: ({ maxDays }) => `No open review past its due date, and no revocation unapplied for ${maxDays} days`,
    remediation: { text: 'Decide what is open, and complete the review.', path: REVIEWS },
    read: ({ tenantId, now, limits, daysAgo }) => statement(LATE_REVIEWS, [tenantId, now, daysAgo(limits.maxDays)]),
    judge: ({ total, found }) => (total === 0 ? notApplicable('0 open reviews') : noneOf(found, 'late reviews')),
  }),
];
