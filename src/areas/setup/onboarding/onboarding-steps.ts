/** A built-in step of the onboarding. */
interface StepDefinition {
  key: string;
  /** What to do, as an instruction. */
  title: string;
  area: string;
  /** False if a tenant can do without it; true by default. */
  required?: false;
  /** Path of the API where the step is done. */
  actionPath: string;
  /** SQL condition on the data of the tenant `$1`, whose plan is `$2`. */
  detector: string;
}

/** Sample data does not complete a step. */
const REAL = 'not exists (select from data.sample_records s where s.tenant_id = t.tenant_id and s.id = t.id)';
const live = (table: string): string =>
  `exists (select from data.${table} t where tenant_id = $1 and deleted_at is null and ${REAL})`;
/** Whether the settings of the tenant have values at all of these paths. */
const settings = (...paths: string[]): string => `exists (select from data.tenant_settings s where s.tenant_id = $1
  and ${paths.map((path) => `s.values #>> '{${path}}' is not null`).join(' and ')})`;
// The lateral subquery reads one delivery for each endpoint from webhook_deliveries_endpoint_idx.
const DELIVERED = `exists (select from data.webhook_endpoints e, lateral (
    select from data.webhook_deliveries d
    where d.tenant_id = e.tenant_id and d.endpoint_id = e.id and d.status = 'delivered'
    order by d.created_at desc, d.id desc limit 1) delivered
  where e.tenant_id = $1)`;

/** The steps in the order in which they are shown. */
export const STEPS = [
  {
    key: 'company_profile',
    title: 'Enter the legal name and country of the company',
    area: 'settings',
    actionPath: '/api/admin/settings',
    detector: settings('general,legalName', 'general,country'),
  },
  {
    key: 'legal_entity_and_tax',
    title: 'Enter address and tax number for invoices, and a tax rate',
    area: 'finance',
    actionPath: '/api/admin/settings',
    detector: `${settings('finance,legalEntity,address', 'finance,legalEntity,taxId')} and ${live('finance_tax_rates')}`,
  },
  {
    key: 'invite_team',
    title: 'Invite your team: at least two active members',
    area: 'admin',
    actionPath: '/api/admin/invitations',
    detector: `(select count(*) from data.memberships
      where tenant_id = $1 and status = 'active' and deleted_at is null) >= 2`,
  },
  {
    key: 'roles_reviewed',
    title: 'Create a role of your own, or complete an access review',
    area: 'admin',
    actionPath: '/api/admin/roles',
    detector: `(exists (select from data.roles where tenant_id = $1)
      or exists (select from data.access_reviews where tenant_id = $1 and completed_at is not null))`,
  },
  {
    key: 'mfa_policy',
    title: 'Require a second factor',
    area: 'admin',
    actionPath: '/api/admin/security/mfa',
    detector: `coalesce(directory.mfa_policy() ->> 'policy', 'optional') <> 'optional'`,
  },
  {
    key: 'workspace_created',
    title: 'Create a workspace besides the default one',
    area: 'admin',
    actionPath: '/api/admin/workspaces',
    detector: `exists (select from data.workspaces where tenant_id = $1 and not is_default)`,
  },
  {
    key: 'first_account',
    title: 'Create an account',
    area: 'sales',
    actionPath: '/api/v1/sales/accounts',
    detector: live('sales_accounts'),
  },
  {
    key: 'first_deal',
    title: 'Create a deal',
    area: 'sales',
    actionPath: '/api/v1/sales/deals',
    detector: live('sales_deals'),
  },
  {
    key: 'first_project',
    title: 'Create a project',
    area: 'work',
    actionPath: '/api/v1/work/projects',
    detector: live('work_projects'),
  },
  {
    key: 'first_invoice_issued',
    title: 'Issue an invoice',
    area: 'finance',
    actionPath: '/api/v1/finance/invoices',
    detector: `exists (select from data.finance_invoices t where tenant_id = $1 and status <> 'draft' and ${REAL})`,
  },
  {
    key: 'employee_imported',
    title: 'Add an employee',
    area: 'people',
    actionPath: '/api/v1/people/employees',
    detector: live('people_employees'),
  },
  {
    key: 'api_key_created',
    title: 'Create an API key',
    area: 'developer',
    actionPath: '/api/settings/developer/api-keys',
    detector: live('api_keys'),
  },
  {
    key: 'webhook_verified',
    title: 'Receive an event at a webhook endpoint',
    area: 'developer',
    actionPath: '/api/webhooks/endpoints',
    detector: DELIVERED,
  },
  {
    key: 'scim_or_sso',
    title: 'Connect an identity provider',
    area: 'admin',
    required: false,
    actionPath: '/api/admin/scim',
    detector: `exists (select from data.scim_configs where tenant_id = $1 and status = 'active' and deleted_at is null)`,
  },
  {
    key: 'retention_policy',
    title: 'Enable a retention policy',
    area: 'admin',
    actionPath: '/api/admin/retention',
    detector: `exists (select from data.retention_policies where tenant_id = $1 and enabled)`,
  },
  {
    key: 'ai_policy',
    title: 'Set the AI policy',
    area: 'ai',
    actionPath: '/api/ai/policy',
    detector: `exists (select from data.ai_policies where tenant_id = $1)`,
  },
  {
    key: 'plan_selected',
    title: 'Select a paid plan',
    area: 'settings',
    actionPath: '/api/settings/tenant',
    detector: `$2::text <> 'free'`,
  },
] as const satisfies StepDefinition[];

export type StepKey = (typeof STEPS)[number]['key'];
export const STEP_KEYS: readonly StepKey[] = STEPS.map(({ key }) => key);
/** Steps without which the onboarding is not complete. */
export const REQUIRED: readonly StepKey[] = STEPS.filter((step) => !('required' in step)).map(({ key }) => key);
