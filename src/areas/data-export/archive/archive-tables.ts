import type { Permission } from '#libs/auth/permissions.js';
import type { About } from '#libs/resource/access/disclosure.js';

/** Rows that are no records of a type, and that an archive contains too. */
export interface ArchiveTable {
  /** Type key of a row. */
  type: string;
  area: string;
  /** Schema-qualified. */
  table: string;
  /** For whom it is: holders of a permission for the whole tenant, or whoever may know the record that a row is about. */
  who: Permission | About;
  /** Column with the member or key whose personal object a row is: only the requester’s own, unless the archive is full. */
  owner?: string;
  /** Columns that only a full archive contains. */
  restricted?: readonly string[];
  /** Columns that none contains: values that prove who somebody is, and what only this installation understands. */
  without?: readonly string[];
}

const RECORD: About = { type: 't.object', id: 't.record_id' };
const FILE: About = { type: `'documents.file'`, id: 't.file_id' };

const made =
  (area: string, who: ArchiveTable['who']) =>
  (type: string, table: string, more: Partial<ArchiveTable> = {}): ArchiveTable => ({
    ...{ type, area, table: `data.${table}`, who },
    ...more,
  });
const settings = made('settings', 'settings:read');
const members = made('admin', 'members:read');
const roles = made('admin', 'roles:read');
const record = made('timeline', RECORD);
const file = made('documents', FILE);
const ai = made('ai', 'ai-jobs:read-all');
const audit = made('audit', 'audit:read');
const scim = made('scim', 'scim:read');
const security = made('security', 'security:read');
const templates = made('documents', 'document-templates:read');
const workspaces = made('admin', 'workspaces:read');
const reviews = made('admin', 'access-reviews:read');
const retention = made('admin', 'retention:read');
const overview = made('insights', 'overview:read');

/** All of them, in the order of the archive. */
export const ARCHIVE_TABLES: readonly ArchiveTable[] = [
  record('core.comment', 'comments'),
  record('core.attachment', 'attachments'),
  record('core.link', 'record_links'),
  record('core.watcher', 'record_watchers'),
  record('core.transition', 'record_transitions'),
  record('core.checklist', 'checklists', { who: { type: `t.subject ->> 'object'`, id: 't.subject_id' } }),
  record('core.public_link', 'public_links', { who: { type: 't.target_object', id: 't.target_id' } }),
  record('core.approval', 'home_approvals', {
    ...{ who: 'approvals:read', restricted: ['input'], without: ['requester_behind'] },
  }),
  settings('settings.values', 'tenant_settings'),
  settings('core.tag', 'tags'),
  settings('core.saved_view', 'saved_views', { owner: 'owner_id' }),
  settings('core.number_series', 'number_series'),
  settings('core.document_series', 'document_series'),
  settings('settings.api_key', 'api_keys', { who: 'api-keys:manage-all', without: ['last4'] }),
  settings('core.secret', 'secrets', { who: 'secrets:read', without: ['fingerprint'] }),
  settings('core.mail_suppression', 'mail_suppressions', { who: 'settings:manage' }),
  settings('admin.onboarding', 'tenant_onboarding', { who: 'onboarding:read' }),
  members('core.membership', 'memberships', { without: ['user_id', 'session_epoch'] }),
  members('core.invitation', 'invitations', { who: 'members:invite' }),
  members('auth.grant', 'oauth_grants', { who: 'members:manage' }),
  roles('core.role', 'roles'),
  roles('core.role_assignment', 'role_assignments'),
  workspaces('core.workspace', 'workspaces'),
  workspaces('core.workspace_member', 'workspace_members'),
  members('core.resource_permission', 'resource_grants', { who: 'resource-permissions:read' }),
  reviews('compliance.access_review', 'access_reviews'),
  reviews('compliance.access_review_item', 'access_review_items'),
  retention('core.retention_policy', 'retention_policies'),
  retention('core.retention_run', 'retention_runs'),
  retention('core.retention_tombstone', 'retention_tombstones'),
  retention('core.legal_hold', 'legal_holds'),
  members('compliance.evidence', 'evidence_bundles', { who: 'evidence:export', without: ['archive'] }),
  audit('audit.entry', 'audit_log', { without: ['context_salt', 'details_salt'] }),
  audit('audit.leaf', 'audit_tree', { without: ['hashes'] }),
  audit('audit.checkpoint', 'audit_checkpoints'),
  audit('audit.stream', 'audit_streams', { who: 'settings:manage', without: ['credential_secret_id'] }),
  security('security.posture_check', 'posture_checks'),
  security('security.posture_run', 'posture_runs'),
  scim('scim.configuration', 'scim_configs', { without: ['token_last4'] }),
  scim('scim.user', 'scim_users'),
  scim('scim.group', 'scim_groups'),
  scim('scim.group_member', 'scim_group_members'),
  scim('scim.mapping', 'scim_mappings'),
  made('webhooks', 'webhooks:read')('webhooks.endpoint', 'webhook_endpoints', {
    without: ['secret_sealed', 'previous_secret_sealed', 'previous_secret_expires_at', 'headers_sealed'],
  }),
  ai('intelligence.job', 'ai_jobs', { without: ['sealed_input', 'sealed_context', 'sealed_places', 'traceparent'] }),
  ai('ai.policy', 'ai_policies'),
  ai('ai.provider', 'ai_providers', { without: ['secret_name'] }),
  ai('ai.model', 'ai_models'),
  ai('ai.model_price', 'ai_model_prices'),
  ai('ai.budget', 'ai_budgets'),
  ai('ai.account', 'ai_accounts'),
  ai('ai.ledger_entry', 'ai_ledger'),
  ai('ai.reservation', 'ai_reservations'),
  ai('ai.decision', 'ai_decisions'),
  ai('ai.call', 'ai_calls', { without: ['answer', 'results'] }),
  ai('ai.feedback', 'ai_feedback'),
  ai('ai.prompt_version', 'ai_prompt_versions'),
  ai('ai.prompt_use', 'ai_prompt_uses'),
  made('intelligence', 'agents:read')('intelligence.agent_version', 'intelligence_agent_versions'),
  made('finance', 'ledger:read')('finance.ledger_entry', 'finance_ledger_entries'),
  made('people', 'employees:read')('people.employment', 'people_employments', {
    restricted: ['pay_amount_minor', 'pay_currency', 'pay_period'],
  }),
  made('people', 'time-off:read')('people.time_off_entry', 'people_time_off_ledger'),
  made('sales', 'handoffs:read')('sales.handoff', 'sales_handoffs', { without: ['promise'] }),
  made('sales', 'handoffs:read')('sales.handoff_template', 'sales_handoff_templates'),
  made('talent', 'talent-mappings:read')('talent.mapping', 'talent_mappings', {
    ...{ restricted: ['values', 'given', 'invitee'], without: ['promise'] },
  }),
  made('talent', 'talent-mappings:read')('talent.mapping_template', 'talent_mapping_templates'),
  made('work', 'delivery:read')('work.delivery_control', 'work_delivery_controls'),
  templates('documents.document_template', 'document_templates'),
  templates('documents.template_version', 'document_template_versions'),
  file('documents.file_version', 'documents_file_versions', { without: ['content_id'] }),
  file('documents.file_use', 'file_uses'),
  made('reports', 'reports:read')('reports.report', 'reports', { owner: 'owner_id', without: ['schedule_key_id'] }),
  made('exports', 'exports:read')('exports.schedule', 'export_schedules', {
    owner: 'owner_id',
    without: ['guarantor'],
  }),
  made('home', 'announcements:write')('home.announcement', 'home_announcements'),
  made('home', 'settings:read')('home.page', 'home_pages', { owner: 'id' }),
  overview('insights.snapshot', 'metric_snapshots'),
  overview('insights.anomaly', 'metric_anomalies'),
  made('observability', 'slo:read')('observability.slo', 'slos'),
  made('admin', 'sla:read')('admin.sla_report', 'sla_reports'),
  made('ops-command', 'maintenance-windows:manage')('ops.maintenance_window', 'maintenance_windows'),
];

