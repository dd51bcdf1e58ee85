// Records of all lists that metrics count, spread evenly over the last two years.
import { SYSTEM_ROLE_IDS } from '../dist/libs/auth/roles.js';
import { uuidv7 } from '../dist/libs/kernel/id.js';

const CURRENCY = `(array['USD','USD','USD','USD','USD','USD','USD','EUR','EUR','GBP'])[1 + i % 10]`;
const LATER = `(at + (i * 31 % 60) / 60.0 * least(interval '60 days', now() - at))`;
const idOf = (what) => `md5('${what}' || pipeline || i)::uuid`;
const DATE = 'at::date';
const record = {
  id: 'gen_random_uuid()',
  reference: `'BENCH-' || i`,
  name: `'Number ' || i`,
  version: '1',
  created_at: 'at',
  updated_at: 'at',
  created_by: 'actor',
  updated_by: 'actor',
};
const pick = (...values) => `(array[${values.map((each) => `'${each}'`).join(', ')}])[1 + i % ${values.length}]`;
const when = (column, states, value) => `case when ${column} = any('{${states}}') then ${value} end`;

const DEAL = pick('won', 'won', 'won', 'won', 'lost', 'lost', 'lost', 'lost', 'open', 'open');
const LEAD = pick('new', 'working', 'qualified', 'disqualified', 'disqualified');
const INVOICE = pick('paid', 'paid', 'paid', 'paid', 'paid', 'paid', 'paid', 'issued', 'overdue', 'partially_paid');
const PROJECT = pick('completed', 'completed', 'completed', 'active', 'planned');
const TASK = pick('done', 'done', 'done', 'done', 'done', 'done', 'done', 'done', 'todo', 'in_progress');
const TIME = pick('approved', 'approved', 'approved', 'submitted', 'draft', 'rejected');
const EMPLOYEE = pick('active', 'active', 'active', 'terminated');
const APPLICATION = pick(
  'rejected',
  'rejected',
  'rejected',
  'rejected',
  'rejected',
  'rejected',
  'rejected',
  'hired',
  'active',
  'withdrawn',
);
const OFFER = pick('accepted', 'accepted', 'declined', 'expired', 'sent');
const AI_JOB = pick('succeeded', 'succeeded', 'succeeded', 'succeeded', 'failed', 'awaiting_approval');
const TOTAL = '(i::bigint * 7919) % 1000000 + 100';
const OPEN_PART = `case ${INVOICE} when 'paid' then 0 when 'partially_paid' then 50 else ${TOTAL} end`;

