/**
 * What shows the rows of each table of the schema data, other than those of record types and of objects that a tenant
 * administers, which their own permissions guard. A new table is a place of disclosure.spec.ts, with a row about each
 * type there, or has a reason here.
 */

/** Tables behind the places of the test. */
export const BEHIND_PLACES: Record<string, RegExp> = {
  'audit log': /^audit_log$/,
  events: /^(events|event_numbers)$/,
  notifications: /^notifications$/,
  favourites: /^home_pages$/,
  approvals: /^home_approvals$/,
  'exceptions to roles': /^resource_grants$/,
  'AI jobs': /^(ai_jobs|ai_job_targets)$/,
  jobs: /^jobs$/,
  links: /^record_links$/,
};

/** Why no place shows rows about records from the other tables. */
export const UNSHOWN: Record<string, RegExp[]> = {
  'is shown only with its record, to whoever may read that': [
    /^(documents_file_versions|file_uses)$/,
    /^(attachments|comments|record_(tags|transitions|watchers)|external_refs|custom_field_values)$/,
    /^(finance_(invoice_sources|payment_allocations)|people_(employments|skills|time_off_ledger)|sales_deal_contacts)$/,
    /^(sales_(account_roles|contact_emails|pipeline_stages)|talent_(candidate_skills|interview_people))$/,
    /^work_(delivery_controls|project_members|task_assignees|task_blockers)$/,
    /^(ai_(calls|decisions|feedback)|intelligence_agent_versions|access_review_items)$/,
  ],
  'counts, or contains amounts without a record': [
    /^(finance_ledger_entries|member_counts|metric_|request_|sla_|slo|webhook_stats|posture_)/,
    /^(ai_(accounts|budgets|ledger|prompt_uses|reservations)|document_series|failed_sign_ins|number_series)$/,
  ],
  'is work of the platform, which nobody reads': [
    /^(audit_(checkpoints|pending|stream_cursors|tree)|automation_runs|data_keys|event_sequences|events_(pending|set_aside))$/,
    /^(file_contents|file_content_uses|file_scans|used_file_links)$/,
    /^(ai_(lanes|pauses|queue)|idempotency_keys|job_queue|legal_hold_ids|mails|mail_suppressions|notification_digests|sample_records|secret_versions)$/,
    /^(retention_tombstones|sales_handoff_skips|scim_(blocks|log|sequences|user_emails)|webhook_(claims|lanes|queue|recoveries|sending))$/,
  ],
  'is about members, keys and settings': [
    /^((ai_(model_prices|policies|prompt_versions)|document_template_versions)$|memberships|role_assignments|workspace_members|tenant_settings|oauth_grants|scim_)/,
  ],
  'is shown to whom its own permission, and what it reads as the caller, allow': [
    /^(evidence_bundles|data_export_(requests|parts)|export_(jobs|parts|schedules)|imports|import_(faults|records)|report_results|report_runs|retention_runs|webhook_(attempts|deliveries))$/,
  ],
};
