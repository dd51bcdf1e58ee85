import { reachOf } from '#libs/auth/current-principal.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { count, type Metric, share } from '#libs/measures/metric.js';
import type { MetricSource } from '#libs/measures/metric-source.js';
import { MEMBERSHIP_TYPE } from '#libs/members/member.js';
import { Membership } from '#libs/members/membership.entity.js';
import { membershipList } from './membership.dto.js';
import { withinReach } from './member-reach.js';

/** The members as a source of metrics. */
export const membershipSource = (): MetricSource => ({
  key: MEMBERSHIP_TYPE,
  path: '/api/admin/memberships',
  list: membershipList,
  entity: Membership,
  workspaceFilter: 'workspaceId',
  isReadable: () => reachOf('members:read') !== null,
  visible: () => withinReach('members:read'),
});

const security = { group: 'security', of: MEMBERSHIP_TYPE } as const;

export const MEMBERSHIP_METRICS: readonly Metric[] = [
  {
    ...security,
    key: 'mfa_coverage',
    name: 'Second factor coverage',
    formula: 'Active members whose last sign-in used a second factor ÷ active members.',
    unit: 'percent',
    usualTarget: 100,
    direction: 'higher',
    where: { status: 'active' },
    measure: share('t.id in (select directory.members_with_second_factor())'),
  },
  {
    ...security,
    key: 'privileged_members',
    name: 'Privileged members',
    formula: 'Number of active members with the role owner or admin.',
    unit: 'count',
    direction: 'lower',
    where: { status: 'active', 'roleId[in]': `${SYSTEM_ROLE_IDS.owner},${SYSTEM_ROLE_IDS.admin}` },
    measure: count(),
  },
];
