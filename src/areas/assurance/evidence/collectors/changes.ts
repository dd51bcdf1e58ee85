import { type Collector, collector } from '../collector.js';
import { EVENT_COLUMNS, EVENT_ORDER, eventOf, eventsOf, type RawEvent, recorded, type ShownEvent } from './events.js';

const folder = 'changes';

interface RawApproval {
  approvalId: string;
  gate: string;
  operation: string;
  targetObject: string;
  targetId: string;
  status: string;
  requestedAt: string;
  closedAt: string | null;
  requester: string;
  decisions: { person: string; decision: string; at: string }[];
  quorum: number;
  allowSelfApproval: boolean;
}

function approvalOf({ decisions, ...row }: RawApproval) {
  const approvedBy = decisions.filter(({ decision }) => decision === 'approve').map(({ person }) => person);
  const rejectedBy = decisions.filter(({ decision }) => decision === 'reject').map(({ person }) => person);
  return { ...row, approvedBy, rejectedBy };
}

interface PolicyVersion {
  version: number;
  createdAt: string;
  createdById: string | null;
  isCurrent: boolean;
  enabled: boolean;
}

interface Decisions {
  day: string;
  kind: string;
  policyVersion: number;
  outcome: string;
  decisions: number;
}

/** What was changed, and who allowed it. */
export const CHANGES: readonly Collector[] = [
  collector<RawEvent, ShownEvent>({
    folder,
    controlId: 'changes-settings',
    control: 'Changes of settings and policies are on record.',
    title: 'Change log of settings and policies',
    type: 'event_log',
    source:
      'Audit log: settings, multi-factor policy, AI policy and the tenant itself, with the names of changed fields.',
    frameworks: { soc2: ['CC8.1'], iso27001: ['A.8.32', 'A.8.9'], gdpr: ['Art. 5(2)'] },
    columns: EVENT_COLUMNS,
    query: eventsOf([
      'admin.settings.updated',
      'ai.automation.paused',
      'ai.automation.resumed',
      'ai.policy.updated',
      'core.tenant.closing_cancelled',
      'core.tenant.closing_started',
      'core.tenant.created',
      'core.tenant.plan_changed',
      'core.tenant.reactivated',
      'core.tenant.renamed',
      'core.tenant.suspended',
      'security.mfa.updated',
    ]),
    order: EVENT_ORDER,
    show: eventOf,
    finding: recorded,
  }),
  collector<RawApproval, ReturnType<typeof approvalOf>>({
    folder,
    controlId: 'changes-approvals',
    control: 'Actions behind a gate are approved by enough others.',
    title: 'Approvals',
    type: 'event_log',
    source: 'Requests for approval that were made or closed in the period, with the ids of the people involved.',
    frameworks: { soc2: ['CC8.1', 'CC5.2'], iso27001: ['A.5.3', 'A.8.32'], gdpr: ['Art. 24'] },
    columns: [
      'approvalId',
      'gate',
      'operation',
      'targetObject',
      'targetId',
      'status',
      'requestedAt',
      'closedAt',
      'requester',
      'quorum',
      'allowSelfApproval',
      'approvedBy',
      'rejectedBy',
    ],
    query: `
      select a.id as "approvalId", a.gate, a.operation, a.target_object as "targetObject", a.target_id as "targetId",
        a.status, a.created_at as "requestedAt", a.closed_at as "closedAt", a.requester_behind as requester, a.decisions,
        (a.rule ->> 'quorum')::integer as quorum, (a.rule ->> 'allowSelfApproval')::boolean as "allowSelfApproval"
      from data.home_approvals a
      where a.tenant_id = $1 and a.created_at < $3 and (a.created_at >= $2 or a.closed_at >= $2)`,
    order: '"requestedAt", "approvalId"',
    show: approvalOf,
    finding: ({ status, requester, approvedBy, quorum, allowSelfApproval }) => {
      if (approvedBy.includes(requester) && !allowSelfApproval) return 'The requester approved the request.';
      const isDone = status === 'approved' || status === 'executed';
      return isDone && approvedBy.length < quorum ? 'It was executed with too few approvals.' : null;
    },
  }),
  collector<PolicyVersion>({
    folder,
    controlId: 'changes-ai-policy',
    control: 'A policy of the tenant governs the use of AI.',
    title: 'AI policy',
    type: 'configuration',
    source: 'Versions of the AI policy.',
    frameworks: { soc2: ['CC5.3', 'CC9.2'], iso27001: ['A.5.1', 'A.5.10'], gdpr: ['Art. 22', 'Art. 25(1)'] },
    columns: ['version', 'createdAt', 'createdById', 'isCurrent', 'enabled'],
    query: `
      select p.version, p.created_at as "createdAt", p.created_by ->> 'id' as "createdById",
        p.version = max(p.version) over () as "isCurrent", coalesce((p.policy ->> 'enabled')::boolean, true) as enabled
      from data.ai_policies p where p.tenant_id = $1`,
    order: 'version',
    finding: recorded,
  }),
  collector<Decisions>({
    folder,
    controlId: 'changes-ai-decisions',
    control: 'Every AI job is decided on by a policy of the tenant.',
    title: 'Decisions of the AI policy by day',
    type: 'event_log',
    source: 'Decisions about AI jobs, counted by day (UTC), kind, version of the policy and outcome.',
    frameworks: { soc2: ['CC5.3'], iso27001: ['A.5.10'], gdpr: ['Art. 22'] },
    columns: ['day', 'kind', 'policyVersion', 'outcome', 'decisions'],
    query: `
      select (d.decided_at at time zone 'UTC')::date as day, d.kind, d.policy_version as "policyVersion", d.outcome,
        count(*) as decisions
      from data.ai_decisions d where d.tenant_id = $1 and d.decided_at >= $2 and d.decided_at < $3 group by 1, 2, 3, 4`,
    order: 'day, kind, "policyVersion", outcome',
    finding: ({ policyVersion, outcome }) =>
      policyVersion === 0 && outcome === 'allow' ? 'Jobs were allowed before the tenant had a policy.' : null,
  }),
];