/** For each table its part of the records, in thousandths, and SQL for its columns. */
const COLUMNS = {
  sales_deals: [
    160,
    {
      ...record,
      value_minor: TOTAL,
      currency: CURRENCY,
      pipeline_id: 'pipeline',
      stage: `'qualification'`,
      status: DEAL,
      probability: `case ${DEAL} when 'won' then 100 when 'lost' then 0 else 40 end`,
      forecast_category: `'pipeline'`,
      deal_type: `'new_business'`,
      source: `'other'`,
      stage_entered_at: 'at',
      expected_close_date: DATE,
      closed_at: when(DEAL, 'won,lost', LATER),
      lost_reason: when(DEAL, 'lost', `'price'`),
    },
  ],
  sales_leads: [
    100,
    {
      ...record,
      source: `'other'`,
      status: LEAD,
      disqualified_reason: when(LEAD, 'disqualified', `'other'`),
      disqualified_at: when(LEAD, 'disqualified', LATER),
      converted_at: when(LEAD, 'qualified', LATER),
      account_id: when(LEAD, 'qualified', 'pipeline'),
      contact_id: when(LEAD, 'qualified', 'pipeline'),
      deal_id: when(LEAD, 'qualified', 'pipeline'),
    },
  ],
  sales_accounts: [40, { ...record, lifecycle: pick('active', 'active', 'prospect', 'churned') }],
  finance_invoices: [
    150,
    {
      ...record,
      number: `'B-' || i`,
      status: INVOICE,
      customer: `'{}'`,
      seller: `'{}'`,
      currency: CURRENCY,
      line_items: `'[{}]'`,
      tax_inclusive: 'false',
      subtotal_minor: TOTAL,
      discount_minor: '0',
      net_minor: TOTAL,
      tax_minor: '0',
      total_minor: TOTAL,
      tax_breakdown: `'[]'`,
      amount_paid_minor: `${TOTAL} - ${OPEN_PART}`,
      amount_credited_minor: '0',
      written_off_minor: '0',
      balance_minor: OPEN_PART,
      issue_date: DATE,
      due_date: `${DATE} + 14`,
      exchange_rate: `'1'`,
      base_currency: `'USD'`,
      base_total_minor: TOTAL,
      content_hash: `repeat('a', 64)`,
      paid_at: when(INVOICE, 'paid', LATER),
      overdue_at: `at + interval '15 days'`,
      dunning_paused: 'false',
    },
  ],
  finance_payments: [
    100,
    {
      ...record,
      status: pick('succeeded', 'succeeded', 'succeeded', 'pending'),
      direction: `'incoming'`,
      amount_minor: TOTAL,
      allocated_minor: '0',
      refunded_minor: '0',
      currency: CURRENCY,
      method: `'card'`,
      received_date: DATE,
      allocations: `'[]'`,
      settled_at: `case when i % 4 < 3 then at end`,
    },
  ],
  work_projects: [
    10,
    {
      ...record,
      key: `'P' || i`,
      status: PROJECT,
      health: '0',
      priority: '0',
      start_date: DATE,
      target_date: `${DATE} + 30`,
      completed_at: when(PROJECT, 'completed', LATER),
      member_ids: `'[]'`,
      visibility: `'workspace'`,
      billing_model: `'none'`,
      budget_minutes: '600',
      spent_minutes: 'i % 700',
      off_track_on: `${DATE} + 31`,
      at_risk_on: DATE,
      currency: `'USD'`,
      progress_method: `'tasks'`,
      progress_percent: '0',
    },
  ],
  work_tasks: [
    140,
    {
      ...record,
      state: TASK,
      priority: '0',
      assignee_ids: `'[]'`,
      due_date: `${DATE} + 300`,
      blocked_by_ids: `'[]'`,
      checklist: `'[]'`,
      position: 'i',
      completed_at: when(TASK, 'done', LATER),
    },
  ],
  work_time_entries: [
    150,
    {
      ...record,
      membership_id: 'pipeline',
      work_date: DATE,
      minutes: '15 + i % 400',
      billable: 'i % 3 > 0',
      status: TIME,
      rejected_reason: when(TIME, 'rejected', `'Wrong project'`),
      approved_at: when(TIME, 'approved', LATER),
    },
  ],
  people_employees: [
    5,
    {
      ...record,
      employee_number: `'E' || i`,
      status: EMPLOYEE,
      employment_type: `'full_time'`,
      employment_count: '1',
      start_date: DATE,
      termination_date: when(EMPLOYEE, 'terminated', `${LATER}::date`),
      termination_type: when(EMPLOYEE, 'terminated', `'voluntary'`),
      emergency_contacts: `'[]'`,
      skills: `'[]'`,
      work_schedule: `'{}'`,
    },
  ],
  people_time_off: [
    15,
    {
      ...record,
      employee_id: 'gen_random_uuid()',
      type: `'vacation'`,
      start_date: DATE,
      end_date: `${DATE} + 4`,
      start_half: 'false',
      end_half: 'false',
      half_days: '10',
      status: pick('approved', 'taken', 'taken', 'rejected'),
    },
  ],
  talent_candidates: [
    40,
    {
      ...record,
      id: idOf('candidate'),
      emails: `'[]'`,
      phones: `'[]'`,
      links: `'[]'`,
      skills: `'[]'`,
      source: `'other'`,
      is_private: 'false',
      status: `'active'`,
      stage: `'applied'`,
      stage_entered_at: 'at',
      applied_at: 'at',
    },
  ],
  talent_applications: [
    40,
    {
      ...record,
      id: idOf('application'),
      candidate_id: idOf('candidate'),
      status: APPLICATION,
      stage: `case ${APPLICATION} when 'active' then 'applied' else ${APPLICATION} end`,
      stage_entered_at: 'at',
      applied_at: 'at',
      reject_reason: when(APPLICATION, 'rejected', `'other'`),
      hired_at: when(APPLICATION, 'hired', LATER),
      start_date: when(APPLICATION, 'hired', DATE),
      last_activity_at: 'at',
      source: `'other'`,
    },
  ],
  talent_jobs: [
    2,
    {
      ...record,
      status: pick('open', 'filled', 'closed'),
      recruiter_ids: `'[]'`,
      openings: '1',
      filled_count: '0',
      employment_type: `'full_time'`,
      is_public: 'false',
      stages: `'[]'`,
    },
  ],
  talent_offers: [
    5,
    {
      ...record,
      status: OFFER,
      application_id: idOf('application'),
      employment_type: `'full_time'`,
      sent_at: 'at',
      accepted_at: when(OFFER, 'accepted', LATER),
    },
  ],
  webhook_deliveries: [
    20,
    {
      id: 'gen_random_uuid()',
      event_id: 'gen_random_uuid()',
      endpoint_id: 'pipeline',
      event_type: `'sales.deal.created'`,
      schema_version: '1',
      payload_mode: `'full'`,
      subject_type: `'sales.deal'`,
      subject_id: 'pipeline::text',
      sequence: 'i',
      status: pick('delivered', 'delivered', 'delivered', 'exhausted'),
      created_at: 'recently',
      delivered_at: 'recently',
    },
  ],
  memberships: [
    3,
    {
      id: 'gen_random_uuid()',
      email: `'person' || i || '@bench.example'`,
      name: `'Number ' || i`,
      status: `'active'`,
      created_at: 'at',
    },
  ],
  ai_jobs: [
    20,
    {
      ...record,
      status: AI_JOB,
      kind: `'text.generate'`,
      provider: `'bench'`,
      model: `'bench'`,
      priority: '1',
      approval: `'auto'`,
      tools: `'[]'`,
      targets: `'[]'`,
      max_output_tokens: '100',
      cost_cap_micros: '1000',
      approved_cap_micros: '1000',
      estimated_cost_micros: '10',
      reserved_cost_micros: '0',
      actual_cost_micros: '10',
      currency: `'USD'`,
      decision: `'{"outcome":"allow","rules":[],"policyVersion":1}'`,
      personal_data: `'allow'`,
      pii_findings: `'[]'`,
      input_hash: `repeat('a', 64)`,
      approval_digest: `repeat('a', 64)`,
      proposed_actions: `case when i % 3 = 0 then '[{"status":"applied"},{"status":"rejected"}]'::jsonb else '[]' end`,
      steps: `'[]'`,
      usage: `'{"inputTokens":1,"outputTokens":1,"calls":1}'`,
      error: when(AI_JOB, 'failed', `'{"code":"timeout","message":"None"}'::jsonb`),
      attempts: '1',
      requester: `'{"type":"member","id":null,"name":"bench","membershipId":null,"keyId":null}'`,
      requester_person: 'pipeline',
      queued_at: 'at',
      finished_at: when(AI_JOB, 'succeeded,failed', 'at'),
      approval_id: when(AI_JOB, 'awaiting_approval', 'pipeline'),
    },
  ],
};

