import { type AiPolicy, DEFAULT_POLICY } from '#libs/ai/policy.js';
import { statement } from '#libs/database/statement.js';
import { checkOf, fail, noneOf, notApplicable, pass } from '../posture-check.js';

const NEWEST_POLICY = `(select p.policy from data.ai_policies p where p.tenant_id = $1 order by p.version desc limit 1)`;
const POLICY = `select ${NEWEST_POLICY} as policy`;
const CAPS = `select ${NEWEST_POLICY} as policy, count(*)::integer as budgets from data.ai_budgets b
  where b.tenant_id = $1 and b.scope_type = 'tenant' and b.enabled and b.hard_stop and b.deleted_at is null`;
const AGENTS = `
  select count(*)::integer as active, count(*) filter (where g.autonomy = 'auto' and not exists (
    select from data.home_approvals a where a.tenant_id = g.tenant_id and a.target_object = 'intelligence.agent'
      and a.target_id = g.id and a.status = 'executed'))::integer as unapproved
  from data.intelligence_agents g where g.tenant_id = $1 and g.status = 'active' and g.deleted_at is null`;

interface PolicyRow {
  policy: Partial<AiPolicy> | null;
}

const isOff = ({ policy }: PolicyRow): boolean => policy?.enabled === false;
const OFF = notApplicable('AI is disabled');

export const AI_CHECKS = [
  checkOf<PolicyRow>()({
    key: 'ai.personal_data',
    category: 'ai',
    title: 'Personal data is not sent to AI models',
    severity: 'high',
    why: 'What a model receives leaves the control of the tenant.',
    expected: () => 'The AI policy masks or denies personal data',
    remediation: { text: 'Set `personalData` to `mask` or `deny`.', path: '/api/ai/policy' },
    read: ({ tenantId }) => statement(POLICY, [tenantId]),
    judge: (row) => {
      if (isOff(row)) return OFF;
      const { personalData } = { ...DEFAULT_POLICY, ...row.policy };
      return personalData === 'allow' ? fail('Allowed') : pass(`Policy ${personalData}`);
    },
  }),
  checkOf<PolicyRow & { budgets: number }>()({
    key: 'ai.budget',
    category: 'ai',
    title: 'Spending on AI is limited',
    severity: 'medium',
    why: 'A faulty integration can spend without limit.',
    expected: () => 'An enabled budget with a hard stop for the whole tenant',
    remediation: { text: 'Create a budget for the tenant.', path: '/api/ai/budgets' },
    read: ({ tenantId }) => statement(CAPS, [tenantId]),
    judge: (row) => (isOff(row) ? OFF : row.budgets > 0 ? pass(`${row.budgets} budgets`) : fail('No budget')),
  }),
  checkOf<{ active: number; unapproved: number }>()({
    key: 'ai.agents',
    category: 'ai',
    title: 'Autonomous agents were approved',
    severity: 'high',
    why: 'An agent with the autonomy `auto` changes records without asking anybody.',
    expected: () => 'Each active agent with the autonomy `auto` was approved at the gate `agent.activate`',
    remediation: {
      text: 'Enable the gate `agent.activate`, pause the agent, and activate it again.',
      path: '/api/settings/gates',
    },
    read: ({ tenantId }) => statement(AGENTS, [tenantId]),
    judge: ({ active, unapproved }) =>
      active === 0 ? notApplicable('0 active agents') : noneOf(unapproved, 'autonomous agents without approval'),
  }),
];