/** Tables of tenants that no archive contains, by the reason. `test/e2e/data-export` finds those that are missing here. */
export const NOT_ARCHIVED: Readonly<Record<string, readonly string[]>> = {
  'follows from records': [
    ...['custom_field_values', 'external_refs', 'record_tags', 'finance_invoice_sources', 'people_skills'],
    ...['finance_payment_allocations', 'sales_account_roles', 'sales_contact_emails', 'sales_deal_contacts'],
    ...['sales_handoff_skips', 'sales_pipeline_stages', 'talent_candidate_skills', 'talent_interview_people'],
    ...['work_project_members', 'work_task_assignees', 'work_task_blockers', 'ai_job_targets', 'member_counts'],
    ...['legal_hold_ids', 'scim_user_emails'],
  ],
  'keys and secrets': ['data_keys', 'secret_versions', 'idempotency_keys', 'used_file_links'],
  'work in progress': [
    ...['ai_lanes', 'ai_pauses', 'ai_queue', 'audit_pending', 'audit_stream_cursors', 'automation_runs', 'job_queue'],
    ...['jobs', 'mails', 'file_scans', 'failed_sign_ins', 'sample_records', 'scim_blocks', 'scim_sequences'],
    ...['slo_progress', 'webhook_claims', 'webhook_lanes', 'webhook_queue', 'webhook_sending', 'webhook_recoveries'],
  ],
  'what happened to the data, for some days or weeks': [
    ...['events', 'event_numbers', 'event_sequences', 'events_pending', 'events_set_aside', 'webhook_attempts'],
    ...['webhook_deliveries', 'webhook_stats', 'notifications', 'notification_digests', 'scim_log', 'request_days'],
    ...['request_key_days', 'request_minutes', 'request_stats_day', 'request_stats_hour', 'request_stats_minute'],
    ...['slo_counts', 'report_results', 'report_runs', 'imports', 'import_faults', 'import_records'],
  ],
  'bytes, which includeFiles adds': ['file_contents', 'file_content_uses'],
  'exports themselves': ['export_jobs', 'export_parts', 'data_export_requests', 'data_export_parts'],
};