/** The tables that records are added to. */
export const TABLES = Object.keys(COLUMNS).map((table) => `data.${table}`);

/** Inserts about `records` records of all lists into a tenant; returns how many. */
export async function addMetricRecords(client, { tenantId, pipelineId }, records) {
  await client.query(`set session_replication_role = replica`); // the records refer to none that exist
  let added = 0;
  for (const [table, [share, columns]] of Object.entries(COLUMNS)) {
    const rows = Math.round((records * share) / 1_000);
    const { rowCount } = await client.query(insertion(table, columns), [tenantId, pipelineId, rows]);
    added += rowCount;
  }
  for (let i = 0; i < 20; i++)
    await client.query(
      `insert into data.ai_budgets (tenant_id, id, scope_type, scope_id, period, limit_micros, hard_stop, enabled, version,
         created_at, updated_at) values ($1, $2, 'member', $3, 'month', 1000000, true, true, 1, now(), now())`,
      [tenantId, uuidv7(), `member-${i}`],
    );
  await client.query(
    `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at)
     select tenant_id, id, $2, now() from data.memberships where tenant_id = $1 limit 10`,
    [tenantId, SYSTEM_ROLE_IDS.admin],
  );
  await client.query(`set session_replication_role = origin`);
  return added;
}

function insertion(table, columns) {
  return `insert into data.${table} (tenant_id, ${Object.keys(columns).join(', ')})
    select $1, ${Object.values(columns).join(', ')} from generate_series(1, $3::int) i
      cross join lateral (select $2::uuid as pipeline, now() - ($3 - i) * (interval '730 days' / $3) as at,
        now() - ($3 - i) * (interval '20 days' / $3) as recently,
        jsonb_build_object('type', 'system', 'id', null, 'name', 'bench') as actor) x`;
}
