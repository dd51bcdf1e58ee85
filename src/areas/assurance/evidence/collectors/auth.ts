import { DEFAULT_MFA, type MfaPolicy } from '#libs/auth/mfa-policy.js';
import { type Collector, collector } from '../collector.js';
import { EVENT_COLUMNS, EVENT_ORDER, eventOf, eventsOf, type RawEvent, recorded, type ShownEvent } from './events.js';
import { HAS_PRIVILEGES, memberOf, MEMBERS, type RawMember } from './members.js';

const folder = 'auth';

interface RawPolicy {
  policy: Partial<MfaPolicy> | null;
}

/** A member to whom the policy applies. */
function coverageOf(row: RawMember) {
  const { membershipId, name, privileged, secondFactor } = memberOf(row);
  return { membershipId, name, privileged, secondFactor, methods: row.methods ?? [] };
}

interface RefusedRequests {
  day: string;
  action: string;
  refusals: number;
}

/** How people prove who they are. */
export const AUTH: readonly Collector[] = [
  collector<RawPolicy, MfaPolicy>({
    folder,
    controlId: 'auth-mfa-policy',
    control: 'A second factor is required.',
    title: 'Multi-factor policy',
    type: 'configuration',
    source: 'Multi-factor policy of the tenant.',
    frameworks: { soc2: ['CC6.1'], iso27001: ['A.8.5'], gdpr: ['Art. 32(1)(b)'] },
    columns: ['version', 'policy', 'gracePeriodDays', 'allowedMethods', 'stepUpMaxAgeMinutes', 'effectiveAt'],
    query: 'select directory.mfa_policy() as policy',
    order: 'policy',
    show: ({ policy }) => ({ ...DEFAULT_MFA, ...policy }),
    finding: ({ policy, effectiveAt }, { to }) => {
      if (policy === 'optional') return 'Nobody is required to use a second factor.';
      return effectiveAt !== null && effectiveAt > to ? 'The policy was not in force in the period.' : null;
    },
  }),
  collector<RawMember, ReturnType<typeof coverageOf>>({
    folder,
    controlId: 'auth-mfa-coverage',
    control: 'Everybody who must use a second factor does.',
    title: 'Multi-factor coverage',
    type: 'population',
    source: 'Active members to whom the multi-factor policy applies, with the factors of their last sign-in.',
    frameworks: { soc2: ['CC6.1'], iso27001: ['A.8.5', 'A.5.17'], gdpr: ['Art. 32(1)(b)'] },
    columns: ['membershipId', 'name', 'privileged', 'secondFactor', 'methods'],
    query: `select * from (${MEMBERS} and m.status = 'active') p
      where policy ->> 'policy' = 'all' or policy ->> 'policy' = 'admins' and ${HAS_PRIVILEGES}`,
    order: 'name, "membershipId"',
    show: coverageOf,
    finding: ({ secondFactor }) => (secondFactor ? null : 'The last sign-in used no accepted second factor.'),
  }),
  collector<RawEvent, ShownEvent>({
    folder,
    controlId: 'auth-session-resets',
    control: 'Ending sessions is on record.',
    title: 'Sessions reset and revoked',
    type: 'event_log',
    source: 'Audit log: sessions that were revoked, for one session or for all sessions of a member.',
    frameworks: { soc2: ['CC6.1', 'CC7.4'], iso27001: ['A.5.18', 'A.8.5'], gdpr: ['Art. 32(1)(b)'] },
    columns: EVENT_COLUMNS,
    query: eventsOf(['auth.session.revoked', 'core.membership.sessions_reset']),
    order: EVENT_ORDER,
    show: eventOf,
    finding: recorded,
  }),
  collector<RefusedRequests>({
    folder,
    controlId: 'auth-refusals',
    control: 'Refused attempts are on record.',
    title: 'Refused attempts by day',
    type: 'event_log',
    source: 'Audit log: attempts that were denied, counted by day (UTC) and action.',
    frameworks: { soc2: ['CC7.2'], iso27001: ['A.8.15', 'A.8.16'], gdpr: ['Art. 32(1)(d)'] },
    columns: ['day', 'action', 'refusals'],
    query: `
      select (t.occurred_at at time zone 'UTC')::date as day, t.action, count(*) as refusals from data.audit_log t
      where t.tenant_id = $1 and t.occurred_at >= $2 and t.occurred_at < $3 and t.outcome = 'denied' group by 1, 2`,
    order: 'day, action',
    finding: recorded,
  }),
];
