-- The schema of a new database. Written by "npm run schema -- --write"; do not edit.
-- A psql script: the variables owner, app, system and lookup are the names of the roles, \ir includes a file.
set local role :owner;
set local check_function_bodies = off;
grant create on schema data, directory to :system, :lookup;
grant usage on schema data to :app;
grant usage on schema data to :lookup;
grant usage on schema data to :system;
grant usage on schema directory to :app;
grant usage on schema directory to :lookup;
grant usage on schema directory to :system;
create extension if not exists btree_gin with schema public;
create extension if not exists btree_gist with schema public;
create collation data.alphabet (provider = icu, locale = 'und');

set local role :lookup;
\ir functions/data.search_ai_jobs.sql
\ir functions/data.search_ai_prompts.sql
\ir functions/data.search_audit_log.sql
\ir functions/data.search_documents_documents.sql
\ir functions/data.search_documents_files.sql
\ir functions/data.search_finance_credit_notes.sql
\ir functions/data.search_finance_invoices.sql
\ir functions/data.search_finance_payments.sql
\ir functions/data.search_finance_tax_rates.sql
\ir functions/data.search_home_approvals.sql
\ir functions/data.search_intelligence_agents.sql
\ir functions/data.search_people_departments.sql
\ir functions/data.search_people_employees.sql
\ir functions/data.search_people_time_off.sql
\ir functions/data.search_people_time_off_policies.sql
\ir functions/data.search_proposals_content_blocks.sql
\ir functions/data.search_proposals_proposals.sql
\ir functions/data.search_sales_accounts.sql
\ir functions/data.search_sales_contacts.sql
\ir functions/data.search_sales_deals.sql
\ir functions/data.search_sales_leads.sql
\ir functions/data.search_sales_pipelines.sql
\ir functions/data.search_sales_products.sql
\ir functions/data.search_settings_calendars.sql
\ir functions/data.search_settings_checklist_templates.sql
\ir functions/data.search_settings_custom_fields.sql
\ir functions/data.search_talent_applications.sql
\ir functions/data.search_talent_candidates.sql
\ir functions/data.search_talent_interviews.sql
\ir functions/data.search_talent_jobs.sql
\ir functions/data.search_talent_offers.sql
\ir functions/data.search_talent_scorecards.sql
\ir functions/data.search_work_cycles.sql
\ir functions/data.search_work_milestones.sql
\ir functions/data.search_work_project_templates.sql
\ir functions/data.search_work_projects.sql
\ir functions/data.search_work_task_states.sql
\ir functions/data.search_work_tasks.sql
\ir functions/data.search_work_time_entries.sql
\ir functions/directory.add_api_key.sql
\ir functions/directory.add_oauth_code.sql
\ir functions/directory.add_public_link.sql
\ir functions/directory.add_scim_token.sql
\ir functions/directory.api_key_limits.sql
\ir functions/directory.api_key_lineage.sql
\ir functions/directory.api_keys.sql
\ir functions/directory.authenticate.sql
\ir functions/directory.background_lag.sql
\ir functions/directory.browser_session.sql
\ir functions/directory.bump_epoch.sql
\ir functions/directory.bump_epochs_of_client.sql
\ir functions/directory.change_api_key.sql
\ir functions/directory.change_tenant.sql
\ir functions/directory.check_epoch.sql
\ir functions/directory.claim_founding.sql
\ir functions/directory.close_invitation.sql
\ir functions/directory.close_tenant.sql
\ir functions/directory.commitments.sql
\ir functions/directory.coverage.sql
\ir functions/directory.delegation_of.sql
\ir functions/directory.end_api_key.sql
\ir functions/directory.end_oauth_grants.sql
\ir functions/directory.end_personal_sessions.sql
\ir functions/directory.end_scim_tokens.sql
\ir functions/directory.find_closed_invitation.sql
\ir functions/directory.find_invitation.sql
\ir functions/directory.find_oauth_client.sql
\ir functions/directory.find_oauth_token.sql
\ir functions/directory.find_operator_key.sql
\ir functions/directory.find_public_link.sql
\ir functions/directory.find_served_tenant.sql
\ir functions/directory.find_session.sql
\ir functions/directory.find_tenant.sql
\ir functions/directory.find_user.sql
\ir functions/directory.forget_oauth_tokens.sql
\ir functions/directory.forget_sessions.sql
\ir functions/directory.found_tenant.sql
\ir functions/directory.grant_states.sql
\ir functions/directory.hold_currency.sql
\ir functions/directory.installation_key.sql
\ir functions/directory.invitations_of.sql
\ir functions/directory.is_service_key.sql
\ir functions/directory.issue_oauth_tokens.sql
\ir functions/directory.keep_user.sql
\ir functions/directory.key_credentials.sql
\ir functions/directory.keys_of.sql
\ir functions/directory.keys_of_person.sql
\ir functions/directory.last_sign_ins.sql
\ir functions/directory.limit_api_key.sql
\ir functions/directory.limits_of_key.sql
\ir functions/directory.lock_mfa_policy.sql
\ir functions/directory.lock_tenant.sql
\ir functions/directory.maintenance.sql
\ir functions/directory.maker_of.sql
\ir functions/directory.master_keys_in_use.sql
\ir functions/directory.member_access.sql
\ir functions/directory.members_with_second_factor.sql
\ir functions/directory.mfa_policy.sql
\ir functions/directory.note_master_key.sql
\ir functions/directory.note_member.sql
\ir functions/directory.open_invitation.sql
\ir functions/directory.open_oauth_grant.sql
\ir functions/directory.open_session.sql
\ir functions/directory.person_of.sql
\ir functions/directory.personal_session.sql
\ir functions/directory.personal_sessions_of.sql
\ir functions/directory.raise_epoch.sql
\ir functions/directory.read_signing_keys.sql
\ir functions/directory.record_uses.sql
\ir functions/directory.renew_scim_token.sql
\ir functions/directory.renew_session.sql
\ir functions/directory.report_process.sql
\ir functions/directory.revoke_api_key.sql
\ir functions/directory.revoke_credentials.sql
\ir functions/directory.revoke_member.sql
\ir functions/directory.revoke_scim_tokens.sql
\ir functions/directory.revoke_session.sql
\ir functions/directory.scim_tokens.sql
\ir functions/directory.served_tenant.sql
\ir functions/directory.service_of.sql
\ir functions/directory.session_places.sql
\ir functions/directory.session_state.sql
\ir functions/directory.sessions_of.sql
\ir functions/directory.set_currency.sql
\ir functions/directory.set_mfa_policy.sql
\ir functions/directory.tenant_by_id.sql
\ir functions/directory.tenant_founded_by.sql
\ir functions/directory.tenant_founded_for.sql
\ir functions/directory.tenant_in_scope.sql
\ir functions/directory.tenants_of.sql
\ir functions/directory.use_id_token.sql
\ir functions/directory.use_oauth_token.sql
revoke all on function
  data.search_ai_jobs(text),
  data.search_ai_prompts(text),
  data.search_audit_log(text),
  data.search_documents_documents(text),
  data.search_documents_files(text),
  data.search_finance_credit_notes(text),
  data.search_finance_invoices(text),
  data.search_finance_payments(text),
  data.search_finance_tax_rates(text),
  data.search_home_approvals(text),
  data.search_intelligence_agents(text),
  data.search_people_departments(text),
  data.search_people_employees(text),
  data.search_people_time_off(text),
  data.search_people_time_off_policies(text),
  data.search_proposals_content_blocks(text),
  data.search_proposals_proposals(text),
  data.search_sales_accounts(text),
  data.search_sales_contacts(text),
  data.search_sales_deals(text),
  data.search_sales_leads(text),
  data.search_sales_pipelines(text),
  data.search_sales_products(text),
  data.search_settings_calendars(text),
  data.search_settings_checklist_templates(text),
  data.search_settings_custom_fields(text),
  data.search_talent_applications(text),
  data.search_talent_candidates(text),
  data.search_talent_interviews(text),
  data.search_talent_jobs(text),
  data.search_talent_offers(text),
  data.search_talent_scorecards(text),
  data.search_work_cycles(text),
  data.search_work_milestones(text),
  data.search_work_project_templates(text),
  data.search_work_projects(text),
  data.search_work_task_states(text),
  data.search_work_tasks(text),
  data.search_work_time_entries(text),
  directory.add_api_key(credential uuid, key text, lineage uuid, label text, hash bytea, permitted text[], protected boolean, networks text[], made_at timestamp with time zone, ends_at timestamp with time zone, member uuid, maker uuid),
  directory.add_oauth_code(of_grant uuid, code uuid, hash bytea, code_challenge text, redirect text, until timestamp with time zone),
  directory.add_public_link(link uuid, hash bytea),
  directory.add_scim_token(token uuid, config uuid, key text, label text, hash bytea, made_at timestamp with time zone, ends_at timestamp with time zone),
  directory.api_key_limits(wanted uuid),
  directory.api_key_lineage(wanted uuid),
  directory.api_keys(wanted uuid),
  directory.authenticate(wanted text),
  directory.background_lag(),
  directory.browser_session(session uuid),
  directory.bump_epoch(),
  directory.bump_epochs_of_client(),
  directory.change_api_key(lineage uuid, label text, permitted text[], protected boolean, networks text[], ends_at timestamp with time zone, at timestamp with time zone),
  directory.change_tenant(new_name text, suspended timestamp with time zone, why text, closes timestamp with time zone),
  directory.check_epoch(tenant uuid, expected bigint),
  directory.claim_founding(new_id uuid, person uuid, most integer),
  directory.close_invitation(invitation uuid),
  directory.close_tenant(at timestamp with time zone),
  directory.commitments(),
  directory.coverage(since timestamp with time zone, until timestamp with time zone),
  directory.delegation_of(key text),
  directory.end_api_key(lineage uuid, ends_at timestamp with time zone),
  directory.end_oauth_grants(ended uuid[], at timestamp with time zone),
  directory.end_personal_sessions(person uuid, one uuid, at timestamp with time zone),
  directory.end_scim_tokens(config uuid, ends_at timestamp with time zone),
  directory.find_closed_invitation(hash bytea),
  directory.find_invitation(hash bytea),
  directory.find_oauth_client(wanted uuid),
  directory.find_oauth_token(hash bytea),
  directory.find_operator_key(hash bytea, at timestamp with time zone),
  directory.find_public_link(hash bytea),
  directory.find_served_tenant(tenant uuid),
  directory.find_session(session uuid),
  directory.find_tenant(wanted text),
  directory.find_user(wanted_issuer text, wanted_subject text),
  directory.forget_oauth_tokens(expired_before timestamp with time zone, at_most integer),
  directory.forget_sessions(ended_before timestamp with time zone, at_most integer),
  directory.found_tenant(new_id uuid, new_slug text, new_name text, new_plan text, owner text, new_currency text, reads integer, writes integer, at timestamp with time zone),
  directory.grant_states(wanted uuid[]),
  directory.hold_currency(expected text),
  directory.installation_key(p_name text),
  directory.invitations_of(person uuid),
  directory.is_service_key(wanted uuid),
  directory.issue_oauth_tokens(of_grant uuid, label text, permitted text[], member uuid, access uuid, key text, secret bytea, access_until timestamp with time zone, refresh uuid, hash bytea, refresh_until timestamp with time zone, at timestamp with time zone),
  directory.keep_user(new_id uuid, of_issuer text, of_subject text, verified_email text, full_name text, at timestamp with time zone),
  directory.key_credentials(keys uuid[]),
  directory.keys_of(member uuid),
  directory.keys_of_person(person uuid, keys uuid[]),
  directory.last_sign_ins(),
  directory.limit_api_key(lineage uuid, reads integer, writes integer),
  directory.limits_of_key(wanted text),
  directory.lock_mfa_policy(),
  directory.lock_tenant(),
  directory.maintenance(since timestamp with time zone, until timestamp with time zone),
  directory.maker_of(key text),
  directory.master_keys_in_use(),
  directory.member_access(members uuid[], at timestamp with time zone),
  directory.members_with_second_factor(),
  directory.mfa_policy(),
  directory.note_master_key(),
  directory.note_member(),
  directory.open_invitation(invitation uuid, hash bytea, address text),
  directory.open_oauth_grant(new_grant uuid, client uuid, factors text[], second_factor timestamp with time zone, code uuid, hash bytea, code_challenge text, redirect text, until timestamp with time zone),
  directory.open_session(session uuid, key text, secret bytea, member uuid, person uuid, label text, address text, agent text, factors text[], signed_in timestamp with time zone, second_factor timestamp with time zone, idle integer, until timestamp with time zone, at timestamp with time zone, browser boolean),
  directory.person_of(session uuid),
  directory.personal_session(key text),
  directory.personal_sessions_of(person uuid, at timestamp with time zone),
  directory.raise_epoch(tenant uuid),
  directory.read_signing_keys(),
  directory.record_uses(ids uuid[], used_at timestamp with time zone[], addresses text[]),
  directory.renew_scim_token(config uuid, at timestamp with time zone, ends_at timestamp with time zone),
  directory.renew_session(session uuid, key text, secret bytea, factors text[], signed_in timestamp with time zone, second_factor timestamp with time zone),
  directory.report_process(process uuid, since timestamp with time zone, until timestamp with time zone, tenants uuid[]),
  directory.revoke_api_key(lineage uuid, at timestamp with time zone),
  directory.revoke_credentials(member uuid, kinds text[], at timestamp with time zone),
  directory.revoke_member(member uuid, at timestamp with time zone),
  directory.revoke_scim_tokens(config uuid, at timestamp with time zone),
  directory.revoke_session(session uuid, at timestamp with time zone),
  directory.scim_tokens(),
  directory.served_tenant(wanted text),
  directory.service_of(key text),
  directory.session_places(person uuid, at timestamp with time zone),
  directory.session_state(key text),
  directory.sessions_of(member uuid, at timestamp with time zone),
  directory.set_currency(wanted text),
  directory.set_mfa_policy(policy jsonb),
  directory.tenant_by_id(wanted uuid),
  directory.tenant_founded_by(wanted text, person uuid),
  directory.tenant_founded_for(wanted text, owner text),
  directory.tenant_in_scope(),
  directory.tenants_of(person uuid),
  directory.use_id_token(hash bytea, until timestamp with time zone),
  directory.use_oauth_token(token uuid, at timestamp with time zone)
from public;
grant execute on function
  data.search_ai_jobs(text),
  data.search_ai_prompts(text),
  data.search_audit_log(text),
  data.search_documents_documents(text),
  data.search_documents_files(text),
  data.search_finance_credit_notes(text),
  data.search_finance_invoices(text),
  data.search_finance_payments(text),
  data.search_finance_tax_rates(text),
  data.search_home_approvals(text),
  data.search_intelligence_agents(text),
  data.search_people_departments(text),
  data.search_people_employees(text),
  data.search_people_time_off(text),
  data.search_people_time_off_policies(text),
  data.search_proposals_content_blocks(text),
  data.search_proposals_proposals(text),
  data.search_sales_accounts(text),
  data.search_sales_contacts(text),
  data.search_sales_deals(text),
  data.search_sales_leads(text),
  data.search_sales_pipelines(text),
  data.search_sales_products(text),
  data.search_settings_calendars(text),
  data.search_settings_checklist_templates(text),
  data.search_settings_custom_fields(text),
  data.search_talent_applications(text),
  data.search_talent_candidates(text),
  data.search_talent_interviews(text),
  data.search_talent_jobs(text),
  data.search_talent_offers(text),
  data.search_talent_scorecards(text),
  data.search_work_cycles(text),
  data.search_work_milestones(text),
  data.search_work_project_templates(text),
  data.search_work_projects(text),
  data.search_work_task_states(text),
  data.search_work_tasks(text),
  data.search_work_time_entries(text),
  directory.add_api_key(credential uuid, key text, lineage uuid, label text, hash bytea, permitted text[], protected boolean, networks text[], made_at timestamp with time zone, ends_at timestamp with time zone, member uuid, maker uuid),
  directory.add_oauth_code(of_grant uuid, code uuid, hash bytea, code_challenge text, redirect text, until timestamp with time zone),
  directory.add_public_link(link uuid, hash bytea),
  directory.add_scim_token(token uuid, config uuid, key text, label text, hash bytea, made_at timestamp with time zone, ends_at timestamp with time zone),
  directory.api_key_limits(wanted uuid),
  directory.api_key_lineage(wanted uuid),
  directory.api_keys(wanted uuid),
  directory.authenticate(wanted text),
  directory.background_lag(),
  directory.browser_session(session uuid),
  directory.bump_epoch(),
  directory.bump_epochs_of_client(),
  directory.change_api_key(lineage uuid, label text, permitted text[], protected boolean, networks text[], ends_at timestamp with time zone, at timestamp with time zone),
  directory.change_tenant(new_name text, suspended timestamp with time zone, why text, closes timestamp with time zone),
  directory.check_epoch(tenant uuid, expected bigint),
  directory.claim_founding(new_id uuid, person uuid, most integer),
  directory.close_invitation(invitation uuid),
  directory.close_tenant(at timestamp with time zone),
  directory.commitments(),
  directory.coverage(since timestamp with time zone, until timestamp with time zone),
  directory.delegation_of(key text),
  directory.end_api_key(lineage uuid, ends_at timestamp with time zone),
  directory.end_oauth_grants(ended uuid[], at timestamp with time zone),
  directory.end_personal_sessions(person uuid, one uuid, at timestamp with time zone),
  directory.end_scim_tokens(config uuid, ends_at timestamp with time zone),
  directory.find_closed_invitation(hash bytea),
  directory.find_invitation(hash bytea),
  directory.find_oauth_client(wanted uuid),
  directory.find_oauth_token(hash bytea),
  directory.find_operator_key(hash bytea, at timestamp with time zone),
  directory.find_public_link(hash bytea),
  directory.find_session(session uuid),
  directory.find_tenant(wanted text),
  directory.find_user(wanted_issuer text, wanted_subject text),
  directory.found_tenant(new_id uuid, new_slug text, new_name text, new_plan text, owner text, new_currency text, reads integer, writes integer, at timestamp with time zone),
  directory.grant_states(wanted uuid[]),
  directory.hold_currency(expected text),
  directory.installation_key(p_name text),
  directory.invitations_of(person uuid),
  directory.is_service_key(wanted uuid),
  directory.issue_oauth_tokens(of_grant uuid, label text, permitted text[], member uuid, access uuid, key text, secret bytea, access_until timestamp with time zone, refresh uuid, hash bytea, refresh_until timestamp with time zone, at timestamp with time zone),
  directory.keep_user(new_id uuid, of_issuer text, of_subject text, verified_email text, full_name text, at timestamp with time zone),
  directory.key_credentials(keys uuid[]),
  directory.keys_of(member uuid),
  directory.keys_of_person(person uuid, keys uuid[]),
  directory.last_sign_ins(),
  directory.limit_api_key(lineage uuid, reads integer, writes integer),
  directory.limits_of_key(wanted text),
  directory.lock_mfa_policy(),
  directory.lock_tenant(),
  directory.maintenance(since timestamp with time zone, until timestamp with time zone),
  directory.maker_of(key text),
  directory.master_keys_in_use(),
  directory.member_access(members uuid[], at timestamp with time zone),
  directory.members_with_second_factor(),
  directory.mfa_policy(),
  directory.note_master_key(),
  directory.note_member(),
  directory.open_invitation(invitation uuid, hash bytea, address text),
  directory.open_oauth_grant(new_grant uuid, client uuid, factors text[], second_factor timestamp with time zone, code uuid, hash bytea, code_challenge text, redirect text, until timestamp with time zone),
  directory.open_session(session uuid, key text, secret bytea, member uuid, person uuid, label text, address text, agent text, factors text[], signed_in timestamp with time zone, second_factor timestamp with time zone, idle integer, until timestamp with time zone, at timestamp with time zone, browser boolean),
  directory.person_of(session uuid),
  directory.personal_session(key text),
  directory.personal_sessions_of(person uuid, at timestamp with time zone),
  directory.raise_epoch(tenant uuid),
  directory.read_signing_keys(),
  directory.record_uses(ids uuid[], used_at timestamp with time zone[], addresses text[]),
  directory.renew_scim_token(config uuid, at timestamp with time zone, ends_at timestamp with time zone),
  directory.renew_session(session uuid, key text, secret bytea, factors text[], signed_in timestamp with time zone, second_factor timestamp with time zone),
  directory.report_process(process uuid, since timestamp with time zone, until timestamp with time zone, tenants uuid[]),
  directory.revoke_api_key(lineage uuid, at timestamp with time zone),
  directory.revoke_credentials(member uuid, kinds text[], at timestamp with time zone),
  directory.revoke_scim_tokens(config uuid, at timestamp with time zone),
  directory.revoke_session(session uuid, at timestamp with time zone),
  directory.scim_tokens(),
  directory.served_tenant(wanted text),
  directory.service_of(key text),
  directory.session_places(person uuid, at timestamp with time zone),
  directory.session_state(key text),
  directory.sessions_of(member uuid, at timestamp with time zone),
  directory.set_currency(wanted text),
  directory.set_mfa_policy(policy jsonb),
  directory.tenant_by_id(wanted uuid),
  directory.tenant_founded_by(wanted text, person uuid),
  directory.tenant_founded_for(wanted text, owner text),
  directory.tenant_in_scope(),
  directory.tenants_of(person uuid),
  directory.use_id_token(hash bytea, until timestamp with time zone),
  directory.use_oauth_token(token uuid, at timestamp with time zone)
to :app, :owner, :system;
grant execute on function
  directory.find_served_tenant(tenant uuid)
to :app, :owner;
grant execute on function
  directory.forget_oauth_tokens(expired_before timestamp with time zone, at_most integer),
  directory.forget_sessions(ended_before timestamp with time zone, at_most integer),
  directory.revoke_member(member uuid, at timestamp with time zone)
to :owner, :system;
set local role :owner;

set local role :owner;
\ir functions/data.add_members.sql
\ir functions/data.address_of.sql
\ir functions/data.ai_account.sql
\ir functions/data.ai_book.sql
\ir functions/data.ai_exhaust.sql
\ir functions/data.ai_limit.sql
\ir functions/data.ai_lower.sql
\ir functions/data.ai_period_start.sql
\ir functions/data.ai_release.sql
\ir functions/data.ai_reserve.sql
\ir functions/data.ai_settle.sql
\ir functions/data.check_allocations.sql
\ir functions/data.check_contacts_of_deal.sql
\ir functions/data.check_credit.sql
\ir functions/data.check_day.sql
\ir functions/data.check_deals_of_contact.sql
\ir functions/data.check_journals.sql
\ir functions/data.check_membership_version.sql
\ir functions/data.check_milestone_currency.sql
\ir functions/data.check_project_change.sql
\ir functions/data.check_task_cycle.sql
\ir functions/data.check_task_state.sql
\ir functions/data.check_task_tree.sql
\ir functions/data.check_task_waits.sql
\ir functions/data.check_time_entry.sql
\ir functions/data.count_buried.sql
\ir functions/data.count_invitations.sql
\ir functions/data.count_memberships.sql
\ir functions/data.count_milestones.sql
\ir functions/data.count_role_assignments_delete.sql
\ir functions/data.count_role_assignments_insert.sql
\ir functions/data.count_scim_groups.sql
\ir functions/data.count_scim_resource.sql
\ir functions/data.count_scim_users.sql
\ir functions/data.count_tasks.sql
\ir functions/data.count_time.sql
\ir functions/data.count_workspace_members_delete.sql
\ir functions/data.count_workspace_members_insert.sql
\ir functions/data.erase_files_of.sql
\ir functions/data.erased_details.sql
\ir functions/data.expect_live.sql
\ir functions/data.expect_open_tags.sql
\ir functions/data.expect_permission.sql
\ir functions/data.expect_reference.sql
\ir functions/data.expect_rows.sql
\ir functions/data.find_kept_sample_records.sql
\ir functions/data.first_id.sql
\ir functions/data.fold.sql
\ir functions/data.follow_ai_job.sql
\ir functions/data.guard_agent.sql
\ir functions/data.guard_agent_version.sql
\ir functions/data.guard_ai_decisions.sql
\ir functions/data.guard_ai_job.sql
\ir functions/data.guard_ai_ledger.sql
\ir functions/data.guard_ai_policies.sql
\ir functions/data.guard_ai_prompt.sql
\ir functions/data.guard_ai_prompt_versions.sql
\ir functions/data.guard_application.sql
\ir functions/data.guard_scorecard.sql
\ir functions/data.has_holds.sql
\ir functions/data.ids_named.sql
\ir functions/data.is_held.sql
\ir functions/data.is_json_object.sql
\ir functions/data.keep_custom_fields.sql
\ir functions/data.keep_deal_contacts.sql
\ir functions/data.keep_external_refs.sql
\ir functions/data.keep_invoice_sources.sql
\ir functions/data.keep_partitions.sql
\ir functions/data.keep_people_departments_tree.sql
\ir functions/data.keep_people_employees_tree.sql
\ir functions/data.keep_people_skills.sql
\ir functions/data.keep_percent.sql
\ir functions/data.keep_pipeline_stages.sql
\ir functions/data.keep_project_figures.sql
\ir functions/data.keep_project_members.sql
\ir functions/data.keep_project_progress.sql
\ir functions/data.keep_sales_account_roles.sql
\ir functions/data.keep_sales_contact_emails.sql
\ir functions/data.keep_scim_emails.sql
\ir functions/data.keep_scim_user.sql
\ir functions/data.keep_tags.sql
\ir functions/data.keep_talent_candidate_skills.sql
\ir functions/data.keep_talent_interview_people.sql
\ir functions/data.keep_task_assignees.sql
\ir functions/data.keep_task_blockers.sql
\ir functions/data.keep_task_spent.sql
\ir functions/data.keep_under_hold.sql
\ir functions/data.limit_custom_fields.sql
\ir functions/data.list_held_ids.sql
\ir functions/data.lock_deletions.sql
\ir functions/data.lock_holds.sql
\ir functions/data.make_partition.sql
\ir functions/data.mark_endpoint_change.sql
\ir functions/data.net_of_lines.sql
\ir functions/data.note_content_release.sql
\ir functions/data.note_content_use.sql
\ir functions/data.note_unsealed.sql
\ir functions/data.number_scim_resource.sql
\ir functions/data.project_exceeds.sql
\ir functions/data.project_used_minor.sql
\ir functions/data.raise_epochs.sql
\ir functions/data.raise_epochs_of_members.sql
\ir functions/data.references_to_records.sql
\ir functions/data.refuse_all_but_erasure.sql
\ir functions/data.refuse_change.sql
\ir functions/data.refuse_credit_note_change.sql
\ir functions/data.refuse_delete_of_held.sql
\ir functions/data.refuse_document_change.sql
\ir functions/data.refuse_held.sql
\ir functions/data.refuse_ledger_change.sql
\ir functions/data.refuse_parent_ring.sql
\ir functions/data.refuse_payment_change.sql
\ir functions/data.refuse_proposal_change.sql
\ir functions/data.refuse_terminated.sql
\ir functions/data.refuse_trash_of_held.sql
\ir functions/data.refuse_void_with_credit.sql
\ir functions/data.release_document_contents.sql
\ir functions/data.release_file_contents.sql
\ir functions/data.scim_fold.sql
\ir functions/data.scim_resource.sql
\ir functions/data.stop_jobs_of_agent.sql
\ir functions/data.sum_invoices.sql
\ir functions/data.sum_invoices_anew.sql
\ir functions/data.use_tax_rates.sql
\ir functions/directory.bump_own_epoch.sql
\ir functions/directory.bump_tenant_version.sql
revoke all on function
  data.first_id(day date),
  data.keep_partitions(kept_days integer),
  data.make_partition(parent text, key text, day date)
from public;
grant execute on function
  data.ai_account(p_kind text, p_subject uuid, p_period text, p_day date, p_at timestamp with time zone),
  data.ai_book(p_reservation uuid, p_entry text, p_kind text, p_freed bigint, p_spent bigint, p_overrun bigint, p_doubtful boolean, p_tokens bigint[], p_at timestamp with time zone),
  data.ai_exhaust(p_kind text, p_subject uuid, p_period text, p_start date, p_at timestamp with time zone),
  data.ai_limit(p_budget uuid, p_from date, p_limit bigint, p_soft bigint, p_hard boolean, p_at timestamp with time zone),
  data.ai_lower(p_reservation uuid, p_to bigint, p_at timestamp with time zone),
  data.ai_period_start(period text, day date),
  data.ai_release(p_reservation uuid, p_at timestamp with time zone),
  data.ai_reserve(p_id uuid, p_job uuid, p_micros bigint, p_scope jsonb, p_plan_limit bigint, p_agent_limit bigint, p_day date, p_at timestamp with time zone, p_expires timestamp with time zone),
  data.ai_settle(p_reservation uuid, p_call uuid, p_micros bigint, p_tokens bigint[], p_doubtful boolean, p_at timestamp with time zone, OUT replayed boolean, OUT overrun bigint, OUT accounts uuid[]),
  data.check_allocations(),
  data.check_contacts_of_deal(),
  data.check_credit(),
  data.check_day(),
  data.check_deals_of_contact(),
  data.check_journals(),
  data.check_project_change(),
  data.check_task_tree(),
  data.check_time_entry(),
  data.count_milestones(),
  data.count_tasks(),
  data.count_time(),
  data.erased_details(details text, outcome text),
  data.expect_live(),
  data.expect_open_tags(tenant uuid, wanted text[]),
  data.expect_permission(permission text, reached boolean),
  data.expect_reference(pointer text, known boolean),
  data.expect_rows(actual bigint, expected bigint, what text),
  data.find_kept_sample_records(tenant uuid),
  data.guard_agent(),
  data.guard_agent_version(),
  data.guard_application(),
  data.guard_scorecard(),
  data.has_holds(tenant uuid),
  data.ids_named(tenant uuid, r jsonb),
  data.is_held(tenant uuid, type text, r jsonb),
  data.keep_custom_fields(),
  data.keep_deal_contacts(),
  data.keep_external_refs(),
  data.keep_invoice_sources(),
  data.keep_people_departments_tree(),
  data.keep_people_employees_tree(),
  data.keep_people_skills(),
  data.keep_percent(),
  data.keep_pipeline_stages(),
  data.keep_project_figures(),
  data.keep_project_members(),
  data.keep_project_progress(),
  data.keep_sales_account_roles(),
  data.keep_sales_contact_emails(),
  data.keep_tags(),
  data.keep_talent_candidate_skills(),
  data.keep_talent_interview_people(),
  data.keep_task_assignees(),
  data.keep_task_blockers(),
  data.keep_task_spent(),
  data.keep_under_hold(),
  data.limit_custom_fields(),
  data.list_held_ids(),
  data.lock_deletions(),
  data.lock_holds(),
  data.net_of_lines(lines jsonb),
  data.references_to_records(),
  data.refuse_change(),
  data.refuse_credit_note_change(),
  data.refuse_delete_of_held(),
  data.refuse_document_change(),
  data.refuse_held(held boolean),
  data.refuse_ledger_change(),
  data.refuse_parent_ring(),
  data.refuse_payment_change(),
  data.refuse_trash_of_held(),
  data.refuse_void_with_credit(),
  data.use_tax_rates()
to :app, :system;
grant execute on function
  data.first_id(day date),
  data.keep_partitions(kept_days integer)
to :system;
grant execute on function
  data.fold(value text)
to :app, :lookup, :system;
set local role :owner;

set local role :system;
\ir functions/data.remove_sample_data.sql
\ir functions/data.replace_audit_checkpoint.sql
revoke all on function
  data.remove_sample_data(loaded_at timestamp with time zone),
  data.replace_audit_checkpoint(sealed bigint)
from public;
grant execute on function
  data.remove_sample_data(loaded_at timestamp with time zone),
  data.replace_audit_checkpoint(sealed bigint)
to :app, :owner;
set local role :owner;
create sequence data.event_positions as bigint;
create sequence directory.migrations_id_seq as integer;

create table data.access_review_items (
  tenant_id uuid not null,
  id uuid not null,
  review_id uuid not null,
  subject_type text not null,
  subject_id uuid not null,
  subject_name text not null,
  member_id uuid,
  snapshot jsonb not null,
  flags jsonb not null,
  reviewer_id uuid not null,
  decision text not null,
  reason text,
  new_role_ids jsonb,
  decided_by jsonb,
  decided_at timestamp(3) with time zone,
  history jsonb default '[]'::jsonb not null,
  applied_at timestamp(3) with time zone,
  apply_error jsonb,
  created_at timestamp(3) with time zone not null,
  constraint access_review_items_pkey PRIMARY KEY (tenant_id, id),
  constraint access_review_items_subject_key UNIQUE (tenant_id, review_id, subject_type, subject_id),
  constraint access_review_items_applied CHECK (((applied_at IS NULL) OR (decision = ANY (ARRAY['revoke'::text, 'reduce'::text])))),
  constraint access_review_items_decided CHECK (((decision = 'pending'::text) = (decided_at IS NULL))),
  constraint access_review_items_decision_check CHECK ((decision = ANY (ARRAY['pending'::text, 'keep'::text, 'revoke'::text, 'reduce'::text, 'defer'::text]))),
  constraint access_review_items_flags_check CHECK ((jsonb_typeof(flags) = 'array'::text)),
  constraint access_review_items_history_check CHECK ((jsonb_typeof(history) = 'array'::text)),
  constraint access_review_items_new_role_ids_check CHECK ((jsonb_typeof(new_role_ids) = 'array'::text)),
  constraint access_review_items_not_by_oneself CHECK ((reviewer_id <> member_id)),
  constraint access_review_items_reason_check CHECK ((length(reason) <= 1000)),
  constraint access_review_items_reduced CHECK (((decision = 'reduce'::text) = (new_role_ids IS NOT NULL))),
  constraint access_review_items_snapshot_check CHECK ((jsonb_typeof(snapshot) = 'object'::text)),
  constraint access_review_items_subject_type_check CHECK ((subject_type = ANY (ARRAY['membership'::text, 'api_key'::text, 'resource_permission'::text, 'scim_configuration'::text])))
);
CREATE INDEX access_review_items_review_idx ON data.access_review_items USING btree (tenant_id, review_id, created_at, id);
CREATE INDEX access_review_items_reviewer_idx ON data.access_review_items USING btree (tenant_id, reviewer_id, review_id);
CREATE INDEX access_review_items_subject_idx ON data.access_review_items USING btree (tenant_id, subject_id, review_id);
alter table data.access_review_items enable row level security;
alter table data.access_review_items force row level security;
create policy rows on data.access_review_items as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.access_review_items as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.access_review_items to :app;
grant insert, select on data.access_review_items to :system;
grant update (decision, reason, new_role_ids, decided_by, decided_at, history, applied_at, apply_error) on data.access_review_items to :app;
grant update (decision, reason, new_role_ids, decided_by, decided_at, history, applied_at, apply_error) on data.access_review_items to :system;

create table data.access_reviews (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  status text not null,
  scope jsonb not null,
  reviewers jsonb not null,
  due_at timestamp(3) with time zone not null,
  on_no_decision text,
  recurrence text not null,
  item_count integer default 0 not null,
  population_hash text,
  started_at timestamp(3) with time zone,
  overdue_at timestamp(3) with time zone,
  decided_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  reminded_at timestamp(3) with time zone,
  created_by jsonb not null,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  start_error text,
  constraint access_reviews_pkey PRIMARY KEY (tenant_id, id),
  constraint access_reviews_completed CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint access_reviews_frozen CHECK (((started_at IS NULL) = (population_hash IS NULL))),
  constraint access_reviews_item_count_check CHECK ((item_count >= 0)),
  constraint access_reviews_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint access_reviews_on_no_decision_check CHECK ((on_no_decision = ANY (ARRAY['keep'::text, 'revoke'::text]))),
  constraint access_reviews_population_hash_check CHECK ((population_hash ~ '^[0-9a-f]{64}$'::text)),
  constraint access_reviews_recurrence_check CHECK ((recurrence = ANY (ARRAY['none'::text, 'monthly'::text, 'quarterly'::text, 'yearly'::text]))),
  constraint access_reviews_reviewers_check CHECK ((jsonb_typeof(reviewers) = 'object'::text)),
  constraint access_reviews_scope_check CHECK ((jsonb_typeof(scope) = 'object'::text)),
  constraint access_reviews_start_error_check CHECK (((length(start_error) >= 1) AND (length(start_error) <= 100))),
  constraint access_reviews_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'in_progress'::text, 'pending_actions'::text, 'completed'::text, 'cancelled'::text]))),
  constraint access_reviews_version_check CHECK ((version > 0))
);
alter table data.access_reviews enable row level security;
alter table data.access_reviews force row level security;
create policy rows on data.access_reviews as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.access_reviews as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.access_reviews to :app;
grant insert, select, update on data.access_reviews to :system;

create table data.ai_accounts (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  subject_id uuid not null,
  period text not null,
  period_start date not null,
  limit_micros bigint,
  soft_limit_micros bigint,
  hard_stop boolean not null,
  held_micros bigint default 0 not null,
  spent_micros bigint default 0 not null,
  overrun_micros bigint default 0 not null,
  excess_micros bigint default 0 not null,
  soft_reached_at timestamp(3) with time zone,
  exhausted_at timestamp(3) with time zone,
  changed_at timestamp(3) with time zone not null,
  constraint ai_accounts_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_accounts_period_key UNIQUE (tenant_id, kind, subject_id, period_start),
  constraint ai_accounts_check CHECK (((overrun_micros >= 0) AND (overrun_micros <= spent_micros))),
  constraint ai_accounts_excess_micros_check CHECK ((excess_micros >= 0)),
  constraint ai_accounts_held_micros_check CHECK ((held_micros >= 0)),
  constraint ai_accounts_kind_check CHECK ((kind = ANY (ARRAY['plan'::text, 'agent'::text, 'budget'::text]))),
  constraint ai_accounts_limit_check CHECK (((NOT hard_stop) OR (limit_micros IS NULL) OR ((held_micros + spent_micros) <= (limit_micros + excess_micros)))),
  constraint ai_accounts_limit_micros_check CHECK ((limit_micros >= 0)),
  constraint ai_accounts_period_check CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text]))),
  constraint ai_accounts_soft_limit_micros_check CHECK ((soft_limit_micros > 0)),
  constraint ai_accounts_spent_micros_check CHECK ((spent_micros >= 0))
) with (fillfactor=50);
alter table data.ai_accounts enable row level security;
alter table data.ai_accounts force row level security;
create policy rows on data.ai_accounts as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_accounts as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_accounts to :app;
grant insert, select, update on data.ai_accounts to :system;

create table data.ai_budgets (
  tenant_id uuid not null,
  id uuid not null,
  scope_type text not null,
  scope_id text not null,
  period text not null,
  limit_micros bigint not null,
  soft_limit_micros bigint,
  hard_stop boolean not null,
  enabled boolean not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint ai_budgets_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_budgets_check CHECK (((soft_limit_micros >= 1) AND (soft_limit_micros <= limit_micros))),
  constraint ai_budgets_check1 CHECK (((scope_type = 'tenant'::text) = (scope_id = ''::text))),
  constraint ai_budgets_limit_micros_check CHECK ((limit_micros >= 0)),
  constraint ai_budgets_period_check CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text]))),
  constraint ai_budgets_scope_id_check CHECK ((length(scope_id) <= 201)),
  constraint ai_budgets_scope_type_check CHECK ((scope_type = ANY (ARRAY['tenant'::text, 'workspace'::text, 'member'::text, 'api_key'::text, 'agent'::text, 'model'::text]))),
  constraint ai_budgets_version_check CHECK ((version > 0))
);
CREATE INDEX ai_budgets_created_idx ON data.ai_budgets USING btree (tenant_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX ai_budgets_scope_key ON data.ai_budgets USING btree (tenant_id, scope_type, scope_id, period) WHERE (deleted_at IS NULL);
alter table data.ai_budgets enable row level security;
alter table data.ai_budgets force row level security;
create policy rows on data.ai_budgets as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_budgets as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_budgets to :app;
grant insert, select, update on data.ai_budgets to :system;

create table data.ai_calls (
  tenant_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  reservation_id uuid not null,
  attempt integer not null,
  step integer not null,
  state text not null,
  provider text not null,
  model text not null,
  request_hash text not null,
  max_output_tokens integer not null,
  input_price bigint not null,
  output_price bigint not null,
  cached_price bigint not null,
  worst_micros bigint not null,
  cost_micros bigint default 0 not null,
  input_tokens integer default 0 not null,
  output_tokens integer default 0 not null,
  cached_tokens integer default 0 not null,
  tries integer default 1 not null,
  finish text,
  fault text,
  provider_request_id text,
  answer text,
  results text,
  tools jsonb default '[]'::jsonb not null,
  sent_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  latency_ms integer,
  constraint ai_calls_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_calls_attempt_check CHECK ((attempt > 0)),
  constraint ai_calls_cached_price_check CHECK ((cached_price >= 0)),
  constraint ai_calls_cached_tokens_check CHECK ((cached_tokens >= 0)),
  constraint ai_calls_check CHECK (((state = 'sending'::text) = (finished_at IS NULL))),
  constraint ai_calls_check1 CHECK (((state = ANY (ARRAY['done'::text, 'in_doubt'::text])) OR (cost_micros = 0))),
  constraint ai_calls_cost_micros_check CHECK ((cost_micros >= 0)),
  constraint ai_calls_input_price_check CHECK ((input_price >= 0)),
  constraint ai_calls_input_tokens_check CHECK ((input_tokens >= 0)),
  constraint ai_calls_latency_ms_check CHECK ((latency_ms >= 0)),
  constraint ai_calls_max_output_tokens_check CHECK ((max_output_tokens > 0)),
  constraint ai_calls_output_price_check CHECK ((output_price >= 0)),
  constraint ai_calls_output_tokens_check CHECK ((output_tokens >= 0)),
  constraint ai_calls_request_hash_check CHECK ((length(request_hash) = 64)),
  constraint ai_calls_state_check CHECK ((state = ANY (ARRAY['sending'::text, 'done'::text, 'refused'::text, 'in_doubt'::text]))),
  constraint ai_calls_step_check CHECK ((step > 0)),
  constraint ai_calls_tools_check CHECK ((jsonb_typeof(tools) = 'array'::text)),
  constraint ai_calls_tries_check CHECK ((tries > 0)),
  constraint ai_calls_worst_micros_check CHECK ((worst_micros >= 0))
);
CREATE INDEX ai_calls_job_idx ON data.ai_calls USING btree (tenant_id, job_id, id);
CREATE INDEX ai_calls_sent_idx ON data.ai_calls USING btree (tenant_id, sent_at);
CREATE UNIQUE INDEX ai_calls_sending_key ON data.ai_calls USING btree (tenant_id, job_id) WHERE (state = 'sending'::text);
CREATE UNIQUE INDEX ai_calls_step_key ON data.ai_calls USING btree (tenant_id, job_id, attempt, step) WHERE (state = 'done'::text);
alter table data.ai_calls enable row level security;
alter table data.ai_calls force row level security;
create policy rows on data.ai_calls as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_calls as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_calls to :app;
grant insert, select, update on data.ai_calls to :system;

create table data.ai_decisions (
  tenant_id uuid not null,
  id uuid not null,
  job_id uuid,
  outcome text not null,
  rules text[] not null,
  policy_version integer not null,
  kind text not null,
  facts_digest text not null,
  decided_at timestamp(3) with time zone not null,
  decided_for jsonb not null,
  constraint ai_decisions_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_decisions_check CHECK (((outcome = 'deny'::text) OR (job_id IS NOT NULL))),
  constraint ai_decisions_facts_digest_check CHECK ((facts_digest ~ '^[0-9a-f]{64}$'::text)),
  constraint ai_decisions_outcome_check CHECK ((outcome = ANY (ARRAY['allow'::text, 'deny'::text, 'require_approval'::text]))),
  constraint ai_decisions_policy_version_check CHECK ((policy_version >= 0)),
  constraint ai_decisions_rules_check CHECK ((cardinality(rules) > 0))
);
CREATE INDEX ai_decisions_job_idx ON data.ai_decisions USING btree (tenant_id, job_id);
CREATE TRIGGER guard_ai_decisions BEFORE DELETE OR UPDATE ON data.ai_decisions FOR EACH ROW EXECUTE FUNCTION data.guard_ai_decisions();
alter table data.ai_decisions enable row level security;
alter table data.ai_decisions force row level security;
create policy rows on data.ai_decisions as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_decisions as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.ai_decisions to :app;
grant insert, select on data.ai_decisions to :system;

create table data.ai_feedback (
  tenant_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  person uuid not null,
  rating smallint not null,
  comment text,
  corrected_output text,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_at timestamp(3) with time zone not null,
  constraint ai_feedback_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_feedback_person_key UNIQUE (tenant_id, job_id, person),
  constraint ai_feedback_comment_check CHECK (((length(comment) >= 1) AND (length(comment) <= 5000))),
  constraint ai_feedback_corrected_output_check CHECK (((length(corrected_output) >= 1) AND (length(corrected_output) <= 100000))),
  constraint ai_feedback_rating_check CHECK ((rating = ANY (ARRAY['-1'::integer, 1]))),
  constraint ai_feedback_version_check CHECK ((version > 0))
);
alter table data.ai_feedback enable row level security;
alter table data.ai_feedback force row level security;
create policy rows on data.ai_feedback as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_feedback as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_feedback to :app;
grant delete, insert, select, update on data.ai_feedback to :system;

create table data.ai_job_targets (
  tenant_id uuid not null,
  job_id uuid not null,
  object text not null,
  record_id uuid not null,
  constraint ai_job_targets_pkey PRIMARY KEY (tenant_id, record_id, job_id)
);
CREATE INDEX ai_job_targets_job_idx ON data.ai_job_targets USING btree (tenant_id, job_id);
alter table data.ai_job_targets enable row level security;
alter table data.ai_job_targets force row level security;
create policy rows on data.ai_job_targets as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_job_targets as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.ai_job_targets to :app;
grant delete, insert, select on data.ai_job_targets to :system;

create table data.ai_jobs (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  status text not null,
  kind text not null,
  agent_id uuid,
  agent_version integer,
  autonomy text,
  provider text not null,
  model text not null,
  priority smallint not null,
  approval text not null,
  deadline_at timestamp(3) with time zone,
  tools jsonb not null,
  targets jsonb not null,
  max_output_tokens integer not null,
  cost_cap_micros bigint not null,
  approved_cap_micros bigint not null,
  estimated_cost_micros bigint not null,
  reserved_cost_micros bigint not null,
  actual_cost_micros bigint not null,
  currency text not null,
  reservation_id uuid,
  decision jsonb not null,
  personal_data text not null,
  pii_findings jsonb not null,
  input_hash text not null,
  approval_digest text not null,
  approval_id uuid,
  sealed_input text,
  sealed_context text,
  sealed_places text,
  output jsonb,
  proposed_actions jsonb not null,
  steps jsonb not null,
  usage jsonb not null,
  error jsonb,
  attempts integer not null,
  requester jsonb not null,
  requester_person uuid not null,
  queued_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  traceparent text,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(kind, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint ai_jobs_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_jobs_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint ai_jobs_actual_cost_micros_check CHECK ((actual_cost_micros >= 0)),
  constraint ai_jobs_approval_check CHECK ((approval = ANY (ARRAY['auto'::text, 'required'::text]))),
  constraint ai_jobs_approval_digest_check CHECK ((length(approval_digest) = 64)),
  constraint ai_jobs_attempts_check CHECK ((attempts >= 0)),
  constraint ai_jobs_autonomy_check CHECK ((autonomy = ANY (ARRAY['suggest'::text, 'approve_each'::text, 'auto'::text]))),
  constraint ai_jobs_check CHECK ((approved_cap_micros >= cost_cap_micros)),
  constraint ai_jobs_check1 CHECK (((agent_id IS NULL) = (agent_version IS NULL))),
  constraint ai_jobs_check2 CHECK (((kind <> 'agent.run'::text) OR (agent_id IS NOT NULL))),
  constraint ai_jobs_check3 CHECK (((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'rejected'::text, 'expired'::text, 'over_cost_cap'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
  constraint ai_jobs_check4 CHECK (((status <> ALL (ARRAY['failed'::text, 'over_cost_cap'::text])) OR (error IS NOT NULL))),
  constraint ai_jobs_check5 CHECK (((status <> ALL (ARRAY['awaiting_approval'::text, 'approved'::text])) OR (approval_id IS NOT NULL))),
  constraint ai_jobs_check6 CHECK (((deleted_at IS NULL) AND (archived_at IS NULL))),
  constraint ai_jobs_cost_cap_micros_check CHECK ((cost_cap_micros > 0)),
  constraint ai_jobs_currency_check CHECK ((length(currency) = 3)),
  constraint ai_jobs_decision_check CHECK (((decision ?& '{outcome,rules,policyVersion}'::text[]) AND ((decision ->> 'outcome'::text) <> 'deny'::text))),
  constraint ai_jobs_error_check CHECK ((error ?& '{code,message}'::text[])),
  constraint ai_jobs_estimated_cost_micros_check CHECK ((estimated_cost_micros >= 0)),
  constraint ai_jobs_input_hash_check CHECK ((length(input_hash) = 64)),
  constraint ai_jobs_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 60))),
  constraint ai_jobs_max_output_tokens_check CHECK ((max_output_tokens > 0)),
  constraint ai_jobs_model_check CHECK (((length(model) >= 1) AND (length(model) <= 100))),
  constraint ai_jobs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint ai_jobs_output_check CHECK ((jsonb_typeof(output) = 'object'::text)),
  constraint ai_jobs_personal_data_check CHECK ((personal_data = ANY (ARRAY['block'::text, 'mask'::text, 'allow'::text]))),
  constraint ai_jobs_pii_findings_check CHECK ((jsonb_typeof(pii_findings) = 'array'::text)),
  constraint ai_jobs_priority_check CHECK (((priority >= 0) AND (priority <= 2))),
  constraint ai_jobs_proposed_actions_check CHECK ((jsonb_typeof(proposed_actions) = 'array'::text)),
  constraint ai_jobs_provider_check CHECK (((length(provider) >= 1) AND (length(provider) <= 100))),
  constraint ai_jobs_requester_check CHECK ((requester ?& '{type,id,name,membershipId,keyId}'::text[])),
  constraint ai_jobs_reserved_cost_micros_check CHECK ((reserved_cost_micros >= 0)),
  constraint ai_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'awaiting_approval'::text, 'approved'::text, 'running'::text, 'awaiting_review'::text, 'succeeded'::text, 'failed'::text, 'rejected'::text, 'expired'::text, 'over_cost_cap'::text, 'cancelled'::text]))),
  constraint ai_jobs_steps_check CHECK ((jsonb_typeof(steps) = 'array'::text)),
  constraint ai_jobs_targets_check CHECK ((jsonb_typeof(targets) = 'array'::text)),
  constraint ai_jobs_tools_check CHECK ((jsonb_typeof(tools) = 'array'::text)),
  constraint ai_jobs_usage_check CHECK ((usage ?& '{inputTokens,outputTokens,calls}'::text[])),
  constraint ai_jobs_version_check CHECK ((version > 0))
);
CREATE INDEX ai_jobs_actual_cost_micros_sort_idx ON data.ai_jobs USING btree (tenant_id, actual_cost_micros, id);
CREATE INDEX ai_jobs_agent_id_filter_idx ON data.ai_jobs USING btree (tenant_id, agent_id, created_at DESC, id DESC);
CREATE INDEX ai_jobs_finished_at_down_idx ON data.ai_jobs USING btree (tenant_id, (
CASE
    WHEN (finished_at IS NULL) THEN '-infinity'::timestamp with time zone
    ELSE finished_at
END) DESC, id DESC);
CREATE INDEX ai_jobs_finished_at_up_idx ON data.ai_jobs USING btree (tenant_id, (
CASE
    WHEN (finished_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE finished_at
END), id);
CREATE INDEX ai_jobs_kind_filter_idx ON data.ai_jobs USING btree (tenant_id, kind, created_at DESC, id DESC);
CREATE INDEX ai_jobs_model_filter_idx ON data.ai_jobs USING btree (tenant_id, model, created_at DESC, id DESC);
CREATE INDEX ai_jobs_name_sort_idx ON data.ai_jobs USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX ai_jobs_owner_idx ON data.ai_jobs USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX ai_jobs_priority_sort_idx ON data.ai_jobs USING btree (tenant_id, priority, id);
CREATE INDEX ai_jobs_proposals_idx ON data.ai_jobs USING btree (tenant_id, created_at DESC, id DESC) WHERE (proposed_actions <> '[]'::jsonb);
CREATE INDEX ai_jobs_requester_person_filter_idx ON data.ai_jobs USING btree (tenant_id, requester_person, created_at DESC, id DESC);
CREATE INDEX ai_jobs_search_idx ON data.ai_jobs USING gin (tenant_id, search);
CREATE INDEX ai_jobs_status_filter_idx ON data.ai_jobs USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX ai_jobs_time_idx ON data.ai_jobs USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX ai_jobs_workspace_idx ON data.ai_jobs USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER follow_ai_job AFTER UPDATE ON data.ai_jobs FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION data.follow_ai_job();
CREATE TRIGGER follow_new_ai_job AFTER INSERT ON data.ai_jobs FOR EACH ROW EXECUTE FUNCTION data.follow_ai_job();
CREATE TRIGGER guard_ai_job BEFORE UPDATE ON data.ai_jobs FOR EACH ROW EXECUTE FUNCTION data.guard_ai_job();
CREATE TRIGGER held_change AFTER UPDATE ON data.ai_jobs FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.ai_jobs REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('intelligence.job');
CREATE TRIGGER held_trash AFTER UPDATE ON data.ai_jobs FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('intelligence.job');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.ai_jobs FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('intelligence.job');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.ai_jobs FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('intelligence.job');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.ai_jobs FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('intelligence.job');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.ai_jobs FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('intelligence.job');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.ai_jobs FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('intelligence.job');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.ai_jobs FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('intelligence.job');
alter table data.ai_jobs enable row level security;
alter table data.ai_jobs force row level security;
create policy rows on data.ai_jobs as permissive for all to :app, :system using (true) with check (true);
create policy search on data.ai_jobs as permissive for select to :lookup using (true);
create policy tenant_isolation on data.ai_jobs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_jobs to :app;
grant delete, insert, select, update on data.ai_jobs to :system;
grant select (tenant_id, id, search) on data.ai_jobs to :lookup;

create table data.ai_lanes (
  tenant_id uuid not null,
  concurrency integer not null,
  constraint ai_lanes_pkey PRIMARY KEY (tenant_id),
  constraint ai_lanes_concurrency_check CHECK ((concurrency > 0))
);
alter table data.ai_lanes enable row level security;
alter table data.ai_lanes force row level security;
create policy rows on data.ai_lanes as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_lanes as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_lanes to :app;
grant select on data.ai_lanes to :system;

create table data.ai_ledger (
  tenant_id uuid not null,
  reservation_id uuid not null,
  entry text not null,
  account_id uuid not null,
  kind text not null,
  held_delta bigint not null,
  spent_delta bigint not null,
  overrun_delta bigint not null,
  doubtful boolean not null,
  of_plan boolean not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_tokens bigint not null,
  at timestamp(3) with time zone not null,
  constraint ai_ledger_pkey PRIMARY KEY (tenant_id, reservation_id, entry, account_id),
  constraint ai_ledger_cached_tokens_check CHECK ((cached_tokens >= 0)),
  constraint ai_ledger_check CHECK (((overrun_delta >= 0) AND (overrun_delta <= spent_delta))),
  constraint ai_ledger_entry_check CHECK (((length(entry) >= 1) AND (length(entry) <= 60))),
  constraint ai_ledger_input_tokens_check CHECK ((input_tokens >= 0)),
  constraint ai_ledger_kind_check CHECK ((kind = ANY (ARRAY['reserve'::text, 'lower'::text, 'settle'::text, 'release'::text]))),
  constraint ai_ledger_output_tokens_check CHECK ((output_tokens >= 0)),
  constraint ai_ledger_spent_delta_check CHECK ((spent_delta >= 0))
);
CREATE INDEX ai_ledger_account_idx ON data.ai_ledger USING btree (tenant_id, account_id, at);
CREATE TRIGGER guard_ai_ledger BEFORE DELETE OR UPDATE ON data.ai_ledger FOR EACH ROW EXECUTE FUNCTION data.guard_ai_ledger();
CREATE TRIGGER guard_ai_ledger_as_a_whole BEFORE TRUNCATE ON data.ai_ledger FOR EACH STATEMENT EXECUTE FUNCTION data.guard_ai_ledger();
alter table data.ai_ledger enable row level security;
alter table data.ai_ledger force row level security;
create policy rows on data.ai_ledger as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_ledger as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.ai_ledger to :app;
grant insert, select on data.ai_ledger to :system;

create table data.ai_model_prices (
  tenant_id uuid not null,
  model_id uuid not null,
  from_at timestamp(3) with time zone not null,
  input_micros_per_1k bigint not null,
  output_micros_per_1k bigint not null,
  cached_micros_per_1k bigint not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  constraint ai_model_prices_pkey PRIMARY KEY (tenant_id, model_id, from_at),
  constraint ai_model_prices_cached_micros_per_1k_check CHECK (((cached_micros_per_1k >= 0) AND (cached_micros_per_1k <= '1000000000000'::bigint))),
  constraint ai_model_prices_input_micros_per_1k_check CHECK (((input_micros_per_1k >= 0) AND (input_micros_per_1k <= '1000000000000'::bigint))),
  constraint ai_model_prices_output_micros_per_1k_check CHECK (((output_micros_per_1k >= 0) AND (output_micros_per_1k <= '1000000000000'::bigint)))
);
alter table data.ai_model_prices enable row level security;
alter table data.ai_model_prices force row level security;
create policy rows on data.ai_model_prices as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_model_prices as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.ai_model_prices to :app;
grant insert, select on data.ai_model_prices to :system;

create table data.ai_models (
  tenant_id uuid not null,
  id uuid not null,
  provider_id uuid not null,
  key text not null,
  name text not null,
  context_tokens integer not null,
  max_output_tokens integer not null,
  regions text[] not null,
  capabilities text[] not null,
  enabled boolean not null,
  is_default boolean not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint ai_models_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_models_check CHECK (((NOT is_default) OR enabled)),
  constraint ai_models_context_tokens_check CHECK (((context_tokens >= 1024) AND (context_tokens <= 100000000))),
  constraint ai_models_key_check CHECK ((key ~ '^\S{1,100}$'::text)),
  constraint ai_models_max_output_tokens_check CHECK (((max_output_tokens >= 64) AND (max_output_tokens <= 10000000))),
  constraint ai_models_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint ai_models_version_check CHECK ((version > 0))
);
CREATE UNIQUE INDEX ai_models_default_key ON data.ai_models USING btree (tenant_id) WHERE (is_default AND (deleted_at IS NULL));
CREATE UNIQUE INDEX ai_models_key_key ON data.ai_models USING btree (tenant_id, provider_id, key) WHERE (deleted_at IS NULL);
alter table data.ai_models enable row level security;
alter table data.ai_models force row level security;
create policy rows on data.ai_models as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_models as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_models to :app;
grant insert, select, update on data.ai_models to :system;

create table data.ai_pauses (
  tenant_id uuid not null,
  version integer not null,
  reason text,
  changed_at timestamp(3) with time zone not null,
  changed_by jsonb not null,
  constraint ai_pauses_pkey PRIMARY KEY (tenant_id),
  constraint ai_pauses_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000))),
  constraint ai_pauses_version_check CHECK ((version > 0))
);
alter table data.ai_pauses enable row level security;
alter table data.ai_pauses force row level security;
create policy rows on data.ai_pauses as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_pauses as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_pauses to :app;
grant insert, select, update on data.ai_pauses to :system;

create table data.ai_policies (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  policy jsonb not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  constraint ai_policies_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_policies_version_key UNIQUE (tenant_id, version),
  constraint ai_policies_policy_check CHECK ((jsonb_typeof(policy) = 'object'::text)),
  constraint ai_policies_version_check CHECK ((version > 0))
);
CREATE TRIGGER epoch AFTER INSERT ON data.ai_policies FOR EACH ROW EXECUTE FUNCTION directory.bump_epoch();
CREATE TRIGGER guard_ai_policies BEFORE DELETE OR UPDATE ON data.ai_policies FOR EACH ROW EXECUTE FUNCTION data.guard_ai_policies();
alter table data.ai_policies enable row level security;
alter table data.ai_policies force row level security;
create policy rows on data.ai_policies as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_policies as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.ai_policies to :app;
grant insert, select on data.ai_policies to :system;

create table data.ai_prompt_uses (
  tenant_id uuid not null,
  job_id uuid not null,
  prompt_id uuid not null,
  prompt_version integer not null,
  constraint ai_prompt_uses_pkey PRIMARY KEY (tenant_id, job_id)
);
CREATE INDEX ai_prompt_uses_prompt_idx ON data.ai_prompt_uses USING btree (tenant_id, prompt_id, prompt_version);
alter table data.ai_prompt_uses enable row level security;
alter table data.ai_prompt_uses force row level security;
create policy rows on data.ai_prompt_uses as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_prompt_uses as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.ai_prompt_uses to :app;
grant insert, select on data.ai_prompt_uses to :system;

create table data.ai_prompt_versions (
  tenant_id uuid not null,
  id uuid not null,
  prompt_id uuid not null,
  prompt_version integer not null,
  template text not null,
  variables text[] not null,
  commit_note text,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  constraint ai_prompt_versions_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_prompt_versions_number_key UNIQUE (tenant_id, prompt_id, prompt_version),
  constraint ai_prompt_versions_commit_note_check CHECK (((length(commit_note) >= 1) AND (length(commit_note) <= 500))),
  constraint ai_prompt_versions_prompt_version_check CHECK ((prompt_version > 0)),
  constraint ai_prompt_versions_template_check CHECK (((length(template) >= 1) AND (length(template) <= 20000)))
);
CREATE TRIGGER guard_ai_prompt_versions BEFORE DELETE OR UPDATE ON data.ai_prompt_versions FOR EACH ROW EXECUTE FUNCTION data.guard_ai_prompt_versions();
alter table data.ai_prompt_versions enable row level security;
alter table data.ai_prompt_versions force row level security;
create policy rows on data.ai_prompt_versions as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_prompt_versions as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.ai_prompt_versions to :app;
grant insert, select on data.ai_prompt_versions to :system;

create table data.ai_prompts (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  key text collate "C" not null,
  prompt_version integer not null,
  template text not null,
  variables text[] not null,
  commit_note text,
  labels jsonb not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((name || ' '::text) || reference) || ' '::text) || key), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  constraint ai_prompts_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_prompts_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint ai_prompts_commit_note_check CHECK (((length(commit_note) >= 1) AND (length(commit_note) <= 500))),
  constraint ai_prompts_key_check CHECK ((key ~ '^[a-z][a-z0-9._-]{0,99}$'::text)),
  constraint ai_prompts_labels_check CHECK ((jsonb_typeof(labels) = 'array'::text)),
  constraint ai_prompts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint ai_prompts_prompt_version_check CHECK ((prompt_version > 0)),
  constraint ai_prompts_template_check CHECK (((length(template) >= 1) AND (length(template) <= 20000))),
  constraint ai_prompts_version_check CHECK ((version > 0))
);
CREATE INDEX ai_prompts_key_sort_idx ON data.ai_prompts USING btree (tenant_id, key COLLATE data.alphabet, id);
CREATE INDEX ai_prompts_name_sort_idx ON data.ai_prompts USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX ai_prompts_owner_idx ON data.ai_prompts USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX ai_prompts_search_idx ON data.ai_prompts USING gin (tenant_id, search);
CREATE INDEX ai_prompts_time_idx ON data.ai_prompts USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX ai_prompts_updated_at_sort_idx ON data.ai_prompts USING btree (tenant_id, updated_at, id);
CREATE INDEX ai_prompts_workspace_idx ON data.ai_prompts USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX ai_prompts_key_key ON data.ai_prompts USING btree (tenant_id, key) WHERE (deleted_at IS NULL);
CREATE TRIGGER guard_ai_prompt AFTER UPDATE ON data.ai_prompts FOR EACH ROW EXECUTE FUNCTION data.guard_ai_prompt();
CREATE TRIGGER held_change AFTER UPDATE ON data.ai_prompts FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.ai_prompts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('ai.prompt');
CREATE TRIGGER held_trash AFTER UPDATE ON data.ai_prompts FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('ai.prompt');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.ai_prompts FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('ai.prompt');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.ai_prompts FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('ai.prompt');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.ai_prompts FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('ai.prompt');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.ai_prompts FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('ai.prompt');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.ai_prompts FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('ai.prompt');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.ai_prompts FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('ai.prompt');
alter table data.ai_prompts enable row level security;
alter table data.ai_prompts force row level security;
create policy rows on data.ai_prompts as permissive for all to :app, :system using (true) with check (true);
create policy search on data.ai_prompts as permissive for select to :lookup using (true);
create policy tenant_isolation on data.ai_prompts as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_prompts to :app;
grant delete, insert, select, update on data.ai_prompts to :system;
grant select (tenant_id, id, search) on data.ai_prompts to :lookup;

create table data.ai_providers (
  tenant_id uuid not null,
  id uuid not null,
  key text not null,
  name text not null,
  api text not null,
  base_url text not null,
  secret_name text,
  region text,
  is_idempotent boolean not null,
  enabled boolean not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint ai_providers_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_providers_api_check CHECK ((api = ANY (ARRAY['openai'::text, 'anthropic'::text]))),
  constraint ai_providers_base_url_check CHECK (((length(base_url) >= 1) AND (length(base_url) <= 2048))),
  constraint ai_providers_key_check CHECK (((key ~ '^[a-z0-9][a-z0-9._-]{0,99}$'::text) AND (key <> 'local'::text))),
  constraint ai_providers_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint ai_providers_region_check CHECK (((length(region) >= 1) AND (length(region) <= 40))),
  constraint ai_providers_secret_name_check CHECK (((length(secret_name) >= 1) AND (length(secret_name) <= 100))),
  constraint ai_providers_version_check CHECK ((version > 0))
);
CREATE UNIQUE INDEX ai_providers_key_key ON data.ai_providers USING btree (tenant_id, key) WHERE (deleted_at IS NULL);
alter table data.ai_providers enable row level security;
alter table data.ai_providers force row level security;
create policy rows on data.ai_providers as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_providers as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_providers to :app;
grant insert, select, update on data.ai_providers to :system;

create table data.ai_queue (
  tenant_id uuid not null,
  job_id uuid not null,
  agent_id uuid,
  state text not null,
  rank_at timestamp(3) with time zone not null,
  due_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone,
  stop_reason text,
  lease_token uuid,
  lease_until timestamp(3) with time zone,
  takeovers integer default 0 not null,
  constraint ai_queue_pkey PRIMARY KEY (tenant_id, job_id),
  constraint ai_queue_check CHECK (((lease_token IS NULL) = (lease_until IS NULL))),
  constraint ai_queue_check1 CHECK (((state <> 'waiting'::text) OR (lease_token IS NULL))),
  constraint ai_queue_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'due'::text, 'running'::text, 'closing'::text]))),
  constraint ai_queue_stop_reason_check CHECK ((stop_reason = ANY (ARRAY['paused'::text, 'agent_paused'::text]))),
  constraint ai_queue_takeovers_check CHECK ((takeovers >= 0))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=500, autovacuum_analyze_scale_factor=0.05);
CREATE INDEX ai_queue_agent_idx ON data.ai_queue USING btree (tenant_id, agent_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX ai_queue_expiry_idx ON data.ai_queue USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (state = ANY (ARRAY['waiting'::text, 'due'::text])));
CREATE INDEX ai_queue_leased_idx ON data.ai_queue USING btree (tenant_id) WHERE (lease_token IS NOT NULL);
CREATE INDEX ai_queue_open_idx ON data.ai_queue USING btree (tenant_id, rank_at) WHERE (state <> 'waiting'::text);
CREATE INDEX ai_queue_running_idx ON data.ai_queue USING btree (tenant_id, rank_at) WHERE (state = ANY (ARRAY['running'::text, 'closing'::text]));
CREATE INDEX ai_queue_stops_idx ON data.ai_queue USING btree (tenant_id, job_id) WHERE (stop_reason IS NOT NULL);
alter table data.ai_queue enable row level security;
alter table data.ai_queue force row level security;
create policy rows on data.ai_queue as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_queue as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.ai_queue to :app;
grant delete, insert, select, update on data.ai_queue to :system;

create table data.ai_reservations (
  tenant_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  kind text not null,
  provider text not null,
  model text not null,
  workspace_id uuid,
  member_id uuid,
  api_key_id uuid,
  agent_id uuid,
  state text not null,
  reserved_micros bigint not null,
  held_micros bigint not null,
  spent_micros bigint not null,
  overrun_micros bigint not null,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null,
  constraint ai_reservations_pkey PRIMARY KEY (tenant_id, id),
  constraint ai_reservations_check CHECK (((held_micros >= 0) AND (held_micros <= reserved_micros))),
  constraint ai_reservations_check1 CHECK (((overrun_micros >= 0) AND (overrun_micros <= spent_micros))),
  constraint ai_reservations_check2 CHECK (((state = 'open'::text) OR (held_micros = 0))),
  constraint ai_reservations_reserved_micros_check CHECK ((reserved_micros >= 0)),
  constraint ai_reservations_spent_micros_check CHECK ((spent_micros >= 0)),
  constraint ai_reservations_state_check CHECK ((state = ANY (ARRAY['open'::text, 'released'::text])))
);
CREATE INDEX ai_reservations_open_idx ON data.ai_reservations USING btree (tenant_id, expires_at) WHERE (state = 'open'::text);
alter table data.ai_reservations enable row level security;
alter table data.ai_reservations force row level security;
create policy rows on data.ai_reservations as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.ai_reservations as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.ai_reservations to :app;
grant insert, select, update on data.ai_reservations to :system;

create table data.api_keys (
  tenant_id uuid not null,
  id uuid not null,
  workspace_ids uuid[] default '{}'::uuid[] not null,
  last4 text,
  created_by jsonb not null,
  notified_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint api_keys_pkey PRIMARY KEY (tenant_id, id),
  constraint api_keys_last4_check CHECK ((length(last4) = 4)),
  constraint api_keys_version_check CHECK ((version > 0))
);
CREATE TRIGGER epoch_update AFTER UPDATE ON data.api_keys REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
alter table data.api_keys enable row level security;
alter table data.api_keys force row level security;
create policy rows on data.api_keys as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.api_keys as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.api_keys to :app;
grant insert, select, update on data.api_keys to :system;

create table data.attachments (
  tenant_id uuid not null,
  id uuid not null,
  object text not null,
  record_id uuid not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  file_name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text,
  url text,
  label text,
  file_id uuid,
  constraint attachments_pkey PRIMARY KEY (tenant_id, id),
  constraint attachments_file_name_check CHECK (((length(file_name) >= 1) AND (length(file_name) <= 255))),
  constraint attachments_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint attachments_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint attachments_version_check CHECK ((version > 0))
);
CREATE INDEX attachments_file_idx ON data.attachments USING btree (tenant_id, file_id) WHERE (file_id IS NOT NULL);
CREATE INDEX attachments_time_idx ON data.attachments USING btree (tenant_id, record_id, created_at DESC, id DESC);
alter table data.attachments enable row level security;
alter table data.attachments force row level security;
create policy rows on data.attachments as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.attachments as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.attachments to :app;
grant delete, insert, select on data.attachments to :system;
grant update (record_id, version) on data.attachments to :app;
grant update (record_id, version) on data.attachments to :system;

create table data.audit_checkpoints (
  tenant_id uuid not null,
  size bigint not null,
  root_hash bytea not null,
  note text not null,
  created_at timestamp(3) with time zone default now() not null,
  constraint audit_checkpoints_pkey PRIMARY KEY (tenant_id, size),
  constraint audit_checkpoints_root_hash_check CHECK ((length(root_hash) = 32)),
  constraint audit_checkpoints_size_check CHECK ((size > 0))
);
alter table data.audit_checkpoints enable row level security;
alter table data.audit_checkpoints force row level security;
create policy rows on data.audit_checkpoints as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.audit_checkpoints as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.audit_checkpoints to :app;
grant delete, insert, select on data.audit_checkpoints to :system;

create table data.audit_log (
  tenant_id uuid not null,
  id uuid not null,
  occurred_at timestamp(3) with time zone not null,
  actor_type text not null,
  actor_id text,
  action text not null,
  target_type text,
  target_id text,
  outcome text not null,
  risk_level text not null,
  request_id text not null,
  entry text not null,
  leaf_hash bytea not null,
  client_ip text,
  user_agent text,
  context_salt bytea,
  details text not null,
  details_salt bytea,
  about_id uuid,
  erased_at timestamp(3) with time zone,
  workspace_id uuid,
  correlation_id text,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((((action || ' '::text) || COALESCE(((entry)::json #>> '{actor,name}'::text[]), ''::text)) || ' '::text) || COALESCE(((details)::json ->> 'targetName'::text), ''::text)) || ' '::text) || COALESCE(((details)::json ->> 'reason'::text), ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint audit_log_pkey PRIMARY KEY (tenant_id, id),
  constraint audit_log_leaf_hash_check CHECK ((length(leaf_hash) = 32)),
  constraint audit_log_outcome_check CHECK ((outcome = ANY (ARRAY['success'::text, 'denied'::text, 'failed'::text]))),
  constraint audit_log_risk_level_check CHECK ((risk_level = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])))
);
CREATE INDEX audit_log_about_idx ON data.audit_log USING btree (tenant_id, about_id) WHERE (about_id IS NOT NULL);
CREATE INDEX audit_log_action_idx ON data.audit_log USING btree (tenant_id, action, occurred_at DESC, id DESC);
CREATE INDEX audit_log_actor_id_idx ON data.audit_log USING btree (tenant_id, actor_id, occurred_at DESC, id DESC);
CREATE INDEX audit_log_actor_type_idx ON data.audit_log USING btree (tenant_id, actor_type, occurred_at DESC, id DESC) WHERE ((actor_type <> 'api_key'::text) AND (actor_type <> 'member'::text));
CREATE INDEX audit_log_client_ip_idx ON data.audit_log USING btree (tenant_id, client_ip, occurred_at DESC, id DESC);
CREATE INDEX audit_log_correlation_id_idx ON data.audit_log USING btree (tenant_id, correlation_id, occurred_at DESC, id DESC);
CREATE INDEX audit_log_denied_idx ON data.audit_log USING btree (tenant_id, occurred_at) WHERE (outcome = 'denied'::text);
CREATE INDEX audit_log_outcome_idx ON data.audit_log USING btree (tenant_id, outcome, occurred_at DESC, id DESC) WHERE (outcome <> 'success'::text);
CREATE INDEX audit_log_request_id_idx ON data.audit_log USING btree (tenant_id, request_id, occurred_at DESC, id DESC);
CREATE INDEX audit_log_risk_level_idx ON data.audit_log USING btree (tenant_id, risk_level, occurred_at DESC, id DESC) WHERE (risk_level <> 'low'::text);
CREATE INDEX audit_log_search_idx ON data.audit_log USING gin (tenant_id, search);
CREATE INDEX audit_log_target_idx ON data.audit_log USING btree (tenant_id, target_id, occurred_at DESC, id DESC);
CREATE INDEX audit_log_target_type_idx ON data.audit_log USING btree (tenant_id, target_type, occurred_at DESC, id DESC);
CREATE INDEX audit_log_time_idx ON data.audit_log USING btree (tenant_id, occurred_at DESC, id DESC);
CREATE INDEX audit_log_workspace_id_idx ON data.audit_log USING btree (tenant_id, workspace_id, occurred_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON data.audit_log FOR EACH ROW EXECUTE FUNCTION data.refuse_all_but_erasure();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON data.audit_log FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_change();
CREATE TRIGGER unsealed AFTER INSERT ON data.audit_log FOR EACH ROW EXECUTE FUNCTION data.note_unsealed();
alter table data.audit_log enable row level security;
alter table data.audit_log force row level security;
create policy rows on data.audit_log as permissive for all to :app, :system using (true) with check (true);
create policy search on data.audit_log as permissive for select to :lookup using (true);
create policy tenant_isolation on data.audit_log as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.audit_log to :app;
grant insert, select on data.audit_log to :system;
grant update (details, details_salt, erased_at) on data.audit_log to :app;
grant select (tenant_id, id, search) on data.audit_log to :lookup;
grant update (details, details_salt, erased_at) on data.audit_log to :system;

create table data.audit_pending (
  tenant_id uuid not null,
  "position" bigint generated always as identity not null,
  entry_id uuid not null,
  leaf_hash bytea not null,
  constraint audit_pending_pkey PRIMARY KEY (tenant_id, "position"),
  constraint audit_pending_leaf_hash_check CHECK ((length(leaf_hash) = 32))
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=500, autovacuum_analyze_scale_factor=0.05);
alter table data.audit_pending enable row level security;
alter table data.audit_pending force row level security;
create policy rows on data.audit_pending as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.audit_pending as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.audit_pending to :app;
grant delete, insert, select on data.audit_pending to :system;

create table data.audit_stream_cursors (
  tenant_id uuid not null,
  stream_id uuid not null,
  seq bigint not null,
  batch_to bigint,
  due_at timestamp(3) with time zone,
  leased_until timestamp(3) with time zone,
  lease_token uuid,
  failures integer default 0 not null,
  delivered_at timestamp(3) with time zone,
  error text,
  constraint audit_stream_cursors_pkey PRIMARY KEY (tenant_id, stream_id),
  constraint audit_stream_cursors_check CHECK ((batch_to > seq)),
  constraint audit_stream_cursors_check1 CHECK (((leased_until IS NULL) = (lease_token IS NULL))),
  constraint audit_stream_cursors_seq_check CHECK ((seq >= 0))
);
alter table data.audit_stream_cursors enable row level security;
alter table data.audit_stream_cursors force row level security;
create policy rows on data.audit_stream_cursors as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.audit_stream_cursors as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.audit_stream_cursors to :app;
grant select on data.audit_stream_cursors to :system;
grant update (due_at, failures) on data.audit_stream_cursors to :app;
grant update (seq, batch_to, due_at, leased_until, lease_token, failures, delivered_at, error) on data.audit_stream_cursors to :system;

create table data.audit_streams (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  name text not null,
  kind text not null,
  url text not null,
  bucket text,
  region text,
  prefix text,
  credential_secret_id uuid not null,
  status text not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_at timestamp(3) with time zone not null,
  constraint audit_streams_pkey PRIMARY KEY (tenant_id, id),
  constraint audit_streams_check CHECK (((kind = 's3'::text) = ((bucket IS NOT NULL) AND (region IS NOT NULL)))),
  constraint audit_streams_check1 CHECK (((kind = 's3'::text) OR ((bucket IS NULL) AND (region IS NULL) AND (prefix IS NULL)))),
  constraint audit_streams_kind_check CHECK ((kind = ANY (ARRAY['https'::text, 'splunk_hec'::text, 's3'::text]))),
  constraint audit_streams_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint audit_streams_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'failing'::text]))),
  constraint audit_streams_version_check CHECK ((version > 0))
);
CREATE INDEX audit_streams_secret_idx ON data.audit_streams USING btree (tenant_id, credential_secret_id);
alter table data.audit_streams enable row level security;
alter table data.audit_streams force row level security;
create policy rows on data.audit_streams as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.audit_streams as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.audit_streams to :app;
grant delete, insert, select, update on data.audit_streams to :system;

create table data.audit_tree (
  tenant_id uuid not null,
  seq bigint not null,
  entry_id uuid not null,
  hashes bytea not null,
  constraint audit_tree_pkey PRIMARY KEY (tenant_id, seq),
  constraint audit_tree_entry_key UNIQUE (tenant_id, entry_id),
  constraint audit_tree_check CHECK ((((length(hashes) % 32) = 0) AND ((seq & (- seq)) = ((1)::bigint << ((length(hashes) / 32) - 1))))),
  constraint audit_tree_seq_check CHECK ((seq > 0))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON data.audit_tree FOR EACH ROW EXECUTE FUNCTION data.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON data.audit_tree FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_change();
alter table data.audit_tree enable row level security;
alter table data.audit_tree force row level security;
create policy rows on data.audit_tree as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.audit_tree as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.audit_tree to :app;
grant insert, select on data.audit_tree to :system;

create table data.automation_runs (
  tenant_id uuid not null,
  kind text not null,
  key text not null,
  event_id uuid,
  subject_id text,
  "position" bigint,
  state text not null,
  due_at timestamp(3) with time zone not null,
  attempts integer default 0 not null,
  created_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  error_code text,
  error_detail text,
  constraint automation_runs_pkey PRIMARY KEY (tenant_id, kind, key),
  constraint automation_runs_attempts_check CHECK ((attempts >= 0)),
  constraint automation_runs_check CHECK (((event_id IS NOT NULL) OR (("position" IS NULL) AND (subject_id IS NULL)))),
  constraint automation_runs_check1 CHECK (((state = ANY (ARRAY['waiting'::text, 'ready'::text])) = (finished_at IS NULL))),
  constraint automation_runs_check2 CHECK (((state <> 'failed'::text) OR (error_code IS NOT NULL))),
  constraint automation_runs_key_check CHECK (((length(key) >= 1) AND (length(key) <= 200))),
  constraint automation_runs_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 100))),
  constraint automation_runs_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'ready'::text, 'done'::text, 'cancelled'::text, 'failed'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX automation_runs_finished_idx ON data.automation_runs USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX automation_runs_ready_idx ON data.automation_runs USING btree (tenant_id, due_at, "position") WHERE (state = 'ready'::text);
CREATE INDEX automation_runs_subject_idx ON data.automation_runs USING btree (tenant_id, kind, subject_id, "position") WHERE (state = ANY (ARRAY['waiting'::text, 'ready'::text]));
CREATE INDEX automation_runs_waiting_idx ON data.automation_runs USING btree (due_at) WHERE (state = 'waiting'::text);
alter table data.automation_runs enable row level security;
alter table data.automation_runs force row level security;
create policy rows on data.automation_runs as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.automation_runs as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.automation_runs to :app;
grant delete, insert, select, update on data.automation_runs to :system;

create table data.checklists (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  title text not null,
  kind text not null,
  subject jsonb not null,
  subject_id uuid generated always as (((subject ->> 'id'::text))::uuid) stored,
  template_id uuid,
  start_date date not null,
  items jsonb not null,
  completed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint checklists_pkey PRIMARY KEY (tenant_id, id),
  constraint checklists_items_check CHECK ((jsonb_typeof(items) = 'array'::text)),
  constraint checklists_kind_check CHECK ((kind = ANY (ARRAY['handoff'::text, 'onboarding'::text, 'offboarding'::text, 'project'::text, 'other'::text]))),
  constraint checklists_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200))),
  constraint checklists_version_check CHECK ((version > 0))
);
CREATE INDEX checklists_subject_idx ON data.checklists USING btree (tenant_id, subject_id, created_at, id);
CREATE INDEX checklists_template_idx ON data.checklists USING btree (tenant_id, template_id);
alter table data.checklists enable row level security;
alter table data.checklists force row level security;
create policy rows on data.checklists as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.checklists as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.checklists to :app;
grant delete, insert, select, update on data.checklists to :system;

create table data.comments (
  tenant_id uuid not null,
  id uuid not null,
  object text not null,
  record_id uuid not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  parent_id uuid,
  is_answer boolean generated always as ((parent_id IS NOT NULL)) stored not null,
  parent_is_answer boolean generated always as (
CASE
    WHEN (parent_id IS NOT NULL) THEN false
    ELSE NULL::boolean
END) stored,
  body text not null,
  visibility text not null,
  mentions uuid[] not null,
  author_id uuid,
  updated_at timestamp(3) with time zone not null,
  updated_by jsonb not null,
  deleted_at timestamp(3) with time zone,
  constraint comments_pkey PRIMARY KEY (tenant_id, id),
  constraint comments_tenant_id_record_id_id_is_answer_key UNIQUE (tenant_id, record_id, id, is_answer),
  constraint comments_body_check CHECK (((length(body) >= 1) AND (length(body) <= 20000))),
  constraint comments_version_check CHECK ((version > 0)),
  constraint comments_visibility_check CHECK ((visibility = ANY (ARRAY['internal'::text, 'customer'::text])))
);
CREATE INDEX comments_time_idx ON data.comments USING btree (tenant_id, record_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
alter table data.comments enable row level security;
alter table data.comments force row level security;
create policy rows on data.comments as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.comments as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.comments to :app;
grant delete, insert, select, update on data.comments to :system;

create table data.custom_field_values (
  tenant_id uuid not null,
  object text not null,
  key text not null,
  value text not null,
  record_id uuid not null,
  constraint custom_field_values_pkey PRIMARY KEY (tenant_id, object, key, record_id, value)
);
CREATE INDEX custom_field_values_value_idx ON data.custom_field_values USING btree (tenant_id, object, key, value, record_id);
alter table data.custom_field_values enable row level security;
alter table data.custom_field_values force row level security;
create policy rows on data.custom_field_values as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.custom_field_values as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.custom_field_values to :app;
grant delete, insert, select on data.custom_field_values to :system;

create table data.data_export_parts (
  tenant_id uuid not null,
  request_id uuid not null,
  "position" integer not null,
  number integer not null,
  type text not null,
  plan jsonb,
  ids uuid[] not null,
  after text[],
  content_id uuid,
  size integer,
  constraint data_export_parts_pkey PRIMARY KEY (tenant_id, request_id, "position", number),
  constraint data_export_parts_number_check CHECK ((number >= 0)),
  constraint data_export_parts_plan CHECK (((plan IS NOT NULL) = (number = 0))),
  constraint data_export_parts_position_check CHECK (("position" >= 0)),
  constraint data_export_parts_size_check CHECK ((size >= 0)),
  constraint data_export_parts_type_check CHECK (((length(type) >= 3) AND (length(type) <= 60)))
);
alter table data.data_export_parts enable row level security;
alter table data.data_export_parts force row level security;
create policy rows on data.data_export_parts as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.data_export_parts as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.data_export_parts to :app;
grant delete, insert, select, update on data.data_export_parts to :system;

create table data.data_export_requests (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  areas jsonb,
  subject jsonb,
  format text not null,
  include_files boolean not null,
  include_deleted boolean not null,
  reason text,
  status text not null,
  is_full boolean not null,
  requested_by jsonb not null,
  requester_id uuid not null,
  requester_behind uuid not null,
  guarantor jsonb not null,
  scopes jsonb,
  quorum smallint not null,
  approvals jsonb not null,
  full_guarantor jsonb,
  expires_in_hours smallint not null,
  decision_reason text,
  job_id uuid,
  snapshot_at timestamp(3) with time zone,
  record_counts jsonb,
  size_bytes bigint,
  sha256 text,
  error jsonb,
  finished_at timestamp(3) with time zone,
  download_expires_at timestamp(3) with time zone,
  content_id uuid,
  is_stale boolean not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint data_export_requests_pkey PRIMARY KEY (tenant_id, id),
  constraint data_export_requests_approvals_check CHECK ((jsonb_typeof(approvals) = 'array'::text)),
  constraint data_export_requests_areas CHECK (((areas IS NOT NULL) = (kind = 'area'::text))),
  constraint data_export_requests_areas_check CHECK ((jsonb_typeof(areas) = 'array'::text)),
  constraint data_export_requests_decision_reason_check CHECK (((length(decision_reason) >= 1) AND (length(decision_reason) <= 1000))),
  constraint data_export_requests_error CHECK (((error IS NOT NULL) = (status = 'failed'::text))),
  constraint data_export_requests_expires_in_hours_check CHECK (((expires_in_hours >= 1) AND (expires_in_hours <= 168))),
  constraint data_export_requests_file CHECK (((content_id IS NOT NULL) = (status = 'ready'::text))),
  constraint data_export_requests_format_check CHECK ((format = ANY (ARRAY['ndjson_zip'::text, 'csv_zip'::text]))),
  constraint data_export_requests_kind_check CHECK ((kind = ANY (ARRAY['tenant'::text, 'area'::text, 'subject'::text, 'audit'::text]))),
  constraint data_export_requests_quorum_check CHECK (((quorum >= 1) AND (quorum <= 5))),
  constraint data_export_requests_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000))),
  constraint data_export_requests_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint data_export_requests_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint data_export_requests_status_check CHECK ((status = ANY (ARRAY['pending_approval'::text, 'queued'::text, 'running'::text, 'ready'::text, 'failed'::text, 'rejected'::text, 'cancelled'::text, 'revoked'::text, 'expired'::text]))),
  constraint data_export_requests_subject CHECK (((subject IS NOT NULL) = (kind = 'subject'::text))),
  constraint data_export_requests_subject_check CHECK ((jsonb_typeof(subject) = 'object'::text)),
  constraint data_export_requests_version_check CHECK ((version > 0))
);
CREATE INDEX data_export_requests_created_idx ON data.data_export_requests USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX data_export_requests_expiry_idx ON data.data_export_requests USING btree (tenant_id, download_expires_at) WHERE (status = 'ready'::text);
CREATE INDEX data_export_requests_requester_idx ON data.data_export_requests USING btree (tenant_id, requester_id, created_at DESC, id DESC);
alter table data.data_export_requests enable row level security;
alter table data.data_export_requests force row level security;
create policy rows on data.data_export_requests as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.data_export_requests as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.data_export_requests to :app;
grant delete, insert, select, update on data.data_export_requests to :system;

create table data.data_keys (
  tenant_id uuid not null,
  version integer not null,
  wrapped bytea not null,
  created_at timestamp(3) with time zone not null,
  master_key_id text not null,
  unused_since timestamp(3) with time zone,
  constraint data_keys_pkey PRIMARY KEY (tenant_id, version),
  constraint data_keys_version_check CHECK ((version > 0))
);
CREATE TRIGGER master_key AFTER INSERT OR UPDATE OF master_key_id ON data.data_keys FOR EACH ROW EXECUTE FUNCTION directory.note_master_key();
alter table data.data_keys enable row level security;
alter table data.data_keys force row level security;
create policy rows on data.data_keys as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.data_keys as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.data_keys to :app;
grant delete, insert, select, update on data.data_keys to :system;

create table data.document_series (
  tenant_id uuid not null,
  series text not null,
  period text not null,
  next bigint not null,
  last_date date,
  used jsonb default '[]'::jsonb not null,
  constraint document_series_pkey PRIMARY KEY (tenant_id, series, period),
  constraint document_series_next_check CHECK ((next > 0)),
  constraint document_series_used_check CHECK ((jsonb_typeof(used) = 'array'::text))
);
alter table data.document_series enable row level security;
alter table data.document_series force row level security;
create policy rows on data.document_series as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.document_series as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.document_series to :app;
grant insert, select, update on data.document_series to :system;

create table data.document_template_versions (
  tenant_id uuid not null,
  template_id uuid not null,
  number integer not null,
  subject text,
  body text not null,
  styles text,
  variables_schema jsonb,
  body_hash text not null,
  published_at timestamp(3) with time zone not null,
  published_by jsonb not null,
  constraint document_template_versions_pkey PRIMARY KEY (tenant_id, template_id, number),
  constraint document_template_versions_body_check CHECK (((length(body) >= 1) AND (length(body) <= 100000))),
  constraint document_template_versions_body_hash_check CHECK ((body_hash ~ '^[0-9a-f]{64}$'::text)),
  constraint document_template_versions_number_check CHECK ((number > 0)),
  constraint document_template_versions_styles_check CHECK (((length(styles) >= 1) AND (length(styles) <= 20000))),
  constraint document_template_versions_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 300))),
  constraint document_template_versions_variables_schema_check CHECK ((jsonb_typeof(variables_schema) = 'object'::text))
);
alter table data.document_template_versions enable row level security;
alter table data.document_template_versions force row level security;
create policy rows on data.document_template_versions as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.document_template_versions as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.document_template_versions to :app;
grant insert, select on data.document_template_versions to :system;

create table data.document_templates (
  tenant_id uuid not null,
  id uuid not null,
  key text not null,
  name text collate data.alphabet not null,
  kind text not null,
  format text not null,
  subject text,
  body text not null,
  styles text,
  variables_schema jsonb,
  body_hash text not null,
  locale text not null,
  is_default boolean not null,
  status text not null,
  current_version integer,
  has_draft boolean not null,
  created_by jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint document_templates_pkey PRIMARY KEY (tenant_id, id),
  constraint document_templates_key_key UNIQUE (tenant_id, key),
  constraint document_templates_body_check CHECK (((length(body) >= 1) AND (length(body) <= 100000))),
  constraint document_templates_body_hash_check CHECK ((body_hash ~ '^[0-9a-f]{64}$'::text)),
  constraint document_templates_current_version_check CHECK ((current_version > 0)),
  constraint document_templates_default CHECK (((NOT is_default) OR (status = 'published'::text))),
  constraint document_templates_format_check CHECK ((format = ANY (ARRAY['html'::text, 'markdown'::text, 'text'::text]))),
  constraint document_templates_key_check CHECK ((key ~ '^[a-z][a-z0-9-]{0,59}$'::text)),
  constraint document_templates_kind_check CHECK ((kind = ANY (ARRAY['proposal'::text, 'invoice'::text, 'offer_letter'::text, 'contract'::text, 'handoff'::text, 'report'::text, 'email'::text, 'generic'::text]))),
  constraint document_templates_locale_check CHECK (((length(locale) >= 2) AND (length(locale) <= 35))),
  constraint document_templates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint document_templates_published CHECK (((status <> 'published'::text) OR (current_version IS NOT NULL))),
  constraint document_templates_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text]))),
  constraint document_templates_styles_check CHECK (((length(styles) >= 1) AND (length(styles) <= 20000))),
  constraint document_templates_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 300))),
  constraint document_templates_variables_schema_check CHECK ((jsonb_typeof(variables_schema) = 'object'::text)),
  constraint document_templates_version_check CHECK ((version > 0))
);
CREATE UNIQUE INDEX document_templates_default_key ON data.document_templates USING btree (tenant_id, kind, locale) WHERE is_default;
alter table data.document_templates enable row level security;
alter table data.document_templates force row level security;
create policy rows on data.document_templates as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.document_templates as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.document_templates to :app;
grant delete, insert, select, update on data.document_templates to :system;

create table data.documents_documents (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  kind text not null,
  status text not null,
  template_id uuid not null,
  template_version integer not null,
  target jsonb,
  replaces_id uuid,
  frozen jsonb not null,
  source text not null,
  source_format text not null,
  locale text not null,
  content_id uuid,
  content_hash text,
  size_bytes bigint,
  page_count integer,
  render_error jsonb,
  finalized_at timestamp(3) with time zone,
  voided_at timestamp(3) with time zone,
  void_reason text,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((name || ' '::text) || reference)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint documents_documents_pkey PRIMARY KEY (tenant_id, id),
  constraint documents_documents_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint documents_documents_content_hash_check CHECK ((content_hash ~ '^[0-9a-f]{64}$'::text)),
  constraint documents_documents_frozen_check CHECK ((jsonb_typeof(frozen) = 'object'::text)),
  constraint documents_documents_kind_check CHECK ((kind = ANY (ARRAY['proposal'::text, 'invoice'::text, 'offer_letter'::text, 'contract'::text, 'handoff'::text, 'report'::text, 'email'::text, 'generic'::text]))),
  constraint documents_documents_locale_check CHECK (((length(locale) >= 2) AND (length(locale) <= 35))),
  constraint documents_documents_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint documents_documents_page_count_check CHECK (((page_count >= 1) AND (page_count <= 1000))),
  constraint documents_documents_printed CHECK (((status = ANY (ARRAY['draft'::text, 'void'::text])) OR (content_id IS NOT NULL))),
  constraint documents_documents_size_bytes_check CHECK ((size_bytes > 0)),
  constraint documents_documents_source_check CHECK ((length(source) <= 1100000)),
  constraint documents_documents_source_format_check CHECK ((source_format = ANY (ARRAY['html'::text, 'markdown'::text, 'text'::text]))),
  constraint documents_documents_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'rendered'::text, 'final'::text, 'superseded'::text, 'void'::text]))),
  constraint documents_documents_target_check CHECK ((jsonb_typeof(target) = 'object'::text)),
  constraint documents_documents_template_version_check CHECK (((template_version >= 1) AND (template_version <= 1000000))),
  constraint documents_documents_version_check CHECK ((version > 0)),
  constraint documents_documents_void_reason_check CHECK (((length(void_reason) >= 1) AND (length(void_reason) <= 500)))
);
CREATE INDEX documents_documents_kind_filter_idx ON data.documents_documents USING btree (tenant_id, kind, created_at DESC, id DESC);
CREATE INDEX documents_documents_name_sort_idx ON data.documents_documents USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX documents_documents_owner_idx ON data.documents_documents USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX documents_documents_replaces_id_filter_idx ON data.documents_documents USING btree (tenant_id, replaces_id, created_at DESC, id DESC);
CREATE INDEX documents_documents_search_idx ON data.documents_documents USING gin (tenant_id, search);
CREATE INDEX documents_documents_status_filter_idx ON data.documents_documents USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX documents_documents_template_id_filter_idx ON data.documents_documents USING btree (tenant_id, template_id, created_at DESC, id DESC);
CREATE INDEX documents_documents_time_idx ON data.documents_documents USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX documents_documents_updated_at_sort_idx ON data.documents_documents USING btree (tenant_id, updated_at, id);
CREATE INDEX documents_documents_workspace_idx ON data.documents_documents USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.documents_documents FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.documents_documents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('documents.document');
CREATE TRIGGER held_trash AFTER UPDATE ON data.documents_documents FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('documents.document');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.documents_documents FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('documents.document');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.documents_documents FOR EACH ROW WHEN ((new.external_refs IS DISTINCT FROM old.external_refs)) EXECUTE FUNCTION data.keep_external_refs('documents.document');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.documents_documents FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('documents.document');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.documents_documents FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('documents.document');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.documents_documents FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('documents.document');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.documents_documents FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('documents.document');
CREATE TRIGGER release_contents AFTER DELETE ON data.documents_documents FOR EACH ROW EXECUTE FUNCTION data.release_document_contents();
CREATE TRIGGER release_erased_contents AFTER UPDATE OF content_id ON data.documents_documents FOR EACH ROW WHEN (((old.content_id IS NOT NULL) AND (new.content_id IS NULL))) EXECUTE FUNCTION data.release_document_contents();
alter table data.documents_documents enable row level security;
alter table data.documents_documents force row level security;
create policy rows on data.documents_documents as permissive for all to :app, :system using (true) with check (true);
create policy search on data.documents_documents as permissive for select to :lookup using (true);
create policy tenant_isolation on data.documents_documents as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.documents_documents to :app;
grant delete, insert, select, update on data.documents_documents to :system;
grant select (tenant_id, id, search) on data.documents_documents to :lookup;

create table data.documents_file_versions (
  tenant_id uuid not null,
  file_id uuid not null,
  number integer not null,
  content_id uuid,
  mime_type text,
  size_bytes bigint not null,
  sha256 text,
  scan_status text not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  constraint documents_file_versions_pkey PRIMARY KEY (tenant_id, file_id, number),
  constraint documents_file_versions_mime_type_check CHECK (((length(mime_type) >= 3) AND (length(mime_type) <= 127))),
  constraint documents_file_versions_number_check CHECK ((number > 0)),
  constraint documents_file_versions_scan_status_check CHECK ((scan_status = ANY (ARRAY['not_scanned'::text, 'waiting'::text, 'clean'::text, 'infected'::text]))),
  constraint documents_file_versions_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint documents_file_versions_size_bytes_check CHECK ((size_bytes >= 0))
);
CREATE INDEX documents_file_versions_size_idx ON data.documents_file_versions USING btree (tenant_id) INCLUDE (size_bytes);
alter table data.documents_file_versions enable row level security;
alter table data.documents_file_versions force row level security;
create policy rows on data.documents_file_versions as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.documents_file_versions as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.documents_file_versions to :app;
grant delete, insert, select, update on data.documents_file_versions to :system;

create table data.documents_files (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  folder text collate data.alphabet,
  confidential boolean not null,
  status text not null,
  mime_type text,
  size_bytes bigint not null,
  sha256 text,
  scan_status text not null,
  current_version integer not null,
  content_id uuid,
  upload_until timestamp(3) with time zone,
  guarantor jsonb,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(folder, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint documents_files_pkey PRIMARY KEY (tenant_id, id),
  constraint documents_files_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint documents_files_current_version_check CHECK (((current_version >= 1) AND (current_version <= 100))),
  constraint documents_files_folder_check CHECK (((length(folder) >= 1) AND (length(folder) <= 300))),
  constraint documents_files_mime_type_check CHECK (((length(mime_type) >= 3) AND (length(mime_type) <= 127))),
  constraint documents_files_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint documents_files_scan_status_check CHECK ((scan_status = ANY (ARRAY['not_scanned'::text, 'waiting'::text, 'clean'::text, 'infected'::text]))),
  constraint documents_files_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint documents_files_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint documents_files_status_check CHECK ((status = ANY (ARRAY['uploading'::text, 'scanning'::text, 'available'::text, 'quarantined'::text]))),
  constraint documents_files_version_check CHECK ((version > 0))
);
CREATE INDEX documents_files_confidential_filter_idx ON data.documents_files USING btree (tenant_id, confidential, created_at DESC, id DESC);
CREATE INDEX documents_files_folder_filter_idx ON data.documents_files USING btree (tenant_id, folder, created_at DESC, id DESC);
CREATE INDEX documents_files_mime_type_filter_idx ON data.documents_files USING btree (tenant_id, mime_type, created_at DESC, id DESC);
CREATE INDEX documents_files_name_sort_idx ON data.documents_files USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX documents_files_owner_idx ON data.documents_files USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX documents_files_scan_status_filter_idx ON data.documents_files USING btree (tenant_id, scan_status, created_at DESC, id DESC);
CREATE INDEX documents_files_search_idx ON data.documents_files USING gin (tenant_id, search);
CREATE INDEX documents_files_sha256_filter_idx ON data.documents_files USING btree (tenant_id, sha256, created_at DESC, id DESC);
CREATE INDEX documents_files_size_bytes_sort_idx ON data.documents_files USING btree (tenant_id, size_bytes, id);
CREATE INDEX documents_files_status_filter_idx ON data.documents_files USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX documents_files_time_idx ON data.documents_files USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX documents_files_updated_at_sort_idx ON data.documents_files USING btree (tenant_id, updated_at, id);
CREATE INDEX documents_files_workspace_idx ON data.documents_files USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.documents_files FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.documents_files REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('documents.file');
CREATE TRIGGER held_trash AFTER UPDATE ON data.documents_files FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('documents.file');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.documents_files FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('documents.file');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.documents_files FOR EACH ROW WHEN ((new.external_refs IS DISTINCT FROM old.external_refs)) EXECUTE FUNCTION data.keep_external_refs('documents.file');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.documents_files FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('documents.file');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.documents_files FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('documents.file');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.documents_files FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('documents.file');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.documents_files FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('documents.file');
CREATE TRIGGER release_contents AFTER DELETE ON data.documents_files FOR EACH ROW EXECUTE FUNCTION data.release_file_contents();
alter table data.documents_files enable row level security;
alter table data.documents_files force row level security;
create policy rows on data.documents_files as permissive for all to :app, :system using (true) with check (true);
create policy search on data.documents_files as permissive for select to :lookup using (true);
create policy tenant_isolation on data.documents_files as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.documents_files to :app;
grant delete, insert, select, update on data.documents_files to :system;
grant select (tenant_id, id, search) on data.documents_files to :lookup;

create table data.event_numbers (
  tenant_id uuid not null,
  sequence bigint not null,
  event_id uuid not null,
  numbered_at timestamp(3) with time zone not null,
  constraint event_numbers_pkey PRIMARY KEY (tenant_id, sequence, event_id)
) partition by RANGE (event_id);
alter table data.event_numbers enable row level security;
alter table data.event_numbers force row level security;
create policy rows on data.event_numbers as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.event_numbers as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant select on data.event_numbers to :app;
grant insert, select on data.event_numbers to :system;

create table data.event_numbers_default (
  tenant_id uuid not null,
  sequence bigint not null,
  event_id uuid not null,
  numbered_at timestamp(3) with time zone not null,
  constraint event_numbers_default_pkey PRIMARY KEY (tenant_id, sequence, event_id)
);
alter table data.event_numbers_default enable row level security;

create table data.event_sequences (
  tenant_id uuid not null,
  last bigint not null,
  constraint event_sequences_pkey PRIMARY KEY (tenant_id),
  constraint event_sequences_last_check CHECK ((last >= 0))
);
alter table data.event_sequences enable row level security;
alter table data.event_sequences force row level security;
create policy rows on data.event_sequences as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.event_sequences as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.event_sequences to :app;
grant insert, select, update on data.event_sequences to :system;

create table data.events (
  tenant_id uuid not null,
  id uuid not null,
  type text not null,
  schema_version integer not null,
  occurred_at timestamp(3) with time zone not null,
  subject_type text not null,
  subject_id text not null,
  envelope text not null,
  causation_id uuid,
  depth integer default 0 not null,
  correlation_id text,
  traceparent text,
  constraint events_pkey PRIMARY KEY (tenant_id, id),
  constraint events_depth_check1 CHECK ((depth >= 0))
) partition by RANGE (id);
alter table data.events enable row level security;
alter table data.events force row level security;
create policy rows on data.events as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.events as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.events to :app;
grant insert, select on data.events to :system;

create table data.events_default (
  tenant_id uuid not null,
  id uuid not null,
  type text not null,
  schema_version integer not null,
  occurred_at timestamp(3) with time zone not null,
  subject_type text not null,
  subject_id text not null,
  envelope text not null,
  causation_id uuid,
  depth integer default 0 not null,
  correlation_id text,
  traceparent text,
  constraint events_default_pkey PRIMARY KEY (tenant_id, id),
  constraint events_depth_check1 CHECK ((depth >= 0))
) with (fillfactor=100);
alter table data.events_default enable row level security;

create table data.events_pending (
  tenant_id uuid not null,
  "position" bigint default nextval('data.event_positions'::regclass) not null,
  event_id uuid not null,
  constraint events_pending_pkey PRIMARY KEY (tenant_id, "position")
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=500, autovacuum_analyze_scale_factor=0.05);
alter table data.events_pending enable row level security;
alter table data.events_pending force row level security;
create policy rows on data.events_pending as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.events_pending as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.events_pending to :app;
grant delete, insert, select on data.events_pending to :system;

create table data.events_set_aside (
  tenant_id uuid not null,
  event_id uuid not null,
  sequence bigint not null,
  attempts integer not null,
  due_at timestamp(3) with time zone,
  error text not null,
  set_aside_at timestamp(3) with time zone not null,
  constraint events_set_aside_pkey PRIMARY KEY (tenant_id, event_id)
);
CREATE INDEX events_set_aside_due_idx ON data.events_set_aside USING btree (due_at) WHERE (due_at IS NOT NULL);
alter table data.events_set_aside enable row level security;
alter table data.events_set_aside force row level security;
create policy rows on data.events_set_aside as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.events_set_aside as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant select on data.events_set_aside to :app;
grant delete, insert, select, update on data.events_set_aside to :system;

create table data.evidence_bundles (
  tenant_id uuid not null,
  id uuid not null,
  framework text not null,
  previous_id uuid,
  content_hash bytea not null,
  root_hash text not null,
  bundle text not null,
  archive bytea not null,
  created_at timestamp(3) with time zone not null,
  controls text[],
  period jsonb generated always as (((bundle)::jsonb -> 'period'::text)) stored not null,
  summary jsonb generated always as (((bundle)::jsonb -> 'summary'::text)) stored not null,
  key_id text generated always as (((bundle)::jsonb #>> '{signature,keyId}'::text[])) stored not null,
  constraint evidence_bundles_pkey PRIMARY KEY (tenant_id, id),
  constraint evidence_bundles_content_hash_check CHECK ((length(content_hash) = 32)),
  constraint evidence_bundles_framework_check CHECK (((length(framework) >= 1) AND (length(framework) <= 40))),
  constraint evidence_bundles_root_hash_check CHECK ((root_hash ~ '^[0-9a-f]{64}$'::text))
);
CREATE INDEX evidence_bundles_previous_idx ON data.evidence_bundles USING btree (tenant_id, previous_id) WHERE (previous_id IS NOT NULL);
CREATE INDEX evidence_bundles_time_idx ON data.evidence_bundles USING btree (tenant_id, created_at DESC, id DESC);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON data.evidence_bundles FOR EACH ROW EXECUTE FUNCTION data.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON data.evidence_bundles FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_change();
alter table data.evidence_bundles enable row level security;
alter table data.evidence_bundles force row level security;
create policy rows on data.evidence_bundles as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.evidence_bundles as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.evidence_bundles to :app;
grant insert, select on data.evidence_bundles to :system;

create table data.export_jobs (
  tenant_id uuid not null,
  id uuid not null,
  type text not null,
  query jsonb not null,
  format text not null,
  locale text not null,
  byte_order_mark boolean not null,
  status text not null,
  as_of timestamp(3) with time zone,
  row_count integer,
  size_bytes bigint,
  sha256 text,
  url text,
  error jsonb,
  job_id uuid not null,
  schedule_id uuid,
  requester_id uuid not null,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  plan jsonb,
  guarantor jsonb not null,
  scopes jsonb,
  reader_ids jsonb not null,
  content_id uuid,
  is_stale boolean not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint export_jobs_pkey PRIMARY KEY (tenant_id, id),
  constraint export_jobs_error CHECK (((error IS NOT NULL) = (status = 'failed'::text))),
  constraint export_jobs_file CHECK (((content_id IS NOT NULL) = (status = 'ready'::text))),
  constraint export_jobs_finished CHECK (((finished_at IS NULL) = (status = ANY (ARRAY['queued'::text, 'running'::text])))),
  constraint export_jobs_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'ndjson'::text, 'xlsx'::text]))),
  constraint export_jobs_locale_check CHECK (((length(locale) >= 2) AND (length(locale) <= 35))),
  constraint export_jobs_query_check CHECK ((jsonb_typeof(query) = 'object'::text)),
  constraint export_jobs_reader_ids_check CHECK ((jsonb_typeof(reader_ids) = 'array'::text)),
  constraint export_jobs_row_count_check CHECK (((row_count >= 0) AND (row_count <= 1000000))),
  constraint export_jobs_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint export_jobs_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint export_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'ready'::text, 'failed'::text, 'cancelled'::text, 'expired'::text]))),
  constraint export_jobs_type_check CHECK (((length(type) >= 3) AND (length(type) <= 60))),
  constraint export_jobs_version_check CHECK ((version > 0))
);
CREATE INDEX export_jobs_expiry_idx ON data.export_jobs USING btree (tenant_id, expires_at) WHERE (status = 'ready'::text);
CREATE INDEX export_jobs_open_idx ON data.export_jobs USING btree (tenant_id) WHERE (finished_at IS NULL);
CREATE INDEX export_jobs_requester_idx ON data.export_jobs USING btree (tenant_id, requester_id, created_at DESC, id DESC);
alter table data.export_jobs enable row level security;
alter table data.export_jobs force row level security;
create policy rows on data.export_jobs as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.export_jobs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.export_jobs to :app;
grant delete, insert, select, update on data.export_jobs to :system;

create table data.export_parts (
  tenant_id uuid not null,
  export_id uuid not null,
  number integer not null,
  ids uuid[] not null,
  content_id uuid,
  constraint export_parts_pkey PRIMARY KEY (tenant_id, export_id, number),
  constraint export_parts_number_check CHECK ((number >= 0))
);
alter table data.export_parts enable row level security;
alter table data.export_parts force row level security;
create policy rows on data.export_parts as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.export_parts as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.export_parts to :app;
grant delete, insert, select, update on data.export_parts to :system;

create table data.export_schedules (
  tenant_id uuid not null,
  id uuid not null,
  name text collate data.alphabet not null,
  type text not null,
  query jsonb not null,
  format text not null,
  locale text not null,
  byte_order_mark boolean not null,
  cron text not null,
  time_zone text not null,
  recipient_ids jsonb not null,
  paused boolean not null,
  paused_reason text,
  owner_id uuid not null,
  guarantor jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint export_schedules_pkey PRIMARY KEY (tenant_id, id),
  constraint export_schedules_cron_check CHECK (((length(cron) >= 9) AND (length(cron) <= 100))),
  constraint export_schedules_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'ndjson'::text, 'xlsx'::text]))),
  constraint export_schedules_locale_check CHECK (((length(locale) >= 2) AND (length(locale) <= 35))),
  constraint export_schedules_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint export_schedules_paused CHECK ((paused OR (paused_reason IS NULL))),
  constraint export_schedules_paused_reason_check CHECK ((paused_reason = ANY (ARRAY['owner_inactive'::text, 'credential_ended'::text, 'owner_not_permitted'::text, 'no_longer_valid'::text]))),
  constraint export_schedules_query_check CHECK ((jsonb_typeof(query) = 'object'::text)),
  constraint export_schedules_recipient_ids_check CHECK ((jsonb_typeof(recipient_ids) = 'array'::text)),
  constraint export_schedules_time_zone_check CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 60))),
  constraint export_schedules_type_check CHECK (((length(type) >= 3) AND (length(type) <= 60))),
  constraint export_schedules_version_check CHECK ((version > 0))
);
CREATE INDEX export_schedules_owner_idx ON data.export_schedules USING btree (tenant_id, owner_id, created_at DESC, id DESC);
alter table data.export_schedules enable row level security;
alter table data.export_schedules force row level security;
create policy rows on data.export_schedules as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.export_schedules as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.export_schedules to :app;
grant delete, insert, select, update on data.export_schedules to :system;

create table data.external_refs (
  tenant_id uuid not null,
  object text not null,
  ref text not null,
  record_id uuid not null,
  in_trash boolean default false not null,
  constraint external_refs_pkey PRIMARY KEY (tenant_id, object, record_id, ref)
);
CREATE INDEX external_refs_ref_idx ON data.external_refs USING btree (tenant_id, object, ref, record_id);
CREATE UNIQUE INDEX external_refs_key ON data.external_refs USING btree (tenant_id, object, ref) WHERE (NOT in_trash);
alter table data.external_refs enable row level security;
alter table data.external_refs force row level security;
create policy rows on data.external_refs as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.external_refs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.external_refs to :app;
grant delete, insert, select on data.external_refs to :system;

create table data.failed_sign_ins (
  tenant_id uuid not null,
  membership_id uuid not null,
  told_at timestamp(3) with time zone not null,
  count integer not null,
  untold integer default 0 not null,
  constraint failed_sign_ins_pkey PRIMARY KEY (tenant_id, membership_id),
  constraint failed_sign_ins_count_check CHECK ((count > 0)),
  constraint failed_sign_ins_untold_check CHECK ((untold >= 0))
);
alter table data.failed_sign_ins enable row level security;
alter table data.failed_sign_ins force row level security;
create policy rows on data.failed_sign_ins as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.failed_sign_ins as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.failed_sign_ins to :app;
grant insert, select, update on data.failed_sign_ins to :system;

create table data.file_content_uses (
  tenant_id uuid not null,
  content_id uuid not null,
  object text not null,
  object_id uuid not null,
  is_suspended boolean default false not null,
  expires_at timestamp(3) with time zone,
  constraint file_content_uses_pkey PRIMARY KEY (tenant_id, content_id, object, object_id),
  constraint file_content_uses_object_check CHECK (((length(object) >= 1) AND (length(object) <= 60)))
);
CREATE INDEX file_content_uses_expiry_idx ON data.file_content_uses USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX file_content_uses_object_idx ON data.file_content_uses USING btree (tenant_id, object, object_id);
CREATE TRIGGER note_release AFTER DELETE ON data.file_content_uses FOR EACH ROW EXECUTE FUNCTION data.note_content_release();
CREATE TRIGGER note_use AFTER INSERT ON data.file_content_uses FOR EACH ROW EXECUTE FUNCTION data.note_content_use();
alter table data.file_content_uses enable row level security;
alter table data.file_content_uses force row level security;
create policy rows on data.file_content_uses as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.file_content_uses as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.file_content_uses to :app;
grant delete, insert, select, update on data.file_content_uses to :system;

create table data.file_contents (
  tenant_id uuid not null,
  id uuid not null,
  path text not null,
  sha256 text not null,
  size_bytes bigint not null,
  mime_type text not null,
  sealed_key text,
  stored_at timestamp(3) with time zone,
  is_unused boolean not null,
  kept_until timestamp(3) with time zone not null,
  removing_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint file_contents_pkey PRIMARY KEY (tenant_id, id),
  constraint file_contents_path_key UNIQUE (tenant_id, path),
  constraint file_contents_mime_type_check CHECK (((length(mime_type) >= 3) AND (length(mime_type) <= 127))),
  constraint file_contents_path_check CHECK ((path ~ '^[0-9a-f-]{36}/[0-9a-f]{64}$'::text)),
  constraint file_contents_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint file_contents_size_bytes_check CHECK ((size_bytes >= 0))
);
CREATE INDEX file_contents_unused_idx ON data.file_contents USING btree (kept_until) WHERE is_unused;
alter table data.file_contents enable row level security;
alter table data.file_contents force row level security;
create policy rows on data.file_contents as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.file_contents as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.file_contents to :app;
grant delete, insert, select, update on data.file_contents to :system;

create table data.file_scans (
  tenant_id uuid not null,
  file_id uuid not null,
  content_id uuid not null,
  attempts integer default 0 not null,
  due_at timestamp(3) with time zone not null,
  constraint file_scans_pkey PRIMARY KEY (tenant_id, file_id, content_id),
  constraint file_scans_attempts_check CHECK ((attempts >= 0))
);
CREATE INDEX file_scans_due_idx ON data.file_scans USING btree (due_at);
alter table data.file_scans enable row level security;
alter table data.file_scans force row level security;
create policy rows on data.file_scans as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.file_scans as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.file_scans to :app;
grant delete, insert, select, update on data.file_scans to :system;

create table data.file_uses (
  tenant_id uuid not null,
  file_id uuid not null,
  object text not null,
  record_id uuid not null,
  place text not null,
  constraint file_uses_pkey PRIMARY KEY (tenant_id, file_id, object, record_id, place),
  constraint file_uses_object_check CHECK (((length(object) >= 1) AND (length(object) <= 60))),
  constraint file_uses_place_check CHECK (((length(place) >= 1) AND (length(place) <= 100)))
);
CREATE INDEX file_uses_record_idx ON data.file_uses USING btree (tenant_id, record_id);
alter table data.file_uses enable row level security;
alter table data.file_uses force row level security;
create policy rows on data.file_uses as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.file_uses as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.file_uses to :app;
grant delete, insert, select, update on data.file_uses to :system;

create table data.finance_credit_notes (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  status text not null,
  number text collate "C",
  invoice_id uuid not null,
  account_id uuid,
  currency text not null,
  reason text not null,
  disposition text not null,
  tax_inclusive boolean not null,
  line_items jsonb not null,
  subtotal_minor bigint not null,
  discount_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  base_total_minor bigint,
  base_tax_minor bigint,
  tax_breakdown jsonb not null,
  issue_date date,
  applied_at timestamp(3) with time zone,
  voided_at timestamp(3) with time zone,
  void_reason text,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(number, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  sent_at timestamp(3) with time zone,
  sent_to jsonb default '[]'::jsonb not null,
  sent_message text,
  e_invoice jsonb,
  constraint finance_credit_notes_pkey PRIMARY KEY (tenant_id, id),
  constraint finance_credit_notes_number_key UNIQUE (tenant_id, number),
  constraint finance_credit_notes_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint finance_credit_notes_archived_at_check CHECK ((archived_at IS NULL)),
  constraint finance_credit_notes_check CHECK (((status = 'draft'::text) = (number IS NULL))),
  constraint finance_credit_notes_check1 CHECK (((status = 'draft'::text) OR ((issue_date IS NOT NULL) AND (base_total_minor IS NOT NULL) AND (base_tax_minor IS NOT NULL) AND (total_minor > 0) AND (deleted_at IS NULL)))),
  constraint finance_credit_notes_check2 CHECK (((status = 'applied'::text) = (applied_at IS NOT NULL))),
  constraint finance_credit_notes_check3 CHECK (((status = 'void'::text) = ((voided_at IS NOT NULL) AND (void_reason IS NOT NULL)))),
  constraint finance_credit_notes_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint finance_credit_notes_discount_minor_check CHECK (((discount_minor >= '-9007199254740991'::bigint) AND (discount_minor <= '9007199254740991'::bigint))),
  constraint finance_credit_notes_disposition_check CHECK ((disposition = ANY (ARRAY['reduce_balance'::text, 'refund'::text, 'account_credit'::text]))),
  constraint finance_credit_notes_line_items_check CHECK (
CASE jsonb_typeof(line_items)
    WHEN 'array'::text THEN (jsonb_array_length(line_items) <= 500)
    ELSE false
END),
  constraint finance_credit_notes_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint finance_credit_notes_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'issued'::text, 'applied'::text, 'void'::text]))),
  constraint finance_credit_notes_subtotal_minor_check CHECK (((subtotal_minor >= '-9007199254740991'::bigint) AND (subtotal_minor <= '9007199254740991'::bigint))),
  constraint finance_credit_notes_tax_minor_check CHECK (((tax_minor >= '-9007199254740991'::bigint) AND (tax_minor <= '9007199254740991'::bigint))),
  constraint finance_credit_notes_total_minor_check CHECK (((total_minor >= '-9007199254740991'::bigint) AND (total_minor <= '9007199254740991'::bigint))),
  constraint finance_credit_notes_version_check CHECK ((version > 0))
);
CREATE INDEX finance_credit_notes_account_id_filter_idx ON data.finance_credit_notes USING btree (tenant_id, account_id, created_at DESC, id DESC);
CREATE INDEX finance_credit_notes_filters_idx ON data.finance_credit_notes USING gin (tenant_id, currency, disposition);
CREATE INDEX finance_credit_notes_invoice_id_filter_idx ON data.finance_credit_notes USING btree (tenant_id, invoice_id, created_at DESC, id DESC);
CREATE INDEX finance_credit_notes_issue_date_down_idx ON data.finance_credit_notes USING btree (tenant_id, (
CASE
    WHEN (issue_date IS NULL) THEN '-infinity'::date
    ELSE issue_date
END) DESC, id DESC);
CREATE INDEX finance_credit_notes_issue_date_up_idx ON data.finance_credit_notes USING btree (tenant_id, (
CASE
    WHEN (issue_date IS NULL) THEN 'infinity'::date
    ELSE issue_date
END), id);
CREATE INDEX finance_credit_notes_name_sort_idx ON data.finance_credit_notes USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX finance_credit_notes_number_down_idx ON data.finance_credit_notes USING btree (tenant_id, (
CASE
    WHEN ((number COLLATE data.alphabet) IS NULL) THEN ''::text
    ELSE (number COLLATE data.alphabet)
END) DESC, id DESC);
CREATE INDEX finance_credit_notes_number_up_idx ON data.finance_credit_notes USING btree (tenant_id, (
CASE
    WHEN ((number COLLATE data.alphabet) IS NULL) THEN '􏿿'::text
    ELSE (number COLLATE data.alphabet)
END), id);
CREATE INDEX finance_credit_notes_owner_idx ON data.finance_credit_notes USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX finance_credit_notes_search_idx ON data.finance_credit_notes USING gin (tenant_id, search);
CREATE INDEX finance_credit_notes_status_filter_idx ON data.finance_credit_notes USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX finance_credit_notes_time_idx ON data.finance_credit_notes USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX finance_credit_notes_total_minor_sort_idx ON data.finance_credit_notes USING btree (tenant_id, total_minor, id);
CREATE INDEX finance_credit_notes_updated_at_sort_idx ON data.finance_credit_notes USING btree (tenant_id, updated_at, id);
CREATE INDEX finance_credit_notes_workspace_idx ON data.finance_credit_notes USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER account_id_lives AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN (((new.account_id IS NOT NULL) AND (new.account_id IS DISTINCT FROM old.account_id))) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE TRIGGER final BEFORE UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN ((old.status <> 'draft'::text)) EXECUTE FUNCTION data.refuse_credit_note_change();
CREATE TRIGGER held_change AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.finance_credit_notes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('finance.credit_note');
CREATE TRIGGER held_trash AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('finance.credit_note');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('finance.credit_note');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('finance.credit_note');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.finance_credit_notes FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('finance.credit_note');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.finance_credit_notes FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('finance.credit_note');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.finance_credit_notes FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('finance.credit_note');
CREATE TRIGGER keep_sources AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN (((old.status = ANY (ARRAY['issued'::text, 'applied'::text])) <> (new.status = ANY (ARRAY['issued'::text, 'applied'::text])))) EXECUTE FUNCTION data.keep_invoice_sources();
CREATE TRIGGER keep_tags AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('finance.credit_note');
CREATE TRIGGER new_account_id_lives AFTER INSERT ON data.finance_credit_notes FOR EACH ROW WHEN ((new.account_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE TRIGGER new_within_invoice AFTER INSERT ON data.finance_credit_notes FOR EACH ROW WHEN ((new.status = ANY (ARRAY['issued'::text, 'applied'::text]))) EXECUTE FUNCTION data.check_credit();
CREATE TRIGGER sum_of_project AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN (((old.status = ANY (ARRAY['issued'::text, 'applied'::text])) <> (new.status = ANY (ARRAY['issued'::text, 'applied'::text])))) EXECUTE FUNCTION data.sum_invoices();
CREATE TRIGGER use_new_tax_rates AFTER INSERT ON data.finance_credit_notes FOR EACH ROW WHEN (jsonb_path_exists(new.line_items, '$[*]."taxRateId"?(@ != null)'::jsonpath)) EXECUTE FUNCTION data.use_tax_rates();
CREATE TRIGGER use_tax_rates AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN (((new.line_items IS DISTINCT FROM old.line_items) AND jsonb_path_exists(new.line_items, '$[*]."taxRateId"?(@ != null)'::jsonpath))) EXECUTE FUNCTION data.use_tax_rates();
CREATE TRIGGER within_invoice AFTER UPDATE ON data.finance_credit_notes FOR EACH ROW WHEN (((new.status = ANY (ARRAY['issued'::text, 'applied'::text])) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION data.check_credit();
alter table data.finance_credit_notes enable row level security;
alter table data.finance_credit_notes force row level security;
create policy rows on data.finance_credit_notes as permissive for all to :app, :system using (true) with check (true);
create policy search on data.finance_credit_notes as permissive for select to :lookup using (true);
create policy tenant_isolation on data.finance_credit_notes as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.finance_credit_notes to :app;
grant delete, insert, select, update on data.finance_credit_notes to :system;
grant select (tenant_id, id, search) on data.finance_credit_notes to :lookup;

create table data.finance_invoice_sources (
  tenant_id uuid not null,
  object text not null,
  source_id uuid not null,
  invoice_id uuid not null,
  line_id uuid not null,
  constraint finance_invoice_sources_pkey PRIMARY KEY (tenant_id, object, source_id)
);
CREATE INDEX finance_invoice_sources_invoice_idx ON data.finance_invoice_sources USING btree (tenant_id, invoice_id);
alter table data.finance_invoice_sources enable row level security;
alter table data.finance_invoice_sources force row level security;
create policy rows on data.finance_invoice_sources as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.finance_invoice_sources as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.finance_invoice_sources to :app;
grant delete, insert, select on data.finance_invoice_sources to :system;

create table data.finance_invoices (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  number text collate "C",
  status text not null,
  account_id uuid,
  customer jsonb,
  seller jsonb,
  currency text not null,
  line_items jsonb not null,
  tax_inclusive boolean not null,
  subtotal_minor bigint not null,
  discount_minor bigint not null,
  net_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  tax_breakdown jsonb not null,
  amount_paid_minor bigint not null,
  amount_credited_minor bigint not null,
  written_off_minor bigint not null,
  balance_minor bigint not null,
  issue_date date,
  due_date date,
  payment_terms_days integer,
  po_number text,
  notes text,
  terms text,
  language text,
  deal_id uuid,
  project_id uuid,
  purchase_ref text,
  exchange_rate text,
  base_currency text,
  base_total_minor bigint,
  content_hash text,
  sent_at timestamp(3) with time zone,
  sent_to jsonb default '[]'::jsonb not null,
  sent_message text,
  paid_at timestamp(3) with time zone,
  voided_at timestamp(3) with time zone,
  void_reason text,
  overdue_at timestamp(3) with time zone,
  dunning_paused boolean not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((((((name || ' '::text) || reference) || ' '::text) || COALESCE(number, ''::text)) || ' '::text) || COALESCE(po_number, ''::text)) || ' '::text) || COALESCE((customer ->> 'name'::text), ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  viewed_at timestamp(3) with time zone,
  warnings jsonb default '[]'::jsonb not null,
  dunning_level integer default 0 not null,
  dunning_last_sent_at timestamp(3) with time zone,
  dunning_next_at timestamp(3) with time zone,
  dunning_not_sent_reason text,
  proposal_id uuid,
  e_invoice jsonb,
  constraint finance_invoices_pkey PRIMARY KEY (tenant_id, id),
  constraint finance_invoices_currency_key UNIQUE (tenant_id, id, currency),
  constraint finance_invoices_number_key UNIQUE (tenant_id, number),
  constraint finance_invoices_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint finance_invoices_amount_credited_minor_check CHECK (((amount_credited_minor >= 0) AND (amount_credited_minor <= '9007199254740991'::bigint))),
  constraint finance_invoices_amount_paid_minor_check CHECK (((amount_paid_minor >= 0) AND (amount_paid_minor <= '9007199254740991'::bigint))),
  constraint finance_invoices_archived_at_check CHECK ((archived_at IS NULL)),
  constraint finance_invoices_balance_minor_check CHECK (((balance_minor >= '-9007199254740991'::bigint) AND (balance_minor <= '9007199254740991'::bigint))),
  constraint finance_invoices_check CHECK (((net_minor + tax_minor) = total_minor)),
  constraint finance_invoices_check1 CHECK ((balance_minor = (((total_minor - amount_paid_minor) - amount_credited_minor) - written_off_minor))),
  constraint finance_invoices_check10 CHECK (((status = 'void'::text) = ((voided_at IS NOT NULL) AND (void_reason IS NOT NULL)))),
  constraint finance_invoices_check11 CHECK (((status = 'draft'::text) OR (exchange_rate IS NOT NULL) OR (base_total_minor = total_minor))),
  constraint finance_invoices_check12 CHECK (((dunning_next_at IS NULL) OR ((status = ANY (ARRAY['issued'::text, 'partially_paid'::text, 'overdue'::text])) AND (NOT dunning_paused)))),
  constraint finance_invoices_check2 CHECK (((status = 'draft'::text) OR (balance_minor >= 0))),
  constraint finance_invoices_check3 CHECK (((status = 'draft'::text) = (number IS NULL))),
  constraint finance_invoices_check4 CHECK (((status = 'draft'::text) OR ((issue_date IS NOT NULL) AND (due_date IS NOT NULL) AND (due_date >= issue_date) AND (customer IS NOT NULL) AND (seller IS NOT NULL) AND (content_hash IS NOT NULL) AND (base_currency IS NOT NULL) AND (base_total_minor IS NOT NULL) AND (overdue_at IS NOT NULL) AND (deleted_at IS NULL) AND (jsonb_array_length(line_items) > 0)))),
  constraint finance_invoices_check5 CHECK (((status <> 'draft'::text) OR ((amount_paid_minor = 0) AND (amount_credited_minor = 0) AND (written_off_minor = 0)))),
  constraint finance_invoices_check6 CHECK (((status <> ALL (ARRAY['issued'::text, 'partially_paid'::text, 'overdue'::text])) OR ((balance_minor > 0) AND (written_off_minor = 0)))),
  constraint finance_invoices_check7 CHECK (((status <> 'paid'::text) OR (balance_minor = 0))),
  constraint finance_invoices_check8 CHECK (((status = 'uncollectible'::text) = (written_off_minor > 0))),
  constraint finance_invoices_check9 CHECK (((status <> 'void'::text) OR ((amount_paid_minor = 0) AND (amount_credited_minor = 0)))),
  constraint finance_invoices_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint finance_invoices_discount_minor_check CHECK (((discount_minor >= '-9007199254740991'::bigint) AND (discount_minor <= '9007199254740991'::bigint))),
  constraint finance_invoices_dunning_level_check CHECK (((dunning_level >= 0) AND (dunning_level <= 10))),
  constraint finance_invoices_dunning_not_sent_reason_check CHECK ((dunning_not_sent_reason = 'recipient_missing'::text)),
  constraint finance_invoices_line_items_check CHECK ((jsonb_array_length(line_items) <= 500)),
  constraint finance_invoices_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint finance_invoices_net_minor_check CHECK (((net_minor >= '-9007199254740991'::bigint) AND (net_minor <= '9007199254740991'::bigint))),
  constraint finance_invoices_payment_terms_days_check CHECK (((payment_terms_days >= 0) AND (payment_terms_days <= 3650))),
  constraint finance_invoices_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'issued'::text, 'partially_paid'::text, 'overdue'::text, 'paid'::text, 'void'::text, 'uncollectible'::text]))),
  constraint finance_invoices_subtotal_minor_check CHECK (((subtotal_minor >= '-9007199254740991'::bigint) AND (subtotal_minor <= '9007199254740991'::bigint))),
  constraint finance_invoices_tax_minor_check CHECK (((tax_minor >= '-9007199254740991'::bigint) AND (tax_minor <= '9007199254740991'::bigint))),
  constraint finance_invoices_total_minor_check CHECK (((total_minor >= '-9007199254740991'::bigint) AND (total_minor <= '9007199254740991'::bigint))),
  constraint finance_invoices_version_check CHECK ((version > 0)),
  constraint finance_invoices_warnings_check CHECK ((jsonb_typeof(warnings) = 'array'::text)),
  constraint finance_invoices_written_off_minor_check CHECK (((written_off_minor >= 0) AND (written_off_minor <= '9007199254740991'::bigint)))
);
CREATE INDEX finance_invoices_account_id_filter_idx ON data.finance_invoices USING btree (tenant_id, account_id, created_at DESC, id DESC);
CREATE INDEX finance_invoices_balance_minor_sort_idx ON data.finance_invoices USING btree (tenant_id, balance_minor, id);
CREATE INDEX finance_invoices_deal_id_filter_idx ON data.finance_invoices USING btree (tenant_id, deal_id, created_at DESC, id DESC);
CREATE INDEX finance_invoices_due_date_down_idx ON data.finance_invoices USING btree (tenant_id, (
CASE
    WHEN (due_date IS NULL) THEN '-infinity'::date
    ELSE due_date
END) DESC, id DESC);
CREATE INDEX finance_invoices_due_date_filter_idx ON data.finance_invoices USING btree (tenant_id, due_date, created_at DESC, id DESC);
CREATE INDEX finance_invoices_due_date_up_idx ON data.finance_invoices USING btree (tenant_id, (
CASE
    WHEN (due_date IS NULL) THEN 'infinity'::date
    ELSE due_date
END), id);
CREATE INDEX finance_invoices_filters_idx ON data.finance_invoices USING gin (tenant_id, currency);
CREATE INDEX finance_invoices_issue_date_down_idx ON data.finance_invoices USING btree (tenant_id, (
CASE
    WHEN (issue_date IS NULL) THEN '-infinity'::date
    ELSE issue_date
END) DESC, id DESC);
CREATE INDEX finance_invoices_issue_date_filter_idx ON data.finance_invoices USING btree (tenant_id, issue_date, created_at DESC, id DESC);
CREATE INDEX finance_invoices_issue_date_metric_idx ON data.finance_invoices USING btree (tenant_id, issue_date) INCLUDE (status, overdue_at, currency, total_minor, deleted_at) WHERE (issue_date IS NOT NULL);
CREATE INDEX finance_invoices_issue_date_up_idx ON data.finance_invoices USING btree (tenant_id, (
CASE
    WHEN (issue_date IS NULL) THEN 'infinity'::date
    ELSE issue_date
END), id);
CREATE INDEX finance_invoices_name_sort_idx ON data.finance_invoices USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX finance_invoices_number_down_idx ON data.finance_invoices USING btree (tenant_id, (
CASE
    WHEN ((number COLLATE data.alphabet) IS NULL) THEN ''::text
    ELSE (number COLLATE data.alphabet)
END) DESC, id DESC);
CREATE INDEX finance_invoices_number_up_idx ON data.finance_invoices USING btree (tenant_id, (
CASE
    WHEN ((number COLLATE data.alphabet) IS NULL) THEN '􏿿'::text
    ELSE (number COLLATE data.alphabet)
END), id);
CREATE INDEX finance_invoices_owner_idx ON data.finance_invoices USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX finance_invoices_paid_at_metric_idx ON data.finance_invoices USING btree (tenant_id, paid_at) INCLUDE (status, overdue_at, issue_date, due_date, deleted_at) WHERE (paid_at IS NOT NULL);
CREATE INDEX finance_invoices_project_id_filter_idx ON data.finance_invoices USING btree (tenant_id, project_id, created_at DESC, id DESC);
CREATE INDEX finance_invoices_proposal_id_filter_idx ON data.finance_invoices USING btree (tenant_id, proposal_id, created_at DESC, id DESC);
CREATE INDEX finance_invoices_search_idx ON data.finance_invoices USING gin (tenant_id, search);
CREATE INDEX finance_invoices_sent_at_filter_idx ON data.finance_invoices USING btree (tenant_id, sent_at, created_at DESC, id DESC);
CREATE INDEX finance_invoices_status_filter_idx ON data.finance_invoices USING btree (tenant_id, status, created_at DESC, id DESC) INCLUDE (overdue_at, currency, balance_minor, deleted_at, archived_at);
CREATE INDEX finance_invoices_time_idx ON data.finance_invoices USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX finance_invoices_total_minor_sort_idx ON data.finance_invoices USING btree (tenant_id, total_minor, id);
CREATE INDEX finance_invoices_updated_at_sort_idx ON data.finance_invoices USING btree (tenant_id, updated_at, id);
CREATE INDEX finance_invoices_workspace_idx ON data.finance_invoices USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER account_id_lives AFTER UPDATE ON data.finance_invoices FOR EACH ROW WHEN (((new.account_id IS NOT NULL) AND (new.account_id IS DISTINCT FROM old.account_id))) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE TRIGGER finance_invoices_locked BEFORE UPDATE ON data.finance_invoices FOR EACH ROW WHEN ((old.status <> 'draft'::text)) EXECUTE FUNCTION data.refuse_document_change();
CREATE TRIGGER held_change AFTER UPDATE ON data.finance_invoices FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.finance_invoices REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('finance.invoice');
CREATE TRIGGER held_trash AFTER UPDATE ON data.finance_invoices FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('finance.invoice');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.finance_invoices FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('finance.invoice');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.finance_invoices FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('finance.invoice');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.finance_invoices FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('finance.invoice');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.finance_invoices FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('finance.invoice');
CREATE TRIGGER keep_new_sources AFTER INSERT ON data.finance_invoices FOR EACH ROW EXECUTE FUNCTION data.keep_invoice_sources();
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.finance_invoices FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('finance.invoice');
CREATE TRIGGER keep_sources AFTER UPDATE ON data.finance_invoices FOR EACH ROW WHEN (((new.line_items IS DISTINCT FROM old.line_items) OR (new.status IS DISTINCT FROM old.status) OR (new.deleted_at IS DISTINCT FROM old.deleted_at))) EXECUTE FUNCTION data.keep_invoice_sources();
CREATE TRIGGER keep_tags AFTER UPDATE ON data.finance_invoices FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('finance.invoice');
CREATE TRIGGER new_account_id_lives AFTER INSERT ON data.finance_invoices FOR EACH ROW WHEN ((new.account_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE CONSTRAINT TRIGGER payments_add_up AFTER INSERT OR UPDATE OF amount_paid_minor ON data.finance_invoices DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION data.check_allocations('invoice');
CREATE TRIGGER sum_of_project AFTER UPDATE ON data.finance_invoices FOR EACH ROW WHEN (((new.project_id IS NOT NULL) AND ((old.status = ANY (ARRAY['draft'::text, 'void'::text])) <> (new.status = ANY (ARRAY['draft'::text, 'void'::text]))))) EXECUTE FUNCTION data.sum_invoices();
CREATE TRIGGER use_new_tax_rates AFTER INSERT ON data.finance_invoices FOR EACH ROW WHEN (jsonb_path_exists(new.line_items, '$[*]."taxRateId"?(@ != null)'::jsonpath)) EXECUTE FUNCTION data.use_tax_rates();
CREATE TRIGGER use_tax_rates AFTER UPDATE ON data.finance_invoices FOR EACH ROW WHEN (((new.line_items IS DISTINCT FROM old.line_items) AND jsonb_path_exists(new.line_items, '$[*]."taxRateId"?(@ != null)'::jsonpath))) EXECUTE FUNCTION data.use_tax_rates();
CREATE TRIGGER void_without_credit BEFORE UPDATE ON data.finance_invoices FOR EACH ROW WHEN (((new.status = 'void'::text) AND (old.status <> 'void'::text))) EXECUTE FUNCTION data.refuse_void_with_credit();
alter table data.finance_invoices enable row level security;
alter table data.finance_invoices force row level security;
create policy rows on data.finance_invoices as permissive for all to :app, :system using (true) with check (true);
create policy search on data.finance_invoices as permissive for select to :lookup using (true);
create policy tenant_isolation on data.finance_invoices as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.finance_invoices to :app;
grant delete, insert, select, update on data.finance_invoices to :system;
grant select (tenant_id, id, search) on data.finance_invoices to :lookup;

create table data.finance_ledger_entries (
  tenant_id uuid not null,
  id uuid not null,
  journal_id uuid not null,
  entry_date date not null,
  account_code text not null,
  debit_minor bigint not null,
  credit_minor bigint not null,
  currency text not null,
  base_minor bigint not null,
  account_id uuid,
  invoice_id uuid,
  source_object text not null,
  source_id uuid not null,
  created_at timestamp(3) with time zone not null,
  sample boolean default false not null,
  constraint finance_ledger_entries_pkey PRIMARY KEY (tenant_id, id),
  constraint finance_ledger_entries_account_code_check CHECK ((account_code = ANY (ARRAY['bad_debt'::text, 'cash'::text, 'customer_credit'::text, 'exchange_difference'::text, 'payable'::text, 'receivable'::text, 'revenue'::text, 'tax'::text]))),
  constraint finance_ledger_entries_base_minor_check CHECK (((base_minor >= '-9007199254740991'::bigint) AND (base_minor <= '9007199254740991'::bigint))),
  constraint finance_ledger_entries_check CHECK (((debit_minor = 0) OR (credit_minor = 0))),
  constraint finance_ledger_entries_check1 CHECK (((debit_minor <> 0) OR (credit_minor <> 0) OR (base_minor <> 0))),
  constraint finance_ledger_entries_check2 CHECK (((account_code <> 'receivable'::text) OR (invoice_id IS NOT NULL))),
  constraint finance_ledger_entries_credit_minor_check CHECK (((credit_minor >= 0) AND (credit_minor <= '9007199254740991'::bigint))),
  constraint finance_ledger_entries_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint finance_ledger_entries_debit_minor_check CHECK (((debit_minor >= 0) AND (debit_minor <= '9007199254740991'::bigint)))
);
CREATE INDEX finance_ledger_entries_account_code_idx ON data.finance_ledger_entries USING btree (tenant_id, account_code, entry_date DESC, id DESC);
CREATE INDEX finance_ledger_entries_account_idx ON data.finance_ledger_entries USING btree (tenant_id, account_id, entry_date DESC, id DESC);
CREATE INDEX finance_ledger_entries_date_idx ON data.finance_ledger_entries USING btree (tenant_id, entry_date, id);
CREATE INDEX finance_ledger_entries_filters_idx ON data.finance_ledger_entries USING gin (tenant_id, currency, source_object);
CREATE INDEX finance_ledger_entries_invoice_idx ON data.finance_ledger_entries USING btree (tenant_id, invoice_id, entry_date);
CREATE INDEX finance_ledger_entries_journal_idx ON data.finance_ledger_entries USING btree (tenant_id, journal_id);
CREATE INDEX finance_ledger_entries_source_idx ON data.finance_ledger_entries USING btree (tenant_id, source_id, entry_date DESC, id DESC);
CREATE INDEX finance_ledger_entries_time_idx ON data.finance_ledger_entries USING btree (tenant_id, created_at, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON data.finance_ledger_entries FOR EACH ROW EXECUTE FUNCTION data.refuse_ledger_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON data.finance_ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_ledger_change();
CREATE TRIGGER in_balance AFTER INSERT ON data.finance_ledger_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION data.check_journals();
alter table data.finance_ledger_entries enable row level security;
alter table data.finance_ledger_entries force row level security;
create policy rows on data.finance_ledger_entries as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.finance_ledger_entries as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.finance_ledger_entries to :app;
grant delete, insert, select on data.finance_ledger_entries to :system;

create table data.finance_payment_allocations (
  tenant_id uuid not null,
  payment_id uuid not null,
  invoice_id uuid not null,
  currency text not null,
  amount_minor bigint not null,
  created_at timestamp(3) with time zone not null,
  constraint finance_payment_allocations_pkey PRIMARY KEY (tenant_id, payment_id, invoice_id),
  constraint finance_payment_allocations_amount_minor_check CHECK ((amount_minor > 0))
);
CREATE INDEX finance_payment_allocations_invoice_idx ON data.finance_payment_allocations USING btree (tenant_id, invoice_id, created_at);
CREATE CONSTRAINT TRIGGER adds_up AFTER INSERT OR DELETE OR UPDATE ON data.finance_payment_allocations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION data.check_allocations('allocation');
alter table data.finance_payment_allocations enable row level security;
alter table data.finance_payment_allocations force row level security;
create policy rows on data.finance_payment_allocations as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.finance_payment_allocations as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.finance_payment_allocations to :app;
grant delete, insert, select, update on data.finance_payment_allocations to :system;

create table data.finance_payments (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  status text not null,
  account_id uuid,
  direction text not null,
  amount_minor bigint not null,
  allocated_minor bigint not null,
  refunded_minor bigint not null,
  currency text not null,
  exchange_rate text,
  method text not null,
  received_date date not null,
  payment_reference text,
  provider_name text,
  provider_id text,
  allocations jsonb not null,
  settled_at timestamp(3) with time zone,
  reason text,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(payment_reference, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint finance_payments_pkey PRIMARY KEY (tenant_id, id),
  constraint finance_payments_currency_key UNIQUE (tenant_id, id, currency),
  constraint finance_payments_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint finance_payments_allocated_minor_check CHECK ((allocated_minor >= 0)),
  constraint finance_payments_amount_minor_check CHECK (((amount_minor >= 1) AND (amount_minor <= '9007199254740991'::bigint))),
  constraint finance_payments_check CHECK (((direction = 'incoming'::text) OR (allocated_minor = 0))),
  constraint finance_payments_check1 CHECK (((status = ANY (ARRAY['succeeded'::text, 'partially_refunded'::text, 'refunded'::text])) OR ((allocated_minor = 0) AND (refunded_minor = 0)))),
  constraint finance_payments_check2 CHECK (((status = 'pending'::text) = (settled_at IS NULL))),
  constraint finance_payments_check3 CHECK (((status = 'refunded'::text) = (refunded_minor = amount_minor))),
  constraint finance_payments_check4 CHECK (((status = 'partially_refunded'::text) = ((refunded_minor > 0) AND (refunded_minor < amount_minor)))),
  constraint finance_payments_check5 CHECK (((provider_name IS NULL) = (provider_id IS NULL))),
  constraint finance_payments_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint finance_payments_direction_check CHECK ((direction = ANY (ARRAY['incoming'::text, 'outgoing'::text]))),
  constraint finance_payments_method_check CHECK ((method = ANY (ARRAY['bank_transfer'::text, 'card'::text, 'cash'::text, 'cheque'::text, 'direct_debit'::text, 'other'::text]))),
  constraint finance_payments_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint finance_payments_refunded_minor_check CHECK ((refunded_minor >= 0)),
  constraint finance_payments_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'partially_refunded'::text, 'refunded'::text]))),
  constraint finance_payments_version_check CHECK ((version > 0)),
  constraint finance_payments_within CHECK (((allocated_minor + refunded_minor) <= amount_minor))
);
CREATE INDEX finance_payments_account_id_filter_idx ON data.finance_payments USING btree (tenant_id, account_id, created_at DESC, id DESC);
CREATE INDEX finance_payments_amount_minor_sort_idx ON data.finance_payments USING btree (tenant_id, amount_minor, id);
CREATE INDEX finance_payments_filters_idx ON data.finance_payments USING gin (tenant_id, direction, method, currency, payment_reference, provider_id);
CREATE INDEX finance_payments_name_sort_idx ON data.finance_payments USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX finance_payments_owner_idx ON data.finance_payments USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX finance_payments_received_date_sort_idx ON data.finance_payments USING btree (tenant_id, received_date, id) INCLUDE (direction, status, currency, amount_minor, refunded_minor, deleted_at, archived_at);
CREATE INDEX finance_payments_search_idx ON data.finance_payments USING gin (tenant_id, search);
CREATE INDEX finance_payments_settled_at_filter_idx ON data.finance_payments USING btree (tenant_id, settled_at, created_at DESC, id DESC);
CREATE INDEX finance_payments_status_filter_idx ON data.finance_payments USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX finance_payments_time_idx ON data.finance_payments USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX finance_payments_updated_at_sort_idx ON data.finance_payments USING btree (tenant_id, updated_at, id);
CREATE INDEX finance_payments_workspace_idx ON data.finance_payments USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX finance_payments_provider_once ON data.finance_payments USING btree (tenant_id, provider_name, provider_id) WHERE (provider_id IS NOT NULL);
CREATE TRIGGER account_id_lives AFTER UPDATE ON data.finance_payments FOR EACH ROW WHEN (((new.account_id IS NOT NULL) AND (new.account_id IS DISTINCT FROM old.account_id))) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE CONSTRAINT TRIGGER allocations_add_up AFTER INSERT OR UPDATE OF allocated_minor ON data.finance_payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION data.check_allocations('payment');
CREATE TRIGGER final BEFORE UPDATE ON data.finance_payments FOR EACH ROW WHEN ((old.status <> 'pending'::text)) EXECUTE FUNCTION data.refuse_payment_change();
CREATE TRIGGER held_change AFTER UPDATE ON data.finance_payments FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.finance_payments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('finance.payment');
CREATE TRIGGER held_trash AFTER UPDATE ON data.finance_payments FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('finance.payment');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.finance_payments FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('finance.payment');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.finance_payments FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('finance.payment');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.finance_payments FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('finance.payment');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.finance_payments FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('finance.payment');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.finance_payments FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('finance.payment');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.finance_payments FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('finance.payment');
CREATE TRIGGER new_account_id_lives AFTER INSERT ON data.finance_payments FOR EACH ROW WHEN ((new.account_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
alter table data.finance_payments enable row level security;
alter table data.finance_payments force row level security;
create policy rows on data.finance_payments as permissive for all to :app, :system using (true) with check (true);
create policy search on data.finance_payments as permissive for select to :lookup using (true);
create policy tenant_isolation on data.finance_payments as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.finance_payments to :app;
grant delete, insert, select, update on data.finance_payments to :system;
grant select (tenant_id, id, search) on data.finance_payments to :lookup;

create table data.finance_tax_rates (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  percent integer not null,
  country text,
  region text,
  code text,
  kind text not null,
  used_at timestamp(3) with time zone,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((((name || ' '::text) || reference) || ' '::text) || COALESCE(code, ''::text)) || ' '::text) || COALESCE(country, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint finance_tax_rates_pkey PRIMARY KEY (tenant_id, id),
  constraint finance_tax_rates_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint finance_tax_rates_kind_check CHECK ((kind = ANY (ARRAY['standard'::text, 'reduced'::text, 'zero'::text, 'exempt'::text, 'reverse_charge'::text]))),
  constraint finance_tax_rates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint finance_tax_rates_percent_check CHECK (((percent >= 0) AND (percent <= 1000000))),
  constraint finance_tax_rates_version_check CHECK ((version > 0))
);
CREATE INDEX finance_tax_rates_filters_idx ON data.finance_tax_rates USING gin (tenant_id, kind, country, code);
CREATE INDEX finance_tax_rates_name_sort_idx ON data.finance_tax_rates USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX finance_tax_rates_owner_idx ON data.finance_tax_rates USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX finance_tax_rates_search_idx ON data.finance_tax_rates USING gin (tenant_id, search);
CREATE INDEX finance_tax_rates_time_idx ON data.finance_tax_rates USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX finance_tax_rates_updated_at_sort_idx ON data.finance_tax_rates USING btree (tenant_id, updated_at, id);
CREATE INDEX finance_tax_rates_workspace_idx ON data.finance_tax_rates USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.finance_tax_rates FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.finance_tax_rates REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('finance.tax_rate');
CREATE TRIGGER held_trash AFTER UPDATE ON data.finance_tax_rates FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('finance.tax_rate');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.finance_tax_rates FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('finance.tax_rate');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.finance_tax_rates FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('finance.tax_rate');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.finance_tax_rates FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('finance.tax_rate');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.finance_tax_rates FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('finance.tax_rate');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.finance_tax_rates FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('finance.tax_rate');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.finance_tax_rates FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('finance.tax_rate');
CREATE TRIGGER percent_fixed BEFORE UPDATE ON data.finance_tax_rates FOR EACH ROW EXECUTE FUNCTION data.keep_percent();
alter table data.finance_tax_rates enable row level security;
alter table data.finance_tax_rates force row level security;
create policy rows on data.finance_tax_rates as permissive for all to :app, :system using (true) with check (true);
create policy search on data.finance_tax_rates as permissive for select to :lookup using (true);
create policy tenant_isolation on data.finance_tax_rates as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.finance_tax_rates to :app;
grant delete, insert, select, update on data.finance_tax_rates to :system;
grant select (tenant_id, id, search) on data.finance_tax_rates to :lookup;

create table data.home_announcements (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  title text not null,
  body text not null,
  until timestamp(3) with time zone,
  workspace_id uuid,
  created_by jsonb not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint home_announcements_pkey PRIMARY KEY (tenant_id, id),
  constraint home_announcements_body_check CHECK (((length(body) >= 1) AND (length(body) <= 10000))),
  constraint home_announcements_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200))),
  constraint home_announcements_version_check CHECK ((version > 0))
);
CREATE INDEX home_announcements_created_idx ON data.home_announcements USING btree (tenant_id, created_at, id);
CREATE INDEX home_announcements_workspace_idx ON data.home_announcements USING btree (tenant_id, workspace_id, created_at, id) WHERE (workspace_id IS NOT NULL);
alter table data.home_announcements enable row level security;
alter table data.home_announcements force row level security;
create policy rows on data.home_announcements as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.home_announcements as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.home_announcements to :app;
grant delete, insert, select, update on data.home_announcements to :system;

create table data.home_approvals (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  gate text not null,
  operation text not null,
  action text not null,
  target_object text not null,
  target_id uuid not null,
  target_version integer not null,
  target_name text not null,
  input jsonb not null,
  requester jsonb not null,
  requester_person uuid not null,
  rule jsonb not null,
  decisions jsonb not null,
  status text not null,
  expires_at timestamp(3) with time zone not null,
  closed_at timestamp(3) with time zone,
  failure jsonb,
  requester_behind uuid not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(target_name, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint approvals_pkey PRIMARY KEY (tenant_id, id),
  constraint approvals_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint approvals_check CHECK (((status = ANY (ARRAY['pending'::text, 'approved'::text])) = (closed_at IS NULL))),
  constraint approvals_check1 CHECK (((status = 'failed'::text) = (failure IS NOT NULL))),
  constraint approvals_check2 CHECK (((status <> ALL (ARRAY['approved'::text, 'executed'::text, 'failed'::text, 'rejected'::text])) OR (jsonb_array_length(decisions) > 0))),
  constraint approvals_check3 CHECK ((expires_at >= created_at)),
  constraint approvals_decisions_check CHECK (((jsonb_typeof(decisions) = 'array'::text) AND (jsonb_array_length(decisions) <= 5))),
  constraint approvals_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint approvals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'executed'::text, 'failed'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text]))),
  constraint approvals_target_version_check CHECK ((target_version > 0)),
  constraint approvals_version_check CHECK ((version > 0))
);
CREATE INDEX approvals_expires_at_sort_idx ON data.home_approvals USING btree (tenant_id, expires_at, id);
CREATE INDEX approvals_gate_filter_idx ON data.home_approvals USING btree (tenant_id, gate, created_at DESC, id DESC);
CREATE INDEX approvals_name_sort_idx ON data.home_approvals USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX approvals_owner_idx ON data.home_approvals USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX approvals_requester_person_filter_idx ON data.home_approvals USING btree (tenant_id, requester_person, created_at DESC, id DESC);
CREATE INDEX approvals_status_filter_idx ON data.home_approvals USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX approvals_target_id_filter_idx ON data.home_approvals USING btree (tenant_id, target_id, created_at DESC, id DESC);
CREATE INDEX approvals_time_idx ON data.home_approvals USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX approvals_updated_at_sort_idx ON data.home_approvals USING btree (tenant_id, updated_at, id);
CREATE INDEX approvals_workspace_idx ON data.home_approvals USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE INDEX home_approvals_search_idx ON data.home_approvals USING gin (tenant_id, search);
CREATE UNIQUE INDEX approvals_pending_key ON data.home_approvals USING btree (tenant_id, target_object, target_id, action) WHERE (status = 'pending'::text);
CREATE TRIGGER held_change AFTER UPDATE ON data.home_approvals FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.home_approvals REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('core.approval');
CREATE TRIGGER held_trash AFTER UPDATE ON data.home_approvals FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('core.approval');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.home_approvals FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('core.approval');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.home_approvals FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('core.approval');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.home_approvals FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('core.approval');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.home_approvals FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('core.approval');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.home_approvals FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('core.approval');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.home_approvals FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('core.approval');
alter table data.home_approvals enable row level security;
alter table data.home_approvals force row level security;
create policy rows on data.home_approvals as permissive for all to :app, :system using (true) with check (true);
create policy search on data.home_approvals as permissive for select to :lookup using (true);
create policy tenant_isolation on data.home_approvals as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.home_approvals to :app;
grant delete, insert, select, update on data.home_approvals to :system;
grant select (tenant_id, id, search) on data.home_approvals to :lookup;

create table data.home_pages (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  favourites jsonb not null,
  layout jsonb not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint home_pages_pkey PRIMARY KEY (tenant_id, id),
  constraint home_pages_favourites_check CHECK ((jsonb_typeof(favourites) = 'array'::text)),
  constraint home_pages_layout_check CHECK ((jsonb_typeof(layout) = 'array'::text)),
  constraint home_pages_version_check CHECK ((version > 0))
);
alter table data.home_pages enable row level security;
alter table data.home_pages force row level security;
create policy rows on data.home_pages as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.home_pages as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.home_pages to :app;
grant insert, select, update on data.home_pages to :system;

create table data.idempotency_keys (
  tenant_id uuid not null,
  lineage_id uuid not null,
  operation text not null,
  key text not null,
  fingerprint bytea not null,
  owner uuid not null,
  request_id text not null,
  locked_until timestamp(3) with time zone not null,
  completed_at timestamp(3) with time zone,
  status integer,
  headers jsonb,
  body text,
  terms jsonb,
  constraint idempotency_keys_pkey PRIMARY KEY (tenant_id, lineage_id, operation, key),
  constraint idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);
CREATE INDEX idempotency_keys_done_idx ON data.idempotency_keys USING btree (completed_at, locked_until);
alter table data.idempotency_keys enable row level security;
alter table data.idempotency_keys force row level security;
create policy rows on data.idempotency_keys as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.idempotency_keys as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.idempotency_keys to :app;
grant delete, select on data.idempotency_keys to :system;
grant update (body, terms) on data.idempotency_keys to :system;

create table data.import_faults (
  tenant_id uuid not null,
  id uuid not null,
  import_id uuid not null,
  "row" integer not null,
  column_name text,
  code text not null,
  message text not null,
  created_at timestamp(3) with time zone not null,
  constraint import_faults_pkey PRIMARY KEY (tenant_id, id),
  constraint import_faults_code_check CHECK (((length(code) >= 1) AND (length(code) <= 100))),
  constraint import_faults_column_name_check CHECK ((length(column_name) <= 200)),
  constraint import_faults_message_check CHECK ((length(message) <= 1000)),
  constraint import_faults_row_check CHECK (("row" > 0))
);
CREATE INDEX import_faults_row_idx ON data.import_faults USING btree (tenant_id, import_id, "row", id);
alter table data.import_faults enable row level security;
alter table data.import_faults force row level security;
create policy rows on data.import_faults as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.import_faults as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.import_faults to :app;
grant delete, insert, select on data.import_faults to :system;

create table data.import_records (
  tenant_id uuid not null,
  import_id uuid not null,
  "row" integer not null,
  record_id uuid not null,
  version integer not null,
  before jsonb,
  constraint import_records_pkey PRIMARY KEY (tenant_id, import_id, "row"),
  constraint import_records_before_check CHECK ((jsonb_typeof(before) = 'object'::text)),
  constraint import_records_row_check CHECK (("row" > 0)),
  constraint import_records_version_check CHECK ((version > 0))
);
CREATE INDEX import_records_record_idx ON data.import_records USING btree (tenant_id, record_id);
alter table data.import_records enable row level security;
alter table data.import_records force row level security;
create policy rows on data.import_records as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.import_records as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.import_records to :app;
grant delete, insert, select on data.import_records to :system;

create table data.imports (
  tenant_id uuid not null,
  id uuid not null,
  record_type text not null,
  file_id uuid not null,
  format text not null,
  mapping jsonb not null,
  mode text not null,
  upsert_by text,
  locale text not null,
  status text not null,
  columns jsonb not null,
  results jsonb not null,
  error jsonb,
  job_id uuid,
  requester_id uuid not null,
  rollback_until timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  guarantor jsonb not null,
  requester jsonb not null,
  scopes jsonb,
  content_id uuid not null,
  source jsonb not null,
  rows_id uuid,
  refused_id uuid,
  offsets jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint imports_pkey PRIMARY KEY (tenant_id, id),
  constraint imports_columns_check CHECK ((jsonb_typeof(columns) = 'array'::text)),
  constraint imports_error CHECK (((error IS NULL) OR (status = 'failed'::text))),
  constraint imports_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'ndjson'::text]))),
  constraint imports_key CHECK (((mode = 'create'::text) OR (upsert_by IS NOT NULL))),
  constraint imports_locale_check CHECK (((length(locale) >= 2) AND (length(locale) <= 35))),
  constraint imports_mapping_check CHECK ((jsonb_typeof(mapping) = 'object'::text)),
  constraint imports_mode_check CHECK ((mode = ANY (ARRAY['create'::text, 'update'::text, 'upsert'::text]))),
  constraint imports_offsets_check CHECK ((jsonb_typeof(offsets) = 'array'::text)),
  constraint imports_record_type_check CHECK (((length(record_type) >= 3) AND (length(record_type) <= 60))),
  constraint imports_results_check CHECK ((jsonb_typeof(results) = 'object'::text)),
  constraint imports_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'validating'::text, 'validated'::text, 'running'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'rolling_back'::text, 'rolled_back'::text]))),
  constraint imports_upsert_by_check CHECK (((length(upsert_by) >= 1) AND (length(upsert_by) <= 120))),
  constraint imports_version_check CHECK ((version > 0))
);
CREATE INDEX imports_expiry_idx ON data.imports USING btree (tenant_id, expires_at);
CREATE INDEX imports_requester_idx ON data.imports USING btree (tenant_id, requester_id, created_at DESC, id DESC);
alter table data.imports enable row level security;
alter table data.imports force row level security;
create policy rows on data.imports as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.imports as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.imports to :app;
grant delete, insert, select, update on data.imports to :system;

create table data.intelligence_agent_versions (
  tenant_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  agent_version integer not null,
  instructions text,
  provider text,
  model text,
  parameters jsonb not null,
  tools jsonb not null,
  grants jsonb not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  constraint intelligence_agent_versions_pkey PRIMARY KEY (tenant_id, id),
  constraint intelligence_agent_versions_number_key UNIQUE (tenant_id, agent_id, agent_version),
  constraint intelligence_agent_versions_agent_version_check CHECK ((agent_version > 0)),
  constraint intelligence_agent_versions_grants_check CHECK ((jsonb_typeof(grants) = 'array'::text)),
  constraint intelligence_agent_versions_instructions_check CHECK ((length(instructions) <= 20000)),
  constraint intelligence_agent_versions_model_check CHECK (((length(model) >= 1) AND (length(model) <= 100))),
  constraint intelligence_agent_versions_parameters_check CHECK ((jsonb_typeof(parameters) = 'object'::text)),
  constraint intelligence_agent_versions_provider_check CHECK (((length(provider) >= 1) AND (length(provider) <= 100))),
  constraint intelligence_agent_versions_tools_check CHECK ((jsonb_typeof(tools) = 'array'::text))
);
CREATE TRIGGER guard_agent_version BEFORE DELETE OR UPDATE ON data.intelligence_agent_versions FOR EACH ROW EXECUTE FUNCTION data.guard_agent_version();
alter table data.intelligence_agent_versions enable row level security;
alter table data.intelligence_agent_versions force row level security;
create policy rows on data.intelligence_agent_versions as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.intelligence_agent_versions as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.intelligence_agent_versions to :app;
grant insert, select on data.intelligence_agent_versions to :system;

create table data.intelligence_agents (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  status text not null,
  description text,
  instructions text,
  provider text,
  model text,
  parameters jsonb not null,
  tools jsonb not null,
  grants jsonb not null,
  data_scope jsonb not null,
  autonomy text not null,
  limits jsonb not null,
  agent_version integer not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((name || ' '::text) || reference) || ' '::text) || COALESCE(description, ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  constraint intelligence_agents_pkey PRIMARY KEY (tenant_id, id),
  constraint intelligence_agents_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint intelligence_agents_active_check CHECK (((status <> 'active'::text) OR ((deleted_at IS NULL) AND (archived_at IS NULL)))),
  constraint intelligence_agents_agent_version_check CHECK ((agent_version > 0)),
  constraint intelligence_agents_autonomy_check CHECK ((autonomy = ANY (ARRAY['suggest'::text, 'approve_each'::text, 'auto'::text]))),
  constraint intelligence_agents_closed_grants CHECK ((NOT jsonb_path_exists(grants, '$[*]?(@ like_regex "^([*]|agents|ai-budgets|ai-policy|api-keys|approvals|audit|policies|roles|scim|secrets|settings|webhooks)([.:]|$)")'::jsonpath))),
  constraint intelligence_agents_data_scope_check CHECK ((jsonb_typeof(data_scope) = 'object'::text)),
  constraint intelligence_agents_description_check CHECK ((length(description) <= 5000)),
  constraint intelligence_agents_grants_check CHECK ((jsonb_typeof(grants) = 'array'::text)),
  constraint intelligence_agents_instructions_check CHECK ((length(instructions) <= 20000)),
  constraint intelligence_agents_limits_check CHECK ((jsonb_typeof(limits) = 'object'::text)),
  constraint intelligence_agents_model_check CHECK (((length(model) >= 1) AND (length(model) <= 100))),
  constraint intelligence_agents_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint intelligence_agents_parameters_check CHECK ((jsonb_typeof(parameters) = 'object'::text)),
  constraint intelligence_agents_provider_check CHECK (((length(provider) >= 1) AND (length(provider) <= 100))),
  constraint intelligence_agents_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'retired'::text]))),
  constraint intelligence_agents_tools_check CHECK ((jsonb_typeof(tools) = 'array'::text)),
  constraint intelligence_agents_version_check CHECK ((version > 0))
);
CREATE INDEX intelligence_agents_filters_idx ON data.intelligence_agents USING gin (tenant_id, provider, model, autonomy);
CREATE INDEX intelligence_agents_name_sort_idx ON data.intelligence_agents USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX intelligence_agents_owner_idx ON data.intelligence_agents USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX intelligence_agents_search_idx ON data.intelligence_agents USING gin (tenant_id, search);
CREATE INDEX intelligence_agents_status_filter_idx ON data.intelligence_agents USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX intelligence_agents_status_sort_idx ON data.intelligence_agents USING btree (tenant_id, status, id);
CREATE INDEX intelligence_agents_time_idx ON data.intelligence_agents USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX intelligence_agents_updated_at_sort_idx ON data.intelligence_agents USING btree (tenant_id, updated_at, id);
CREATE INDEX intelligence_agents_workspace_idx ON data.intelligence_agents USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER guard_agent AFTER UPDATE ON data.intelligence_agents FOR EACH ROW EXECUTE FUNCTION data.guard_agent();
CREATE TRIGGER held_change AFTER UPDATE ON data.intelligence_agents FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.intelligence_agents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('intelligence.agent');
CREATE TRIGGER held_trash AFTER UPDATE ON data.intelligence_agents FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('intelligence.agent');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.intelligence_agents FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('intelligence.agent');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.intelligence_agents FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('intelligence.agent');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.intelligence_agents FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('intelligence.agent');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.intelligence_agents FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('intelligence.agent');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.intelligence_agents FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('intelligence.agent');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.intelligence_agents FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('intelligence.agent');
CREATE TRIGGER stop_jobs_of_agent AFTER UPDATE ON data.intelligence_agents FOR EACH ROW WHEN (((new.status <> 'active'::text) OR (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION data.stop_jobs_of_agent();
alter table data.intelligence_agents enable row level security;
alter table data.intelligence_agents force row level security;
create policy rows on data.intelligence_agents as permissive for all to :app, :system using (true) with check (true);
create policy search on data.intelligence_agents as permissive for select to :lookup using (true);
create policy tenant_isolation on data.intelligence_agents as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.intelligence_agents to :app;
grant delete, insert, select, update on data.intelligence_agents to :system;
grant select (tenant_id, id, search) on data.intelligence_agents to :lookup;

create table data.invitations (
  tenant_id uuid not null,
  id uuid not null,
  email text not null,
  role_ids uuid[] not null,
  workspace_ids uuid[] not null,
  message text,
  employee_id uuid,
  status text not null,
  invited_by jsonb not null,
  expires_at timestamp(3) with time zone not null,
  closed_at timestamp(3) with time zone,
  accepted_membership_id uuid,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  email_lower text generated always as (data.fold(email)) stored,
  constraint invitations_pkey PRIMARY KEY (tenant_id, id),
  constraint invitations_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
  constraint invitations_message_check CHECK (((length(message) >= 1) AND (length(message) <= 1000))),
  constraint invitations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'expired'::text, 'revoked'::text]))),
  constraint invitations_version_check CHECK ((version > 0))
);
CREATE INDEX invitations_created_idx ON data.invitations USING btree (tenant_id, created_at, id);
CREATE INDEX invitations_expires_idx ON data.invitations USING btree (tenant_id, expires_at, id);
CREATE INDEX invitations_pending_idx ON data.invitations USING btree (tenant_id, expires_at) WHERE (status = 'pending'::text);
CREATE INDEX invitations_status_idx ON data.invitations USING btree (tenant_id, status, created_at, id);
CREATE UNIQUE INDEX invitations_email_key ON data.invitations USING btree (tenant_id, email_lower) WHERE (status = 'pending'::text);
CREATE TRIGGER members_insert AFTER INSERT ON data.invitations REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION data.count_invitations();
CREATE TRIGGER members_update AFTER UPDATE ON data.invitations REFERENCING OLD TABLE AS former NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION data.count_invitations();
alter table data.invitations enable row level security;
alter table data.invitations force row level security;
create policy rows on data.invitations as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.invitations as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.invitations to :app;
grant insert, select, update on data.invitations to :system;

create table data.job_queue (
  tenant_id uuid not null,
  job_id uuid not null,
  kind text not null,
  due_at timestamp(3) with time zone not null,
  attempts integer default 0 not null,
  lease_token uuid,
  lease_until timestamp(3) with time zone,
  constraint job_queue_pkey PRIMARY KEY (tenant_id, job_id),
  constraint job_queue_attempts_check CHECK ((attempts >= 0)),
  constraint job_queue_check CHECK (((lease_token IS NULL) = (lease_until IS NULL)))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=500, autovacuum_analyze_scale_factor=0.05);
CREATE INDEX job_queue_due_idx ON data.job_queue USING btree (tenant_id, due_at, job_id);
CREATE INDEX job_queue_leased_idx ON data.job_queue USING btree (tenant_id) WHERE (lease_token IS NOT NULL);
alter table data.job_queue enable row level security;
alter table data.job_queue force row level security;
create policy rows on data.job_queue as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.job_queue as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.job_queue to :app;
grant delete, insert, select, update on data.job_queue to :system;

create table data.jobs (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  status text not null,
  done bigint default 0 not null,
  total bigint,
  phase text,
  input jsonb not null,
  state jsonb default '{}'::jsonb not null,
  result jsonb,
  error jsonb,
  requester_id uuid,
  requested_by jsonb not null,
  created_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  subject jsonb,
  guarantor jsonb,
  constraint jobs_pkey PRIMARY KEY (tenant_id, id),
  constraint jobs_check CHECK (((finished_at IS NOT NULL) = (status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text])))),
  constraint jobs_check1 CHECK (((error IS NOT NULL) = (status = 'failed'::text))),
  constraint jobs_done_check CHECK ((done >= 0)),
  constraint jobs_guarantor_check CHECK ((jsonb_typeof(guarantor) = 'object'::text)),
  constraint jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  constraint jobs_subject_check CHECK ((jsonb_typeof(subject) = 'object'::text)),
  constraint jobs_total_check CHECK ((total >= 0))
);
CREATE INDEX jobs_expiry_idx ON data.jobs USING btree (tenant_id, expires_at);
CREATE INDEX jobs_requester_idx ON data.jobs USING btree (tenant_id, requester_id, created_at DESC, id DESC);
CREATE INDEX jobs_time_idx ON data.jobs USING btree (tenant_id, created_at DESC, id DESC);
alter table data.jobs enable row level security;
alter table data.jobs force row level security;
create policy rows on data.jobs as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.jobs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.jobs to :app;
grant delete, insert, select, update on data.jobs to :system;

create table data.legal_hold_ids (
  tenant_id uuid not null,
  hold_id uuid not null,
  named_id uuid not null,
  constraint legal_hold_ids_pkey PRIMARY KEY (tenant_id, named_id, hold_id)
);
CREATE INDEX legal_hold_ids_hold_idx ON data.legal_hold_ids USING btree (tenant_id, hold_id);
alter table data.legal_hold_ids enable row level security;
alter table data.legal_hold_ids force row level security;
create policy rows on data.legal_hold_ids as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.legal_hold_ids as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.legal_hold_ids to :app;
grant insert, select on data.legal_hold_ids to :system;

create table data.legal_holds (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  name text not null,
  matter text,
  scope jsonb not null,
  status text not null,
  reason text not null,
  release_reason text,
  placed_by jsonb not null,
  released_by jsonb,
  released_at timestamp(3) with time zone,
  constraint legal_holds_pkey PRIMARY KEY (tenant_id, id),
  constraint legal_holds_check CHECK (((status = 'released'::text) = ((released_at IS NOT NULL) AND (released_by IS NOT NULL) AND (release_reason IS NOT NULL)))),
  constraint legal_holds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 2000))),
  constraint legal_holds_release_reason_check CHECK (((length(release_reason) >= 1) AND (length(release_reason) <= 2000))),
  constraint legal_holds_status_check CHECK ((status = ANY (ARRAY['active'::text, 'released'::text]))),
  constraint legal_holds_version_check CHECK ((version > 0))
);
CREATE INDEX legal_holds_active_idx ON data.legal_holds USING btree (tenant_id) WHERE (status = 'active'::text);
CREATE TRIGGER list_held_ids AFTER INSERT ON data.legal_holds FOR EACH ROW EXECUTE FUNCTION data.list_held_ids();
alter table data.legal_holds enable row level security;
alter table data.legal_holds force row level security;
create policy rows on data.legal_holds as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.legal_holds as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.legal_holds to :app;
grant insert, select, update on data.legal_holds to :system;

create table data.mail_suppressions (
  tenant_id uuid not null,
  address_hash text not null,
  kind_group text not null,
  created_at timestamp(3) with time zone not null,
  constraint mail_suppressions_pkey PRIMARY KEY (tenant_id, address_hash, kind_group),
  constraint mail_suppressions_address_hash_check CHECK ((address_hash ~ '^[0-9a-f]{64}$'::text)),
  constraint mail_suppressions_kind_group_check CHECK (((length(kind_group) >= 1) AND (length(kind_group) <= 40)))
);
alter table data.mail_suppressions enable row level security;
alter table data.mail_suppressions force row level security;
create policy rows on data.mail_suppressions as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.mail_suppressions as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.mail_suppressions to :app;
grant delete, insert, select on data.mail_suppressions to :system;

create table data.mails (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  subject_id uuid not null,
  content text,
  state text not null,
  attempts integer default 0 not null,
  due_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  error text,
  created_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  subject_type text,
  actor_type text,
  actor_id uuid,
  constraint mails_pkey PRIMARY KEY (tenant_id, id),
  constraint mails_actor_type_check CHECK (((length(actor_type) >= 1) AND (length(actor_type) <= 40))),
  constraint mails_attempts_check CHECK ((attempts >= 0)),
  constraint mails_error_check CHECK ((length(error) <= 500)),
  constraint mails_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 60))),
  constraint mails_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'logged'::text, 'refused'::text, 'bounced'::text, 'failed'::text, 'cancelled'::text, 'unconfirmed'::text]))),
  constraint mails_subject_type_check CHECK (((length(subject_type) >= 1) AND (length(subject_type) <= 60)))
);
CREATE INDEX mails_due_idx ON data.mails USING btree (due_at) WHERE (state = ANY (ARRAY['queued'::text, 'sending'::text]));
CREATE INDEX mails_subject_idx ON data.mails USING btree (tenant_id, subject_id, created_at);
alter table data.mails enable row level security;
alter table data.mails force row level security;
create policy rows on data.mails as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.mails as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.mails to :app;
grant insert, select, update on data.mails to :system;
grant update (content, state, finished_at) on data.mails to :app;

create table data.maintenance_windows (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  title text not null,
  starts_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint maintenance_windows_pkey PRIMARY KEY (tenant_id, id),
  constraint maintenance_windows_check CHECK ((ends_at > starts_at)),
  constraint maintenance_windows_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200))),
  constraint maintenance_windows_version_check CHECK ((version > 0))
);
CREATE INDEX maintenance_windows_time_idx ON data.maintenance_windows USING btree (tenant_id, starts_at);
alter table data.maintenance_windows enable row level security;
alter table data.maintenance_windows force row level security;
create policy rows on data.maintenance_windows as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.maintenance_windows as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.maintenance_windows to :app;
grant insert, select on data.maintenance_windows to :system;

create table data.member_counts (
  tenant_id uuid not null,
  kind text not null,
  subject_id uuid not null,
  slot uuid not null,
  members integer not null,
  constraint member_counts_pkey PRIMARY KEY (tenant_id, kind, subject_id, slot),
  constraint member_counts_kind_check CHECK ((kind = ANY (ARRAY['seat'::text, 'role'::text, 'workspace'::text, 'scim_user'::text, 'scim_group'::text])))
) with (fillfactor=50);
alter table data.member_counts enable row level security;
alter table data.member_counts force row level security;
create policy rows on data.member_counts as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.member_counts as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.member_counts to :app;
grant insert, select, update on data.member_counts to :system;

create table data.memberships (
  tenant_id uuid not null,
  id uuid not null,
  email text not null,
  name text not null,
  status text not null,
  created_at timestamp(3) with time zone not null,
  user_id uuid,
  title text,
  source text default 'bootstrap'::text not null,
  version integer default 1 not null,
  session_epoch integer default 1 not null,
  joined_at timestamp(3) with time zone,
  last_active_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone default now() not null,
  deleted_at timestamp(3) with time zone,
  email_lower text generated always as (data.fold(email)) stored not null,
  locale text,
  timezone text,
  away_from date,
  away_to date,
  delegate_id uuid,
  notifications jsonb default '{}'::jsonb not null,
  away_on_leave boolean default false not null,
  working_hours jsonb,
  constraint memberships_pkey PRIMARY KEY (tenant_id, id),
  constraint memberships_away CHECK (((num_nulls(away_from, away_to, delegate_id) = ANY (ARRAY[0, 3])) AND (away_from <= away_to) AND (delegate_id <> id))),
  constraint memberships_away_on_leave CHECK (((NOT away_on_leave) OR (delegate_id IS NOT NULL))),
  constraint memberships_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint memberships_notifications_check CHECK ((jsonb_typeof(notifications) = 'object'::text)),
  constraint memberships_session_epoch_check CHECK ((session_epoch > 0)),
  constraint memberships_source_check CHECK ((source = ANY (ARRAY['invite'::text, 'scim'::text, 'sso'::text, 'talent_mapping'::text, 'bootstrap'::text]))),
  constraint memberships_status_check CHECK ((status = ANY (ARRAY['invited'::text, 'active'::text, 'suspended'::text, 'deactivated'::text]))),
  constraint memberships_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200))),
  constraint memberships_version_check CHECK ((version > 0)),
  constraint memberships_working_hours_check CHECK ((jsonb_typeof(working_hours) = 'array'::text))
);
alter table data.memberships alter column tenant_id set (n_distinct=-0.01);
CREATE INDEX memberships_active_down_idx ON data.memberships USING btree (tenant_id, (
CASE
    WHEN (last_active_at IS NULL) THEN '-infinity'::timestamp with time zone
    ELSE last_active_at
END) DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX memberships_active_up_idx ON data.memberships USING btree (tenant_id, (
CASE
    WHEN (last_active_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE last_active_at
END), id) WHERE (deleted_at IS NULL);
CREATE INDEX memberships_created_idx ON data.memberships USING btree (tenant_id, created_at DESC, id) WHERE (deleted_at IS NULL);
CREATE INDEX memberships_delegate_idx ON data.memberships USING btree (tenant_id, delegate_id) WHERE (delegate_id IS NOT NULL);
CREATE INDEX memberships_joined_down_idx ON data.memberships USING btree (tenant_id, (
CASE
    WHEN (joined_at IS NULL) THEN '-infinity'::timestamp with time zone
    ELSE joined_at
END) DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX memberships_joined_up_idx ON data.memberships USING btree (tenant_id, (
CASE
    WHEN (joined_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE joined_at
END), id) WHERE (deleted_at IS NULL);
CREATE INDEX memberships_name_idx ON data.memberships USING btree (tenant_id, name COLLATE data.alphabet, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX memberships_email_key ON data.memberships USING btree (tenant_id, email_lower) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX memberships_user_key ON data.memberships USING btree (tenant_id, user_id) WHERE (deleted_at IS NULL);
CREATE TRIGGER epoch AFTER UPDATE ON data.memberships FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION directory.bump_epoch();
CREATE TRIGGER members_buried AFTER UPDATE ON data.memberships REFERENCING OLD TABLE AS former NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION data.count_buried();
CREATE TRIGGER members_insert AFTER INSERT ON data.memberships REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION data.count_memberships();
CREATE TRIGGER members_update AFTER UPDATE ON data.memberships REFERENCING OLD TABLE AS former NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION data.count_memberships();
CREATE TRIGGER places AFTER INSERT OR UPDATE OF email, user_id, status, deleted_at ON data.memberships FOR EACH ROW EXECUTE FUNCTION directory.note_member();
CREATE TRIGGER refuse_terminated AFTER UPDATE OF status ON data.memberships FOR EACH ROW WHEN (((new.status = 'active'::text) AND (old.status <> 'active'::text))) EXECUTE FUNCTION data.refuse_terminated();
CREATE TRIGGER scim_user AFTER INSERT ON data.memberships FOR EACH ROW EXECUTE FUNCTION data.keep_scim_user();
CREATE TRIGGER scim_user_changed AFTER UPDATE ON data.memberships FOR EACH ROW WHEN (((old.status <> new.status) OR (old.deleted_at IS DISTINCT FROM new.deleted_at) OR (old.email <> new.email) OR (old.name <> new.name))) EXECUTE FUNCTION data.keep_scim_user();
CREATE TRIGGER version BEFORE UPDATE ON data.memberships FOR EACH ROW WHEN ((NOT (old.last_active_at IS DISTINCT FROM new.last_active_at))) EXECUTE FUNCTION data.check_membership_version();
alter table data.memberships enable row level security;
alter table data.memberships force row level security;
create policy rows on data.memberships as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.memberships as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.memberships to :app;
grant insert, select, update on data.memberships to :system;

create table data.metric_anomalies (
  tenant_id uuid not null,
  id uuid not null,
  date date not null,
  metric text not null,
  facts jsonb not null,
  constraint metric_anomalies_pkey PRIMARY KEY (tenant_id, id),
  constraint metric_anomalies_facts_check CHECK ((jsonb_typeof(facts) = 'object'::text))
);
CREATE INDEX metric_anomalies_date_idx ON data.metric_anomalies USING btree (tenant_id, date, id);
alter table data.metric_anomalies enable row level security;
alter table data.metric_anomalies force row level security;
create policy rows on data.metric_anomalies as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.metric_anomalies as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.metric_anomalies to :app;
grant delete, insert, select on data.metric_anomalies to :system;

create table data.metric_snapshots (
  tenant_id uuid not null,
  date date not null,
  time_zone text not null,
  figures jsonb not null,
  recorded_at timestamp(3) with time zone not null,
  constraint metric_snapshots_pkey PRIMARY KEY (tenant_id, date),
  constraint metric_snapshots_figures_check CHECK ((jsonb_typeof(figures) = 'object'::text))
);
alter table data.metric_snapshots enable row level security;
alter table data.metric_snapshots force row level security;
create policy rows on data.metric_snapshots as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.metric_snapshots as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.metric_snapshots to :app;
grant delete, insert, select on data.metric_snapshots to :system;

create table data.notification_digests (
  tenant_id uuid not null,
  member_id uuid not null,
  sent_on date not null,
  constraint notification_digests_pkey PRIMARY KEY (tenant_id, member_id)
);
alter table data.notification_digests enable row level security;
alter table data.notification_digests force row level security;
create policy rows on data.notification_digests as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.notification_digests as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.notification_digests to :app;
grant delete, insert, select, update on data.notification_digests to :system;

create table data.notifications (
  tenant_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  kind text not null,
  subject_type text,
  subject_id uuid,
  title text not null,
  body text,
  url text,
  count integer not null,
  in_app boolean not null,
  email text not null,
  mailed_at timestamp(3) with time zone,
  read_at timestamp(3) with time zone,
  once text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  comment_id uuid,
  constraint notifications_pkey PRIMARY KEY (tenant_id, id),
  constraint notifications_once_key UNIQUE (tenant_id, member_id, once),
  constraint notifications_body_check CHECK (((length(body) >= 1) AND (length(body) <= 1000))),
  constraint notifications_count_check CHECK ((count > 0)),
  constraint notifications_email_check CHECK ((email = ANY (ARRAY['none'::text, 'instant'::text, 'daily'::text]))),
  constraint notifications_kind_check CHECK ((kind = ANY (ARRAY['mention'::text, 'assignment'::text, 'approval_requested'::text, 'approval_decided'::text, 'due_soon'::text, 'overdue'::text, 'watch'::text, 'review'::text, 'endpoint'::text, 'report'::text, 'export'::text, 'import'::text, 'security'::text]))),
  constraint notifications_once_check CHECK (((length(once) >= 1) AND (length(once) <= 200))),
  constraint notifications_subject CHECK (((subject_type IS NULL) = (subject_id IS NULL))),
  constraint notifications_subject_type_check CHECK (((length(subject_type) >= 3) AND (length(subject_type) <= 60))),
  constraint notifications_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  constraint notifications_url_check CHECK (((length(url) >= 1) AND (length(url) <= 500)))
);
CREATE INDEX notifications_age_idx ON data.notifications USING btree (tenant_id, created_at);
CREATE INDEX notifications_comment_idx ON data.notifications USING btree (tenant_id, comment_id) WHERE (comment_id IS NOT NULL);
CREATE INDEX notifications_daily_idx ON data.notifications USING btree (tenant_id, member_id, created_at) WHERE ((email = 'daily'::text) AND (mailed_at IS NULL) AND (read_at IS NULL));
CREATE INDEX notifications_subject_idx ON data.notifications USING btree (tenant_id, subject_id);
CREATE INDEX notifications_time_idx ON data.notifications USING btree (tenant_id, member_id, created_at DESC, id DESC) WHERE in_app;
CREATE INDEX notifications_unread_idx ON data.notifications USING btree (tenant_id, member_id, kind, created_at DESC, id DESC) WHERE (read_at IS NULL);
alter table data.notifications enable row level security;
alter table data.notifications force row level security;
create policy rows on data.notifications as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.notifications as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.notifications to :app;
grant delete, insert, select, update on data.notifications to :system;

create table data.number_series (
  tenant_id uuid not null,
  series text not null,
  next bigint not null,
  constraint number_series_pkey PRIMARY KEY (tenant_id, series),
  constraint number_series_next_check CHECK ((next > 0))
);
alter table data.number_series enable row level security;
alter table data.number_series force row level security;
create policy rows on data.number_series as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.number_series as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.number_series to :app;
grant insert, select, update on data.number_series to :system;

create table data.oauth_grants (
  tenant_id uuid not null,
  id uuid not null,
  client_id uuid not null,
  client_name text not null,
  membership_id uuid not null,
  scopes text[] not null,
  revoked_at timestamp(3) with time zone,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint oauth_grants_pkey PRIMARY KEY (tenant_id, id),
  constraint oauth_grants_client_name_check CHECK (((length(client_name) >= 1) AND (length(client_name) <= 80))),
  constraint oauth_grants_scopes_check CHECK ((cardinality(scopes) > 0)),
  constraint oauth_grants_version_check CHECK ((version > 0))
);
CREATE INDEX oauth_grants_member_idx ON data.oauth_grants USING btree (tenant_id, membership_id);
alter table data.oauth_grants enable row level security;
alter table data.oauth_grants force row level security;
create policy rows on data.oauth_grants as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.oauth_grants as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.oauth_grants to :app;
grant insert, select, update on data.oauth_grants to :system;

create table data.people_departments (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  parent_id uuid,
  lead_employee_id uuid,
  cost_center text,
  calendar_id uuid,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(cost_center, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint people_departments_pkey PRIMARY KEY (tenant_id, id),
  constraint people_departments_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint people_departments_cost_center_check CHECK ((length(cost_center) <= 60)),
  constraint people_departments_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint people_departments_parent_self CHECK ((parent_id <> id)),
  constraint people_departments_version_check CHECK ((version > 0))
);
CREATE INDEX people_departments_calendar_id_idx ON data.people_departments USING btree (tenant_id, calendar_id) WHERE (calendar_id IS NOT NULL);
CREATE INDEX people_departments_lead_employee_id_filter_idx ON data.people_departments USING btree (tenant_id, lead_employee_id, created_at DESC, id DESC);
CREATE INDEX people_departments_name_sort_idx ON data.people_departments USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX people_departments_owner_idx ON data.people_departments USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX people_departments_parent_id_filter_idx ON data.people_departments USING btree (tenant_id, parent_id, created_at DESC, id DESC);
CREATE INDEX people_departments_search_idx ON data.people_departments USING gin (tenant_id, search);
CREATE INDEX people_departments_time_idx ON data.people_departments USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX people_departments_updated_at_sort_idx ON data.people_departments USING btree (tenant_id, updated_at, id);
CREATE INDEX people_departments_workspace_idx ON data.people_departments USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.people_departments FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.people_departments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('people.department');
CREATE TRIGGER held_trash AFTER UPDATE ON data.people_departments FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('people.department');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.people_departments FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('people.department');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.people_departments FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('people.department');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.people_departments FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('people.department');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.people_departments FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('people.department');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.people_departments FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('people.department');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.people_departments FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('people.department');
CREATE TRIGGER keep_tree AFTER UPDATE ON data.people_departments FOR EACH ROW WHEN (((new.parent_id IS NOT NULL) AND (new.parent_id IS DISTINCT FROM old.parent_id))) EXECUTE FUNCTION data.keep_people_departments_tree();
alter table data.people_departments enable row level security;
alter table data.people_departments force row level security;
create policy rows on data.people_departments as permissive for all to :app, :system using (true) with check (true);
create policy search on data.people_departments as permissive for select to :lookup using (true);
create policy tenant_isolation on data.people_departments as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.people_departments to :app;
grant delete, insert, select, update on data.people_departments to :system;
grant select (tenant_id, id, search) on data.people_departments to :lookup;

create table data.people_employees (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  first_name text,
  last_name text,
  preferred_name text,
  employee_number text not null,
  status text not null,
  suspended_from text,
  work_email text,
  job_title text,
  department_id uuid,
  manager_id uuid,
  employment_type text not null,
  employment_count integer not null,
  location jsonb,
  country text generated always as ((location ->> 'country'::text)) stored,
  start_date date,
  probation_end_date date,
  contract_end_date date,
  termination_date date,
  termination_type text,
  termination_reason text,
  access_removed_at timestamp(3) with time zone,
  personal_email text,
  phone text,
  address jsonb,
  date_of_birth date,
  emergency_contacts jsonb not null,
  national_id text,
  national_id_mask text,
  bank_account text,
  bank_account_mask text,
  skills jsonb not null,
  work_schedule jsonb not null,
  membership_id uuid,
  candidate_id uuid,
  mapping_id uuid,
  calendar_id uuid,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((((((((name || ' '::text) || reference) || ' '::text) || COALESCE(employee_number, ''::text)) || ' '::text) || COALESCE(preferred_name, ''::text)) || ' '::text) || COALESCE(job_title, ''::text)) || ' '::text) || COALESCE(work_email, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint people_employees_pkey PRIMARY KEY (tenant_id, id),
  constraint people_employees_employee_number_key UNIQUE (tenant_id, employee_number),
  constraint people_employees_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint people_employees_bank_account_sealed CHECK ((bank_account ~ '^v[0-9]+[.]'::text)),
  constraint people_employees_employment_count_check CHECK ((employment_count > 0)),
  constraint people_employees_employment_type_check CHECK ((employment_type = ANY (ARRAY['full_time'::text, 'part_time'::text, 'contractor'::text, 'intern'::text, 'temporary'::text]))),
  constraint people_employees_manager_self CHECK ((manager_id <> id)),
  constraint people_employees_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint people_employees_national_id_sealed CHECK ((national_id ~ '^v[0-9]+[.]'::text)),
  constraint people_employees_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'onboarding'::text, 'active'::text, 'on_leave'::text, 'suspended'::text, 'offboarding'::text, 'terminated'::text]))),
  constraint people_employees_suspended_from_check CHECK ((suspended_from = ANY (ARRAY['active'::text, 'on_leave'::text]))),
  constraint people_employees_termination CHECK (((status <> 'terminated'::text) OR ((termination_date IS NOT NULL) AND (termination_type IS NOT NULL)))),
  constraint people_employees_termination_type_check CHECK ((termination_type = ANY (ARRAY['voluntary'::text, 'involuntary'::text, 'end_of_contract'::text, 'other'::text]))),
  constraint people_employees_version_check CHECK ((version > 0))
);
CREATE INDEX people_employees_calendar_id_idx ON data.people_employees USING btree (tenant_id, calendar_id) WHERE (calendar_id IS NOT NULL);
CREATE INDEX people_employees_department_id_filter_idx ON data.people_employees USING btree (tenant_id, department_id, created_at DESC, id DESC);
CREATE INDEX people_employees_employed_idx ON data.people_employees USING btree (tenant_id, COALESCE(termination_date, 'infinity'::date));
CREATE INDEX people_employees_employee_number_sort_idx ON data.people_employees USING btree (tenant_id, employee_number COLLATE data.alphabet, id);
CREATE INDEX people_employees_filters_idx ON data.people_employees USING gin (tenant_id, employment_type, country);
CREATE INDEX people_employees_manager_id_filter_idx ON data.people_employees USING btree (tenant_id, manager_id, created_at DESC, id DESC);
CREATE INDEX people_employees_membership_id_filter_idx ON data.people_employees USING btree (tenant_id, membership_id, created_at DESC, id DESC);
CREATE INDEX people_employees_name_sort_idx ON data.people_employees USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX people_employees_owner_idx ON data.people_employees USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX people_employees_search_idx ON data.people_employees USING gin (tenant_id, search);
CREATE INDEX people_employees_start_date_down_idx ON data.people_employees USING btree (tenant_id, (
CASE
    WHEN (start_date IS NULL) THEN '-infinity'::date
    ELSE start_date
END) DESC, id DESC);
CREATE INDEX people_employees_start_date_filter_idx ON data.people_employees USING btree (tenant_id, start_date, created_at DESC, id DESC);
CREATE INDEX people_employees_start_date_up_idx ON data.people_employees USING btree (tenant_id, (
CASE
    WHEN (start_date IS NULL) THEN 'infinity'::date
    ELSE start_date
END), id);
CREATE INDEX people_employees_status_filter_idx ON data.people_employees USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX people_employees_status_sort_idx ON data.people_employees USING btree (tenant_id, status, id);
CREATE INDEX people_employees_termination_date_filter_idx ON data.people_employees USING btree (tenant_id, termination_date, created_at DESC, id DESC);
CREATE INDEX people_employees_time_idx ON data.people_employees USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX people_employees_updated_at_sort_idx ON data.people_employees USING btree (tenant_id, updated_at, id);
CREATE INDEX people_employees_workspace_idx ON data.people_employees USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX people_employees_membership_id_key ON data.people_employees USING btree (tenant_id, membership_id) WHERE ((membership_id IS NOT NULL) AND (deleted_at IS NULL));
CREATE UNIQUE INDEX people_employees_work_email_key ON data.people_employees USING btree (tenant_id, data.fold(work_email)) WHERE ((work_email IS NOT NULL) AND (status <> 'terminated'::text) AND (deleted_at IS NULL));
CREATE TRIGGER held_change AFTER UPDATE ON data.people_employees FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.people_employees REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('people.employee');
CREATE TRIGGER held_trash AFTER UPDATE ON data.people_employees FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('people.employee');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.people_employees FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('people.employee');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.people_employees FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('people.employee');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.people_employees FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('people.employee');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.people_employees FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('people.employee');
CREATE TRIGGER keep_new_skills AFTER INSERT ON data.people_employees FOR EACH ROW WHEN ((new.skills <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_people_skills();
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.people_employees FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('people.employee');
CREATE TRIGGER keep_skills AFTER UPDATE ON data.people_employees FOR EACH ROW WHEN ((new.skills IS DISTINCT FROM old.skills)) EXECUTE FUNCTION data.keep_people_skills();
CREATE TRIGGER keep_tags AFTER UPDATE ON data.people_employees FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('people.employee');
CREATE TRIGGER keep_tree AFTER UPDATE ON data.people_employees FOR EACH ROW WHEN (((new.manager_id IS NOT NULL) AND (new.manager_id IS DISTINCT FROM old.manager_id))) EXECUTE FUNCTION data.keep_people_employees_tree();
alter table data.people_employees enable row level security;
alter table data.people_employees force row level security;
create policy rows on data.people_employees as permissive for all to :app, :system using (true) with check (true);
create policy search on data.people_employees as permissive for select to :lookup using (true);
create policy tenant_isolation on data.people_employees as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.people_employees to :app;
grant delete, insert, select, update on data.people_employees to :system;
grant select (tenant_id, id, search) on data.people_employees to :lookup;

create table data.people_employments (
  tenant_id uuid not null,
  id uuid not null,
  employee_id uuid not null,
  effective_date date not null,
  job_title text,
  department_id uuid,
  manager_id uuid,
  employment_type text not null,
  pay_amount_minor bigint,
  pay_currency text,
  pay_period text,
  reason text,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  constraint people_employments_pkey PRIMARY KEY (tenant_id, id),
  constraint people_employments_effective_date_key UNIQUE (tenant_id, employee_id, effective_date) DEFERRABLE INITIALLY DEFERRED,
  constraint people_employments_employment_type_check CHECK ((employment_type = ANY (ARRAY['full_time'::text, 'part_time'::text, 'contractor'::text, 'intern'::text, 'temporary'::text]))),
  constraint people_employments_manager_self CHECK ((manager_id <> employee_id)),
  constraint people_employments_pay CHECK ((num_nulls(pay_amount_minor, pay_currency, pay_period) = ANY (ARRAY[0, 3]))),
  constraint people_employments_pay_amount_minor_check CHECK ((pay_amount_minor >= 0)),
  constraint people_employments_pay_currency_check CHECK ((pay_currency ~ '^[A-Z]{3}$'::text)),
  constraint people_employments_pay_period_check CHECK ((pay_period = ANY (ARRAY['hour'::text, 'month'::text, 'year'::text])))
);
CREATE INDEX people_employments_manager_idx ON data.people_employments USING btree (tenant_id, manager_id, effective_date);
alter table data.people_employments enable row level security;
alter table data.people_employments force row level security;
create policy rows on data.people_employments as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.people_employments as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.people_employments to :app;
grant delete, insert, select, update on data.people_employments to :system;

create table data.people_skills (
  tenant_id uuid not null,
  skill text not null,
  employee_id uuid not null,
  constraint people_skills_pkey PRIMARY KEY (tenant_id, skill, employee_id)
);
CREATE INDEX people_skills_employee_idx ON data.people_skills USING btree (tenant_id, employee_id);
alter table data.people_skills enable row level security;
alter table data.people_skills force row level security;
create policy rows on data.people_skills as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.people_skills as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.people_skills to :app;
grant delete, insert, select on data.people_skills to :system;

create table data.people_time_off (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  employee_id uuid not null,
  type text not null,
  start_date date not null,
  end_date date not null,
  start_half boolean not null,
  end_half boolean not null,
  half_days integer not null,
  note text,
  status text not null,
  decided_at timestamp(3) with time zone,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((name || ' '::text) || reference)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint people_time_off_pkey PRIMARY KEY (tenant_id, id),
  constraint people_time_off_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint people_time_off_dates CHECK (((start_date <= end_date) AND ((start_date < end_date) OR (NOT (start_half AND end_half))))),
  constraint people_time_off_half_days_check CHECK ((half_days > 0)),
  constraint people_time_off_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint people_time_off_status_check CHECK ((status = ANY (ARRAY['cancelled'::text, 'rejected'::text, 'requested'::text, 'approved'::text, 'taken'::text]))),
  constraint people_time_off_type_check CHECK ((type = ANY (ARRAY['vacation'::text, 'sick'::text, 'personal'::text, 'parental'::text, 'unpaid'::text, 'other'::text]))),
  constraint people_time_off_version_check CHECK ((version > 0)),
  constraint people_time_off_overlap EXCLUDE USING gist (tenant_id WITH =, employee_id WITH =, int4range((((start_date - '2000-01-01'::date) * 2) + (start_half)::integer), ((((end_date - '2000-01-01'::date) * 2) + 2) - (end_half)::integer)) WITH &&) WHERE (((status = ANY (ARRAY['requested'::text, 'approved'::text, 'taken'::text])) AND (deleted_at IS NULL)))
);
CREATE INDEX people_time_off_employee_id_filter_idx ON data.people_time_off USING btree (tenant_id, employee_id, created_at DESC, id DESC);
CREATE INDEX people_time_off_end_date_sort_idx ON data.people_time_off USING btree (tenant_id, end_date, id);
CREATE INDEX people_time_off_name_sort_idx ON data.people_time_off USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX people_time_off_owner_idx ON data.people_time_off USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX people_time_off_search_idx ON data.people_time_off USING gin (tenant_id, search);
CREATE INDEX people_time_off_start_date_sort_idx ON data.people_time_off USING btree (tenant_id, start_date, id);
CREATE INDEX people_time_off_status_filter_idx ON data.people_time_off USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX people_time_off_time_idx ON data.people_time_off USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX people_time_off_type_filter_idx ON data.people_time_off USING btree (tenant_id, type, created_at DESC, id DESC);
CREATE INDEX people_time_off_updated_at_sort_idx ON data.people_time_off USING btree (tenant_id, updated_at, id);
CREATE INDEX people_time_off_workspace_idx ON data.people_time_off USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.people_time_off FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.people_time_off REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('people.time_off');
CREATE TRIGGER held_trash AFTER UPDATE ON data.people_time_off FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('people.time_off');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.people_time_off FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('people.time_off');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.people_time_off FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('people.time_off');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.people_time_off FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('people.time_off');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.people_time_off FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('people.time_off');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.people_time_off FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('people.time_off');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.people_time_off FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('people.time_off');
alter table data.people_time_off enable row level security;
alter table data.people_time_off force row level security;
create policy rows on data.people_time_off as permissive for all to :app, :system using (true) with check (true);
create policy search on data.people_time_off as permissive for select to :lookup using (true);
create policy tenant_isolation on data.people_time_off as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.people_time_off to :app;
grant delete, insert, select, update on data.people_time_off to :system;
grant select (tenant_id, id, search) on data.people_time_off to :lookup;

create table data.people_time_off_ledger (
  tenant_id uuid not null,
  id uuid not null,
  employee_id uuid not null,
  time_off_id uuid not null,
  type text not null,
  year integer not null,
  kind text not null,
  half_days integer not null,
  created_at timestamp(3) with time zone not null,
  constraint people_time_off_ledger_pkey PRIMARY KEY (tenant_id, id),
  constraint people_time_off_ledger_once UNIQUE (tenant_id, time_off_id, year, kind),
  constraint people_time_off_ledger_half_days_check CHECK ((half_days > 0)),
  constraint people_time_off_ledger_kind_check CHECK ((kind = ANY (ARRAY['booked'::text, 'released'::text, 'used'::text]))),
  constraint people_time_off_ledger_type_check CHECK ((type = ANY (ARRAY['vacation'::text, 'sick'::text, 'personal'::text, 'parental'::text, 'unpaid'::text, 'other'::text]))),
  constraint people_time_off_ledger_year_check CHECK (((year >= 1000) AND (year <= 9999)))
);
CREATE INDEX people_time_off_ledger_employee_idx ON data.people_time_off_ledger USING btree (tenant_id, employee_id, type, year);
alter table data.people_time_off_ledger enable row level security;
alter table data.people_time_off_ledger force row level security;
create policy rows on data.people_time_off_ledger as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.people_time_off_ledger as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.people_time_off_ledger to :app;
grant insert, select on data.people_time_off_ledger to :system;

create table data.people_time_off_policies (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  type text not null,
  accrual text not null,
  half_days_per_year integer not null,
  carry_over_half_days integer not null,
  negative_half_days integer not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((name || ' '::text) || reference)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint people_time_off_policies_pkey PRIMARY KEY (tenant_id, id),
  constraint people_time_off_policies_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint people_time_off_policies_accrual_check CHECK ((accrual = ANY (ARRAY['monthly'::text, 'yearly'::text]))),
  constraint people_time_off_policies_carry_over_half_days_check CHECK (((carry_over_half_days >= 0) AND (carry_over_half_days <= 732))),
  constraint people_time_off_policies_half_days_per_year_check CHECK (((half_days_per_year >= 0) AND (half_days_per_year <= 732))),
  constraint people_time_off_policies_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint people_time_off_policies_negative_half_days_check CHECK (((negative_half_days >= 0) AND (negative_half_days <= 732))),
  constraint people_time_off_policies_type_check CHECK ((type = ANY (ARRAY['vacation'::text, 'sick'::text, 'personal'::text, 'parental'::text, 'unpaid'::text, 'other'::text]))),
  constraint people_time_off_policies_version_check CHECK ((version > 0))
);
CREATE INDEX people_time_off_policies_name_sort_idx ON data.people_time_off_policies USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX people_time_off_policies_owner_idx ON data.people_time_off_policies USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX people_time_off_policies_search_idx ON data.people_time_off_policies USING gin (tenant_id, search);
CREATE INDEX people_time_off_policies_time_idx ON data.people_time_off_policies USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX people_time_off_policies_type_sort_idx ON data.people_time_off_policies USING btree (tenant_id, type, id);
CREATE INDEX people_time_off_policies_updated_at_sort_idx ON data.people_time_off_policies USING btree (tenant_id, updated_at, id);
CREATE INDEX people_time_off_policies_workspace_idx ON data.people_time_off_policies USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX people_time_off_policies_type_key ON data.people_time_off_policies USING btree (tenant_id, type) WHERE (deleted_at IS NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.people_time_off_policies FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.people_time_off_policies REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('people.time_off_policy');
CREATE TRIGGER held_trash AFTER UPDATE ON data.people_time_off_policies FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('people.time_off_policy');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.people_time_off_policies FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('people.time_off_policy');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.people_time_off_policies FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('people.time_off_policy');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.people_time_off_policies FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('people.time_off_policy');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.people_time_off_policies FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('people.time_off_policy');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.people_time_off_policies FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('people.time_off_policy');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.people_time_off_policies FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('people.time_off_policy');
alter table data.people_time_off_policies enable row level security;
alter table data.people_time_off_policies force row level security;
create policy rows on data.people_time_off_policies as permissive for all to :app, :system using (true) with check (true);
create policy search on data.people_time_off_policies as permissive for select to :lookup using (true);
create policy tenant_isolation on data.people_time_off_policies as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.people_time_off_policies to :app;
grant delete, insert, select, update on data.people_time_off_policies to :system;
grant select (tenant_id, id, search) on data.people_time_off_policies to :lookup;

create table data.posture_checks (
  tenant_id uuid not null,
  id uuid not null,
  key text not null,
  exception jsonb,
  owner_id uuid,
  severity_override text,
  thresholds jsonb not null,
  acknowledgement jsonb,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint posture_checks_pkey PRIMARY KEY (tenant_id, id),
  constraint posture_checks_key_key UNIQUE (tenant_id, key),
  constraint posture_checks_key_check CHECK (((length(key) >= 1) AND (length(key) <= 60))),
  constraint posture_checks_severity_override_check CHECK ((severity_override = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text]))),
  constraint posture_checks_version_check CHECK ((version > 0))
);
alter table data.posture_checks enable row level security;
alter table data.posture_checks force row level security;
create policy rows on data.posture_checks as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.posture_checks as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.posture_checks to :app;
grant insert, select, update on data.posture_checks to :system;

create table data.posture_runs (
  tenant_id uuid not null,
  id uuid not null,
  score integer not null,
  grade text not null,
  trigger text not null,
  changes jsonb not null,
  new_critical_failures integer not null,
  results jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint posture_runs_pkey PRIMARY KEY (tenant_id, id),
  constraint posture_runs_grade_check CHECK ((grade = ANY (ARRAY['A'::text, 'B'::text, 'C'::text, 'D'::text, 'F'::text]))),
  constraint posture_runs_new_critical_failures_check CHECK (((new_critical_failures >= 0) AND (new_critical_failures <= 100))),
  constraint posture_runs_score_check CHECK (((score >= 0) AND (score <= 100))),
  constraint posture_runs_trigger_check CHECK ((trigger = ANY (ARRAY['request'::text, 'schedule'::text]))),
  constraint posture_runs_version_check CHECK ((version > 0))
);
CREATE INDEX posture_runs_time_idx ON data.posture_runs USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX posture_runs_day_key ON data.posture_runs USING btree (tenant_id, (((created_at AT TIME ZONE 'UTC'::text))::date)) WHERE (trigger = 'schedule'::text);
alter table data.posture_runs enable row level security;
alter table data.posture_runs force row level security;
create policy rows on data.posture_runs as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.posture_runs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.posture_runs to :app;
grant delete, insert, select on data.posture_runs to :system;

create table data.proposals_content_blocks (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  kind text not null,
  locale text,
  body text not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((name || ' '::text) || reference)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint proposals_content_blocks_pkey PRIMARY KEY (tenant_id, id),
  constraint proposals_content_blocks_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint proposals_content_blocks_body_check CHECK (((length(body) >= 1) AND (length(body) <= 20000))),
  constraint proposals_content_blocks_kind_check CHECK ((kind = ANY (ARRAY['introduction'::text, 'terms'::text, 'section'::text]))),
  constraint proposals_content_blocks_locale_check CHECK (((length(locale) >= 2) AND (length(locale) <= 35))),
  constraint proposals_content_blocks_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint proposals_content_blocks_version_check CHECK ((version > 0))
);
CREATE INDEX proposals_content_blocks_kind_filter_idx ON data.proposals_content_blocks USING btree (tenant_id, kind, created_at DESC, id DESC);
CREATE INDEX proposals_content_blocks_name_sort_idx ON data.proposals_content_blocks USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX proposals_content_blocks_owner_idx ON data.proposals_content_blocks USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX proposals_content_blocks_search_idx ON data.proposals_content_blocks USING gin (tenant_id, search);
CREATE INDEX proposals_content_blocks_time_idx ON data.proposals_content_blocks USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX proposals_content_blocks_updated_at_sort_idx ON data.proposals_content_blocks USING btree (tenant_id, updated_at, id);
CREATE INDEX proposals_content_blocks_workspace_idx ON data.proposals_content_blocks USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.proposals_content_blocks FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.proposals_content_blocks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('proposals.content_block');
CREATE TRIGGER held_trash AFTER UPDATE ON data.proposals_content_blocks FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('proposals.content_block');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.proposals_content_blocks FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('proposals.content_block');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.proposals_content_blocks FOR EACH ROW WHEN ((new.external_refs IS DISTINCT FROM old.external_refs)) EXECUTE FUNCTION data.keep_external_refs('proposals.content_block');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.proposals_content_blocks FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('proposals.content_block');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.proposals_content_blocks FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('proposals.content_block');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.proposals_content_blocks FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('proposals.content_block');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.proposals_content_blocks FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('proposals.content_block');
alter table data.proposals_content_blocks enable row level security;
alter table data.proposals_content_blocks force row level security;
create policy rows on data.proposals_content_blocks as permissive for all to :app, :system using (true) with check (true);
create policy search on data.proposals_content_blocks as permissive for select to :lookup using (true);
create policy tenant_isolation on data.proposals_content_blocks as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.proposals_content_blocks to :app;
grant delete, insert, select, update on data.proposals_content_blocks to :system;
grant select (tenant_id, id, search) on data.proposals_content_blocks to :lookup;

create table data.proposals_proposals (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  status text not null,
  number text not null,
  version_number integer not null,
  root_id uuid not null,
  superseded_by_id uuid,
  deal_id uuid,
  account_id uuid,
  contact_id uuid,
  currency text not null,
  line_items jsonb default '[]'::jsonb not null,
  tax_inclusive boolean not null,
  subtotal_minor bigint not null,
  discount_minor bigint not null,
  net_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  tax_breakdown jsonb not null,
  valid_until_date date,
  expires_at timestamp(3) with time zone,
  introduction text,
  terms text,
  approved_at timestamp(3) with time zone,
  sent_at timestamp(3) with time zone,
  sent_to jsonb default '[]'::jsonb not null,
  sent_message text,
  sender jsonb,
  viewed_at timestamp(3) with time zone,
  view_count integer default 0 not null,
  acceptance jsonb,
  accepted_line_items jsonb default '[]'::jsonb not null,
  accepted_net_minor bigint,
  accepted_total_minor bigint,
  deal_outcome text,
  decline_reason text,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || number)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint proposals_proposals_pkey PRIMARY KEY (tenant_id, id),
  constraint proposals_proposals_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint proposals_proposals_version_key UNIQUE (tenant_id, root_id, version_number),
  constraint proposals_proposals_accepted_line_items_check CHECK (
CASE jsonb_typeof(accepted_line_items)
    WHEN 'array'::text THEN (jsonb_array_length(accepted_line_items) <= 500)
    ELSE false
END),
  constraint proposals_proposals_accepted_net_minor_check CHECK (((accepted_net_minor >= 0) AND (accepted_net_minor <= '9007199254740991'::bigint))),
  constraint proposals_proposals_accepted_total_minor_check CHECK (((accepted_total_minor >= 0) AND (accepted_total_minor <= '9007199254740991'::bigint))),
  constraint proposals_proposals_check CHECK (((status = 'accepted'::text) = ((acceptance IS NOT NULL) AND (accepted_total_minor IS NOT NULL) AND (accepted_net_minor IS NOT NULL)))),
  constraint proposals_proposals_check1 CHECK (((status = 'superseded'::text) = (superseded_by_id IS NOT NULL))),
  constraint proposals_proposals_check2 CHECK (((status <> ALL (ARRAY['sent'::text, 'viewed'::text, 'accepted'::text, 'declined'::text, 'expired'::text])) OR (sent_at IS NOT NULL))),
  constraint proposals_proposals_check3 CHECK (((status <> 'accepted'::text) OR (deleted_at IS NULL))),
  constraint proposals_proposals_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint proposals_proposals_deal_outcome_check CHECK ((deal_outcome = ANY (ARRAY['won'::text, 'already_won'::text, 'not_open'::text, 'not_permitted'::text, 'gate'::text]))),
  constraint proposals_proposals_decline_reason_check CHECK ((length(decline_reason) <= 2000)),
  constraint proposals_proposals_discount_minor_check CHECK (((discount_minor >= '-9007199254740991'::bigint) AND (discount_minor <= '9007199254740991'::bigint))),
  constraint proposals_proposals_introduction_check CHECK ((length(introduction) <= 20000)),
  constraint proposals_proposals_line_items_check CHECK (
CASE jsonb_typeof(line_items)
    WHEN 'array'::text THEN (jsonb_array_length(line_items) <= 500)
    ELSE false
END),
  constraint proposals_proposals_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint proposals_proposals_net_minor_check CHECK (((net_minor >= '-9007199254740991'::bigint) AND (net_minor <= '9007199254740991'::bigint))),
  constraint proposals_proposals_number_check CHECK (((length(number) >= 1) AND (length(number) <= 40))),
  constraint proposals_proposals_sent_message_check CHECK ((length(sent_message) <= 5000)),
  constraint proposals_proposals_sent_to_check CHECK ((jsonb_typeof(sent_to) = 'array'::text)),
  constraint proposals_proposals_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'pending_approval'::text, 'approved'::text, 'sent'::text, 'viewed'::text, 'accepted'::text, 'declined'::text, 'expired'::text, 'superseded'::text, 'withdrawn'::text]))),
  constraint proposals_proposals_subtotal_minor_check CHECK (((subtotal_minor >= '-9007199254740991'::bigint) AND (subtotal_minor <= '9007199254740991'::bigint))),
  constraint proposals_proposals_tax_breakdown_check CHECK ((jsonb_typeof(tax_breakdown) = 'array'::text)),
  constraint proposals_proposals_tax_minor_check CHECK (((tax_minor >= '-9007199254740991'::bigint) AND (tax_minor <= '9007199254740991'::bigint))),
  constraint proposals_proposals_terms_check CHECK ((length(terms) <= 20000)),
  constraint proposals_proposals_total_minor_check CHECK (((total_minor >= '-9007199254740991'::bigint) AND (total_minor <= '9007199254740991'::bigint))),
  constraint proposals_proposals_version_check CHECK ((version > 0)),
  constraint proposals_proposals_version_number_check CHECK (((version_number >= 1) AND (version_number <= 1000))),
  constraint proposals_proposals_view_count_check CHECK ((view_count >= 0))
);
CREATE INDEX proposals_proposals_account_id_filter_idx ON data.proposals_proposals USING btree (tenant_id, account_id, created_at DESC, id DESC);
CREATE INDEX proposals_proposals_contact_id_filter_idx ON data.proposals_proposals USING btree (tenant_id, contact_id, created_at DESC, id DESC);
CREATE INDEX proposals_proposals_deal_id_filter_idx ON data.proposals_proposals USING btree (tenant_id, deal_id, created_at DESC, id DESC);
CREATE INDEX proposals_proposals_filters_idx ON data.proposals_proposals USING gin (tenant_id, currency, deal_outcome, version_number, total_minor);
CREATE INDEX proposals_proposals_name_sort_idx ON data.proposals_proposals USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX proposals_proposals_number_filter_idx ON data.proposals_proposals USING btree (tenant_id, number, created_at DESC, id DESC);
CREATE INDEX proposals_proposals_owner_idx ON data.proposals_proposals USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX proposals_proposals_search_idx ON data.proposals_proposals USING gin (tenant_id, search);
CREATE INDEX proposals_proposals_sent_at_filter_idx ON data.proposals_proposals USING btree (tenant_id, sent_at, created_at DESC, id DESC);
CREATE INDEX proposals_proposals_status_filter_idx ON data.proposals_proposals USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX proposals_proposals_status_sort_idx ON data.proposals_proposals USING btree (tenant_id, status, id);
CREATE INDEX proposals_proposals_time_idx ON data.proposals_proposals USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX proposals_proposals_total_minor_sort_idx ON data.proposals_proposals USING btree (tenant_id, total_minor, id);
CREATE INDEX proposals_proposals_updated_at_sort_idx ON data.proposals_proposals USING btree (tenant_id, updated_at, id);
CREATE INDEX proposals_proposals_valid_until_date_down_idx ON data.proposals_proposals USING btree (tenant_id, (
CASE
    WHEN (valid_until_date IS NULL) THEN '-infinity'::date
    ELSE valid_until_date
END) DESC, id DESC);
CREATE INDEX proposals_proposals_valid_until_date_filter_idx ON data.proposals_proposals USING btree (tenant_id, valid_until_date, created_at DESC, id DESC);
CREATE INDEX proposals_proposals_valid_until_date_up_idx ON data.proposals_proposals USING btree (tenant_id, (
CASE
    WHEN (valid_until_date IS NULL) THEN 'infinity'::date
    ELSE valid_until_date
END), id);
CREATE INDEX proposals_proposals_workspace_idx ON data.proposals_proposals USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX proposals_proposals_accepted_once ON data.proposals_proposals USING btree (tenant_id, root_id) WHERE (status = 'accepted'::text);
CREATE TRIGGER account_id_lives AFTER UPDATE ON data.proposals_proposals FOR EACH ROW WHEN (((new.account_id IS NOT NULL) AND (new.account_id IS DISTINCT FROM old.account_id))) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE TRIGGER contact_id_lives AFTER UPDATE ON data.proposals_proposals FOR EACH ROW WHEN (((new.contact_id IS NOT NULL) AND (new.contact_id IS DISTINCT FROM old.contact_id))) EXECUTE FUNCTION data.expect_live('data.sales_contacts', 'contact_id', '/contactId');
CREATE TRIGGER held_change AFTER UPDATE ON data.proposals_proposals FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.proposals_proposals REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('proposals.proposal');
CREATE TRIGGER held_trash AFTER UPDATE ON data.proposals_proposals FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('proposals.proposal');
CREATE TRIGGER keep_content BEFORE UPDATE ON data.proposals_proposals FOR EACH ROW WHEN (((old.status <> ALL (ARRAY['draft'::text, 'pending_approval'::text, 'approved'::text])) AND ((new.name IS DISTINCT FROM old.name) OR (new.number IS DISTINCT FROM old.number) OR (new.version_number IS DISTINCT FROM old.version_number) OR (new.root_id IS DISTINCT FROM old.root_id) OR (new.deal_id IS DISTINCT FROM old.deal_id) OR (new.currency IS DISTINCT FROM old.currency) OR (new.line_items IS DISTINCT FROM old.line_items) OR (new.tax_inclusive IS DISTINCT FROM old.tax_inclusive) OR (new.subtotal_minor IS DISTINCT FROM old.subtotal_minor) OR (new.discount_minor IS DISTINCT FROM old.discount_minor) OR (new.net_minor IS DISTINCT FROM old.net_minor) OR (new.tax_minor IS DISTINCT FROM old.tax_minor) OR (new.total_minor IS DISTINCT FROM old.total_minor) OR (new.tax_breakdown IS DISTINCT FROM old.tax_breakdown) OR (new.valid_until_date IS DISTINCT FROM old.valid_until_date) OR (new.introduction IS DISTINCT FROM old.introduction) OR (new.terms IS DISTINCT FROM old.terms)))) EXECUTE FUNCTION data.refuse_proposal_change();
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.proposals_proposals FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('proposals.proposal');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.proposals_proposals FOR EACH ROW WHEN ((new.external_refs IS DISTINCT FROM old.external_refs)) EXECUTE FUNCTION data.keep_external_refs('proposals.proposal');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.proposals_proposals FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('proposals.proposal');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.proposals_proposals FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('proposals.proposal');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.proposals_proposals FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('proposals.proposal');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.proposals_proposals FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('proposals.proposal');
CREATE TRIGGER new_account_id_lives AFTER INSERT ON data.proposals_proposals FOR EACH ROW WHEN ((new.account_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE TRIGGER new_contact_id_lives AFTER INSERT ON data.proposals_proposals FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_contacts', 'contact_id', '/contactId');
alter table data.proposals_proposals enable row level security;
alter table data.proposals_proposals force row level security;
create policy rows on data.proposals_proposals as permissive for all to :app, :system using (true) with check (true);
create policy search on data.proposals_proposals as permissive for select to :lookup using (true);
create policy tenant_isolation on data.proposals_proposals as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.proposals_proposals to :app;
grant delete, insert, select, update on data.proposals_proposals to :system;
grant select (tenant_id, id, search) on data.proposals_proposals to :lookup;

create table data.public_links (
  tenant_id uuid not null,
  id uuid not null,
  purpose text not null,
  target_object text not null,
  target_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  max_uses integer,
  uses integer default 0 not null,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  created_by jsonb not null,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint public_links_pkey PRIMARY KEY (tenant_id, id),
  constraint public_links_check CHECK (((uses >= 0) AND (uses <= max_uses))),
  constraint public_links_max_uses_check CHECK (((max_uses >= 1) AND (max_uses <= 1000000))),
  constraint public_links_purpose_check CHECK (((length(purpose) >= 1) AND (length(purpose) <= 40))),
  constraint public_links_target_object_check CHECK (((length(target_object) >= 1) AND (length(target_object) <= 60))),
  constraint public_links_version_check CHECK ((version > 0))
);
CREATE INDEX public_links_target_idx ON data.public_links USING btree (tenant_id, target_id, created_at DESC, id DESC);
CREATE INDEX public_links_time_idx ON data.public_links USING btree (tenant_id, created_at DESC, id DESC);
alter table data.public_links enable row level security;
alter table data.public_links force row level security;
create policy rows on data.public_links as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.public_links as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.public_links to :app;
grant delete, insert, select, update on data.public_links to :system;

create table data.record_links (
  tenant_id uuid not null,
  id uuid not null,
  object text not null,
  record_id uuid not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  relation text not null,
  other_object text not null,
  other_id uuid not null,
  constraint record_links_pkey PRIMARY KEY (tenant_id, id, record_id),
  constraint record_links_once_key UNIQUE (tenant_id, record_id, relation, other_id),
  constraint record_links_check CHECK ((record_id <> other_id)),
  constraint record_links_relation_check CHECK ((relation = ANY (ARRAY['relates_to'::text, 'blocks'::text, 'blocked_by'::text, 'duplicates'::text, 'duplicated_by'::text, 'caused_by'::text, 'causes'::text, 'derived_from'::text, 'source_of'::text]))),
  constraint record_links_version_check CHECK ((version > 0))
);
CREATE INDEX record_links_time_idx ON data.record_links USING btree (tenant_id, record_id, created_at DESC, id DESC);
alter table data.record_links enable row level security;
alter table data.record_links force row level security;
create policy rows on data.record_links as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.record_links as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.record_links to :app;
grant delete, insert, select on data.record_links to :system;
grant update (record_id, version, other_id) on data.record_links to :app;
grant update (record_id, version, other_id) on data.record_links to :system;

create table data.record_tags (
  tenant_id uuid not null,
  object text not null,
  tag text not null,
  record_id uuid not null,
  constraint record_tags_pkey PRIMARY KEY (tenant_id, object, tag, record_id)
);
CREATE INDEX record_tags_record_idx ON data.record_tags USING btree (tenant_id, record_id);
alter table data.record_tags enable row level security;
alter table data.record_tags force row level security;
create policy rows on data.record_tags as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.record_tags as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.record_tags to :app;
grant delete, insert, select on data.record_tags to :system;

create table data.record_transitions (
  tenant_id uuid not null,
  id uuid not null,
  object text not null,
  record_id uuid not null,
  action text not null,
  from_state text not null,
  to_state text not null,
  from_stage text,
  to_stage text,
  actor jsonb not null,
  request_id text not null,
  occurred_at timestamp(3) with time zone not null,
  seconds_in_from_state bigint not null,
  reason text,
  constraint record_transitions_pkey PRIMARY KEY (tenant_id, id),
  constraint record_transitions_seconds_in_from_state_check CHECK ((seconds_in_from_state >= 0))
);
CREATE INDEX record_transitions_record_idx ON data.record_transitions USING btree (tenant_id, record_id, occurred_at DESC, id DESC);
CREATE INDEX record_transitions_time_idx ON data.record_transitions USING btree (tenant_id, object, occurred_at, from_state);
alter table data.record_transitions enable row level security;
alter table data.record_transitions force row level security;
create policy rows on data.record_transitions as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.record_transitions as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.record_transitions to :app;
grant delete, insert, select on data.record_transitions to :system;
grant update (reason) on data.record_transitions to :app;
grant update (reason) on data.record_transitions to :system;

create table data.record_watchers (
  tenant_id uuid not null,
  id uuid not null,
  object text not null,
  record_id uuid not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  constraint record_watchers_pkey PRIMARY KEY (tenant_id, record_id, id),
  constraint record_watchers_version_check CHECK ((version > 0))
);
CREATE INDEX record_watchers_member_idx ON data.record_watchers USING btree (tenant_id, id);
CREATE INDEX record_watchers_time_idx ON data.record_watchers USING btree (tenant_id, record_id, created_at DESC, id DESC);
alter table data.record_watchers enable row level security;
alter table data.record_watchers force row level security;
create policy rows on data.record_watchers as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.record_watchers as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.record_watchers to :app;
grant delete, insert, select on data.record_watchers to :system;
grant update (record_id, version) on data.record_watchers to :app;
grant update (record_id, version) on data.record_watchers to :system;

create table data.report_results (
  tenant_id uuid not null,
  run_id uuid not null,
  result jsonb not null,
  constraint report_results_pkey PRIMARY KEY (tenant_id, run_id)
);
alter table data.report_results enable row level security;
alter table data.report_results force row level security;
create policy rows on data.report_results as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.report_results as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.report_results to :app;
grant insert, select on data.report_results to :system;

create table data.report_runs (
  tenant_id uuid not null,
  id uuid not null,
  report_id uuid not null,
  name text not null,
  status text not null,
  trigger text not null,
  member_id uuid not null,
  reader_ids jsonb not null,
  question jsonb not null,
  format text not null,
  job_id uuid not null,
  row_count integer,
  truncated boolean,
  error jsonb,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  key_id uuid,
  scopes jsonb,
  constraint report_runs_pkey PRIMARY KEY (tenant_id, id),
  constraint report_runs_error CHECK (((error IS NOT NULL) = (status = 'failed'::text))),
  constraint report_runs_finished CHECK (((finished_at IS NOT NULL) = (status <> 'queued'::text))),
  constraint report_runs_format_check CHECK ((format = ANY (ARRAY['json'::text, 'csv'::text]))),
  constraint report_runs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint report_runs_question_check CHECK ((jsonb_typeof(question) = 'object'::text)),
  constraint report_runs_reader_ids_check CHECK ((jsonb_typeof(reader_ids) = 'array'::text)),
  constraint report_runs_row_count_check CHECK (((row_count >= 0) AND (row_count <= 10000))),
  constraint report_runs_rows CHECK ((((row_count IS NOT NULL) AND (truncated IS NOT NULL)) = (status = 'succeeded'::text))),
  constraint report_runs_scopes_check CHECK ((jsonb_typeof(scopes) = 'array'::text)),
  constraint report_runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  constraint report_runs_trigger_check CHECK ((trigger = ANY (ARRAY['request'::text, 'schedule'::text]))),
  constraint report_runs_version_check CHECK ((version > 0))
);
CREATE INDEX report_runs_expiry_idx ON data.report_runs USING btree (tenant_id, expires_at);
CREATE INDEX report_runs_job_idx ON data.report_runs USING btree (tenant_id, job_id);
CREATE INDEX report_runs_report_idx ON data.report_runs USING btree (tenant_id, report_id, created_at DESC, id DESC);
alter table data.report_runs enable row level security;
alter table data.report_runs force row level security;
create policy rows on data.report_runs as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.report_runs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.report_runs to :app;
grant delete, insert, select, update on data.report_runs to :system;

create table data.reports (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  record_type text not null,
  filter jsonb not null,
  dimensions jsonb not null,
  measures jsonb not null,
  sort jsonb not null,
  max_rows integer not null,
  shared text not null,
  workspace_id uuid,
  owner_id uuid not null,
  schedule jsonb,
  paused_at timestamp(3) with time zone,
  paused_reason text,
  created_by jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  schedule_key_id uuid,
  constraint reports_pkey PRIMARY KEY (tenant_id, id),
  constraint reports_description_check CHECK ((length(description) <= 1000)),
  constraint reports_dimensions_check CHECK ((jsonb_typeof(dimensions) = 'array'::text)),
  constraint reports_filter_check CHECK ((jsonb_typeof(filter) = 'object'::text)),
  constraint reports_max_rows_check CHECK (((max_rows >= 1) AND (max_rows <= 10000))),
  constraint reports_measures_check CHECK ((jsonb_typeof(measures) = 'array'::text)),
  constraint reports_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint reports_paused CHECK (((paused_at IS NOT NULL) = (paused_reason IS NOT NULL))),
  constraint reports_paused_reason_check CHECK ((paused_reason = ANY (ARRAY['owner_inactive'::text, 'credential_ended'::text, 'owner_not_permitted'::text, 'no_longer_valid'::text]))),
  constraint reports_record_type_check CHECK (((length(record_type) >= 3) AND (length(record_type) <= 60))),
  constraint reports_schedule_check CHECK ((jsonb_typeof(schedule) = 'object'::text)),
  constraint reports_shared CHECK (((shared = 'workspace'::text) = (workspace_id IS NOT NULL))),
  constraint reports_shared_check CHECK ((shared = ANY (ARRAY['private'::text, 'workspace'::text, 'tenant'::text]))),
  constraint reports_sort_check CHECK ((jsonb_typeof(sort) = 'array'::text)),
  constraint reports_version_check CHECK ((version > 0))
);
CREATE INDEX reports_time_idx ON data.reports USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX reports_workspace_idx ON data.reports USING btree (tenant_id, workspace_id) WHERE (workspace_id IS NOT NULL);
alter table data.reports enable row level security;
alter table data.reports force row level security;
create policy rows on data.reports as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.reports as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.reports to :app;
grant delete, insert, select, update on data.reports to :system;

create table data.request_days (
  tenant_id uuid not null,
  date date not null,
  rate_class text not null,
  process_id uuid not null,
  revision integer not null,
  counted bigint not null,
  refused bigint not null,
  errors bigint not null,
  server_errors bigint default 0 not null,
  replays bigint default 0 not null,
  constraint request_days_pkey PRIMARY KEY (tenant_id, date, rate_class, process_id),
  constraint request_days_check CHECK ((errors <= counted)),
  constraint request_days_counted_check CHECK ((counted >= 0)),
  constraint request_days_errors_check CHECK ((errors >= 0)),
  constraint request_days_rate_class_check CHECK ((rate_class = ANY (ARRAY['read'::text, 'write'::text]))),
  constraint request_days_refused_check CHECK ((refused >= 0)),
  constraint request_days_replays_check CHECK ((replays >= 0)),
  constraint request_days_revision_check CHECK ((revision > 0)),
  constraint request_days_server_errors_check CHECK ((server_errors >= 0))
) with (fillfactor=50);
alter table data.request_days enable row level security;
alter table data.request_days force row level security;
create policy rows on data.request_days as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.request_days as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.request_days to :app;
grant insert, select, update on data.request_days to :system;

create table data.request_key_days (
  tenant_id uuid not null,
  key_id uuid not null,
  date date not null,
  route text not null,
  method text not null,
  process_id uuid not null,
  revision integer not null,
  counted bigint not null,
  refused bigint not null,
  c4xx bigint not null,
  c5xx bigint not null,
  replays bigint not null,
  permissions text[] not null,
  constraint request_key_days_pkey PRIMARY KEY (tenant_id, key_id, date, route, method, process_id),
  constraint request_key_days_c4xx_check CHECK ((c4xx >= 0)),
  constraint request_key_days_c5xx_check CHECK ((c5xx >= 0)),
  constraint request_key_days_counted_check CHECK ((counted >= 0)),
  constraint request_key_days_refused_check CHECK ((refused >= 0)),
  constraint request_key_days_replays_check CHECK ((replays >= 0)),
  constraint request_key_days_revision_check CHECK ((revision > 0))
) with (fillfactor=60);
CREATE INDEX request_key_days_date_idx ON data.request_key_days USING btree (tenant_id, date);
alter table data.request_key_days enable row level security;
alter table data.request_key_days force row level security;
create policy rows on data.request_key_days as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.request_key_days as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.request_key_days to :app;
grant delete, insert, select, update on data.request_key_days to :system;

create table data.request_minutes (
  tenant_id uuid not null,
  minute timestamp(3) with time zone not null,
  process_id uuid not null,
  revision integer not null,
  good bigint not null,
  bad bigint not null,
  good_latency bigint[] default array_fill((0)::bigint, ARRAY[12]) not null,
  constraint request_minutes_pkey PRIMARY KEY (tenant_id, minute, process_id),
  constraint request_minutes_bad_check CHECK ((bad >= 0)),
  constraint request_minutes_good_check CHECK ((good >= 0)),
  constraint request_minutes_good_latency_check CHECK ((cardinality(good_latency) = 12)),
  constraint request_minutes_revision_check CHECK ((revision > 0))
) with (fillfactor=70);
alter table data.request_minutes enable row level security;
alter table data.request_minutes force row level security;
create policy rows on data.request_minutes as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.request_minutes as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.request_minutes to :app;
grant delete, insert, select, update on data.request_minutes to :system;

create table data.request_stats_day (
  tenant_id uuid not null,
  date date not null,
  route text not null,
  method text not null,
  credential_kind text not null,
  credential_id uuid not null,
  count bigint not null,
  c2xx bigint not null,
  c4xx bigint not null,
  c429 bigint not null,
  c5xx bigint not null,
  latency bigint[] not null,
  bytes_out bigint not null,
  replays bigint default 0 not null,
  good bigint default 0 not null,
  bad bigint default 0 not null,
  good_latency bigint[] default array_fill((0)::bigint, ARRAY[12]) not null,
  constraint request_stats_day_pkey PRIMARY KEY (tenant_id, date, route, method, credential_id),
  constraint request_stats_day_bad_check CHECK ((bad >= 0)),
  constraint request_stats_day_bytes_out_check CHECK ((bytes_out >= 0)),
  constraint request_stats_day_c2xx_check CHECK ((c2xx >= 0)),
  constraint request_stats_day_c429_check CHECK ((c429 >= 0)),
  constraint request_stats_day_c4xx_check CHECK ((c4xx >= 0)),
  constraint request_stats_day_c5xx_check CHECK ((c5xx >= 0)),
  constraint request_stats_day_check CHECK ((((c2xx + c4xx) + c5xx) <= count)),
  constraint request_stats_day_count_check CHECK ((count >= 0)),
  constraint request_stats_day_credential_kind_check CHECK ((credential_kind = ANY (ARRAY['api_key'::text, 'session'::text, 'scim_token'::text, 'oauth_token'::text]))),
  constraint request_stats_day_good_check CHECK ((good >= 0)),
  constraint request_stats_day_good_latency_check CHECK ((cardinality(good_latency) = 12)),
  constraint request_stats_day_latency_check CHECK ((cardinality(latency) = 12)),
  constraint request_stats_day_replays_check CHECK ((replays >= 0))
);
alter table data.request_stats_day enable row level security;
alter table data.request_stats_day force row level security;
create policy rows on data.request_stats_day as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.request_stats_day as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.request_stats_day to :app;
grant delete, insert, select, update on data.request_stats_day to :system;

create table data.request_stats_hour (
  tenant_id uuid not null,
  hour timestamp(3) with time zone not null,
  route text not null,
  method text not null,
  credential_kind text not null,
  credential_id uuid not null,
  count bigint not null,
  c2xx bigint not null,
  c4xx bigint not null,
  c429 bigint not null,
  c5xx bigint not null,
  latency bigint[] not null,
  bytes_out bigint not null,
  replays bigint default 0 not null,
  good bigint default 0 not null,
  bad bigint default 0 not null,
  good_latency bigint[] default array_fill((0)::bigint, ARRAY[12]) not null,
  constraint request_stats_hour_pkey PRIMARY KEY (tenant_id, hour, route, method, credential_id),
  constraint request_stats_hour_bad_check CHECK ((bad >= 0)),
  constraint request_stats_hour_bytes_out_check CHECK ((bytes_out >= 0)),
  constraint request_stats_hour_c2xx_check CHECK ((c2xx >= 0)),
  constraint request_stats_hour_c429_check CHECK ((c429 >= 0)),
  constraint request_stats_hour_c4xx_check CHECK ((c4xx >= 0)),
  constraint request_stats_hour_c5xx_check CHECK ((c5xx >= 0)),
  constraint request_stats_hour_check CHECK ((((c2xx + c4xx) + c5xx) <= count)),
  constraint request_stats_hour_count_check CHECK ((count >= 0)),
  constraint request_stats_hour_credential_kind_check CHECK ((credential_kind = ANY (ARRAY['api_key'::text, 'session'::text, 'scim_token'::text, 'oauth_token'::text]))),
  constraint request_stats_hour_good_check CHECK ((good >= 0)),
  constraint request_stats_hour_good_latency_check CHECK ((cardinality(good_latency) = 12)),
  constraint request_stats_hour_latency_check CHECK ((cardinality(latency) = 12)),
  constraint request_stats_hour_replays_check CHECK ((replays >= 0))
);
alter table data.request_stats_hour enable row level security;
alter table data.request_stats_hour force row level security;
create policy rows on data.request_stats_hour as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.request_stats_hour as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.request_stats_hour to :app;
grant delete, insert, select, update on data.request_stats_hour to :system;

create table data.request_stats_minute (
  tenant_id uuid not null,
  minute timestamp(3) with time zone not null,
  route text not null,
  method text not null,
  credential_kind text not null,
  credential_id uuid not null,
  process_id uuid not null,
  revision integer not null,
  count bigint not null,
  c2xx bigint not null,
  c4xx bigint not null,
  c429 bigint not null,
  c5xx bigint not null,
  latency bigint[] not null,
  bytes_out bigint not null,
  replays bigint default 0 not null,
  good bigint default 0 not null,
  bad bigint default 0 not null,
  good_latency bigint[] default array_fill((0)::bigint, ARRAY[12]) not null,
  max_ms integer,
  constraint request_stats_minute_pkey PRIMARY KEY (tenant_id, minute, route, method, credential_id, process_id),
  constraint request_stats_minute_bad_check CHECK ((bad >= 0)),
  constraint request_stats_minute_bytes_out_check CHECK ((bytes_out >= 0)),
  constraint request_stats_minute_c2xx_check CHECK ((c2xx >= 0)),
  constraint request_stats_minute_c429_check CHECK ((c429 >= 0)),
  constraint request_stats_minute_c4xx_check CHECK ((c4xx >= 0)),
  constraint request_stats_minute_c5xx_check CHECK ((c5xx >= 0)),
  constraint request_stats_minute_check CHECK ((((c2xx + c4xx) + c5xx) <= count)),
  constraint request_stats_minute_count_check CHECK ((count >= 0)),
  constraint request_stats_minute_credential_kind_check CHECK ((credential_kind = ANY (ARRAY['api_key'::text, 'session'::text, 'scim_token'::text, 'oauth_token'::text]))),
  constraint request_stats_minute_good_check CHECK ((good >= 0)),
  constraint request_stats_minute_good_latency_check CHECK ((cardinality(good_latency) = 12)),
  constraint request_stats_minute_latency_check CHECK ((cardinality(latency) = 12)),
  constraint request_stats_minute_max_ms_check CHECK ((max_ms >= 0)),
  constraint request_stats_minute_replays_check CHECK ((replays >= 0)),
  constraint request_stats_minute_revision_check CHECK ((revision > 0))
) with (fillfactor=70);
alter table data.request_stats_minute enable row level security;
alter table data.request_stats_minute force row level security;
create policy rows on data.request_stats_minute as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.request_stats_minute as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.request_stats_minute to :app;
grant delete, insert, select, update on data.request_stats_minute to :system;

create table data.resource_grants (
  tenant_id uuid not null,
  id uuid not null,
  object text not null,
  object_id uuid,
  workspace_id uuid,
  principal_type text not null,
  principal_id uuid not null,
  level text not null,
  rank smallint generated always as (array_position(ARRAY['view'::text, 'comment'::text, 'edit'::text, 'manage'::text], level)) stored not null,
  effect text not null,
  expires_at timestamp(3) with time zone,
  reason text,
  granted_by jsonb not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  given_with text[] default '{}'::text[] not null,
  constraint resource_grants_pkey PRIMARY KEY (tenant_id, id),
  constraint resource_grants_target_key UNIQUE NULLS NOT DISTINCT (tenant_id, object, object_id, workspace_id, principal_type, principal_id),
  constraint resource_grants_check CHECK (((object_id IS NULL) = (workspace_id IS NOT NULL))),
  constraint resource_grants_effect_check CHECK ((effect = ANY (ARRAY['allow'::text, 'deny'::text]))),
  constraint resource_grants_level_check CHECK ((level = ANY (ARRAY['view'::text, 'comment'::text, 'edit'::text, 'manage'::text]))),
  constraint resource_grants_principal_type_check CHECK ((principal_type = ANY (ARRAY['membership'::text, 'role'::text, 'workspace'::text, 'api_key'::text, 'agent'::text]))),
  constraint resource_grants_reason_check CHECK ((length(reason) <= 1000))
);
CREATE INDEX resource_grants_principal_idx ON data.resource_grants USING btree (tenant_id, principal_id, object);
CREATE TRIGGER epoch_delete AFTER DELETE ON data.resource_grants REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER epoch_insert AFTER INSERT ON data.resource_grants REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER epoch_update AFTER UPDATE ON data.resource_grants REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
alter table data.resource_grants enable row level security;
alter table data.resource_grants force row level security;
create policy rows on data.resource_grants as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.resource_grants as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.resource_grants to :app;
grant delete, insert, select, update on data.resource_grants to :system;

create table data.retention_policies (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  object text not null,
  filter jsonb not null,
  retain_days integer not null,
  disposition text not null,
  enabled boolean not null,
  legal_basis text,
  constraint retention_policies_pkey PRIMARY KEY (tenant_id, id),
  constraint retention_policies_disposition_check CHECK ((disposition = ANY (ARRAY['delete'::text, 'anonymize'::text, 'archive'::text]))),
  constraint retention_policies_retain_days_check CHECK (((retain_days >= 1) AND (retain_days <= 36500))),
  constraint retention_policies_version_check CHECK ((version > 0))
);
alter table data.retention_policies enable row level security;
alter table data.retention_policies force row level security;
create policy rows on data.retention_policies as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.retention_policies as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.retention_policies to :app;
grant delete, insert, select, update on data.retention_policies to :system;

create table data.retention_runs (
  tenant_id uuid not null,
  id uuid not null,
  created_at timestamp(3) with time zone not null,
  policy_id uuid,
  object text,
  disposition text not null,
  job_id uuid not null,
  examined bigint default 0 not null,
  affected bigint default 0 not null,
  held_back bigint default 0 not null,
  in_use bigint default 0 not null,
  failed bigint default 0 not null,
  per_type jsonb default '{}'::jsonb not null,
  finished_at timestamp(3) with time zone,
  constraint retention_runs_pkey PRIMARY KEY (tenant_id, id),
  constraint retention_runs_disposition_check CHECK ((disposition = ANY (ARRAY['delete'::text, 'anonymize'::text, 'archive'::text])))
);
CREATE INDEX retention_runs_policy_idx ON data.retention_runs USING btree (tenant_id, policy_id, created_at DESC);
CREATE INDEX retention_runs_time_idx ON data.retention_runs USING btree (tenant_id, created_at DESC, id DESC);
alter table data.retention_runs enable row level security;
alter table data.retention_runs force row level security;
create policy rows on data.retention_runs as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.retention_runs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.retention_runs to :app;
grant insert, select, update on data.retention_runs to :system;

create table data.retention_tombstones (
  tenant_id uuid not null,
  object text not null,
  record_id uuid not null,
  disposition text not null,
  policy_id uuid,
  run_id uuid not null,
  at timestamp(3) with time zone not null,
  constraint retention_tombstones_pkey PRIMARY KEY (tenant_id, record_id, disposition),
  constraint retention_tombstones_disposition_check CHECK ((disposition = ANY (ARRAY['delete'::text, 'anonymize'::text])))
);
CREATE INDEX retention_tombstones_run_idx ON data.retention_tombstones USING btree (tenant_id, run_id, record_id);
alter table data.retention_tombstones enable row level security;
alter table data.retention_tombstones force row level security;
create policy rows on data.retention_tombstones as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.retention_tombstones as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.retention_tombstones to :app;
grant insert, select on data.retention_tombstones to :system;
grant update (policy_id, run_id, at) on data.retention_tombstones to :app;
grant update (policy_id, run_id, at) on data.retention_tombstones to :system;

create table data.role_assignments (
  tenant_id uuid not null,
  membership_id uuid not null,
  role_id uuid not null,
  source text default 'manual'::text not null,
  granted_at timestamp(3) with time zone not null,
  constraint role_assignments_pkey PRIMARY KEY (tenant_id, membership_id, role_id, source),
  constraint role_assignments_source_check CHECK ((source ~ '^(manual|scim:.{1,200})$'::text))
);
alter table data.role_assignments alter column tenant_id set (n_distinct=-0.01);
CREATE INDEX role_assignments_role_idx ON data.role_assignments USING btree (tenant_id, role_id, membership_id);
CREATE INDEX role_assignments_source_idx ON data.role_assignments USING btree (tenant_id, source);
CREATE TRIGGER epoch_delete AFTER DELETE ON data.role_assignments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER epoch_insert AFTER INSERT ON data.role_assignments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs_of_members();
CREATE TRIGGER epoch_update AFTER UPDATE ON data.role_assignments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER members_delete AFTER DELETE ON data.role_assignments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.count_role_assignments_delete();
CREATE TRIGGER members_insert AFTER INSERT ON data.role_assignments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.count_role_assignments_insert();
alter table data.role_assignments enable row level security;
alter table data.role_assignments force row level security;
create policy rows on data.role_assignments as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.role_assignments as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.role_assignments to :app;
grant delete, insert, select on data.role_assignments to :system;

create table data.roles (
  tenant_id uuid not null,
  id uuid not null,
  key text not null,
  name text not null,
  description text,
  permissions text[] not null,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint roles_pkey PRIMARY KEY (tenant_id, id),
  constraint roles_key_key UNIQUE (tenant_id, key),
  constraint roles_description_check CHECK ((length(description) <= 1000)),
  constraint roles_key_check CHECK ((key ~ '^[a-z][a-z0-9_]{0,59}$'::text)),
  constraint roles_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint roles_version_check CHECK ((version > 0))
);
CREATE UNIQUE INDEX roles_name_key ON data.roles USING btree (tenant_id, data.fold(name));
CREATE TRIGGER epoch_delete AFTER DELETE ON data.roles REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER epoch_insert AFTER INSERT ON data.roles REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER epoch_update AFTER UPDATE ON data.roles REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
alter table data.roles enable row level security;
alter table data.roles force row level security;
create policy rows on data.roles as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.roles as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.roles to :app;
grant delete, insert, select, update on data.roles to :system;

create table data.sales_account_roles (
  tenant_id uuid not null,
  role text not null,
  account_id uuid not null,
  constraint sales_account_roles_pkey PRIMARY KEY (tenant_id, role, account_id)
);
CREATE INDEX sales_account_roles_record_idx ON data.sales_account_roles USING btree (tenant_id, account_id);
alter table data.sales_account_roles enable row level security;
alter table data.sales_account_roles force row level security;
create policy rows on data.sales_account_roles as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.sales_account_roles as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.sales_account_roles to :app;
grant delete, insert, select on data.sales_account_roles to :system;

create table data.sales_accounts (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  domain text,
  roles jsonb default '[]'::jsonb not null,
  industry text,
  size text,
  billing_email text,
  billing_address jsonb,
  shipping_address jsonb,
  tax_id text,
  currency text,
  payment_terms_days integer,
  credit_limit_minor bigint,
  parent_account_id uuid,
  lifecycle text not null,
  lifecycle_before text,
  merged_into_id uuid,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((((name || ' '::text) || reference) || ' '::text) || COALESCE(domain, ''::text)) || ' '::text) || COALESCE(billing_email, ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  constraint sales_accounts_pkey PRIMARY KEY (tenant_id, id),
  constraint sales_accounts_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint sales_accounts_billing_email_check CHECK ((length(billing_email) <= 254)),
  constraint sales_accounts_check CHECK (((lifecycle = 'blocked'::text) = (lifecycle_before IS NOT NULL))),
  constraint sales_accounts_check1 CHECK (((merged_into_id IS NULL) OR ((archived_at IS NOT NULL) AND (merged_into_id <> id)))),
  constraint sales_accounts_credit_limit_minor_check CHECK (((credit_limit_minor >= 0) AND (credit_limit_minor <= '9007199254740991'::bigint))),
  constraint sales_accounts_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint sales_accounts_domain_check CHECK (((length(domain) >= 1) AND (length(domain) <= 253) AND (domain = lower(domain)))),
  constraint sales_accounts_industry_check CHECK (((length(industry) >= 1) AND (length(industry) <= 100))),
  constraint sales_accounts_lifecycle_before_check CHECK ((lifecycle_before = ANY (ARRAY['prospect'::text, 'active'::text, 'churned'::text]))),
  constraint sales_accounts_lifecycle_check CHECK ((lifecycle = ANY (ARRAY['prospect'::text, 'active'::text, 'churned'::text, 'blocked'::text]))),
  constraint sales_accounts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint sales_accounts_payment_terms_days_check CHECK (((payment_terms_days >= 0) AND (payment_terms_days <= 3650))),
  constraint sales_accounts_size_check CHECK ((size = ANY (ARRAY['micro'::text, 'small'::text, 'medium'::text, 'large'::text, 'enterprise'::text]))),
  constraint sales_accounts_tax_id_check CHECK (((length(tax_id) >= 1) AND (length(tax_id) <= 60))),
  constraint sales_accounts_version_check CHECK ((version > 0))
);
CREATE INDEX sales_accounts_filters_idx ON data.sales_accounts USING gin (tenant_id, domain, industry, size, currency, tax_id, merged_into_id);
CREATE INDEX sales_accounts_lifecycle_filter_idx ON data.sales_accounts USING btree (tenant_id, lifecycle, created_at DESC, id DESC) INCLUDE (deleted_at, archived_at);
CREATE INDEX sales_accounts_name_sort_idx ON data.sales_accounts USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX sales_accounts_owner_idx ON data.sales_accounts USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX sales_accounts_parent_account_id_filter_idx ON data.sales_accounts USING btree (tenant_id, parent_account_id, created_at DESC, id DESC);
CREATE INDEX sales_accounts_search_idx ON data.sales_accounts USING gin (tenant_id, search);
CREATE INDEX sales_accounts_time_idx ON data.sales_accounts USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX sales_accounts_updated_at_sort_idx ON data.sales_accounts USING btree (tenant_id, updated_at, id);
CREATE INDEX sales_accounts_workspace_idx ON data.sales_accounts USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.sales_accounts FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.sales_accounts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('sales.account');
CREATE TRIGGER held_trash AFTER UPDATE ON data.sales_accounts FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('sales.account');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.sales_accounts FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('sales.account');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.sales_accounts FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('sales.account');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.sales_accounts FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('sales.account');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.sales_accounts FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('sales.account');
CREATE TRIGGER keep_new_roles_rows AFTER INSERT ON data.sales_accounts FOR EACH ROW WHEN ((new.roles <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_sales_account_roles();
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.sales_accounts FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('sales.account');
CREATE TRIGGER keep_roles_rows AFTER UPDATE ON data.sales_accounts FOR EACH ROW WHEN ((new.roles IS DISTINCT FROM old.roles)) EXECUTE FUNCTION data.keep_sales_account_roles();
CREATE TRIGGER keep_tags AFTER UPDATE ON data.sales_accounts FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('sales.account');
CREATE TRIGGER new_parent_account_id_lives AFTER INSERT ON data.sales_accounts FOR EACH ROW WHEN ((new.parent_account_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'parent_account_id', '/parentAccountId');
CREATE TRIGGER parent_account_id_lives AFTER UPDATE ON data.sales_accounts FOR EACH ROW WHEN (((new.parent_account_id IS NOT NULL) AND (new.parent_account_id IS DISTINCT FROM old.parent_account_id))) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'parent_account_id', '/parentAccountId');
CREATE TRIGGER parent_ring AFTER UPDATE ON data.sales_accounts FOR EACH ROW WHEN (((new.parent_account_id IS NOT NULL) AND (new.parent_account_id IS DISTINCT FROM old.parent_account_id))) EXECUTE FUNCTION data.refuse_parent_ring();
alter table data.sales_accounts enable row level security;
alter table data.sales_accounts force row level security;
create policy rows on data.sales_accounts as permissive for all to :app, :system using (true) with check (true);
create policy search on data.sales_accounts as permissive for select to :lookup using (true);
create policy tenant_isolation on data.sales_accounts as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.sales_accounts to :app;
grant delete, insert, select, update on data.sales_accounts to :system;
grant select (tenant_id, id, search) on data.sales_accounts to :lookup;

create table data.sales_contact_emails (
  tenant_id uuid not null,
  email text not null,
  contact_id uuid not null,
  constraint sales_contact_emails_pkey PRIMARY KEY (tenant_id, email, contact_id)
);
CREATE INDEX sales_contact_emails_record_idx ON data.sales_contact_emails USING btree (tenant_id, contact_id);
alter table data.sales_contact_emails enable row level security;
alter table data.sales_contact_emails force row level security;
create policy rows on data.sales_contact_emails as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.sales_contact_emails as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.sales_contact_emails to :app;
grant delete, insert, select on data.sales_contact_emails to :system;

create table data.sales_contacts (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  first_name text,
  last_name text,
  emails jsonb default '[]'::jsonb not null,
  phones jsonb default '[]'::jsonb not null,
  title text,
  account_id uuid,
  is_primary boolean default false not null,
  locale text,
  consent jsonb not null,
  merged_into_id uuid,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((((name || ' '::text) || reference) || ' '::text) || COALESCE(title, ''::text)) || ' '::text) || (emails)::text), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  constraint sales_contacts_pkey PRIMARY KEY (tenant_id, id),
  constraint sales_contacts_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint sales_contacts_check CHECK (((NOT is_primary) OR (account_id IS NOT NULL))),
  constraint sales_contacts_check1 CHECK (((merged_into_id IS NULL) OR ((archived_at IS NOT NULL) AND (merged_into_id <> id)))),
  constraint sales_contacts_first_name_check CHECK ((length(first_name) <= 100)),
  constraint sales_contacts_last_name_check CHECK ((length(last_name) <= 100)),
  constraint sales_contacts_locale_check CHECK ((length(locale) <= 35)),
  constraint sales_contacts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint sales_contacts_title_check CHECK ((length(title) <= 200)),
  constraint sales_contacts_version_check CHECK ((version > 0))
);
CREATE INDEX sales_contacts_account_id_filter_idx ON data.sales_contacts USING btree (tenant_id, account_id, created_at DESC, id DESC);
CREATE INDEX sales_contacts_filters_idx ON data.sales_contacts USING gin (tenant_id, first_name, last_name, is_primary, merged_into_id);
CREATE INDEX sales_contacts_name_sort_idx ON data.sales_contacts USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX sales_contacts_owner_idx ON data.sales_contacts USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX sales_contacts_search_idx ON data.sales_contacts USING gin (tenant_id, search);
CREATE INDEX sales_contacts_time_idx ON data.sales_contacts USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX sales_contacts_updated_at_sort_idx ON data.sales_contacts USING btree (tenant_id, updated_at, id);
CREATE INDEX sales_contacts_workspace_idx ON data.sales_contacts USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX sales_contacts_primary ON data.sales_contacts USING btree (tenant_id, account_id) WHERE (is_primary AND (deleted_at IS NULL) AND (archived_at IS NULL));
CREATE TRIGGER account_id_lives AFTER UPDATE ON data.sales_contacts FOR EACH ROW WHEN (((new.account_id IS NOT NULL) AND (new.account_id IS DISTINCT FROM old.account_id))) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE CONSTRAINT TRIGGER deals_fit AFTER UPDATE ON data.sales_contacts DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN (((new.account_id IS NOT NULL) AND (new.account_id IS DISTINCT FROM old.account_id))) EXECUTE FUNCTION data.check_deals_of_contact();
CREATE TRIGGER held_change AFTER UPDATE ON data.sales_contacts FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.sales_contacts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('sales.contact');
CREATE TRIGGER held_trash AFTER UPDATE ON data.sales_contacts FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('sales.contact');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.sales_contacts FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('sales.contact');
CREATE TRIGGER keep_emails_rows AFTER UPDATE ON data.sales_contacts FOR EACH ROW WHEN ((new.emails IS DISTINCT FROM old.emails)) EXECUTE FUNCTION data.keep_sales_contact_emails();
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.sales_contacts FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('sales.contact');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.sales_contacts FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('sales.contact');
CREATE TRIGGER keep_new_emails_rows AFTER INSERT ON data.sales_contacts FOR EACH ROW WHEN ((new.emails <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_sales_contact_emails();
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.sales_contacts FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('sales.contact');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.sales_contacts FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('sales.contact');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.sales_contacts FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('sales.contact');
CREATE TRIGGER new_account_id_lives AFTER INSERT ON data.sales_contacts FOR EACH ROW WHEN ((new.account_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
alter table data.sales_contacts enable row level security;
alter table data.sales_contacts force row level security;
create policy rows on data.sales_contacts as permissive for all to :app, :system using (true) with check (true);
create policy search on data.sales_contacts as permissive for select to :lookup using (true);
create policy tenant_isolation on data.sales_contacts as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.sales_contacts to :app;
grant delete, insert, select, update on data.sales_contacts to :system;
grant select (tenant_id, id, search) on data.sales_contacts to :lookup;

create table data.sales_deal_contacts (
  tenant_id uuid not null,
  contact_id uuid not null,
  deal_id uuid not null,
  constraint sales_deal_contacts_pkey PRIMARY KEY (tenant_id, contact_id, deal_id)
);
CREATE INDEX sales_deal_contacts_deal_idx ON data.sales_deal_contacts USING btree (tenant_id, deal_id);
CREATE TRIGGER contact_id_lives AFTER UPDATE ON data.sales_deal_contacts FOR EACH ROW WHEN (((new.contact_id IS NOT NULL) AND (new.contact_id IS DISTINCT FROM old.contact_id))) EXECUTE FUNCTION data.expect_live('data.sales_contacts', 'contact_id', '/contactIds');
CREATE TRIGGER new_contact_id_lives AFTER INSERT ON data.sales_deal_contacts FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_contacts', 'contact_id', '/contactIds');
alter table data.sales_deal_contacts enable row level security;
alter table data.sales_deal_contacts force row level security;
create policy rows on data.sales_deal_contacts as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.sales_deal_contacts as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.sales_deal_contacts to :app;
grant delete, insert, select on data.sales_deal_contacts to :system;

create table data.sales_deals (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  value_minor bigint,
  currency text not null,
  pipeline_id uuid not null,
  stage text not null,
  status text not null,
  probability integer not null,
  forecast_category text not null,
  expected_close_date date,
  deal_type text not null,
  source text not null,
  recurring jsonb,
  renewal_of_deal_id uuid,
  next_step text,
  next_step_date date,
  lost_reason text,
  lost_notes text,
  competitor text,
  closed_at timestamp(3) with time zone,
  stage_entered_at timestamp(3) with time zone not null,
  stale_at timestamp(3) with time zone,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  account_id uuid,
  primary_contact_id uuid,
  contact_ids jsonb default '[]'::jsonb not null,
  line_items jsonb default '[]'::jsonb not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((name || ' '::text) || reference) || ' '::text) || COALESCE(next_step, ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  handoff_id uuid,
  project_id uuid,
  accepted_proposal_ids jsonb default '[]'::jsonb not null,
  constraint sales_deals_pkey PRIMARY KEY (tenant_id, id),
  constraint sales_deals_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint sales_deals_accepted_proposal_ids_check CHECK ((jsonb_typeof(accepted_proposal_ids) = 'array'::text)),
  constraint sales_deals_check CHECK (((status = 'open'::text) = (closed_at IS NULL))),
  constraint sales_deals_check1 CHECK (((status <> 'won'::text) OR ((probability = 100) AND (deleted_at IS NULL)))),
  constraint sales_deals_check2 CHECK (((status <> 'lost'::text) OR (probability = 0))),
  constraint sales_deals_check3 CHECK (((status = 'lost'::text) = (lost_reason IS NOT NULL))),
  constraint sales_deals_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint sales_deals_deal_type_check CHECK ((deal_type = ANY (ARRAY['new_business'::text, 'expansion'::text, 'renewal'::text]))),
  constraint sales_deals_forecast_category_check CHECK ((forecast_category = ANY (ARRAY['pipeline'::text, 'best_case'::text, 'commit'::text, 'omitted'::text]))),
  constraint sales_deals_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint sales_deals_next_step_check CHECK ((length(next_step) <= 500)),
  constraint sales_deals_probability_check CHECK (((probability >= 0) AND (probability <= 100))),
  constraint sales_deals_source_check CHECK ((source = ANY (ARRAY['inbound'::text, 'outbound'::text, 'referral'::text, 'partner'::text, 'event'::text, 'demo_request'::text, 'import'::text, 'other'::text]))),
  constraint sales_deals_status_check CHECK ((status = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text]))),
  constraint sales_deals_value_minor_check CHECK (((value_minor >= 0) AND (value_minor <= '9007199254740991'::bigint))),
  constraint sales_deals_value_of_lines CHECK (((line_items = '[]'::jsonb) OR COALESCE((value_minor = data.net_of_lines(line_items)), false))),
  constraint sales_deals_version_check CHECK ((version > 0))
);
CREATE INDEX sales_deals_account_id_filter_idx ON data.sales_deals USING btree (tenant_id, account_id, created_at DESC, id DESC) WHERE (account_id IS NOT NULL);
CREATE INDEX sales_deals_board_idx ON data.sales_deals USING btree (tenant_id, pipeline_id, stage, created_at DESC, id DESC) INCLUDE (currency, value_minor, probability) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX sales_deals_closed_at_down_idx ON data.sales_deals USING btree (tenant_id, (
CASE
    WHEN (closed_at IS NULL) THEN '-infinity'::timestamp with time zone
    ELSE closed_at
END) DESC, id DESC);
CREATE INDEX sales_deals_closed_at_metric_idx ON data.sales_deals USING btree (tenant_id, closed_at) INCLUDE (status, currency, value_minor, created_at, deleted_at) WHERE (closed_at IS NOT NULL);
CREATE INDEX sales_deals_closed_at_up_idx ON data.sales_deals USING btree (tenant_id, (
CASE
    WHEN (closed_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE closed_at
END), id);
CREATE INDEX sales_deals_expected_close_date_down_idx ON data.sales_deals USING btree (tenant_id, (
CASE
    WHEN (expected_close_date IS NULL) THEN '-infinity'::date
    ELSE expected_close_date
END) DESC, id DESC);
CREATE INDEX sales_deals_expected_close_date_up_idx ON data.sales_deals USING btree (tenant_id, (
CASE
    WHEN (expected_close_date IS NULL) THEN 'infinity'::date
    ELSE expected_close_date
END), id);
CREATE INDEX sales_deals_filters_idx ON data.sales_deals USING gin (tenant_id, currency, value_minor, forecast_category, deal_type, source, lost_reason, expected_close_date, next_step_date, closed_at);
CREATE INDEX sales_deals_handoff_id_idx ON data.sales_deals USING btree (tenant_id, handoff_id) WHERE (handoff_id IS NOT NULL);
CREATE INDEX sales_deals_name_sort_idx ON data.sales_deals USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX sales_deals_owner_idx ON data.sales_deals USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX sales_deals_pipeline_id_filter_idx ON data.sales_deals USING btree (tenant_id, pipeline_id, created_at DESC, id DESC);
CREATE INDEX sales_deals_primary_contact_id_filter_idx ON data.sales_deals USING btree (tenant_id, primary_contact_id, created_at DESC, id DESC) WHERE (primary_contact_id IS NOT NULL);
CREATE INDEX sales_deals_probability_sort_idx ON data.sales_deals USING btree (tenant_id, probability, id);
CREATE INDEX sales_deals_project_id_idx ON data.sales_deals USING btree (tenant_id, project_id) WHERE (project_id IS NOT NULL);
CREATE INDEX sales_deals_renewal_of_deal_id_filter_idx ON data.sales_deals USING btree (tenant_id, renewal_of_deal_id, created_at DESC, id DESC) WHERE (renewal_of_deal_id IS NOT NULL);
CREATE INDEX sales_deals_search_idx ON data.sales_deals USING gin (tenant_id, search);
CREATE INDEX sales_deals_stage_entered_at_sort_idx ON data.sales_deals USING btree (tenant_id, stage_entered_at, id);
CREATE INDEX sales_deals_stage_filter_idx ON data.sales_deals USING btree (tenant_id, stage, created_at DESC, id DESC);
CREATE INDEX sales_deals_stale_idx ON data.sales_deals USING btree (tenant_id, stale_at) WHERE ((status = 'open'::text) AND (stale_at IS NOT NULL));
CREATE INDEX sales_deals_status_filter_idx ON data.sales_deals USING btree (tenant_id, status, created_at DESC, id DESC) INCLUDE (currency, value_minor, probability, expected_close_date, deleted_at, archived_at);
CREATE INDEX sales_deals_time_idx ON data.sales_deals USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX sales_deals_updated_at_sort_idx ON data.sales_deals USING btree (tenant_id, updated_at, id);
CREATE INDEX sales_deals_value_minor_down_idx ON data.sales_deals USING btree (tenant_id, (
CASE
    WHEN (value_minor IS NULL) THEN '-9223372036854775808'::bigint
    ELSE value_minor
END) DESC, id DESC);
CREATE INDEX sales_deals_value_minor_up_idx ON data.sales_deals USING btree (tenant_id, (
CASE
    WHEN (value_minor IS NULL) THEN '9223372036854775807'::bigint
    ELSE value_minor
END), id);
CREATE INDEX sales_deals_workspace_idx ON data.sales_deals USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER account_id_lives AFTER UPDATE ON data.sales_deals FOR EACH ROW WHEN (((new.account_id IS NOT NULL) AND (new.account_id IS DISTINCT FROM old.account_id))) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE TRIGGER held_change AFTER UPDATE ON data.sales_deals FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.sales_deals REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('sales.deal');
CREATE TRIGGER held_trash AFTER UPDATE ON data.sales_deals FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('sales.deal');
CREATE TRIGGER keep_contacts AFTER UPDATE ON data.sales_deals FOR EACH ROW WHEN (((new.primary_contact_id IS DISTINCT FROM old.primary_contact_id) OR (new.contact_ids <> old.contact_ids))) EXECUTE FUNCTION data.keep_deal_contacts();
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.sales_deals FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('sales.deal');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.sales_deals FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('sales.deal');
CREATE TRIGGER keep_new_contacts AFTER INSERT ON data.sales_deals FOR EACH ROW WHEN (((new.primary_contact_id IS NOT NULL) OR (new.contact_ids <> '[]'::jsonb))) EXECUTE FUNCTION data.keep_deal_contacts();
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.sales_deals FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('sales.deal');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.sales_deals FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('sales.deal');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.sales_deals FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('sales.deal');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.sales_deals FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('sales.deal');
CREATE CONSTRAINT TRIGGER kept_contacts_fit AFTER UPDATE ON data.sales_deals DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN (((new.primary_contact_id IS DISTINCT FROM old.primary_contact_id) OR (new.contact_ids <> old.contact_ids) OR (new.account_id IS DISTINCT FROM old.account_id))) EXECUTE FUNCTION data.check_contacts_of_deal();
CREATE CONSTRAINT TRIGGER kept_new_contacts_fit AFTER INSERT ON data.sales_deals DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN (((new.primary_contact_id IS NOT NULL) OR (new.contact_ids <> '[]'::jsonb))) EXECUTE FUNCTION data.check_contacts_of_deal();
CREATE TRIGGER new_account_id_lives AFTER INSERT ON data.sales_deals FOR EACH ROW WHEN ((new.account_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
alter table data.sales_deals enable row level security;
alter table data.sales_deals force row level security;
create policy rows on data.sales_deals as permissive for all to :app, :system using (true) with check (true);
create policy search on data.sales_deals as permissive for select to :lookup using (true);
create policy tenant_isolation on data.sales_deals as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.sales_deals to :app;
grant delete, insert, select, update on data.sales_deals to :system;
grant select (tenant_id, id, search) on data.sales_deals to :lookup;

create table data.sales_handoff_skips (
  tenant_id uuid not null,
  deal_id uuid not null,
  at timestamp(3) with time zone not null,
  constraint sales_handoff_skips_pkey PRIMARY KEY (tenant_id, deal_id)
);
alter table data.sales_handoff_skips enable row level security;
alter table data.sales_handoff_skips force row level security;
create policy rows on data.sales_handoff_skips as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.sales_handoff_skips as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.sales_handoff_skips to :app;
grant delete, insert, select, update on data.sales_handoff_skips to :system;

create table data.sales_handoff_templates (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  name text not null,
  is_default boolean not null,
  match jsonb not null,
  items jsonb not null,
  required_fields jsonb not null,
  project_template_id uuid,
  delivery_owner_rule jsonb not null,
  deposit_percent integer not null,
  due_in_days integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint sales_handoff_templates_pkey PRIMARY KEY (tenant_id, id),
  constraint sales_handoff_templates_delivery_owner_rule_check CHECK ((jsonb_typeof(delivery_owner_rule) = 'object'::text)),
  constraint sales_handoff_templates_deposit_percent_check CHECK (((deposit_percent >= 0) AND (deposit_percent <= 100))),
  constraint sales_handoff_templates_due_in_days_check CHECK (((due_in_days >= 0) AND (due_in_days <= 3650))),
  constraint sales_handoff_templates_items_check CHECK ((jsonb_typeof(items) = 'array'::text)),
  constraint sales_handoff_templates_match_check CHECK ((jsonb_typeof(match) = 'object'::text)),
  constraint sales_handoff_templates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint sales_handoff_templates_required_fields_check CHECK ((jsonb_typeof(required_fields) = 'array'::text)),
  constraint sales_handoff_templates_version_check CHECK ((version > 0))
);
CREATE INDEX sales_handoff_templates_project_template_idx ON data.sales_handoff_templates USING btree (tenant_id, project_template_id);
CREATE UNIQUE INDEX sales_handoff_templates_is_default_key ON data.sales_handoff_templates USING btree (tenant_id) WHERE is_default;
alter table data.sales_handoff_templates enable row level security;
alter table data.sales_handoff_templates force row level security;
create policy rows on data.sales_handoff_templates as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.sales_handoff_templates as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.sales_handoff_templates to :app;
grant delete, insert, select, update on data.sales_handoff_templates to :system;

create table data.sales_handoffs (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  name text not null,
  deal_id uuid not null,
  account_id uuid,
  workspace_id uuid,
  owner_id uuid,
  delivery_owner_id uuid,
  template_id uuid,
  status text not null,
  due_at timestamp(3) with time zone,
  summary jsonb not null,
  required_fields jsonb not null,
  project_template_id uuid,
  deposit_percent integer not null,
  checklist_id uuid,
  project_id uuid,
  invoice_id uuid,
  return_reason text,
  return_count integer not null,
  submitted_at timestamp(3) with time zone,
  submitted_by jsonb,
  submitted_by_person uuid,
  accepted_at timestamp(3) with time zone,
  accepted_by jsonb,
  completed_at timestamp(3) with time zone,
  steps jsonb not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  promise jsonb,
  constraint sales_handoffs_pkey PRIMARY KEY (tenant_id, id),
  constraint sales_handoffs_check CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint sales_handoffs_deposit_percent_check CHECK (((deposit_percent >= 0) AND (deposit_percent <= 100))),
  constraint sales_handoffs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint sales_handoffs_required_fields_check CHECK ((jsonb_typeof(required_fields) = 'array'::text)),
  constraint sales_handoffs_return_count_check CHECK ((return_count >= 0)),
  constraint sales_handoffs_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'submitted'::text, 'returned'::text, 'accepted'::text, 'executing'::text, 'failed'::text, 'completed'::text, 'cancelled'::text]))),
  constraint sales_handoffs_steps_check CHECK ((jsonb_typeof(steps) = 'array'::text)),
  constraint sales_handoffs_summary_check CHECK ((jsonb_typeof(summary) = 'object'::text)),
  constraint sales_handoffs_version_check CHECK ((version > 0))
);
CREATE INDEX sales_handoffs_account_id_idx ON data.sales_handoffs USING btree (tenant_id, account_id, created_at DESC, id DESC);
CREATE INDEX sales_handoffs_checklist_id_idx ON data.sales_handoffs USING btree (tenant_id, checklist_id, created_at DESC, id DESC);
CREATE INDEX sales_handoffs_deal_id_idx ON data.sales_handoffs USING btree (tenant_id, deal_id, created_at DESC, id DESC);
CREATE INDEX sales_handoffs_delivery_owner_id_idx ON data.sales_handoffs USING btree (tenant_id, delivery_owner_id, created_at DESC, id DESC);
CREATE INDEX sales_handoffs_invoice_id_idx ON data.sales_handoffs USING btree (tenant_id, invoice_id, created_at DESC, id DESC);
CREATE INDEX sales_handoffs_name_sort_idx ON data.sales_handoffs USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX sales_handoffs_owner_id_idx ON data.sales_handoffs USING btree (tenant_id, owner_id, created_at DESC, id DESC);
CREATE INDEX sales_handoffs_project_id_idx ON data.sales_handoffs USING btree (tenant_id, project_id, created_at DESC, id DESC);
CREATE INDEX sales_handoffs_project_template_id_idx ON data.sales_handoffs USING btree (tenant_id, project_template_id, created_at DESC, id DESC);
CREATE INDEX sales_handoffs_status_idx ON data.sales_handoffs USING btree (tenant_id, status, due_at);
CREATE INDEX sales_handoffs_template_id_idx ON data.sales_handoffs USING btree (tenant_id, template_id, created_at DESC, id DESC);
CREATE INDEX sales_handoffs_time_idx ON data.sales_handoffs USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX sales_handoffs_one_live ON data.sales_handoffs USING btree (tenant_id, deal_id) WHERE (status <> 'cancelled'::text);
alter table data.sales_handoffs enable row level security;
alter table data.sales_handoffs force row level security;
create policy rows on data.sales_handoffs as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.sales_handoffs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.sales_handoffs to :app;
grant delete, insert, select, update on data.sales_handoffs to :system;

create table data.sales_leads (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  email text,
  company text,
  source text not null,
  message text,
  score integer,
  status text not null,
  disqualified_reason text,
  disqualified_at timestamp(3) with time zone,
  converted_at timestamp(3) with time zone,
  account_id uuid,
  contact_id uuid,
  deal_id uuid,
  email_lower text generated always as (data.fold(email)) stored,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((((name || ' '::text) || reference) || ' '::text) || COALESCE(company, ''::text)) || ' '::text) || COALESCE(email, ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  constraint sales_leads_pkey PRIMARY KEY (tenant_id, id),
  constraint sales_leads_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint sales_leads_check CHECK (((status = 'qualified'::text) = (converted_at IS NOT NULL))),
  constraint sales_leads_check1 CHECK (((status = 'qualified'::text) = (account_id IS NOT NULL))),
  constraint sales_leads_check2 CHECK (((status = 'qualified'::text) = (contact_id IS NOT NULL))),
  constraint sales_leads_check3 CHECK (((status = 'qualified'::text) = (deal_id IS NOT NULL))),
  constraint sales_leads_check4 CHECK (((status = 'disqualified'::text) = (disqualified_reason IS NOT NULL))),
  constraint sales_leads_check5 CHECK (((status = 'disqualified'::text) = (disqualified_at IS NOT NULL))),
  constraint sales_leads_company_check CHECK ((length(company) <= 200)),
  constraint sales_leads_email_check CHECK ((length(email) <= 254)),
  constraint sales_leads_message_check CHECK ((length(message) <= 5000)),
  constraint sales_leads_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint sales_leads_score_check CHECK (((score >= 0) AND (score <= 100))),
  constraint sales_leads_source_check CHECK ((source = ANY (ARRAY['inbound'::text, 'outbound'::text, 'referral'::text, 'partner'::text, 'event'::text, 'demo_request'::text, 'import'::text, 'other'::text]))),
  constraint sales_leads_status_check CHECK ((status = ANY (ARRAY['new'::text, 'working'::text, 'qualified'::text, 'disqualified'::text]))),
  constraint sales_leads_version_check CHECK ((version > 0))
);
CREATE INDEX sales_leads_account_id_filter_idx ON data.sales_leads USING btree (tenant_id, account_id, created_at DESC, id DESC);
CREATE INDEX sales_leads_contact_id_filter_idx ON data.sales_leads USING btree (tenant_id, contact_id, created_at DESC, id DESC);
CREATE INDEX sales_leads_created_at_metric_idx ON data.sales_leads USING btree (tenant_id, created_at) INCLUDE (status, deleted_at);
CREATE INDEX sales_leads_filters_idx ON data.sales_leads USING gin (tenant_id, email_lower, company, score, deal_id, converted_at, disqualified_at);
CREATE INDEX sales_leads_name_sort_idx ON data.sales_leads USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX sales_leads_owner_idx ON data.sales_leads USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX sales_leads_score_down_idx ON data.sales_leads USING btree (tenant_id, (
CASE
    WHEN (score IS NULL) THEN '-2147483648'::integer
    ELSE score
END) DESC, id DESC);
CREATE INDEX sales_leads_score_up_idx ON data.sales_leads USING btree (tenant_id, (
CASE
    WHEN (score IS NULL) THEN 2147483647
    ELSE score
END), id);
CREATE INDEX sales_leads_search_idx ON data.sales_leads USING gin (tenant_id, search);
CREATE INDEX sales_leads_source_filter_idx ON data.sales_leads USING btree (tenant_id, source, created_at DESC, id DESC);
CREATE INDEX sales_leads_status_filter_idx ON data.sales_leads USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX sales_leads_time_idx ON data.sales_leads USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX sales_leads_updated_at_sort_idx ON data.sales_leads USING btree (tenant_id, updated_at, id);
CREATE INDEX sales_leads_workspace_idx ON data.sales_leads USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.sales_leads FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.sales_leads REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('sales.lead');
CREATE TRIGGER held_trash AFTER UPDATE ON data.sales_leads FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('sales.lead');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.sales_leads FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('sales.lead');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.sales_leads FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('sales.lead');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.sales_leads FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('sales.lead');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.sales_leads FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('sales.lead');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.sales_leads FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('sales.lead');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.sales_leads FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('sales.lead');
alter table data.sales_leads enable row level security;
alter table data.sales_leads force row level security;
create policy rows on data.sales_leads as permissive for all to :app, :system using (true) with check (true);
create policy search on data.sales_leads as permissive for select to :lookup using (true);
create policy tenant_isolation on data.sales_leads as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.sales_leads to :app;
grant delete, insert, select, update on data.sales_leads to :system;
grant select (tenant_id, id, search) on data.sales_leads to :lookup;

create table data.sales_pipeline_stages (
  tenant_id uuid not null,
  pipeline_id uuid not null,
  stage text not null,
  category text not null,
  constraint sales_pipeline_stages_pkey PRIMARY KEY (tenant_id, pipeline_id, stage, category),
  constraint sales_pipeline_stages_key UNIQUE (tenant_id, pipeline_id, stage),
  constraint sales_pipeline_stages_category_check CHECK ((category = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])))
);
alter table data.sales_pipeline_stages enable row level security;
alter table data.sales_pipeline_stages force row level security;
create policy rows on data.sales_pipeline_stages as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.sales_pipeline_stages as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.sales_pipeline_stages to :app;
grant delete, insert, select, update on data.sales_pipeline_stages to :system;

create table data.sales_pipelines (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  is_default boolean not null,
  stages jsonb not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((name || ' '::text) || reference)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint sales_pipelines_pkey PRIMARY KEY (tenant_id, id),
  constraint sales_pipelines_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint sales_pipelines_check CHECK ((NOT (is_default AND ((deleted_at IS NOT NULL) OR (archived_at IS NOT NULL))))),
  constraint sales_pipelines_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint sales_pipelines_version_check CHECK ((version > 0))
);
CREATE INDEX sales_pipelines_name_sort_idx ON data.sales_pipelines USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX sales_pipelines_owner_idx ON data.sales_pipelines USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX sales_pipelines_search_idx ON data.sales_pipelines USING gin (tenant_id, search);
CREATE INDEX sales_pipelines_time_idx ON data.sales_pipelines USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX sales_pipelines_updated_at_sort_idx ON data.sales_pipelines USING btree (tenant_id, updated_at, id);
CREATE INDEX sales_pipelines_workspace_idx ON data.sales_pipelines USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX sales_pipelines_default_key ON data.sales_pipelines USING btree (tenant_id) WHERE is_default;
CREATE TRIGGER epoch AFTER INSERT OR DELETE OR UPDATE ON data.sales_pipelines FOR EACH ROW EXECUTE FUNCTION directory.bump_epoch();
CREATE TRIGGER held_change AFTER UPDATE ON data.sales_pipelines FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.sales_pipelines REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('sales.pipeline');
CREATE TRIGGER held_trash AFTER UPDATE ON data.sales_pipelines FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('sales.pipeline');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.sales_pipelines FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('sales.pipeline');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.sales_pipelines FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('sales.pipeline');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.sales_pipelines FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('sales.pipeline');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.sales_pipelines FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('sales.pipeline');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.sales_pipelines FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('sales.pipeline');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.sales_pipelines FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('sales.pipeline');
CREATE TRIGGER stages AFTER INSERT OR UPDATE OF stages ON data.sales_pipelines FOR EACH ROW EXECUTE FUNCTION data.keep_pipeline_stages();
alter table data.sales_pipelines enable row level security;
alter table data.sales_pipelines force row level security;
create policy rows on data.sales_pipelines as permissive for all to :app, :system using (true) with check (true);
create policy search on data.sales_pipelines as permissive for select to :lookup using (true);
create policy tenant_isolation on data.sales_pipelines as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.sales_pipelines to :app;
grant delete, insert, select, update on data.sales_pipelines to :system;
grant select (tenant_id, id, search) on data.sales_pipelines to :lookup;

create table data.sales_products (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  sku text collate "C",
  kind text not null,
  description text,
  unit_price_minor bigint,
  currency text not null,
  prices jsonb default '[]'::jsonb not null,
  unit text,
  cost_minor bigint,
  stocked boolean default false not null,
  billing_interval text,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((name || ' '::text) || reference) || ' '::text) || COALESCE(sku, ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  constraint sales_products_pkey PRIMARY KEY (tenant_id, id),
  constraint sales_products_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint sales_products_billing_interval_check CHECK ((billing_interval = ANY (ARRAY['month'::text, 'quarter'::text, 'year'::text]))),
  constraint sales_products_check CHECK (((kind = 'subscription'::text) = (billing_interval IS NOT NULL))),
  constraint sales_products_check1 CHECK (((NOT stocked) OR (kind = 'goods'::text))),
  constraint sales_products_cost_minor_check CHECK (((cost_minor >= 0) AND (cost_minor <= '9007199254740991'::bigint))),
  constraint sales_products_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint sales_products_description_check CHECK ((length(description) <= 5000)),
  constraint sales_products_kind_check CHECK ((kind = ANY (ARRAY['goods'::text, 'service'::text, 'subscription'::text]))),
  constraint sales_products_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint sales_products_sku_check CHECK (((length(sku) >= 1) AND (length(sku) <= 100))),
  constraint sales_products_unit_check CHECK ((length(unit) <= 40)),
  constraint sales_products_unit_price_minor_check CHECK (((unit_price_minor >= 0) AND (unit_price_minor <= '9007199254740991'::bigint))),
  constraint sales_products_version_check CHECK ((version > 0))
);
CREATE INDEX sales_products_filters_idx ON data.sales_products USING gin (tenant_id, sku, currency, billing_interval, stocked, unit_price_minor);
CREATE INDEX sales_products_kind_filter_idx ON data.sales_products USING btree (tenant_id, kind, created_at DESC, id DESC);
CREATE INDEX sales_products_name_sort_idx ON data.sales_products USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX sales_products_owner_idx ON data.sales_products USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX sales_products_search_idx ON data.sales_products USING gin (tenant_id, search);
CREATE INDEX sales_products_sku_down_idx ON data.sales_products USING btree (tenant_id, (
CASE
    WHEN ((sku COLLATE data.alphabet) IS NULL) THEN ''::text
    ELSE (sku COLLATE data.alphabet)
END) DESC, id DESC);
CREATE INDEX sales_products_sku_up_idx ON data.sales_products USING btree (tenant_id, (
CASE
    WHEN ((sku COLLATE data.alphabet) IS NULL) THEN '􏿿'::text
    ELSE (sku COLLATE data.alphabet)
END), id);
CREATE INDEX sales_products_time_idx ON data.sales_products USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX sales_products_unit_price_minor_down_idx ON data.sales_products USING btree (tenant_id, (
CASE
    WHEN (unit_price_minor IS NULL) THEN '-9223372036854775808'::bigint
    ELSE unit_price_minor
END) DESC, id DESC);
CREATE INDEX sales_products_unit_price_minor_up_idx ON data.sales_products USING btree (tenant_id, (
CASE
    WHEN (unit_price_minor IS NULL) THEN '9223372036854775807'::bigint
    ELSE unit_price_minor
END), id);
CREATE INDEX sales_products_updated_at_sort_idx ON data.sales_products USING btree (tenant_id, updated_at, id);
CREATE INDEX sales_products_workspace_idx ON data.sales_products USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX sales_products_sku_key ON data.sales_products USING btree (tenant_id, data.fold(sku)) WHERE (deleted_at IS NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.sales_products FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.sales_products REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('sales.product');
CREATE TRIGGER held_trash AFTER UPDATE ON data.sales_products FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('sales.product');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.sales_products FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('sales.product');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.sales_products FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('sales.product');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.sales_products FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('sales.product');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.sales_products FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('sales.product');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.sales_products FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('sales.product');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.sales_products FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('sales.product');
alter table data.sales_products enable row level security;
alter table data.sales_products force row level security;
create policy rows on data.sales_products as permissive for all to :app, :system using (true) with check (true);
create policy search on data.sales_products as permissive for select to :lookup using (true);
create policy tenant_isolation on data.sales_products as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.sales_products to :app;
grant delete, insert, select, update on data.sales_products to :system;
grant select (tenant_id, id, search) on data.sales_products to :lookup;

create table data.sample_records (
  tenant_id uuid not null,
  id uuid not null,
  place text not null,
  kept_by jsonb,
  constraint sample_records_pkey PRIMARY KEY (tenant_id, id)
);
alter table data.sample_records enable row level security;
alter table data.sample_records force row level security;
create policy rows on data.sample_records as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.sample_records as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.sample_records to :app;
grant delete, insert, select, update on data.sample_records to :system;

create table data.saved_views (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  record_type text not null,
  filter jsonb not null,
  sort jsonb not null,
  columns jsonb not null,
  shared text not null,
  workspace_id uuid,
  owner_id uuid not null,
  created_by jsonb not null,
  archived_at timestamp(3) with time zone,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint saved_views_pkey PRIMARY KEY (tenant_id, id),
  constraint saved_views_columns_check CHECK ((jsonb_typeof(columns) = 'array'::text)),
  constraint saved_views_filter_check CHECK ((jsonb_typeof(filter) = 'object'::text)),
  constraint saved_views_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint saved_views_record_type_check CHECK (((length(record_type) >= 3) AND (length(record_type) <= 60))),
  constraint saved_views_shared CHECK (((shared = 'workspace'::text) = (workspace_id IS NOT NULL))),
  constraint saved_views_shared_check CHECK ((shared = ANY (ARRAY['private'::text, 'workspace'::text, 'tenant'::text]))),
  constraint saved_views_sort_check CHECK ((jsonb_typeof(sort) = 'array'::text)),
  constraint saved_views_version_check CHECK ((version > 0))
);
CREATE INDEX saved_views_workspace_idx ON data.saved_views USING btree (tenant_id, workspace_id) WHERE (workspace_id IS NOT NULL);
alter table data.saved_views enable row level security;
alter table data.saved_views force row level security;
create policy rows on data.saved_views as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.saved_views as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.saved_views to :app;
grant delete, insert, select, update on data.saved_views to :system;

create table data.scim_blocks (
  tenant_id uuid not null,
  resource text not null,
  block bigint not null,
  live integer not null,
  constraint scim_blocks_pkey PRIMARY KEY (tenant_id, resource, block) INCLUDE (live),
  constraint scim_blocks_live_check CHECK ((live >= 0)),
  constraint scim_blocks_resource_check CHECK ((resource = ANY (ARRAY['user'::text, 'group'::text])))
);
alter table data.scim_blocks enable row level security;
alter table data.scim_blocks force row level security;
create policy rows on data.scim_blocks as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.scim_blocks as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.scim_blocks to :app;
grant insert, select, update on data.scim_blocks to :system;

create table data.scim_configs (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  status text not null,
  default_role_ids uuid[] default '{}'::uuid[] not null,
  deprovision_action text default 'suspend'::text not null,
  allowed_domains text[] default '{}'::text[] not null,
  token_last4 text not null,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint scim_configs_pkey PRIMARY KEY (tenant_id, id),
  constraint scim_configs_deprovision_action_check CHECK ((deprovision_action = ANY (ARRAY['suspend'::text, 'deactivate'::text]))),
  constraint scim_configs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint scim_configs_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint scim_configs_token_last4_check CHECK ((length(token_last4) = 4)),
  constraint scim_configs_version_check CHECK ((version > 0))
);
CREATE TRIGGER epoch AFTER UPDATE ON data.scim_configs FOR EACH ROW EXECUTE FUNCTION directory.bump_epoch();
alter table data.scim_configs enable row level security;
alter table data.scim_configs force row level security;
create policy rows on data.scim_configs as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.scim_configs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.scim_configs to :app;
grant insert, select, update on data.scim_configs to :system;

create table data.scim_group_members (
  tenant_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  constraint scim_group_members_pkey PRIMARY KEY (tenant_id, group_id, user_id)
);
alter table data.scim_group_members alter column tenant_id set (n_distinct=-0.01);
CREATE INDEX scim_group_members_user_idx ON data.scim_group_members USING btree (tenant_id, user_id, group_id);
alter table data.scim_group_members enable row level security;
alter table data.scim_group_members force row level security;
create policy rows on data.scim_group_members as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.scim_group_members as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.scim_group_members to :app;
grant delete, insert, select on data.scim_group_members to :system;

create table data.scim_groups (
  tenant_id uuid not null,
  id uuid not null,
  config_id uuid not null,
  seq bigint not null,
  display_name text not null,
  display_name_key text collate "C" not null,
  external_id text collate "C",
  data jsonb not null,
  keys jsonb not null,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint scim_groups_pkey PRIMARY KEY (tenant_id, id),
  constraint scim_groups_version_check CHECK ((version > 0))
);
alter table data.scim_groups alter column tenant_id set (n_distinct=-0.01);
CREATE INDEX scim_groups_config_idx ON data.scim_groups USING btree (tenant_id, config_id, display_name_key);
CREATE INDEX scim_groups_external_id_idx ON data.scim_groups USING btree (tenant_id, external_id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX scim_groups_display_name_key ON data.scim_groups USING btree (tenant_id, display_name_key) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX scim_groups_seq_key ON data.scim_groups USING btree (tenant_id, seq) WHERE (deleted_at IS NULL);
CREATE TRIGGER count AFTER INSERT ON data.scim_groups FOR EACH ROW WHEN ((new.deleted_at IS NULL)) EXECUTE FUNCTION data.count_scim_resource('group');
CREATE TRIGGER members_insert AFTER INSERT ON data.scim_groups REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION data.count_scim_groups();
CREATE TRIGGER members_update AFTER UPDATE ON data.scim_groups REFERENCING OLD TABLE AS former NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION data.count_scim_groups();
CREATE TRIGGER number BEFORE INSERT ON data.scim_groups FOR EACH ROW EXECUTE FUNCTION data.number_scim_resource('group');
CREATE TRIGGER recount AFTER UPDATE ON data.scim_groups FOR EACH ROW WHEN (((old.deleted_at IS NULL) <> (new.deleted_at IS NULL))) EXECUTE FUNCTION data.count_scim_resource('group');
alter table data.scim_groups enable row level security;
alter table data.scim_groups force row level security;
create policy rows on data.scim_groups as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.scim_groups as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.scim_groups to :app;
grant insert, select, update on data.scim_groups to :system;

create table data.scim_log (
  tenant_id uuid not null,
  id uuid not null,
  config_id uuid not null,
  at timestamp(3) with time zone not null,
  method text not null,
  path text not null,
  status smallint not null,
  subject text,
  error text,
  request_id text not null,
  constraint scim_log_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX scim_log_config_idx ON data.scim_log USING btree (tenant_id, config_id, id DESC);
alter table data.scim_log enable row level security;
alter table data.scim_log force row level security;
create policy rows on data.scim_log as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.scim_log as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.scim_log to :app;
grant delete, insert, select on data.scim_log to :system;

create table data.scim_mappings (
  tenant_id uuid not null,
  config_id uuid not null,
  group_key text collate "C" not null,
  group_name text not null,
  "position" smallint not null,
  role_ids uuid[] not null,
  workspace_ids uuid[] not null,
  constraint scim_mappings_pkey PRIMARY KEY (tenant_id, config_id, group_key),
  constraint scim_mappings_group_name_check CHECK (((length(group_name) >= 1) AND (length(group_name) <= 200)))
);
alter table data.scim_mappings enable row level security;
alter table data.scim_mappings force row level security;
create policy rows on data.scim_mappings as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.scim_mappings as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.scim_mappings to :app;
grant delete, insert, select, update on data.scim_mappings to :system;

create table data.scim_sequences (
  tenant_id uuid not null,
  resource text not null,
  last bigint not null,
  constraint scim_sequences_pkey PRIMARY KEY (tenant_id, resource),
  constraint scim_sequences_resource_check CHECK ((resource = ANY (ARRAY['user'::text, 'group'::text])))
);
alter table data.scim_sequences enable row level security;
alter table data.scim_sequences force row level security;
create policy rows on data.scim_sequences as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.scim_sequences as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.scim_sequences to :app;
grant insert, select, update on data.scim_sequences to :system;

create table data.scim_user_emails (
  tenant_id uuid not null,
  user_id uuid not null,
  value_key text collate "C" not null,
  constraint scim_user_emails_pkey PRIMARY KEY (tenant_id, user_id, value_key)
);
alter table data.scim_user_emails alter column tenant_id set (n_distinct=-0.01);
CREATE INDEX scim_user_emails_value_idx ON data.scim_user_emails USING btree (tenant_id, value_key, user_id);
alter table data.scim_user_emails enable row level security;
alter table data.scim_user_emails force row level security;
create policy rows on data.scim_user_emails as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.scim_user_emails as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.scim_user_emails to :app;
grant delete, insert, select on data.scim_user_emails to :system;

create table data.scim_users (
  tenant_id uuid not null,
  id uuid not null,
  config_id uuid,
  seq bigint not null,
  user_name_key text collate "C" not null,
  external_id text collate "C",
  display_name_key text collate "C",
  active boolean not null,
  data jsonb not null,
  keys jsonb not null,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint scim_users_pkey PRIMARY KEY (tenant_id, id),
  constraint scim_users_version_check CHECK ((version > 0))
);
alter table data.scim_users alter column tenant_id set (n_distinct=-0.01);
CREATE INDEX scim_users_config_idx ON data.scim_users USING btree (tenant_id, config_id);
CREATE INDEX scim_users_display_name_key_idx ON data.scim_users USING btree (tenant_id, display_name_key) WHERE (deleted_at IS NULL);
CREATE INDEX scim_users_external_id_idx ON data.scim_users USING btree (tenant_id, external_id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX scim_users_seq_key ON data.scim_users USING btree (tenant_id, seq) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX scim_users_user_name_key ON data.scim_users USING btree (tenant_id, user_name_key) WHERE (deleted_at IS NULL);
CREATE TRIGGER count AFTER INSERT ON data.scim_users FOR EACH ROW WHEN ((new.deleted_at IS NULL)) EXECUTE FUNCTION data.count_scim_resource('user');
CREATE TRIGGER emails AFTER INSERT ON data.scim_users FOR EACH ROW EXECUTE FUNCTION data.keep_scim_emails();
CREATE TRIGGER emails_changed AFTER UPDATE ON data.scim_users FOR EACH ROW WHEN (((old.keys -> 'emails'::text) IS DISTINCT FROM (new.keys -> 'emails'::text))) EXECUTE FUNCTION data.keep_scim_emails();
CREATE TRIGGER members_insert AFTER INSERT ON data.scim_users REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION data.count_scim_users();
CREATE TRIGGER members_update AFTER UPDATE ON data.scim_users REFERENCING OLD TABLE AS former NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION data.count_scim_users();
CREATE TRIGGER number BEFORE INSERT ON data.scim_users FOR EACH ROW EXECUTE FUNCTION data.number_scim_resource('user');
CREATE TRIGGER recount AFTER UPDATE ON data.scim_users FOR EACH ROW WHEN (((old.deleted_at IS NULL) <> (new.deleted_at IS NULL))) EXECUTE FUNCTION data.count_scim_resource('user');
alter table data.scim_users enable row level security;
alter table data.scim_users force row level security;
create policy rows on data.scim_users as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.scim_users as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.scim_users to :app;
grant insert, select, update on data.scim_users to :system;

create table data.secret_versions (
  tenant_id uuid not null,
  id uuid not null,
  secret_id uuid not null,
  version integer not null,
  sealed text not null,
  usable_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint secret_versions_pkey PRIMARY KEY (tenant_id, id),
  constraint secret_versions_version_key UNIQUE (tenant_id, secret_id, version),
  constraint secret_versions_version_check CHECK ((version > 0))
);
alter table data.secret_versions enable row level security;
alter table data.secret_versions force row level security;
create policy rows on data.secret_versions as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.secret_versions as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.secret_versions to :app;
grant delete, insert, select on data.secret_versions to :system;
grant update (usable_until) on data.secret_versions to :app;
grant update (sealed, usable_until) on data.secret_versions to :system;

create table data.secrets (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  kind text not null,
  version integer not null,
  fingerprint text not null,
  notified_days smallint,
  created_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_at timestamp(3) with time zone not null,
  rotated_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  constraint secrets_pkey PRIMARY KEY (tenant_id, id),
  constraint secrets_name_key UNIQUE (tenant_id, name),
  constraint secrets_description_check CHECK (((length(description) >= 1) AND (length(description) <= 1000))),
  constraint secrets_fingerprint_check CHECK ((fingerprint ~ '^[0-9a-f]{8}$'::text)),
  constraint secrets_kind_check CHECK ((kind = ANY (ARRAY['generic'::text, 'api_key'::text, 'oauth'::text, 'certificate'::text, 'webhook'::text]))),
  constraint secrets_name_check CHECK ((name ~ '^[A-Z0-9_./-]{1,100}$'::text)),
  constraint secrets_notified_days_check CHECK ((notified_days = ANY (ARRAY[1, 14]))),
  constraint secrets_version_check CHECK ((version > 0))
);
alter table data.secrets enable row level security;
alter table data.secrets force row level security;
create policy rows on data.secrets as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.secrets as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.secrets to :app;
grant delete, insert, select, update on data.secrets to :system;

create table data.settings_calendars (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  timezone text not null,
  working_hours jsonb not null,
  holidays jsonb not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((name || ' '::text) || reference)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint settings_calendars_pkey PRIMARY KEY (tenant_id, id),
  constraint settings_calendars_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint settings_calendars_deleted_at_check CHECK ((deleted_at IS NULL)),
  constraint settings_calendars_holidays_check CHECK ((jsonb_typeof(holidays) = 'array'::text)),
  constraint settings_calendars_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint settings_calendars_version_check CHECK ((version > 0)),
  constraint settings_calendars_working_hours_check CHECK ((jsonb_typeof(working_hours) = 'array'::text))
);
CREATE INDEX settings_calendars_name_sort_idx ON data.settings_calendars USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX settings_calendars_owner_idx ON data.settings_calendars USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX settings_calendars_search_idx ON data.settings_calendars USING gin (tenant_id, search);
CREATE INDEX settings_calendars_time_idx ON data.settings_calendars USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX settings_calendars_updated_at_sort_idx ON data.settings_calendars USING btree (tenant_id, updated_at, id);
CREATE INDEX settings_calendars_workspace_idx ON data.settings_calendars USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.settings_calendars FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.settings_calendars REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('core.calendar');
CREATE TRIGGER held_trash AFTER UPDATE ON data.settings_calendars FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('core.calendar');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.settings_calendars FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('core.calendar');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.settings_calendars FOR EACH ROW WHEN ((new.external_refs IS DISTINCT FROM old.external_refs)) EXECUTE FUNCTION data.keep_external_refs('core.calendar');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.settings_calendars FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('core.calendar');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.settings_calendars FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('core.calendar');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.settings_calendars FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('core.calendar');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.settings_calendars FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('core.calendar');
alter table data.settings_calendars enable row level security;
alter table data.settings_calendars force row level security;
create policy rows on data.settings_calendars as permissive for all to :app, :system using (true) with check (true);
create policy search on data.settings_calendars as permissive for select to :lookup using (true);
create policy tenant_isolation on data.settings_calendars as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.settings_calendars to :app;
grant delete, insert, select, update on data.settings_calendars to :system;
grant select (tenant_id, id, search) on data.settings_calendars to :lookup;

create table data.settings_checklist_templates (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  applies_to text not null,
  checklist_items jsonb not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((name || ' '::text) || reference)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint settings_checklist_templates_pkey PRIMARY KEY (tenant_id, id),
  constraint settings_checklist_templates_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint settings_checklist_templates_applies_to_check CHECK ((applies_to = ANY (ARRAY['handoff'::text, 'onboarding'::text, 'offboarding'::text, 'project'::text, 'other'::text]))),
  constraint settings_checklist_templates_checklist_items_check CHECK ((jsonb_typeof(checklist_items) = 'array'::text)),
  constraint settings_checklist_templates_deleted_at_check CHECK ((deleted_at IS NULL)),
  constraint settings_checklist_templates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint settings_checklist_templates_version_check CHECK ((version > 0))
);
CREATE INDEX settings_checklist_templates_applies_to_filter_idx ON data.settings_checklist_templates USING btree (tenant_id, applies_to, created_at DESC, id DESC);
CREATE INDEX settings_checklist_templates_name_sort_idx ON data.settings_checklist_templates USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX settings_checklist_templates_owner_idx ON data.settings_checklist_templates USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX settings_checklist_templates_search_idx ON data.settings_checklist_templates USING gin (tenant_id, search);
CREATE INDEX settings_checklist_templates_time_idx ON data.settings_checklist_templates USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX settings_checklist_templates_updated_at_sort_idx ON data.settings_checklist_templates USING btree (tenant_id, updated_at, id);
CREATE INDEX settings_checklist_templates_workspace_idx ON data.settings_checklist_templates USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.settings_checklist_templates FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.settings_checklist_templates REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('core.checklist_template');
CREATE TRIGGER held_trash AFTER UPDATE ON data.settings_checklist_templates FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('core.checklist_template');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.settings_checklist_templates FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('core.checklist_template');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.settings_checklist_templates FOR EACH ROW WHEN ((new.external_refs IS DISTINCT FROM old.external_refs)) EXECUTE FUNCTION data.keep_external_refs('core.checklist_template');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.settings_checklist_templates FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('core.checklist_template');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.settings_checklist_templates FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('core.checklist_template');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.settings_checklist_templates FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('core.checklist_template');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.settings_checklist_templates FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('core.checklist_template');
alter table data.settings_checklist_templates enable row level security;
alter table data.settings_checklist_templates force row level security;
create policy rows on data.settings_checklist_templates as permissive for all to :app, :system using (true) with check (true);
create policy search on data.settings_checklist_templates as permissive for select to :lookup using (true);
create policy tenant_isolation on data.settings_checklist_templates as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.settings_checklist_templates to :app;
grant delete, insert, select, update on data.settings_checklist_templates to :system;
grant select (tenant_id, id, search) on data.settings_checklist_templates to :lookup;

create table data.settings_custom_fields (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  record_type text not null,
  key text not null,
  field_type text not null,
  required boolean not null,
  options jsonb not null,
  min jsonb,
  max jsonb,
  pattern text,
  target text,
  default_value jsonb,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(key, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint settings_custom_fields_pkey PRIMARY KEY (tenant_id, id),
  constraint settings_custom_fields_key_key UNIQUE (tenant_id, record_type, key),
  constraint settings_custom_fields_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint settings_custom_fields_check CHECK (((field_type = ANY (ARRAY['select'::text, 'multi_select'::text])) = (options <> '[]'::jsonb))),
  constraint settings_custom_fields_check1 CHECK (((field_type = 'reference'::text) = (target IS NOT NULL))),
  constraint settings_custom_fields_deleted_at_check CHECK ((deleted_at IS NULL)),
  constraint settings_custom_fields_field_type_check CHECK ((field_type = ANY (ARRAY['text'::text, 'long_text'::text, 'integer'::text, 'number'::text, 'boolean'::text, 'date'::text, 'datetime'::text, 'select'::text, 'multi_select'::text, 'url'::text, 'email'::text, 'money'::text, 'member'::text, 'reference'::text]))),
  constraint settings_custom_fields_key_check CHECK ((key ~ '^[a-z][a-zA-Z0-9]{0,39}$'::text)),
  constraint settings_custom_fields_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint settings_custom_fields_options_check CHECK ((jsonb_typeof(options) = 'array'::text)),
  constraint settings_custom_fields_version_check CHECK ((version > 0))
);
CREATE INDEX settings_custom_fields_filters_idx ON data.settings_custom_fields USING gin (tenant_id, key, field_type, required);
CREATE INDEX settings_custom_fields_key_sort_idx ON data.settings_custom_fields USING btree (tenant_id, key COLLATE data.alphabet, id);
CREATE INDEX settings_custom_fields_name_sort_idx ON data.settings_custom_fields USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX settings_custom_fields_owner_idx ON data.settings_custom_fields USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX settings_custom_fields_record_type_filter_idx ON data.settings_custom_fields USING btree (tenant_id, record_type, created_at DESC, id DESC);
CREATE INDEX settings_custom_fields_search_idx ON data.settings_custom_fields USING gin (tenant_id, search);
CREATE INDEX settings_custom_fields_time_idx ON data.settings_custom_fields USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX settings_custom_fields_updated_at_sort_idx ON data.settings_custom_fields USING btree (tenant_id, updated_at, id);
CREATE INDEX settings_custom_fields_workspace_idx ON data.settings_custom_fields USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER epoch AFTER INSERT OR DELETE OR UPDATE ON data.settings_custom_fields FOR EACH ROW EXECUTE FUNCTION directory.bump_epoch();
CREATE TRIGGER held_change AFTER UPDATE ON data.settings_custom_fields FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.settings_custom_fields REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('core.custom_field');
CREATE TRIGGER held_trash AFTER UPDATE ON data.settings_custom_fields FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('core.custom_field');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.settings_custom_fields FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('core.custom_field');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.settings_custom_fields FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('core.custom_field');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.settings_custom_fields FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('core.custom_field');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.settings_custom_fields FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('core.custom_field');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.settings_custom_fields FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('core.custom_field');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.settings_custom_fields FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('core.custom_field');
CREATE TRIGGER limit_custom_fields AFTER INSERT ON data.settings_custom_fields FOR EACH ROW EXECUTE FUNCTION data.limit_custom_fields();
alter table data.settings_custom_fields enable row level security;
alter table data.settings_custom_fields force row level security;
create policy rows on data.settings_custom_fields as permissive for all to :app, :system using (true) with check (true);
create policy search on data.settings_custom_fields as permissive for select to :lookup using (true);
create policy tenant_isolation on data.settings_custom_fields as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.settings_custom_fields to :app;
grant delete, insert, select, update on data.settings_custom_fields to :system;
grant select (tenant_id, id, search) on data.settings_custom_fields to :lookup;

create table data.sla_reports (
  tenant_id uuid not null,
  month text not null,
  version integer not null,
  report jsonb not null,
  stored_at timestamp(3) with time zone not null,
  correction jsonb,
  constraint sla_reports_pkey PRIMARY KEY (tenant_id, month, version),
  constraint sla_reports_check CHECK (((version = 1) = (correction IS NULL))),
  constraint sla_reports_month_check CHECK ((month ~ '^[0-9]{4}-[0-9]{2}$'::text)),
  constraint sla_reports_version_check CHECK ((version > 0))
);
alter table data.sla_reports enable row level security;
alter table data.sla_reports force row level security;
create policy rows on data.sla_reports as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.sla_reports as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.sla_reports to :app;
grant insert, select on data.sla_reports to :system;

create table data.slo_counts (
  tenant_id uuid not null,
  slo_id uuid not null,
  grain text not null,
  at timestamp(3) with time zone not null,
  good bigint not null,
  bad bigint not null,
  constraint slo_counts_pkey PRIMARY KEY (tenant_id, slo_id, grain, at),
  constraint slo_counts_bad_check CHECK ((bad >= 0)),
  constraint slo_counts_good_check CHECK ((good >= 0)),
  constraint slo_counts_grain_check CHECK ((grain = ANY (ARRAY['minute'::text, 'hour'::text])))
) with (fillfactor=70);
alter table data.slo_counts enable row level security;
alter table data.slo_counts force row level security;
create policy rows on data.slo_counts as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.slo_counts as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.slo_counts to :app;
grant delete, insert, select, update on data.slo_counts to :system;

create table data.slo_progress (
  tenant_id uuid not null,
  slo_id uuid not null,
  counted_to timestamp(3) with time zone not null,
  alerting_since timestamp(3) with time zone,
  constraint slo_progress_pkey PRIMARY KEY (tenant_id, slo_id)
) with (fillfactor=50);
alter table data.slo_progress enable row level security;
alter table data.slo_progress force row level security;
create policy rows on data.slo_progress as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.slo_progress as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.slo_progress to :app;
grant delete, insert, select, update on data.slo_progress to :system;

create table data.slos (
  tenant_id uuid not null,
  id uuid not null,
  key text not null,
  version integer not null,
  definition jsonb not null,
  archived_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint slos_pkey PRIMARY KEY (tenant_id, id),
  constraint slos_key_key UNIQUE (tenant_id, key),
  constraint slos_key_check CHECK ((key ~ '^[a-z][a-z0-9_]{0,59}$'::text)),
  constraint slos_version_check CHECK ((version > 0))
);
alter table data.slos enable row level security;
alter table data.slos force row level security;
create policy rows on data.slos as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.slos as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.slos to :app;
grant insert, select, update on data.slos to :system;

create table data.tags (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  key text generated always as (data.fold(name)) stored not null,
  created_by jsonb not null,
  archived_at timestamp(3) with time zone,
  version integer default 1 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint tags_pkey PRIMARY KEY (tenant_id, id),
  constraint tags_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
  constraint tags_version_check CHECK ((version > 0))
);
CREATE UNIQUE INDEX tags_name_key ON data.tags USING btree (tenant_id, key);
alter table data.tags enable row level security;
alter table data.tags force row level security;
create policy rows on data.tags as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.tags as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.tags to :app;
grant delete, insert, select, update on data.tags to :system;

create table data.talent_applications (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  candidate_id uuid not null,
  job_id uuid,
  status text not null,
  stage text not null,
  stage_entered_at timestamp(3) with time zone not null,
  applied_at timestamp(3) with time zone not null,
  reject_reason text,
  hired_at timestamp(3) with time zone,
  start_date date,
  job_title text,
  department_id uuid,
  manager_id uuid,
  rating_hundredths integer,
  stage_before text,
  last_activity_at timestamp(3) with time zone not null,
  notify_at timestamp(3) with time zone,
  source text not null,
  mapping_template_id uuid,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(job_title, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint talent_applications_pkey PRIMARY KEY (tenant_id, id),
  constraint talent_applications_own_key UNIQUE (tenant_id, candidate_id, id),
  constraint talent_applications_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint talent_applications_check CHECK (((status = 'active'::text) = (stage <> ALL (ARRAY['hired'::text, 'rejected'::text, 'withdrawn'::text])))),
  constraint talent_applications_check1 CHECK (((status = 'active'::text) OR (stage = status))),
  constraint talent_applications_check2 CHECK (((status = 'hired'::text) = ((hired_at IS NOT NULL) AND (start_date IS NOT NULL)))),
  constraint talent_applications_check3 CHECK (((status = 'rejected'::text) = (reject_reason IS NOT NULL))),
  constraint talent_applications_job_title_check CHECK ((length(job_title) <= 200)),
  constraint talent_applications_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint talent_applications_rating_hundredths_check CHECK (((rating_hundredths >= 100) AND (rating_hundredths <= 500))),
  constraint talent_applications_reject_reason_check CHECK ((length(reject_reason) <= 500)),
  constraint talent_applications_source_check CHECK ((source = ANY (ARRAY['careers_page'::text, 'referral'::text, 'agency'::text, 'sourced'::text, 'job_board'::text, 'internal'::text, 'event'::text, 'other'::text]))),
  constraint talent_applications_stage_before_check CHECK (((length(stage_before) >= 1) AND (length(stage_before) <= 40))),
  constraint talent_applications_stage_check CHECK (((length(stage) >= 1) AND (length(stage) <= 40))),
  constraint talent_applications_status_check CHECK ((status = ANY (ARRAY['active'::text, 'hired'::text, 'rejected'::text, 'withdrawn'::text]))),
  constraint talent_applications_version_check CHECK ((version > 0))
);
CREATE INDEX talent_applications_applied_at_filter_idx ON data.talent_applications USING btree (tenant_id, applied_at, created_at DESC, id DESC);
CREATE INDEX talent_applications_applied_at_metric_idx ON data.talent_applications USING btree (tenant_id, applied_at);
CREATE INDEX talent_applications_candidate_id_filter_idx ON data.talent_applications USING btree (tenant_id, candidate_id, created_at DESC, id DESC);
CREATE INDEX talent_applications_filters_idx ON data.talent_applications USING gin (tenant_id, source);
CREATE INDEX talent_applications_hired_at_metric_idx ON data.talent_applications USING btree (tenant_id, hired_at) WHERE (hired_at IS NOT NULL);
CREATE INDEX talent_applications_job_id_filter_idx ON data.talent_applications USING btree (tenant_id, job_id, created_at DESC, id DESC);
CREATE INDEX talent_applications_mapping_template_idx ON data.talent_applications USING btree (tenant_id, mapping_template_id) WHERE (mapping_template_id IS NOT NULL);
CREATE INDEX talent_applications_name_sort_idx ON data.talent_applications USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX talent_applications_owner_idx ON data.talent_applications USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX talent_applications_rating_hundredths_down_idx ON data.talent_applications USING btree (tenant_id, (
CASE
    WHEN (rating_hundredths IS NULL) THEN '-2147483648'::integer
    ELSE rating_hundredths
END) DESC, id DESC);
CREATE INDEX talent_applications_rating_hundredths_filter_idx ON data.talent_applications USING btree (tenant_id, rating_hundredths, created_at DESC, id DESC);
CREATE INDEX talent_applications_rating_hundredths_up_idx ON data.talent_applications USING btree (tenant_id, (
CASE
    WHEN (rating_hundredths IS NULL) THEN 2147483647
    ELSE rating_hundredths
END), id);
CREATE INDEX talent_applications_search_idx ON data.talent_applications USING gin (tenant_id, search);
CREATE INDEX talent_applications_stage_entered_at_sort_idx ON data.talent_applications USING btree (tenant_id, stage_entered_at, id);
CREATE INDEX talent_applications_stage_filter_idx ON data.talent_applications USING btree (tenant_id, stage, created_at DESC, id DESC);
CREATE INDEX talent_applications_status_filter_idx ON data.talent_applications USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX talent_applications_time_idx ON data.talent_applications USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX talent_applications_updated_at_sort_idx ON data.talent_applications USING btree (tenant_id, updated_at, id);
CREATE INDEX talent_applications_workspace_idx ON data.talent_applications USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX talent_applications_job_id_key ON data.talent_applications USING btree (tenant_id, candidate_id, job_id) WHERE ((status = 'active'::text) AND (job_id IS NOT NULL));
CREATE TRIGGER guard_application AFTER UPDATE ON data.talent_applications FOR EACH ROW WHEN (((new.job_id IS NOT NULL) AND (new.status = 'active'::text) AND ((new.stage IS DISTINCT FROM old.stage) OR (new.job_id IS DISTINCT FROM old.job_id)))) EXECUTE FUNCTION data.guard_application();
CREATE TRIGGER guard_new_application AFTER INSERT ON data.talent_applications FOR EACH ROW WHEN (((new.job_id IS NOT NULL) AND (new.status = 'active'::text))) EXECUTE FUNCTION data.guard_application();
CREATE TRIGGER held_change AFTER UPDATE ON data.talent_applications FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.talent_applications REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('talent.application');
CREATE TRIGGER held_trash AFTER UPDATE ON data.talent_applications FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('talent.application');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.talent_applications FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('talent.application');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.talent_applications FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('talent.application');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.talent_applications FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('talent.application');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.talent_applications FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('talent.application');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.talent_applications FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('talent.application');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.talent_applications FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('talent.application');
alter table data.talent_applications enable row level security;
alter table data.talent_applications force row level security;
create policy rows on data.talent_applications as permissive for all to :app, :system using (true) with check (true);
create policy search on data.talent_applications as permissive for select to :lookup using (true);
create policy tenant_isolation on data.talent_applications as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.talent_applications to :app;
grant delete, insert, select, update on data.talent_applications to :system;
grant select (tenant_id, id, search) on data.talent_applications to :lookup;

create table data.talent_candidate_skills (
  tenant_id uuid not null,
  skill text not null,
  candidate_id uuid not null,
  constraint talent_candidate_skills_pkey PRIMARY KEY (tenant_id, skill, candidate_id)
);
CREATE INDEX talent_candidate_skills_record_idx ON data.talent_candidate_skills USING btree (tenant_id, candidate_id);
alter table data.talent_candidate_skills enable row level security;
alter table data.talent_candidate_skills force row level security;
create policy rows on data.talent_candidate_skills as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.talent_candidate_skills as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.talent_candidate_skills to :app;
grant delete, insert, select on data.talent_candidate_skills to :system;

create table data.talent_candidates (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  first_name text,
  last_name text,
  email text,
  emails jsonb not null,
  phones jsonb not null,
  links jsonb not null,
  headline text,
  current_company text,
  current_title text,
  location jsonb,
  skills jsonb not null,
  source text not null,
  source_detail text,
  referred_by_id uuid,
  cover_letter text,
  salary_expectation jsonb,
  consent jsonb,
  consent_expires_at timestamp(3) with time zone,
  is_private boolean not null,
  application_id uuid,
  job_id uuid,
  status text not null,
  stage text not null,
  stage_entered_at timestamp(3) with time zone not null,
  applied_at timestamp(3) with time zone not null,
  reject_reason text,
  hired_at timestamp(3) with time zone,
  start_date date,
  job_title text,
  department_id uuid,
  manager_id uuid,
  rating_hundredths integer,
  employee_id uuid,
  merged_into_id uuid,
  anonymized_at timestamp(3) with time zone,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((((((name || ' '::text) || reference) || ' '::text) || COALESCE(email, ''::text)) || ' '::text) || COALESCE(headline, ''::text)) || ' '::text) || (skills)::text), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  resume_file_id uuid,
  constraint talent_candidates_pkey PRIMARY KEY (tenant_id, id),
  constraint talent_candidates_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint talent_candidates_check CHECK (((status = 'active'::text) = (stage <> ALL (ARRAY['hired'::text, 'rejected'::text, 'withdrawn'::text])))),
  constraint talent_candidates_check1 CHECK (((status = 'active'::text) OR (stage = status))),
  constraint talent_candidates_check2 CHECK (((status = 'hired'::text) = ((hired_at IS NOT NULL) AND (start_date IS NOT NULL)))),
  constraint talent_candidates_check3 CHECK (((status = 'rejected'::text) = (reject_reason IS NOT NULL))),
  constraint talent_candidates_check4 CHECK (((merged_into_id IS NULL) OR (archived_at IS NOT NULL))),
  constraint talent_candidates_check5 CHECK ((merged_into_id <> id)),
  constraint talent_candidates_check6 CHECK (((status <> 'hired'::text) OR (deleted_at IS NULL))),
  constraint talent_candidates_check7 CHECK (((anonymized_at IS NULL) OR ((email IS NULL) AND (emails = '[]'::jsonb) AND (phones = '[]'::jsonb) AND (links = '[]'::jsonb) AND (first_name IS NULL) AND (last_name IS NULL) AND (headline IS NULL) AND (location IS NULL) AND (skills = '[]'::jsonb) AND (current_company IS NULL) AND (current_title IS NULL) AND (cover_letter IS NULL) AND (salary_expectation IS NULL)))),
  constraint talent_candidates_cover_letter_check CHECK ((length(cover_letter) <= 20000)),
  constraint talent_candidates_current_company_check CHECK ((length(current_company) <= 200)),
  constraint talent_candidates_current_title_check CHECK ((length(current_title) <= 200)),
  constraint talent_candidates_email_check CHECK ((length(email) <= 254)),
  constraint talent_candidates_emails_check CHECK ((jsonb_typeof(emails) = 'array'::text)),
  constraint talent_candidates_first_name_check CHECK ((length(first_name) <= 100)),
  constraint talent_candidates_headline_check CHECK ((length(headline) <= 300)),
  constraint talent_candidates_job_title_check CHECK ((length(job_title) <= 200)),
  constraint talent_candidates_last_name_check CHECK ((length(last_name) <= 100)),
  constraint talent_candidates_links_check CHECK ((jsonb_typeof(links) = 'array'::text)),
  constraint talent_candidates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint talent_candidates_phones_check CHECK ((jsonb_typeof(phones) = 'array'::text)),
  constraint talent_candidates_rating_hundredths_check CHECK (((rating_hundredths >= 100) AND (rating_hundredths <= 500))),
  constraint talent_candidates_reject_reason_check CHECK ((length(reject_reason) <= 500)),
  constraint talent_candidates_skills_check CHECK ((jsonb_typeof(skills) = 'array'::text)),
  constraint talent_candidates_source_check CHECK ((source = ANY (ARRAY['careers_page'::text, 'referral'::text, 'agency'::text, 'sourced'::text, 'job_board'::text, 'internal'::text, 'event'::text, 'other'::text]))),
  constraint talent_candidates_source_detail_check CHECK ((length(source_detail) <= 500)),
  constraint talent_candidates_stage_check CHECK (((length(stage) >= 1) AND (length(stage) <= 40))),
  constraint talent_candidates_status_check CHECK ((status = ANY (ARRAY['active'::text, 'hired'::text, 'rejected'::text, 'withdrawn'::text]))),
  constraint talent_candidates_version_check CHECK ((version > 0))
);
CREATE INDEX talent_candidates_applied_at_filter_idx ON data.talent_candidates USING btree (tenant_id, applied_at, created_at DESC, id DESC);
CREATE INDEX talent_candidates_consent_expires_at_filter_idx ON data.talent_candidates USING btree (tenant_id, consent_expires_at, created_at DESC, id DESC);
CREATE INDEX talent_candidates_filters_idx ON data.talent_candidates USING gin (tenant_id, source);
CREATE INDEX talent_candidates_hired_at_metric_idx ON data.talent_candidates USING btree (tenant_id, hired_at) WHERE (hired_at IS NOT NULL);
CREATE INDEX talent_candidates_job_id_filter_idx ON data.talent_candidates USING btree (tenant_id, job_id, created_at DESC, id DESC);
CREATE INDEX talent_candidates_merged_idx ON data.talent_candidates USING btree (tenant_id, id) WHERE (merged_into_id IS NOT NULL);
CREATE INDEX talent_candidates_merged_into_idx ON data.talent_candidates USING btree (tenant_id, merged_into_id) WHERE (merged_into_id IS NOT NULL);
CREATE INDEX talent_candidates_name_sort_idx ON data.talent_candidates USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX talent_candidates_owner_idx ON data.talent_candidates USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX talent_candidates_rating_hundredths_down_idx ON data.talent_candidates USING btree (tenant_id, (
CASE
    WHEN (rating_hundredths IS NULL) THEN '-2147483648'::integer
    ELSE rating_hundredths
END) DESC, id DESC);
CREATE INDEX talent_candidates_rating_hundredths_filter_idx ON data.talent_candidates USING btree (tenant_id, rating_hundredths, created_at DESC, id DESC);
CREATE INDEX talent_candidates_rating_hundredths_up_idx ON data.talent_candidates USING btree (tenant_id, (
CASE
    WHEN (rating_hundredths IS NULL) THEN 2147483647
    ELSE rating_hundredths
END), id);
CREATE INDEX talent_candidates_resume_file_idx ON data.talent_candidates USING btree (tenant_id, resume_file_id) WHERE (resume_file_id IS NOT NULL);
CREATE INDEX talent_candidates_search_idx ON data.talent_candidates USING gin (tenant_id, search);
CREATE INDEX talent_candidates_stage_entered_at_sort_idx ON data.talent_candidates USING btree (tenant_id, stage_entered_at, id);
CREATE INDEX talent_candidates_stage_filter_idx ON data.talent_candidates USING btree (tenant_id, stage, created_at DESC, id DESC);
CREATE INDEX talent_candidates_status_filter_idx ON data.talent_candidates USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX talent_candidates_time_idx ON data.talent_candidates USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX talent_candidates_updated_at_sort_idx ON data.talent_candidates USING btree (tenant_id, updated_at, id);
CREATE INDEX talent_candidates_workspace_idx ON data.talent_candidates USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX talent_candidates_email_key ON data.talent_candidates USING btree (tenant_id, data.fold(email)) WHERE ((email IS NOT NULL) AND (deleted_at IS NULL) AND (archived_at IS NULL));
CREATE TRIGGER held_change AFTER UPDATE ON data.talent_candidates FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.talent_candidates REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('talent.candidate');
CREATE TRIGGER held_trash AFTER UPDATE ON data.talent_candidates FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('talent.candidate');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.talent_candidates FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('talent.candidate');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.talent_candidates FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('talent.candidate');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.talent_candidates FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('talent.candidate');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.talent_candidates FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('talent.candidate');
CREATE TRIGGER keep_new_skills AFTER INSERT ON data.talent_candidates FOR EACH ROW WHEN ((new.skills <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_talent_candidate_skills();
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.talent_candidates FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('talent.candidate');
CREATE TRIGGER keep_skills AFTER UPDATE ON data.talent_candidates FOR EACH ROW WHEN ((new.skills IS DISTINCT FROM old.skills)) EXECUTE FUNCTION data.keep_talent_candidate_skills();
CREATE TRIGGER keep_tags AFTER UPDATE ON data.talent_candidates FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('talent.candidate');
alter table data.talent_candidates enable row level security;
alter table data.talent_candidates force row level security;
create policy rows on data.talent_candidates as permissive for all to :app, :system using (true) with check (true);
create policy search on data.talent_candidates as permissive for select to :lookup using (true);
create policy tenant_isolation on data.talent_candidates as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.talent_candidates to :app;
grant delete, insert, select, update on data.talent_candidates to :system;
grant select (tenant_id, id, search) on data.talent_candidates to :lookup;

create table data.talent_interview_people (
  tenant_id uuid not null,
  interviewer_id uuid not null,
  interview_id uuid not null,
  constraint talent_interview_people_pkey PRIMARY KEY (tenant_id, interviewer_id, interview_id)
);
CREATE INDEX talent_interview_people_record_idx ON data.talent_interview_people USING btree (tenant_id, interview_id);
alter table data.talent_interview_people enable row level security;
alter table data.talent_interview_people force row level security;
create policy rows on data.talent_interview_people as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.talent_interview_people as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.talent_interview_people to :app;
grant delete, insert, select on data.talent_interview_people to :system;

create table data.talent_interviews (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  status text not null,
  application_id uuid not null,
  kind text not null,
  start_at timestamp(3) with time zone not null,
  end_at timestamp(3) with time zone not null,
  interviewer_ids jsonb not null,
  location text,
  feedback_due_at timestamp(3) with time zone,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((name || ' '::text) || reference)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint talent_interviews_pkey PRIMARY KEY (tenant_id, id),
  constraint talent_interviews_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint talent_interviews_interviewer_ids_check CHECK ((jsonb_typeof(interviewer_ids) = 'array'::text)),
  constraint talent_interviews_kind_check CHECK ((kind = ANY (ARRAY['phone'::text, 'video'::text, 'onsite'::text, 'panel'::text, 'assessment'::text]))),
  constraint talent_interviews_location_check CHECK ((length(location) <= 500)),
  constraint talent_interviews_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint talent_interviews_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'completed'::text, 'cancelled'::text, 'no_show'::text]))),
  constraint talent_interviews_times CHECK ((end_at >= start_at)),
  constraint talent_interviews_version_check CHECK ((version > 0))
);
CREATE INDEX talent_interviews_application_id_filter_idx ON data.talent_interviews USING btree (tenant_id, application_id, created_at DESC, id DESC);
CREATE INDEX talent_interviews_filters_idx ON data.talent_interviews USING gin (tenant_id, kind);
CREATE INDEX talent_interviews_name_sort_idx ON data.talent_interviews USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX talent_interviews_owner_idx ON data.talent_interviews USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX talent_interviews_search_idx ON data.talent_interviews USING gin (tenant_id, search);
CREATE INDEX talent_interviews_start_at_filter_idx ON data.talent_interviews USING btree (tenant_id, start_at, created_at DESC, id DESC);
CREATE INDEX talent_interviews_start_at_sort_idx ON data.talent_interviews USING btree (tenant_id, start_at, id);
CREATE INDEX talent_interviews_status_filter_idx ON data.talent_interviews USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX talent_interviews_time_idx ON data.talent_interviews USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX talent_interviews_updated_at_sort_idx ON data.talent_interviews USING btree (tenant_id, updated_at, id);
CREATE INDEX talent_interviews_workspace_idx ON data.talent_interviews USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.talent_interviews FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.talent_interviews REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('talent.interview');
CREATE TRIGGER held_trash AFTER UPDATE ON data.talent_interviews FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('talent.interview');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.talent_interviews FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('talent.interview');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.talent_interviews FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('talent.interview');
CREATE TRIGGER keep_interviewer_ids AFTER UPDATE ON data.talent_interviews FOR EACH ROW WHEN ((new.interviewer_ids IS DISTINCT FROM old.interviewer_ids)) EXECUTE FUNCTION data.keep_talent_interview_people();
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.talent_interviews FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('talent.interview');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.talent_interviews FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('talent.interview');
CREATE TRIGGER keep_new_interviewer_ids AFTER INSERT ON data.talent_interviews FOR EACH ROW WHEN ((new.interviewer_ids <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_talent_interview_people();
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.talent_interviews FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('talent.interview');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.talent_interviews FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('talent.interview');
alter table data.talent_interviews enable row level security;
alter table data.talent_interviews force row level security;
create policy rows on data.talent_interviews as permissive for all to :app, :system using (true) with check (true);
create policy search on data.talent_interviews as permissive for select to :lookup using (true);
create policy tenant_isolation on data.talent_interviews as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.talent_interviews to :app;
grant delete, insert, select, update on data.talent_interviews to :system;
grant select (tenant_id, id, search) on data.talent_interviews to :lookup;

create table data.talent_jobs (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  status text not null,
  department_id uuid,
  hiring_manager_id uuid,
  recruiter_ids jsonb not null,
  openings integer not null,
  filled_count integer not null,
  employment_type text not null,
  location jsonb,
  salary_range jsonb,
  description text,
  is_public boolean not null,
  published_at timestamp(3) with time zone,
  stages jsonb not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((name || ' '::text) || reference) || ' '::text) || "left"(COALESCE(description, ''::text), 5000)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  constraint talent_jobs_pkey PRIMARY KEY (tenant_id, id),
  constraint talent_jobs_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint talent_jobs_description_check CHECK ((length(description) <= 20000)),
  constraint talent_jobs_employment_type_check CHECK ((employment_type = ANY (ARRAY['full_time'::text, 'part_time'::text, 'contractor'::text, 'intern'::text, 'temporary'::text]))),
  constraint talent_jobs_filled_of_openings CHECK (((filled_count >= 0) AND (filled_count <= openings))),
  constraint talent_jobs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint talent_jobs_openings_check CHECK (((openings >= 1) AND (openings <= 10000))),
  constraint talent_jobs_recruiter_ids_check CHECK ((jsonb_typeof(recruiter_ids) = 'array'::text)),
  constraint talent_jobs_stages_check CHECK ((jsonb_typeof(stages) = 'array'::text)),
  constraint talent_jobs_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'open'::text, 'on_hold'::text, 'filled'::text, 'closed'::text, 'cancelled'::text]))),
  constraint talent_jobs_version_check CHECK ((version > 0))
);
CREATE INDEX talent_jobs_department_id_filter_idx ON data.talent_jobs USING btree (tenant_id, department_id, created_at DESC, id DESC);
CREATE INDEX talent_jobs_filters_idx ON data.talent_jobs USING gin (tenant_id, employment_type, is_public);
CREATE INDEX talent_jobs_hiring_manager_id_filter_idx ON data.talent_jobs USING btree (tenant_id, hiring_manager_id, created_at DESC, id DESC);
CREATE INDEX talent_jobs_name_sort_idx ON data.talent_jobs USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX talent_jobs_owner_idx ON data.talent_jobs USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX talent_jobs_published_at_down_idx ON data.talent_jobs USING btree (tenant_id, (
CASE
    WHEN (published_at IS NULL) THEN '-infinity'::timestamp with time zone
    ELSE published_at
END) DESC, id DESC);
CREATE INDEX talent_jobs_published_at_up_idx ON data.talent_jobs USING btree (tenant_id, (
CASE
    WHEN (published_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE published_at
END), id);
CREATE INDEX talent_jobs_search_idx ON data.talent_jobs USING gin (tenant_id, search);
CREATE INDEX talent_jobs_status_filter_idx ON data.talent_jobs USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX talent_jobs_status_sort_idx ON data.talent_jobs USING btree (tenant_id, status, id);
CREATE INDEX talent_jobs_time_idx ON data.talent_jobs USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX talent_jobs_updated_at_sort_idx ON data.talent_jobs USING btree (tenant_id, updated_at, id);
CREATE INDEX talent_jobs_workspace_idx ON data.talent_jobs USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.talent_jobs FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.talent_jobs REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('talent.job');
CREATE TRIGGER held_trash AFTER UPDATE ON data.talent_jobs FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('talent.job');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.talent_jobs FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('talent.job');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.talent_jobs FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('talent.job');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.talent_jobs FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('talent.job');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.talent_jobs FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('talent.job');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.talent_jobs FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('talent.job');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.talent_jobs FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('talent.job');
alter table data.talent_jobs enable row level security;
alter table data.talent_jobs force row level security;
create policy rows on data.talent_jobs as permissive for all to :app, :system using (true) with check (true);
create policy search on data.talent_jobs as permissive for select to :lookup using (true);
create policy tenant_isolation on data.talent_jobs as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.talent_jobs to :app;
grant delete, insert, select, update on data.talent_jobs to :system;
grant select (tenant_id, id, search) on data.talent_jobs to :lookup;

create table data.talent_mapping_templates (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  name text not null,
  is_default boolean not null,
  match jsonb not null,
  defaults jsonb not null,
  field_map jsonb not null,
  onboarding_template_id uuid,
  create_membership boolean not null,
  copy_pay boolean not null,
  invite_days_before_start integer,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint talent_mapping_templates_pkey PRIMARY KEY (tenant_id, id),
  constraint talent_mapping_templates_defaults_check CHECK ((jsonb_typeof(defaults) = 'object'::text)),
  constraint talent_mapping_templates_field_map_check CHECK ((jsonb_typeof(field_map) = 'array'::text)),
  constraint talent_mapping_templates_invite_days_before_start_check CHECK (((invite_days_before_start >= 0) AND (invite_days_before_start <= 365))),
  constraint talent_mapping_templates_match_check CHECK ((jsonb_typeof(match) = 'object'::text)),
  constraint talent_mapping_templates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint talent_mapping_templates_version_check CHECK ((version > 0))
);
CREATE INDEX talent_mapping_templates_checklist_idx ON data.talent_mapping_templates USING btree (tenant_id, onboarding_template_id) WHERE (onboarding_template_id IS NOT NULL);
CREATE UNIQUE INDEX talent_mapping_templates_default ON data.talent_mapping_templates USING btree (tenant_id) WHERE is_default;
alter table data.talent_mapping_templates enable row level security;
alter table data.talent_mapping_templates force row level security;
create policy rows on data.talent_mapping_templates as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.talent_mapping_templates as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.talent_mapping_templates to :app;
grant delete, insert, select, update on data.talent_mapping_templates to :system;

create table data.talent_mappings (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  candidate_id uuid not null,
  application_id uuid not null,
  template_id uuid,
  status text not null,
  "values" jsonb not null,
  start_date date,
  missing jsonb not null,
  steps jsonb not null,
  employee_id uuid,
  invitation_id uuid,
  applied_by jsonb,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  given jsonb default '[]'::jsonb not null,
  invitee text,
  promise jsonb,
  constraint talent_mappings_pkey PRIMARY KEY (tenant_id, id),
  constraint talent_mappings_given_check CHECK ((jsonb_typeof(given) = 'array'::text)),
  constraint talent_mappings_missing_check CHECK ((jsonb_typeof(missing) = 'array'::text)),
  constraint talent_mappings_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'ready'::text, 'applying'::text, 'applied'::text, 'failed'::text, 'cancelled'::text]))),
  constraint talent_mappings_steps_check CHECK ((jsonb_typeof(steps) = 'array'::text)),
  constraint talent_mappings_values_check CHECK ((jsonb_typeof("values") = 'object'::text)),
  constraint talent_mappings_version_check CHECK ((version > 0))
);
CREATE INDEX talent_mappings_application_idx ON data.talent_mappings USING btree (tenant_id, application_id);
CREATE INDEX talent_mappings_candidate_idx ON data.talent_mappings USING btree (tenant_id, candidate_id, created_at DESC, id DESC);
CREATE INDEX talent_mappings_created_idx ON data.talent_mappings USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX talent_mappings_employee_idx ON data.talent_mappings USING btree (tenant_id, employee_id) WHERE (employee_id IS NOT NULL);
CREATE INDEX talent_mappings_invitation_idx ON data.talent_mappings USING btree (tenant_id, invitation_id) WHERE (invitation_id IS NOT NULL);
CREATE INDEX talent_mappings_start_idx ON data.talent_mappings USING btree (tenant_id, start_date);
CREATE INDEX talent_mappings_status_idx ON data.talent_mappings USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX talent_mappings_template_idx ON data.talent_mappings USING btree (tenant_id, template_id) WHERE (template_id IS NOT NULL);
CREATE UNIQUE INDEX talent_mappings_live_key ON data.talent_mappings USING btree (tenant_id, application_id) WHERE (status <> 'cancelled'::text);
alter table data.talent_mappings enable row level security;
alter table data.talent_mappings force row level security;
create policy rows on data.talent_mappings as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.talent_mappings as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.talent_mappings to :app;
grant delete, insert, select, update on data.talent_mappings to :system;

create table data.talent_offers (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  status text not null,
  application_id uuid not null,
  job_title text,
  employment_type text not null,
  start_date date,
  pay_amount_minor bigint,
  pay_currency text,
  pay_period text,
  expires_at timestamp(3) with time zone,
  sent_at timestamp(3) with time zone,
  accepted_at timestamp(3) with time zone,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(job_title, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint talent_offers_pkey PRIMARY KEY (tenant_id, id),
  constraint talent_offers_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint talent_offers_acceptance CHECK (((status = 'accepted'::text) = (accepted_at IS NOT NULL))),
  constraint talent_offers_employment_type_check CHECK ((employment_type = ANY (ARRAY['full_time'::text, 'part_time'::text, 'contractor'::text, 'intern'::text, 'temporary'::text]))),
  constraint talent_offers_job_title_check CHECK ((length(job_title) <= 200)),
  constraint talent_offers_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint talent_offers_pay CHECK ((((pay_amount_minor IS NULL) = (pay_currency IS NULL)) AND ((pay_currency IS NULL) = (pay_period IS NULL)))),
  constraint talent_offers_pay_amount_minor_check CHECK (((pay_amount_minor >= 0) AND (pay_amount_minor <= '9007199254740991'::bigint))),
  constraint talent_offers_pay_currency_check CHECK ((pay_currency ~ '^[A-Z]{3}$'::text)),
  constraint talent_offers_pay_period_check CHECK ((pay_period = ANY (ARRAY['hour'::text, 'month'::text, 'year'::text]))),
  constraint talent_offers_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'pending_approval'::text, 'approved'::text, 'sent'::text, 'accepted'::text, 'declined'::text, 'expired'::text, 'withdrawn'::text]))),
  constraint talent_offers_version_check CHECK ((version > 0))
);
CREATE INDEX talent_offers_application_id_filter_idx ON data.talent_offers USING btree (tenant_id, application_id, created_at DESC, id DESC);
CREATE INDEX talent_offers_expires_at_down_idx ON data.talent_offers USING btree (tenant_id, (
CASE
    WHEN (expires_at IS NULL) THEN '-infinity'::timestamp with time zone
    ELSE expires_at
END) DESC, id DESC);
CREATE INDEX talent_offers_expires_at_filter_idx ON data.talent_offers USING btree (tenant_id, expires_at, created_at DESC, id DESC);
CREATE INDEX talent_offers_expires_at_up_idx ON data.talent_offers USING btree (tenant_id, (
CASE
    WHEN (expires_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE expires_at
END), id);
CREATE INDEX talent_offers_name_sort_idx ON data.talent_offers USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX talent_offers_owner_idx ON data.talent_offers USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX talent_offers_search_idx ON data.talent_offers USING gin (tenant_id, search);
CREATE INDEX talent_offers_sent_at_metric_idx ON data.talent_offers USING btree (tenant_id, sent_at) WHERE (sent_at IS NOT NULL);
CREATE INDEX talent_offers_start_date_down_idx ON data.talent_offers USING btree (tenant_id, (
CASE
    WHEN (start_date IS NULL) THEN '-infinity'::date
    ELSE start_date
END) DESC, id DESC);
CREATE INDEX talent_offers_start_date_up_idx ON data.talent_offers USING btree (tenant_id, (
CASE
    WHEN (start_date IS NULL) THEN 'infinity'::date
    ELSE start_date
END), id);
CREATE INDEX talent_offers_status_filter_idx ON data.talent_offers USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX talent_offers_time_idx ON data.talent_offers USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX talent_offers_updated_at_sort_idx ON data.talent_offers USING btree (tenant_id, updated_at, id);
CREATE INDEX talent_offers_workspace_idx ON data.talent_offers USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX talent_offers_application_id_key ON data.talent_offers USING btree (tenant_id, application_id) WHERE ((status = ANY (ARRAY['draft'::text, 'pending_approval'::text, 'approved'::text, 'sent'::text, 'accepted'::text])) AND (deleted_at IS NULL));
CREATE TRIGGER held_change AFTER UPDATE ON data.talent_offers FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.talent_offers REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('talent.offer');
CREATE TRIGGER held_trash AFTER UPDATE ON data.talent_offers FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('talent.offer');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.talent_offers FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('talent.offer');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.talent_offers FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('talent.offer');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.talent_offers FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('talent.offer');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.talent_offers FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('talent.offer');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.talent_offers FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('talent.offer');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.talent_offers FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('talent.offer');
alter table data.talent_offers enable row level security;
alter table data.talent_offers force row level security;
create policy rows on data.talent_offers as permissive for all to :app, :system using (true) with check (true);
create policy search on data.talent_offers as permissive for select to :lookup using (true);
create policy tenant_isolation on data.talent_offers as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.talent_offers to :app;
grant delete, insert, select, update on data.talent_offers to :system;
grant select (tenant_id, id, search) on data.talent_offers to :lookup;

create table data.talent_scorecards (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  status text not null,
  application_id uuid not null,
  interview_id uuid,
  interviewer_id uuid not null,
  ratings jsonb not null,
  recommendation text,
  summary text,
  score_hundredths integer,
  submitted_at timestamp(3) with time zone,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((name || ' '::text) || reference)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint talent_scorecards_pkey PRIMARY KEY (tenant_id, id),
  constraint talent_scorecards_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint talent_scorecards_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint talent_scorecards_ratings_check CHECK ((jsonb_typeof(ratings) = 'array'::text)),
  constraint talent_scorecards_recommendation_check CHECK ((recommendation = ANY (ARRAY['strong_no'::text, 'no'::text, 'yes'::text, 'strong_yes'::text]))),
  constraint talent_scorecards_score_hundredths_check CHECK (((score_hundredths >= 100) AND (score_hundredths <= 500))),
  constraint talent_scorecards_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'submitted'::text]))),
  constraint talent_scorecards_submission CHECK ((((status = 'submitted'::text) = ((submitted_at IS NOT NULL) AND (score_hundredths IS NOT NULL))) AND ((status = 'draft'::text) OR (recommendation IS NOT NULL)))),
  constraint talent_scorecards_summary_check CHECK ((length(summary) <= 10000)),
  constraint talent_scorecards_version_check CHECK ((version > 0))
);
CREATE INDEX talent_scorecards_application_id_filter_idx ON data.talent_scorecards USING btree (tenant_id, application_id, created_at DESC, id DESC);
CREATE INDEX talent_scorecards_filters_idx ON data.talent_scorecards USING gin (tenant_id, recommendation);
CREATE INDEX talent_scorecards_interview_id_filter_idx ON data.talent_scorecards USING btree (tenant_id, interview_id, created_at DESC, id DESC);
CREATE INDEX talent_scorecards_interviewer_id_filter_idx ON data.talent_scorecards USING btree (tenant_id, interviewer_id, created_at DESC, id DESC);
CREATE INDEX talent_scorecards_name_sort_idx ON data.talent_scorecards USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX talent_scorecards_owner_idx ON data.talent_scorecards USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX talent_scorecards_search_idx ON data.talent_scorecards USING gin (tenant_id, search);
CREATE INDEX talent_scorecards_status_filter_idx ON data.talent_scorecards USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX talent_scorecards_submitted_at_down_idx ON data.talent_scorecards USING btree (tenant_id, (
CASE
    WHEN (submitted_at IS NULL) THEN '-infinity'::timestamp with time zone
    ELSE submitted_at
END) DESC, id DESC);
CREATE INDEX talent_scorecards_submitted_at_up_idx ON data.talent_scorecards USING btree (tenant_id, (
CASE
    WHEN (submitted_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE submitted_at
END), id);
CREATE INDEX talent_scorecards_time_idx ON data.talent_scorecards USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX talent_scorecards_updated_at_sort_idx ON data.talent_scorecards USING btree (tenant_id, updated_at, id);
CREATE INDEX talent_scorecards_workspace_idx ON data.talent_scorecards USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX talent_scorecards_interviewer_id_key ON data.talent_scorecards USING btree (tenant_id, application_id, interviewer_id, interview_id) NULLS NOT DISTINCT WHERE (deleted_at IS NULL);
CREATE TRIGGER guard_scorecard AFTER UPDATE ON data.talent_scorecards FOR EACH ROW WHEN ((old.status = 'submitted'::text)) EXECUTE FUNCTION data.guard_scorecard();
CREATE TRIGGER held_change AFTER UPDATE ON data.talent_scorecards FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.talent_scorecards REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('talent.scorecard');
CREATE TRIGGER held_trash AFTER UPDATE ON data.talent_scorecards FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('talent.scorecard');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.talent_scorecards FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('talent.scorecard');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.talent_scorecards FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('talent.scorecard');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.talent_scorecards FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('talent.scorecard');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.talent_scorecards FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('talent.scorecard');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.talent_scorecards FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('talent.scorecard');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.talent_scorecards FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('talent.scorecard');
alter table data.talent_scorecards enable row level security;
alter table data.talent_scorecards force row level security;
create policy rows on data.talent_scorecards as permissive for all to :app, :system using (true) with check (true);
create policy search on data.talent_scorecards as permissive for select to :lookup using (true);
create policy tenant_isolation on data.talent_scorecards as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.talent_scorecards to :app;
grant delete, insert, select, update on data.talent_scorecards to :system;
grant select (tenant_id, id, search) on data.talent_scorecards to :lookup;

create table data.tenant_onboarding (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null,
  steps jsonb not null,
  started_at timestamp(3) with time zone not null,
  completed_at timestamp(3) with time zone,
  dismissed boolean not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  sample_loaded_at timestamp(3) with time zone,
  sample_records integer default 0 not null,
  constraint tenant_onboarding_pkey PRIMARY KEY (tenant_id, id),
  constraint tenant_onboarding_sample_records_check CHECK (((sample_records >= 0) AND (sample_records <= 100000))),
  constraint tenant_onboarding_steps_check CHECK ((jsonb_typeof(steps) = 'array'::text)),
  constraint tenant_onboarding_version_check CHECK ((version > 0))
);
alter table data.tenant_onboarding enable row level security;
alter table data.tenant_onboarding force row level security;
create policy rows on data.tenant_onboarding as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.tenant_onboarding as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.tenant_onboarding to :app;
grant insert, select, update on data.tenant_onboarding to :system;

create table data.tenant_settings (
  tenant_id uuid not null,
  version integer not null,
  "values" jsonb not null,
  updated_at timestamp(3) with time zone not null,
  updated_by jsonb not null,
  constraint tenant_settings_pkey PRIMARY KEY (tenant_id),
  constraint tenant_settings_values_check CHECK ((jsonb_typeof("values") = 'object'::text)),
  constraint tenant_settings_version_check CHECK ((version > 0))
);
CREATE TRIGGER epoch AFTER INSERT OR DELETE OR UPDATE ON data.tenant_settings FOR EACH ROW EXECUTE FUNCTION directory.bump_epoch();
alter table data.tenant_settings enable row level security;
alter table data.tenant_settings force row level security;
create policy rows on data.tenant_settings as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.tenant_settings as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.tenant_settings to :app;
grant insert, select, update on data.tenant_settings to :system;

create table data.used_file_links (
  tenant_id uuid not null,
  id uuid not null,
  expires_at timestamp(3) with time zone not null,
  constraint used_file_links_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX used_file_links_expiry_idx ON data.used_file_links USING btree (expires_at);
alter table data.used_file_links enable row level security;
alter table data.used_file_links force row level security;
create policy rows on data.used_file_links as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.used_file_links as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.used_file_links to :app;
grant delete, insert, select, update on data.used_file_links to :system;

create table data.webhook_attempts (
  tenant_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  endpoint_id uuid not null,
  cause text not null,
  started_at timestamp(3) with time zone not null,
  duration_ms integer not null,
  dns_ms integer,
  connect_ms integer,
  tls_ms integer,
  first_byte_ms integer,
  remote_address text,
  http_status integer,
  error text,
  error_detail text,
  response_headers jsonb default '{}'::jsonb not null,
  response_excerpt text,
  key_ids text[] default '{}'::text[] not null,
  constraint webhook_attempts_pkey PRIMARY KEY (tenant_id, delivery_id, number),
  constraint webhook_attempts_cause_check CHECK ((cause = ANY (ARRAY['schedule'::text, 'manual'::text, 'replay'::text, 'recover'::text, 'test'::text]))),
  constraint webhook_attempts_connect_ms_check CHECK ((connect_ms >= 0)),
  constraint webhook_attempts_dns_ms_check CHECK ((dns_ms >= 0)),
  constraint webhook_attempts_duration_ms_check1 CHECK ((duration_ms >= 0)),
  constraint webhook_attempts_first_byte_ms_check CHECK ((first_byte_ms >= 0)),
  constraint webhook_attempts_number_check1 CHECK ((number > 0)),
  constraint webhook_attempts_tls_ms_check CHECK ((tls_ms >= 0))
) partition by RANGE (delivery_id);
CREATE INDEX webhook_attempts_endpoint_idx ON data.webhook_attempts USING btree (tenant_id, endpoint_id, started_at DESC, delivery_id DESC, number DESC);
alter table data.webhook_attempts enable row level security;
alter table data.webhook_attempts force row level security;
create policy rows on data.webhook_attempts as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.webhook_attempts as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select on data.webhook_attempts to :app;
grant insert, select on data.webhook_attempts to :system;

create table data.webhook_attempts_default (
  tenant_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  endpoint_id uuid not null,
  cause text not null,
  started_at timestamp(3) with time zone not null,
  duration_ms integer not null,
  dns_ms integer,
  connect_ms integer,
  tls_ms integer,
  first_byte_ms integer,
  remote_address text,
  http_status integer,
  error text,
  error_detail text,
  response_headers jsonb default '{}'::jsonb not null,
  response_excerpt text,
  key_ids text[] default '{}'::text[] not null,
  constraint webhook_attempts_default_pkey PRIMARY KEY (tenant_id, delivery_id, number),
  constraint webhook_attempts_cause_check CHECK ((cause = ANY (ARRAY['schedule'::text, 'manual'::text, 'replay'::text, 'recover'::text, 'test'::text]))),
  constraint webhook_attempts_connect_ms_check CHECK ((connect_ms >= 0)),
  constraint webhook_attempts_dns_ms_check CHECK ((dns_ms >= 0)),
  constraint webhook_attempts_duration_ms_check1 CHECK ((duration_ms >= 0)),
  constraint webhook_attempts_first_byte_ms_check CHECK ((first_byte_ms >= 0)),
  constraint webhook_attempts_number_check1 CHECK ((number > 0)),
  constraint webhook_attempts_tls_ms_check CHECK ((tls_ms >= 0))
) with (fillfactor=100);
CREATE INDEX webhook_attempts_default_tenant_id_endpoint_id_started_at_d_idx ON data.webhook_attempts_default USING btree (tenant_id, endpoint_id, started_at DESC, delivery_id DESC, number DESC);
alter table data.webhook_attempts_default enable row level security;

create table data.webhook_claims (
  tenant_id uuid not null,
  worker bigint not null,
  delivery_ids uuid[] not null,
  constraint webhook_claims_pkey PRIMARY KEY (tenant_id, worker)
) with (fillfactor=30, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500);
alter table data.webhook_claims enable row level security;
alter table data.webhook_claims force row level security;
create policy rows on data.webhook_claims as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.webhook_claims as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant select on data.webhook_claims to :app;
grant delete, insert, select, update on data.webhook_claims to :system;

create table data.webhook_deliveries (
  tenant_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  event_type text not null,
  schema_version integer not null,
  payload_mode text not null,
  subject_type text not null,
  subject_id text not null,
  sequence bigint not null,
  status text not null,
  generation integer default 1 not null,
  attempts integer default 0 not null,
  attempt_count integer default 0 not null,
  skip_reason text,
  created_at timestamp(3) with time zone not null,
  delivered_at timestamp(3) with time zone,
  stopped text generated always as (
CASE
    WHEN (status = ANY (ARRAY['exhausted'::text, 'held'::text, 'skipped'::text])) THEN status
    ELSE NULL::text
END) stored,
  first_attempt json,
  constraint webhook_deliveries_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_deliveries_attempts_check1 CHECK ((attempts >= 0)),
  constraint webhook_deliveries_check3 CHECK ((attempt_count >= attempts)),
  constraint webhook_deliveries_check4 CHECK (((status <> 'delivered'::text) OR (delivered_at IS NOT NULL))),
  constraint webhook_deliveries_generation_check CHECK ((generation > 0)),
  constraint webhook_deliveries_payload_mode_check CHECK ((payload_mode = ANY (ARRAY['full'::text, 'thin'::text]))),
  constraint webhook_deliveries_skip_reason_check CHECK (((length(skip_reason) >= 1) AND (length(skip_reason) <= 500))),
  constraint webhook_deliveries_status_check1 CHECK ((status = ANY (ARRAY['pending'::text, 'retrying'::text, 'delivered'::text, 'exhausted'::text, 'held'::text, 'skipped'::text])))
) partition by RANGE (id);
CREATE INDEX webhook_deliveries_endpoint_idx ON data.webhook_deliveries USING btree (tenant_id, endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_held_idx ON data.webhook_deliveries USING btree (tenant_id, endpoint_id, sequence) WHERE (stopped = 'held'::text);
CREATE INDEX webhook_deliveries_stopped_idx ON data.webhook_deliveries USING btree (tenant_id, stopped, created_at DESC, id DESC) WHERE (stopped IS NOT NULL);
CREATE INDEX webhook_deliveries_subject_idx ON data.webhook_deliveries USING btree (tenant_id, subject_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_time_idx ON data.webhook_deliveries USING btree (tenant_id, created_at DESC, id DESC);
alter table data.webhook_deliveries enable row level security;
alter table data.webhook_deliveries force row level security;
create policy rows on data.webhook_deliveries as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.webhook_deliveries as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.webhook_deliveries to :app;
grant insert, select, update on data.webhook_deliveries to :system;

create table data.webhook_deliveries_default (
  tenant_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  event_type text not null,
  schema_version integer not null,
  payload_mode text not null,
  subject_type text not null,
  subject_id text not null,
  sequence bigint not null,
  status text not null,
  generation integer default 1 not null,
  attempts integer default 0 not null,
  attempt_count integer default 0 not null,
  skip_reason text,
  created_at timestamp(3) with time zone not null,
  delivered_at timestamp(3) with time zone,
  stopped text generated always as (
CASE
    WHEN (status = ANY (ARRAY['exhausted'::text, 'held'::text, 'skipped'::text])) THEN status
    ELSE NULL::text
END) stored,
  first_attempt json,
  constraint webhook_deliveries_default_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_deliveries_attempts_check1 CHECK ((attempts >= 0)),
  constraint webhook_deliveries_check3 CHECK ((attempt_count >= attempts)),
  constraint webhook_deliveries_check4 CHECK (((status <> 'delivered'::text) OR (delivered_at IS NOT NULL))),
  constraint webhook_deliveries_generation_check CHECK ((generation > 0)),
  constraint webhook_deliveries_payload_mode_check CHECK ((payload_mode = ANY (ARRAY['full'::text, 'thin'::text]))),
  constraint webhook_deliveries_skip_reason_check CHECK (((length(skip_reason) >= 1) AND (length(skip_reason) <= 500))),
  constraint webhook_deliveries_status_check1 CHECK ((status = ANY (ARRAY['pending'::text, 'retrying'::text, 'delivered'::text, 'exhausted'::text, 'held'::text, 'skipped'::text])))
) with (fillfactor=50);
CREATE INDEX webhook_deliveries_default_tenant_id_created_at_id_idx ON data.webhook_deliveries_default USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_default_tenant_id_endpoint_id_created_at_idx ON data.webhook_deliveries_default USING btree (tenant_id, endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_default_tenant_id_endpoint_id_sequence_idx ON data.webhook_deliveries_default USING btree (tenant_id, endpoint_id, sequence) WHERE (stopped = 'held'::text);
CREATE INDEX webhook_deliveries_default_tenant_id_stopped_created_at_id_idx ON data.webhook_deliveries_default USING btree (tenant_id, stopped, created_at DESC, id DESC) WHERE (stopped IS NOT NULL);
CREATE INDEX webhook_deliveries_default_tenant_id_subject_id_created_at__idx ON data.webhook_deliveries_default USING btree (tenant_id, subject_id, created_at DESC, id DESC);
alter table data.webhook_deliveries_default enable row level security;

create table data.webhook_endpoints (
  tenant_id uuid not null,
  id uuid not null,
  url text not null,
  description text,
  event_types text[] not null,
  status text not null,
  disabled_reason text,
  timeout_ms integer not null,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_expires_at timestamp(3) with time zone,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  deleted_at timestamp(3) with time zone,
  filter jsonb,
  payload_mode text default 'full'::text not null,
  schema_versions jsonb default '{}'::jsonb not null,
  ordering text default 'none'::text not null,
  max_per_second integer,
  max_concurrency integer,
  header_names text[] default '{}'::text[] not null,
  headers_sealed text,
  verified_at timestamp(3) with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_endpoints_check CHECK (((previous_secret_sealed IS NULL) OR (previous_secret_expires_at IS NOT NULL))),
  constraint webhook_endpoints_check1 CHECK (((cardinality(header_names) = 0) = (headers_sealed IS NULL))),
  constraint webhook_endpoints_event_types_check CHECK ((cardinality(event_types) > 0)),
  constraint webhook_endpoints_header_names_check CHECK ((cardinality(header_names) <= 10)),
  constraint webhook_endpoints_max_concurrency_check CHECK (((max_concurrency >= 1) AND (max_concurrency <= 100))),
  constraint webhook_endpoints_max_per_second_check CHECK (((max_per_second >= 1) AND (max_per_second <= 1000))),
  constraint webhook_endpoints_ordering_check CHECK ((ordering = ANY (ARRAY['none'::text, 'per_resource'::text]))),
  constraint webhook_endpoints_payload_mode_check CHECK ((payload_mode = ANY (ARRAY['full'::text, 'thin'::text]))),
  constraint webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'paused'::text, 'disabled'::text]))),
  constraint webhook_endpoints_timeout_ms_check CHECK (((timeout_ms >= 1000) AND (timeout_ms <= 30000))),
  constraint webhook_endpoints_version_check CHECK ((version > 0))
);
CREATE INDEX webhook_endpoints_time_idx ON data.webhook_endpoints USING btree (tenant_id, created_at DESC, id DESC);
CREATE TRIGGER changes AFTER UPDATE ON data.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION data.mark_endpoint_change();
alter table data.webhook_endpoints enable row level security;
alter table data.webhook_endpoints force row level security;
create policy rows on data.webhook_endpoints as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.webhook_endpoints as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.webhook_endpoints to :app;
grant insert, select, update on data.webhook_endpoints to :system;

create table data.webhook_lanes (
  tenant_id uuid not null,
  endpoint_id uuid not null,
  ordering text not null,
  max_per_second integer,
  max_concurrency integer,
  taken_until timestamp with time zone,
  open_until timestamp(3) with time zone,
  openings integer default 0 not null,
  consecutive_failures integer default 0 not null,
  window_started_at timestamp(3) with time zone,
  window_attempts integer default 0 not null,
  window_failures integer default 0 not null,
  failing_since timestamp(3) with time zone,
  failed_attempts integer default 0 not null,
  warnings integer default 0 not null,
  last_success_at timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  recent_ms integer[] default '{}'::integer[] not null,
  slow boolean default false not null,
  revision integer default 0 not null,
  constraint webhook_lanes_pkey PRIMARY KEY (tenant_id, endpoint_id),
  constraint webhook_lanes_consecutive_failures_check CHECK ((consecutive_failures >= 0)),
  constraint webhook_lanes_openings_check CHECK ((openings >= 0)),
  constraint webhook_lanes_ordering_check CHECK ((ordering = ANY (ARRAY['none'::text, 'per_resource'::text])))
) with (fillfactor=70);
CREATE INDEX webhook_lanes_failing_idx ON data.webhook_lanes USING btree (tenant_id, endpoint_id) WHERE (failing_since IS NOT NULL);
alter table data.webhook_lanes enable row level security;
alter table data.webhook_lanes force row level security;
create policy rows on data.webhook_lanes as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.webhook_lanes as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.webhook_lanes to :app;
grant insert, select, update on data.webhook_lanes to :system;

create table data.webhook_queue (
  tenant_id uuid not null,
  delivery_id uuid not null,
  endpoint_id uuid not null,
  subject_id text not null,
  sequence bigint not null,
  cause text default 'schedule'::text not null,
  retry boolean default false not null,
  due_at timestamp(3) with time zone not null,
  resume_at timestamp(3) with time zone,
  lease_token uuid,
  leased_until timestamp(3) with time zone,
  direct boolean default false not null,
  constraint webhook_queue_pkey PRIMARY KEY (tenant_id, delivery_id),
  constraint webhook_queue_cause_check CHECK ((cause = ANY (ARRAY['schedule'::text, 'manual'::text, 'replay'::text, 'recover'::text]))),
  constraint webhook_queue_check CHECK (((cause = 'manual'::text) OR (resume_at IS NULL))),
  constraint webhook_queue_direct_check CHECK (((NOT direct) OR (lease_token IS NOT NULL)))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=500, autovacuum_analyze_scale_factor=0.05);
CREATE INDEX webhook_queue_due_idx ON data.webhook_queue USING btree (tenant_id, endpoint_id, retry, due_at) WITH (deduplicate_items=off) WHERE (NOT direct);
CREATE INDEX webhook_queue_manual_idx ON data.webhook_queue USING btree (tenant_id, endpoint_id, due_at) WHERE (cause = 'manual'::text);
CREATE INDEX webhook_queue_subject_idx ON data.webhook_queue USING btree (tenant_id, endpoint_id, subject_id, sequence) WHERE (NOT direct);
alter table data.webhook_queue enable row level security;
alter table data.webhook_queue force row level security;
create policy rows on data.webhook_queue as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.webhook_queue as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.webhook_queue to :app;
grant delete, insert, select, update on data.webhook_queue to :system;

create table data.webhook_recoveries (
  tenant_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  since timestamp(3) with time zone not null,
  until timestamp(3) with time zone not null,
  statuses text[] not null,
  event_types text[],
  status text not null,
  matched bigint not null,
  recovered bigint default 0 not null,
  examined bigint default 0 not null,
  after_sequence bigint default 0 not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  created_by jsonb not null,
  dry_run boolean default false not null,
  counted bigint default 0 not null,
  by_status jsonb default '{"held": 0, "skipped": 0, "retrying": 0, "delivered": 0, "exhausted": 0, "never_attempted": 0}'::jsonb not null,
  job_id uuid,
  constraint webhook_recoveries_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_recoveries_check1 CHECK ((since < until)),
  constraint webhook_recoveries_counted_check CHECK ((counted >= 0)),
  constraint webhook_recoveries_dry_check CHECK (((NOT dry_run) OR ((status <> 'running'::text) AND (recovered = 0)))),
  constraint webhook_recoveries_examined_check CHECK ((examined >= 0)),
  constraint webhook_recoveries_finished_check CHECK (((status = ANY (ARRAY['counting'::text, 'running'::text])) = (finished_at IS NULL))),
  constraint webhook_recoveries_matched_check CHECK ((matched >= 0)),
  constraint webhook_recoveries_recovered_check CHECK ((recovered >= 0)),
  constraint webhook_recoveries_status_check CHECK ((status = ANY (ARRAY['counting'::text, 'running'::text, 'completed'::text, 'cancelled'::text])))
);
CREATE INDEX webhook_recoveries_endpoint_idx ON data.webhook_recoveries USING btree (tenant_id, endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_recoveries_open_idx ON data.webhook_recoveries USING btree (tenant_id, endpoint_id) WHERE (status = ANY (ARRAY['counting'::text, 'running'::text]));
alter table data.webhook_recoveries enable row level security;
alter table data.webhook_recoveries force row level security;
create policy rows on data.webhook_recoveries as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.webhook_recoveries as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.webhook_recoveries to :app;
grant insert, select, update on data.webhook_recoveries to :system;

create table data.webhook_sending (
  tenant_id uuid not null,
  worker bigint not null,
  entries json not null,
  leased_until timestamp(3) with time zone not null,
  constraint webhook_sending_pkey PRIMARY KEY (tenant_id, worker)
) with (fillfactor=30, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500);
alter table data.webhook_sending enable row level security;
alter table data.webhook_sending force row level security;
create policy rows on data.webhook_sending as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.webhook_sending as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant select on data.webhook_sending to :app;
grant delete, insert, select, update on data.webhook_sending to :system;

create table data.webhook_stats (
  tenant_id uuid not null,
  endpoint_id uuid not null,
  minute timestamp(0) with time zone not null,
  delivered integer default 0 not null,
  failed integer default 0 not null,
  durations integer[] not null,
  constraint webhook_stats_pkey PRIMARY KEY (tenant_id, endpoint_id, minute)
) with (fillfactor=70);
alter table data.webhook_stats enable row level security;
alter table data.webhook_stats force row level security;
create policy rows on data.webhook_stats as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.webhook_stats as restrictive for all to :app using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.webhook_stats to :app;
grant delete, insert, select, update on data.webhook_stats to :system;

create table data.work_cycles (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  project_id uuid,
  goal text,
  start_date date not null,
  end_date date not null,
  status text not null,
  closed_at timestamp(3) with time zone,
  scope_tasks integer,
  done_tasks integer,
  carried_tasks integer,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(goal, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint work_cycles_pkey PRIMARY KEY (tenant_id, id),
  constraint work_cycles_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint work_cycles_check CHECK ((end_date >= start_date)),
  constraint work_cycles_check1 CHECK (((status = 'closed'::text) = (closed_at IS NOT NULL))),
  constraint work_cycles_check2 CHECK ((num_nulls(closed_at, scope_tasks, done_tasks, carried_tasks) = ANY (ARRAY[0, 4]))),
  constraint work_cycles_check3 CHECK ((scope_tasks = (done_tasks + carried_tasks))),
  constraint work_cycles_goal_check CHECK ((length(goal) <= 5000)),
  constraint work_cycles_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint work_cycles_place CHECK (((project_id IS NOT NULL) OR (workspace_id IS NOT NULL))),
  constraint work_cycles_status_check CHECK ((status = ANY (ARRAY['upcoming'::text, 'current'::text, 'closed'::text]))),
  constraint work_cycles_version_check CHECK ((version > 0)),
  constraint work_cycles_overlap EXCLUDE USING gist (tenant_id WITH =, project_id WITH =, daterange(start_date, end_date, '[]'::text) WITH &&) WHERE (((project_id IS NOT NULL) AND (deleted_at IS NULL)))
);
CREATE INDEX work_cycles_closed_at_filter_idx ON data.work_cycles USING btree (tenant_id, closed_at, created_at DESC, id DESC);
CREATE INDEX work_cycles_end_date_sort_idx ON data.work_cycles USING btree (tenant_id, end_date, id);
CREATE INDEX work_cycles_name_sort_idx ON data.work_cycles USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX work_cycles_owner_idx ON data.work_cycles USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX work_cycles_project_id_filter_idx ON data.work_cycles USING btree (tenant_id, project_id, created_at DESC, id DESC);
CREATE INDEX work_cycles_search_idx ON data.work_cycles USING gin (tenant_id, search);
CREATE INDEX work_cycles_start_date_sort_idx ON data.work_cycles USING btree (tenant_id, start_date, id);
CREATE INDEX work_cycles_status_filter_idx ON data.work_cycles USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX work_cycles_time_idx ON data.work_cycles USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX work_cycles_updated_at_sort_idx ON data.work_cycles USING btree (tenant_id, updated_at, id);
CREATE INDEX work_cycles_workspace_idx ON data.work_cycles USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.work_cycles FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.work_cycles REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('work.cycle');
CREATE TRIGGER held_trash AFTER UPDATE ON data.work_cycles FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('work.cycle');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.work_cycles FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('work.cycle');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.work_cycles FOR EACH ROW WHEN ((new.external_refs IS DISTINCT FROM old.external_refs)) EXECUTE FUNCTION data.keep_external_refs('work.cycle');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.work_cycles FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('work.cycle');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.work_cycles FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('work.cycle');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.work_cycles FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('work.cycle');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.work_cycles FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('work.cycle');
alter table data.work_cycles enable row level security;
alter table data.work_cycles force row level security;
create policy rows on data.work_cycles as permissive for all to :app, :system using (true) with check (true);
create policy search on data.work_cycles as permissive for select to :lookup using (true);
create policy tenant_isolation on data.work_cycles as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.work_cycles to :app;
grant delete, insert, select, update on data.work_cycles to :system;
grant select (tenant_id, id, search) on data.work_cycles to :lookup;

create table data.work_delivery_controls (
  tenant_id uuid not null,
  project_id uuid not null,
  control_state text not null,
  severity text,
  update_requested_at timestamp(3) with time zone,
  gates jsonb not null,
  constraint work_delivery_controls_pkey PRIMARY KEY (tenant_id, project_id),
  constraint work_delivery_controls_check CHECK (((control_state = 'escalated'::text) = (severity IS NOT NULL))),
  constraint work_delivery_controls_control_state_check CHECK ((control_state = ANY (ARRAY['normal'::text, 'watch'::text, 'escalated'::text]))),
  constraint work_delivery_controls_gates_check CHECK ((jsonb_typeof(gates) = 'object'::text)),
  constraint work_delivery_controls_severity_check CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text])))
);
alter table data.work_delivery_controls enable row level security;
alter table data.work_delivery_controls force row level security;
create policy rows on data.work_delivery_controls as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.work_delivery_controls as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.work_delivery_controls to :app;
grant insert, select, update on data.work_delivery_controls to :system;

create table data.work_milestones (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  project_id uuid not null,
  description text,
  status text not null,
  due_date date,
  billable_minor bigint,
  currency text,
  acceptance_required boolean not null,
  acceptance_contact_id uuid,
  reached_at timestamp(3) with time zone,
  accepted_at timestamp(3) with time zone,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((name || ' '::text) || reference) || ' '::text) || COALESCE(description, ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  accepted_by text,
  constraint work_milestones_pkey PRIMARY KEY (tenant_id, id),
  constraint work_milestones_of_project UNIQUE (tenant_id, project_id, id),
  constraint work_milestones_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint work_milestones_accepted_by_check CHECK (((length(accepted_by) >= 1) AND (length(accepted_by) <= 200))),
  constraint work_milestones_billable_minor_check CHECK (((billable_minor >= 0) AND (billable_minor <= '9007199254740991'::bigint))),
  constraint work_milestones_check CHECK (((status = 'open'::text) = (reached_at IS NULL))),
  constraint work_milestones_check1 CHECK (((status = 'open'::text) = (currency IS NULL))),
  constraint work_milestones_check2 CHECK (((status = 'accepted'::text) = (accepted_at IS NOT NULL))),
  constraint work_milestones_check3 CHECK (((deleted_at IS NULL) OR (status = 'open'::text))),
  constraint work_milestones_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint work_milestones_description_check CHECK ((length(description) <= 50000)),
  constraint work_milestones_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint work_milestones_status_check CHECK ((status = ANY (ARRAY['open'::text, 'reached'::text, 'accepted'::text]))),
  constraint work_milestones_version_check CHECK ((version > 0))
);
CREATE INDEX work_milestones_due_date_down_idx ON data.work_milestones USING btree (tenant_id, (
CASE
    WHEN (due_date IS NULL) THEN '-infinity'::date
    ELSE due_date
END) DESC, id DESC);
CREATE INDEX work_milestones_due_date_filter_idx ON data.work_milestones USING btree (tenant_id, due_date, created_at DESC, id DESC);
CREATE INDEX work_milestones_due_date_up_idx ON data.work_milestones USING btree (tenant_id, (
CASE
    WHEN (due_date IS NULL) THEN 'infinity'::date
    ELSE due_date
END), id);
CREATE INDEX work_milestones_name_sort_idx ON data.work_milestones USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX work_milestones_owner_idx ON data.work_milestones USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX work_milestones_project_id_filter_idx ON data.work_milestones USING btree (tenant_id, project_id, created_at DESC, id DESC);
CREATE INDEX work_milestones_search_idx ON data.work_milestones USING gin (tenant_id, search);
CREATE INDEX work_milestones_status_filter_idx ON data.work_milestones USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX work_milestones_time_idx ON data.work_milestones USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX work_milestones_updated_at_sort_idx ON data.work_milestones USING btree (tenant_id, updated_at, id);
CREATE INDEX work_milestones_workspace_idx ON data.work_milestones USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER figures AFTER UPDATE ON data.work_milestones FOR EACH ROW WHEN (((new.status <> old.status) OR (new.due_date IS DISTINCT FROM old.due_date) OR (new.acceptance_required <> old.acceptance_required) OR (new.deleted_at IS DISTINCT FROM old.deleted_at))) EXECUTE FUNCTION data.count_milestones();
CREATE TRIGGER held_change AFTER UPDATE ON data.work_milestones FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.work_milestones REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('work.milestone');
CREATE TRIGGER held_trash AFTER UPDATE ON data.work_milestones FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('work.milestone');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.work_milestones FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('work.milestone');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.work_milestones FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('work.milestone');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.work_milestones FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('work.milestone');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.work_milestones FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('work.milestone');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.work_milestones FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('work.milestone');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.work_milestones FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('work.milestone');
CREATE TRIGGER new_figures AFTER INSERT ON data.work_milestones FOR EACH ROW EXECUTE FUNCTION data.count_milestones();
alter table data.work_milestones enable row level security;
alter table data.work_milestones force row level security;
create policy rows on data.work_milestones as permissive for all to :app, :system using (true) with check (true);
create policy search on data.work_milestones as permissive for select to :lookup using (true);
create policy tenant_isolation on data.work_milestones as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.work_milestones to :app;
grant delete, insert, select, update on data.work_milestones to :system;
grant select (tenant_id, id, search) on data.work_milestones to :lookup;

create table data.work_project_members (
  tenant_id uuid not null,
  project_id uuid not null,
  member_id uuid not null,
  constraint work_project_members_pkey PRIMARY KEY (tenant_id, project_id, member_id)
);
CREATE INDEX work_project_members_member_idx ON data.work_project_members USING btree (tenant_id, member_id, project_id);
alter table data.work_project_members enable row level security;
alter table data.work_project_members force row level security;
create policy rows on data.work_project_members as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.work_project_members as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.work_project_members to :app;
grant delete, insert, select on data.work_project_members to :system;

create table data.work_project_templates (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  description text,
  status text not null,
  phases jsonb not null,
  milestones jsonb not null,
  tasks jsonb not null,
  billing jsonb,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((name || ' '::text) || reference) || ' '::text) || COALESCE(description, ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  checklist_template_id uuid,
  constraint work_project_templates_pkey PRIMARY KEY (tenant_id, id),
  constraint work_project_templates_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint work_project_templates_description_check CHECK ((length(description) <= 50000)),
  constraint work_project_templates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint work_project_templates_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text]))),
  constraint work_project_templates_version_check CHECK ((version > 0))
);
CREATE INDEX work_project_templates_checklist_template_idx ON data.work_project_templates USING btree (tenant_id, checklist_template_id) WHERE (checklist_template_id IS NOT NULL);
CREATE INDEX work_project_templates_name_sort_idx ON data.work_project_templates USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX work_project_templates_owner_idx ON data.work_project_templates USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX work_project_templates_search_idx ON data.work_project_templates USING gin (tenant_id, search);
CREATE INDEX work_project_templates_status_filter_idx ON data.work_project_templates USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX work_project_templates_time_idx ON data.work_project_templates USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX work_project_templates_updated_at_sort_idx ON data.work_project_templates USING btree (tenant_id, updated_at, id);
CREATE INDEX work_project_templates_workspace_idx ON data.work_project_templates USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.work_project_templates FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.work_project_templates REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('work.project_template');
CREATE TRIGGER held_trash AFTER UPDATE ON data.work_project_templates FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('work.project_template');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.work_project_templates FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('work.project_template');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.work_project_templates FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('work.project_template');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.work_project_templates FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('work.project_template');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.work_project_templates FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('work.project_template');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.work_project_templates FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('work.project_template');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.work_project_templates FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('work.project_template');
alter table data.work_project_templates enable row level security;
alter table data.work_project_templates force row level security;
create policy rows on data.work_project_templates as permissive for all to :app, :system using (true) with check (true);
create policy search on data.work_project_templates as permissive for select to :lookup using (true);
create policy tenant_isolation on data.work_project_templates as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.work_project_templates to :app;
grant delete, insert, select, update on data.work_project_templates to :system;
grant select (tenant_id, id, search) on data.work_project_templates to :lookup;

create table data.work_projects (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  key text not null,
  description text,
  status text not null,
  health integer not null,
  health_note text,
  health_updated_at timestamp(3) with time zone,
  health_word text generated always as (
CASE health
    WHEN 0 THEN 'unknown'::text
    WHEN 1 THEN 'on_track'::text
    WHEN 2 THEN 'at_risk'::text
    WHEN 3 THEN 'off_track'::text
    ELSE NULL::text
END) stored,
  priority integer not null,
  priority_word text generated always as (
CASE priority
    WHEN 0 THEN 'none'::text
    WHEN 1 THEN 'low'::text
    WHEN 2 THEN 'medium'::text
    WHEN 3 THEN 'high'::text
    WHEN 4 THEN 'urgent'::text
    ELSE NULL::text
END) stored,
  start_date date,
  target_date date,
  held_at timestamp(3) with time zone,
  held_seconds bigint default 0 not null,
  completed_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  cancelled_reason text,
  member_ids jsonb not null,
  visibility text not null,
  account_id uuid,
  deal_id uuid,
  template_id uuid,
  billing_model text not null,
  budget_minor bigint,
  currency text not null,
  hourly_rate_minor bigint,
  budget_minutes integer,
  invoice_on text,
  progress_method text not null,
  progress_percent integer not null,
  backlog_tasks integer default 0 not null,
  unstarted_tasks integer default 0 not null,
  started_tasks integer default 0 not null,
  done_tasks integer default 0 not null,
  cancelled_tasks integer default 0 not null,
  estimated_tasks integer default 0 not null,
  estimate_minutes bigint default 0 not null,
  done_estimate_minutes bigint default 0 not null,
  milestones integer default 0 not null,
  open_milestones integer default 0 not null,
  unaccepted_milestones integer default 0 not null,
  next_milestone_date date,
  spent_minutes bigint default 0 not null,
  spent_minor bigint default 0 not null,
  unbilled_minutes bigint default 0 not null,
  unbilled_minor bigint default 0 not null,
  approved_entries integer default 0 not null,
  next_task_number integer default 1 not null,
  off_track_on date default 'infinity'::date not null,
  at_risk_on date default 'infinity'::date not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((name || ' '::text) || reference) || ' '::text) || COALESCE(description, ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  handoff_id uuid,
  invoiced_minor bigint default 0,
  constraint work_projects_pkey PRIMARY KEY (tenant_id, id),
  constraint work_projects_key_key UNIQUE (tenant_id, key),
  constraint work_projects_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint work_projects_billing_model_check CHECK ((billing_model = ANY (ARRAY['none'::text, 'fixed'::text, 'time_and_materials'::text, 'retainer'::text]))),
  constraint work_projects_budget_minor_check CHECK (((budget_minor >= 0) AND (budget_minor <= '9007199254740991'::bigint))),
  constraint work_projects_budget_minutes_check CHECK ((budget_minutes >= 0)),
  constraint work_projects_check CHECK ((target_date >= start_date)),
  constraint work_projects_check1 CHECK (((status = 'on_hold'::text) = (held_at IS NOT NULL))),
  constraint work_projects_check2 CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint work_projects_check3 CHECK (((status = 'cancelled'::text) = (cancelled_at IS NOT NULL))),
  constraint work_projects_check4 CHECK (((status = 'cancelled'::text) = (cancelled_reason IS NOT NULL))),
  constraint work_projects_closed_has_no_open_task CHECK (((status <> ALL (ARRAY['completed'::text, 'cancelled'::text])) OR (((backlog_tasks + unstarted_tasks) + started_tasks) = 0))),
  constraint work_projects_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint work_projects_deleted_has_no_approved_time CHECK (((deleted_at IS NULL) OR ((status = ANY (ARRAY['planned'::text, 'cancelled'::text])) AND (approved_entries = 0)))),
  constraint work_projects_description_check CHECK ((length(description) <= 50000)),
  constraint work_projects_health_check CHECK (((health >= 0) AND (health <= 3))),
  constraint work_projects_held_seconds_check CHECK ((held_seconds >= 0)),
  constraint work_projects_hourly_rate_minor_check CHECK (((hourly_rate_minor >= 0) AND (hourly_rate_minor <= 1000000000))),
  constraint work_projects_invoice_on_check CHECK ((invoice_on = ANY (ARRAY['milestone'::text, 'month_end'::text, 'completion'::text, 'manual'::text]))),
  constraint work_projects_key_check CHECK (((length(key) >= 2) AND (length(key) <= 10))),
  constraint work_projects_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint work_projects_priority_check CHECK (((priority >= 0) AND (priority <= 4))),
  constraint work_projects_progress_method_check CHECK ((progress_method = ANY (ARRAY['tasks'::text, 'milestones'::text, 'manual'::text]))),
  constraint work_projects_progress_percent_check CHECK (((progress_percent >= 0) AND (progress_percent <= 1000000))),
  constraint work_projects_status_check CHECK ((status = ANY (ARRAY['planned'::text, 'active'::text, 'on_hold'::text, 'completed'::text, 'cancelled'::text]))),
  constraint work_projects_version_check CHECK ((version > 0)),
  constraint work_projects_visibility_check CHECK ((visibility = ANY (ARRAY['workspace'::text, 'private'::text])))
);
CREATE INDEX work_projects_account_id_filter_idx ON data.work_projects USING btree (tenant_id, account_id, created_at DESC, id DESC);
CREATE INDEX work_projects_at_risk_on_filter_idx ON data.work_projects USING btree (tenant_id, at_risk_on, created_at DESC, id DESC);
CREATE INDEX work_projects_budget_idx ON data.work_projects USING btree (tenant_id, created_at DESC, id DESC) WHERE ((budget_minor IS NOT NULL) OR (budget_minutes IS NOT NULL));
CREATE INDEX work_projects_completed_at_metric_idx ON data.work_projects USING btree (tenant_id, completed_at) WHERE (completed_at IS NOT NULL);
CREATE INDEX work_projects_deal_id_filter_idx ON data.work_projects USING btree (tenant_id, deal_id, created_at DESC, id DESC);
CREATE INDEX work_projects_filters_idx ON data.work_projects USING gin (tenant_id, health_word, priority_word, billing_model, visibility, template_id);
CREATE INDEX work_projects_handoff_id_idx ON data.work_projects USING btree (tenant_id, handoff_id) WHERE (handoff_id IS NOT NULL);
CREATE INDEX work_projects_health_sort_idx ON data.work_projects USING btree (tenant_id, health, id);
CREATE INDEX work_projects_name_sort_idx ON data.work_projects USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX work_projects_off_track_on_filter_idx ON data.work_projects USING btree (tenant_id, off_track_on, created_at DESC, id DESC);
CREATE INDEX work_projects_owner_idx ON data.work_projects USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX work_projects_priority_sort_idx ON data.work_projects USING btree (tenant_id, priority, id);
CREATE INDEX work_projects_progress_percent_sort_idx ON data.work_projects USING btree (tenant_id, progress_percent, id);
CREATE INDEX work_projects_search_idx ON data.work_projects USING gin (tenant_id, search);
CREATE INDEX work_projects_start_date_down_idx ON data.work_projects USING btree (tenant_id, (
CASE
    WHEN (start_date IS NULL) THEN '-infinity'::date
    ELSE start_date
END) DESC, id DESC);
CREATE INDEX work_projects_start_date_filter_idx ON data.work_projects USING btree (tenant_id, start_date, created_at DESC, id DESC);
CREATE INDEX work_projects_start_date_up_idx ON data.work_projects USING btree (tenant_id, (
CASE
    WHEN (start_date IS NULL) THEN 'infinity'::date
    ELSE start_date
END), id);
CREATE INDEX work_projects_status_filter_idx ON data.work_projects USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX work_projects_target_date_down_idx ON data.work_projects USING btree (tenant_id, (
CASE
    WHEN (target_date IS NULL) THEN '-infinity'::date
    ELSE target_date
END) DESC, id DESC);
CREATE INDEX work_projects_target_date_filter_idx ON data.work_projects USING btree (tenant_id, target_date, created_at DESC, id DESC);
CREATE INDEX work_projects_target_date_up_idx ON data.work_projects USING btree (tenant_id, (
CASE
    WHEN (target_date IS NULL) THEN 'infinity'::date
    ELSE target_date
END), id);
CREATE INDEX work_projects_time_idx ON data.work_projects USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX work_projects_updated_at_sort_idx ON data.work_projects USING btree (tenant_id, updated_at, id);
CREATE INDEX work_projects_workspace_idx ON data.work_projects USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER a_figures BEFORE UPDATE ON data.work_projects FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION data.keep_project_figures();
CREATE TRIGGER a_invoiced BEFORE UPDATE ON data.work_projects FOR EACH ROW WHEN ((new.currency <> old.currency)) EXECUTE FUNCTION data.sum_invoices_anew();
CREATE TRIGGER account_id_lives AFTER UPDATE ON data.work_projects FOR EACH ROW WHEN (((new.account_id IS NOT NULL) AND (new.account_id IS DISTINCT FROM old.account_id))) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE TRIGGER b_progress BEFORE INSERT OR UPDATE ON data.work_projects FOR EACH ROW EXECUTE FUNCTION data.keep_project_progress();
CREATE TRIGGER changes AFTER UPDATE ON data.work_projects FOR EACH ROW WHEN (((new.key <> old.key) OR (new.currency <> old.currency))) EXECUTE FUNCTION data.check_project_change();
CREATE TRIGGER held_change AFTER UPDATE ON data.work_projects FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.work_projects REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('work.project');
CREATE TRIGGER held_trash AFTER UPDATE ON data.work_projects FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('work.project');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.work_projects FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('work.project');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.work_projects FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('work.project');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.work_projects FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('work.project');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.work_projects FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('work.project');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.work_projects FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('work.project');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.work_projects FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('work.project');
CREATE TRIGGER members AFTER UPDATE ON data.work_projects FOR EACH ROW WHEN (((new.member_ids <> old.member_ids) OR (new.owner_id IS DISTINCT FROM old.owner_id))) EXECUTE FUNCTION data.keep_project_members();
CREATE TRIGGER milestone_currency AFTER UPDATE ON data.work_projects FOR EACH ROW WHEN ((new.currency <> old.currency)) EXECUTE FUNCTION data.check_milestone_currency();
CREATE TRIGGER new_account_id_lives AFTER INSERT ON data.work_projects FOR EACH ROW WHEN ((new.account_id IS NOT NULL)) EXECUTE FUNCTION data.expect_live('data.sales_accounts', 'account_id', '/accountId');
CREATE TRIGGER new_members AFTER INSERT ON data.work_projects FOR EACH ROW WHEN (((new.member_ids <> '[]'::jsonb) OR (new.owner_id IS NOT NULL))) EXECUTE FUNCTION data.keep_project_members();
alter table data.work_projects enable row level security;
alter table data.work_projects force row level security;
create policy rows on data.work_projects as permissive for all to :app, :system using (true) with check (true);
create policy search on data.work_projects as permissive for select to :lookup using (true);
create policy tenant_isolation on data.work_projects as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.work_projects to :app;
grant delete, insert, select, update on data.work_projects to :system;
grant select (tenant_id, id, search) on data.work_projects to :lookup;

create table data.work_task_assignees (
  tenant_id uuid not null,
  task_id uuid not null,
  member_id uuid not null,
  constraint work_task_assignees_pkey PRIMARY KEY (tenant_id, task_id, member_id)
);
CREATE INDEX work_task_assignees_member_idx ON data.work_task_assignees USING btree (tenant_id, member_id, task_id);
alter table data.work_task_assignees enable row level security;
alter table data.work_task_assignees force row level security;
create policy rows on data.work_task_assignees as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.work_task_assignees as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.work_task_assignees to :app;
grant delete, insert, select on data.work_task_assignees to :system;

create table data.work_task_blockers (
  tenant_id uuid not null,
  task_id uuid not null,
  blocker_id uuid not null,
  constraint work_task_blockers_pkey PRIMARY KEY (tenant_id, task_id, blocker_id)
);
CREATE INDEX work_task_blockers_blocker_idx ON data.work_task_blockers USING btree (tenant_id, blocker_id, task_id);
alter table data.work_task_blockers enable row level security;
alter table data.work_task_blockers force row level security;
create policy rows on data.work_task_blockers as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.work_task_blockers as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select on data.work_task_blockers to :app;
grant delete, insert, select on data.work_task_blockers to :system;

create table data.work_task_states (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  key text not null,
  category text not null,
  "position" integer not null,
  status text not null,
  project_id uuid,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(key, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint work_task_states_pkey PRIMARY KEY (tenant_id, id),
  constraint work_task_states_key_key UNIQUE NULLS NOT DISTINCT (tenant_id, project_id, key),
  constraint work_task_states_of_task UNIQUE (tenant_id, id, key, category),
  constraint work_task_states_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint work_task_states_category_check CHECK ((category = ANY (ARRAY['backlog'::text, 'unstarted'::text, 'started'::text, 'done'::text, 'cancelled'::text]))),
  constraint work_task_states_deleted_at_check CHECK ((deleted_at IS NULL)),
  constraint work_task_states_key_check CHECK (((length(key) <= 40) AND (key <> ALL (ARRAY['backlog'::text, 'todo'::text, 'in_progress'::text, 'in_review'::text, 'done'::text, 'cancelled'::text])))),
  constraint work_task_states_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint work_task_states_position_check CHECK ((("position" >= 0) AND ("position" <= 10000))),
  constraint work_task_states_status_check CHECK ((status = ANY (ARRAY['active'::text, 'retired'::text]))),
  constraint work_task_states_version_check CHECK ((version > 0))
);
CREATE INDEX work_task_states_category_filter_idx ON data.work_task_states USING btree (tenant_id, category, created_at DESC, id DESC);
CREATE INDEX work_task_states_name_sort_idx ON data.work_task_states USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX work_task_states_owner_idx ON data.work_task_states USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX work_task_states_position_sort_idx ON data.work_task_states USING btree (tenant_id, "position", id);
CREATE INDEX work_task_states_project_id_filter_idx ON data.work_task_states USING btree (tenant_id, project_id, created_at DESC, id DESC);
CREATE INDEX work_task_states_search_idx ON data.work_task_states USING gin (tenant_id, search);
CREATE INDEX work_task_states_status_filter_idx ON data.work_task_states USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX work_task_states_time_idx ON data.work_task_states USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX work_task_states_updated_at_sort_idx ON data.work_task_states USING btree (tenant_id, updated_at, id);
CREATE INDEX work_task_states_workspace_idx ON data.work_task_states USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER held_change AFTER UPDATE ON data.work_task_states FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.work_task_states REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('work.task_state');
CREATE TRIGGER held_trash AFTER UPDATE ON data.work_task_states FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('work.task_state');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.work_task_states FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('work.task_state');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.work_task_states FOR EACH ROW WHEN ((new.external_refs IS DISTINCT FROM old.external_refs)) EXECUTE FUNCTION data.keep_external_refs('work.task_state');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.work_task_states FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('work.task_state');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.work_task_states FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('work.task_state');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.work_task_states FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('work.task_state');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.work_task_states FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('work.task_state');
alter table data.work_task_states enable row level security;
alter table data.work_task_states force row level security;
create policy rows on data.work_task_states as permissive for all to :app, :system using (true) with check (true);
create policy search on data.work_task_states as permissive for select to :lookup using (true);
create policy tenant_isolation on data.work_task_states as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.work_task_states to :app;
grant delete, insert, select, update on data.work_task_states to :system;
grant select (tenant_id, id, search) on data.work_task_states to :lookup;

create table data.work_tasks (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  project_id uuid,
  number integer,
  description text,
  state text not null,
  category text generated always as (
CASE state
    WHEN 'todo'::text THEN 'unstarted'::text
    WHEN 'in_progress'::text THEN 'started'::text
    WHEN 'in_review'::text THEN 'started'::text
    ELSE state
END) stored not null,
  priority integer not null,
  priority_word text generated always as (
CASE priority
    WHEN 0 THEN 'none'::text
    WHEN 1 THEN 'low'::text
    WHEN 2 THEN 'medium'::text
    WHEN 3 THEN 'high'::text
    WHEN 4 THEN 'urgent'::text
    ELSE NULL::text
END) stored,
  assignee_ids jsonb not null,
  parent_id uuid,
  start_date date,
  due_date date,
  estimate_minutes integer,
  milestone_id uuid,
  blocked_by_ids jsonb not null,
  checklist jsonb not null,
  "position" bigint not null,
  completed_at timestamp(3) with time zone,
  overdue_at timestamp(3) with time zone,
  spent_minutes bigint default 0 not null,
  search tsvector generated always as (to_tsvector('simple'::regconfig, data.fold(regexp_replace(NORMALIZE(((((name || ' '::text) || reference) || ' '::text) || COALESCE(description, ''::text)), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)))) stored not null,
  cycle_id uuid,
  custom_state_id uuid,
  custom_state text,
  related_object text,
  related_id uuid,
  constraint work_tasks_pkey PRIMARY KEY (tenant_id, id),
  constraint work_tasks_number_of_project UNIQUE (tenant_id, project_id, number),
  constraint work_tasks_of_project UNIQUE (tenant_id, project_id, id),
  constraint work_tasks_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint work_tasks_check CHECK (((number IS NULL) OR (project_id IS NOT NULL))),
  constraint work_tasks_check1 CHECK (((milestone_id IS NULL) OR (project_id IS NOT NULL))),
  constraint work_tasks_check2 CHECK ((due_date >= start_date)),
  constraint work_tasks_check3 CHECK (((state = 'done'::text) = (completed_at IS NOT NULL))),
  constraint work_tasks_check4 CHECK ((num_nulls(custom_state_id, custom_state) = ANY (ARRAY[0, 2]))),
  constraint work_tasks_check5 CHECK ((num_nulls(related_object, related_id) = ANY (ARRAY[0, 2]))),
  constraint work_tasks_description_check CHECK ((length(description) <= 50000)),
  constraint work_tasks_estimate_minutes_check CHECK ((estimate_minutes > 0)),
  constraint work_tasks_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint work_tasks_number_check CHECK ((number > 0)),
  constraint work_tasks_priority_check CHECK (((priority >= 0) AND (priority <= 4))),
  constraint work_tasks_state_check CHECK ((state = ANY (ARRAY['backlog'::text, 'todo'::text, 'in_progress'::text, 'in_review'::text, 'done'::text, 'cancelled'::text]))),
  constraint work_tasks_version_check CHECK ((version > 0))
);
CREATE INDEX work_tasks_category_filter_idx ON data.work_tasks USING btree (tenant_id, category, created_at DESC, id DESC) INCLUDE (due_date, project_id, deleted_at, archived_at);
CREATE INDEX work_tasks_completed_at_down_idx ON data.work_tasks USING btree (tenant_id, (
CASE
    WHEN (completed_at IS NULL) THEN '-infinity'::timestamp with time zone
    ELSE completed_at
END) DESC, id DESC);
CREATE INDEX work_tasks_completed_at_metric_idx ON data.work_tasks USING btree (tenant_id, completed_at) INCLUDE (created_at, project_id, deleted_at) WHERE (completed_at IS NOT NULL);
CREATE INDEX work_tasks_completed_at_up_idx ON data.work_tasks USING btree (tenant_id, (
CASE
    WHEN (completed_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE completed_at
END), id);
CREATE INDEX work_tasks_custom_state_idx ON data.work_tasks USING btree (tenant_id, custom_state_id) WHERE (custom_state_id IS NOT NULL);
CREATE INDEX work_tasks_cycle_id_filter_idx ON data.work_tasks USING btree (tenant_id, cycle_id, created_at DESC, id DESC);
CREATE INDEX work_tasks_due_date_down_idx ON data.work_tasks USING btree (tenant_id, (
CASE
    WHEN (due_date IS NULL) THEN '-infinity'::date
    ELSE due_date
END) DESC, id DESC);
CREATE INDEX work_tasks_due_date_filter_idx ON data.work_tasks USING btree (tenant_id, due_date, created_at DESC, id DESC);
CREATE INDEX work_tasks_due_date_up_idx ON data.work_tasks USING btree (tenant_id, (
CASE
    WHEN (due_date IS NULL) THEN 'infinity'::date
    ELSE due_date
END), id);
CREATE INDEX work_tasks_filters_idx ON data.work_tasks USING gin (tenant_id, priority_word);
CREATE INDEX work_tasks_milestone_id_filter_idx ON data.work_tasks USING btree (tenant_id, milestone_id, created_at DESC, id DESC);
CREATE INDEX work_tasks_name_sort_idx ON data.work_tasks USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX work_tasks_owner_idx ON data.work_tasks USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX work_tasks_parent_id_filter_idx ON data.work_tasks USING btree (tenant_id, parent_id, created_at DESC, id DESC);
CREATE INDEX work_tasks_position_sort_idx ON data.work_tasks USING btree (tenant_id, "position", id);
CREATE INDEX work_tasks_priority_sort_idx ON data.work_tasks USING btree (tenant_id, priority, id);
CREATE INDEX work_tasks_project_id_filter_idx ON data.work_tasks USING btree (tenant_id, project_id, created_at DESC, id DESC);
CREATE INDEX work_tasks_related_id_filter_idx ON data.work_tasks USING btree (tenant_id, related_id, created_at DESC, id DESC);
CREATE INDEX work_tasks_search_idx ON data.work_tasks USING gin (tenant_id, search);
CREATE INDEX work_tasks_start_date_down_idx ON data.work_tasks USING btree (tenant_id, (
CASE
    WHEN (start_date IS NULL) THEN '-infinity'::date
    ELSE start_date
END) DESC, id DESC);
CREATE INDEX work_tasks_start_date_up_idx ON data.work_tasks USING btree (tenant_id, (
CASE
    WHEN (start_date IS NULL) THEN 'infinity'::date
    ELSE start_date
END), id);
CREATE INDEX work_tasks_state_filter_idx ON data.work_tasks USING btree (tenant_id, (
CASE
    WHEN (custom_state IS NULL) THEN state
    ELSE custom_state
END), created_at DESC, id DESC);
CREATE INDEX work_tasks_time_idx ON data.work_tasks USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX work_tasks_updated_at_sort_idx ON data.work_tasks USING btree (tenant_id, updated_at, id);
CREATE INDEX work_tasks_workspace_idx ON data.work_tasks USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER a_figures BEFORE UPDATE ON data.work_tasks FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION data.keep_task_spent();
CREATE TRIGGER assignees AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN ((new.assignee_ids <> old.assignee_ids)) EXECUTE FUNCTION data.keep_task_assignees();
CREATE TRIGGER blockers AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN ((new.blocked_by_ids <> old.blocked_by_ids)) EXECUTE FUNCTION data.keep_task_blockers();
CREATE TRIGGER custom_state AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN (((new.custom_state_id IS NOT NULL) AND (new.custom_state_id IS DISTINCT FROM old.custom_state_id))) EXECUTE FUNCTION data.check_task_state();
CREATE TRIGGER cycle AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN (((new.cycle_id IS NOT NULL) AND (new.cycle_id IS DISTINCT FROM old.cycle_id))) EXECUTE FUNCTION data.check_task_cycle();
CREATE TRIGGER figures AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN (((new.project_id IS NOT NULL) AND ((new.state <> old.state) OR (new.deleted_at IS DISTINCT FROM old.deleted_at) OR (new.estimate_minutes IS DISTINCT FROM old.estimate_minutes)))) EXECUTE FUNCTION data.count_tasks();
CREATE TRIGGER held_change AFTER UPDATE ON data.work_tasks FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.work_tasks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('work.task');
CREATE TRIGGER held_trash AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('work.task');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('work.task');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('work.task');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('work.task');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('work.task');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('work.task');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('work.task');
CREATE TRIGGER new_assignees AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN ((new.assignee_ids <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_task_assignees();
CREATE TRIGGER new_blockers AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN ((new.blocked_by_ids <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_task_blockers();
CREATE TRIGGER new_custom_state AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN ((new.custom_state_id IS NOT NULL)) EXECUTE FUNCTION data.check_task_state();
CREATE TRIGGER new_cycle AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN ((new.cycle_id IS NOT NULL)) EXECUTE FUNCTION data.check_task_cycle();
CREATE TRIGGER new_figures AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN ((new.project_id IS NOT NULL)) EXECUTE FUNCTION data.count_tasks();
CREATE TRIGGER new_tree AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN ((new.parent_id IS NOT NULL)) EXECUTE FUNCTION data.check_task_tree();
CREATE TRIGGER new_waits AFTER INSERT ON data.work_tasks FOR EACH ROW WHEN (((new.parent_id IS NOT NULL) AND (new.blocked_by_ids <> '[]'::jsonb))) EXECUTE FUNCTION data.check_task_waits();
CREATE TRIGGER tree AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN (((new.parent_id IS DISTINCT FROM old.parent_id) OR (new.project_id IS DISTINCT FROM old.project_id) OR (new.state <> old.state) OR (new.deleted_at IS DISTINCT FROM old.deleted_at))) EXECUTE FUNCTION data.check_task_tree();
CREATE TRIGGER waits AFTER UPDATE ON data.work_tasks FOR EACH ROW WHEN (((new.blocked_by_ids <> old.blocked_by_ids) OR (new.parent_id IS DISTINCT FROM old.parent_id))) EXECUTE FUNCTION data.check_task_waits();
alter table data.work_tasks enable row level security;
alter table data.work_tasks force row level security;
create policy rows on data.work_tasks as permissive for all to :app, :system using (true) with check (true);
create policy search on data.work_tasks as permissive for select to :lookup using (true);
create policy tenant_isolation on data.work_tasks as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.work_tasks to :app;
grant delete, insert, select, update on data.work_tasks to :system;
grant select (tenant_id, id, search) on data.work_tasks to :lookup;

create table data.work_time_entries (
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null,
  workspace_id uuid,
  owner_id uuid,
  tags jsonb default '[]'::jsonb not null,
  custom_fields jsonb default '{}'::jsonb not null,
  external_refs jsonb default '[]'::jsonb not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  membership_id uuid not null,
  project_id uuid,
  task_id uuid,
  work_date date not null,
  minutes integer,
  running_since timestamp(3) with time zone,
  billable boolean not null,
  note text,
  status text not null,
  rejected_reason text,
  approved_at timestamp(3) with time zone,
  rate_minor bigint,
  amount_minor bigint,
  invoice_line_id uuid,
  search tsvector generated always as (to_tsvector('simple'::regconfig, regexp_replace(NORMALIZE(data.fold(((((name || ' '::text) || reference) || ' '::text) || COALESCE(note, ''::text))), NFC), '[\U00000001-\U0000002f\U0000003a-\U00000040\U0000005b-\U00000060\U0000007b-\U000000a9\U000000ab-\U000000b4\U000000b6-\U000000b9\U000000bb-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U00002000-\U0000206f\U000020a0-\U000020cf\U00002190-\U00002bff\U00002e00-\U00002e7f\U00003000-\U00003004\U00003008-\U0000301f\U0000fe30-\U0000fe6f\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint work_time_entries_pkey PRIMARY KEY (tenant_id, id),
  constraint work_time_entries_tenant_id_reference_key UNIQUE (tenant_id, reference),
  constraint work_time_entries_check CHECK (((running_since IS NULL) = (minutes IS NOT NULL))),
  constraint work_time_entries_check1 CHECK (((running_since IS NULL) OR (status = 'draft'::text))),
  constraint work_time_entries_check2 CHECK (((status = ANY (ARRAY['approved'::text, 'invoiced'::text])) = (approved_at IS NOT NULL))),
  constraint work_time_entries_check3 CHECK (((rate_minor IS NULL) = (amount_minor IS NULL))),
  constraint work_time_entries_check4 CHECK (((rate_minor IS NULL) OR (approved_at IS NOT NULL))),
  constraint work_time_entries_check5 CHECK (((status = 'invoiced'::text) = (invoice_line_id IS NOT NULL))),
  constraint work_time_entries_check6 CHECK (((deleted_at IS NULL) OR (status = ANY (ARRAY['draft'::text, 'rejected'::text])))),
  constraint work_time_entries_minutes_check CHECK (((minutes >= 0) AND (minutes <= 1440))),
  constraint work_time_entries_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint work_time_entries_note_check CHECK ((length(note) <= 5000)),
  constraint work_time_entries_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'submitted'::text, 'approved'::text, 'rejected'::text, 'invoiced'::text]))),
  constraint work_time_entries_version_check CHECK ((version > 0))
);
CREATE INDEX work_time_entries_day_idx ON data.work_time_entries USING btree (tenant_id, membership_id, work_date) INCLUDE (minutes) WHERE (deleted_at IS NULL);
CREATE INDEX work_time_entries_filters_idx ON data.work_time_entries USING gin (tenant_id, billable);
CREATE INDEX work_time_entries_invoice_line_id_filter_idx ON data.work_time_entries USING btree (tenant_id, invoice_line_id, created_at DESC, id DESC);
CREATE INDEX work_time_entries_membership_id_filter_idx ON data.work_time_entries USING btree (tenant_id, membership_id, created_at DESC, id DESC);
CREATE INDEX work_time_entries_minutes_down_idx ON data.work_time_entries USING btree (tenant_id, (
CASE
    WHEN (minutes IS NULL) THEN '-2147483648'::integer
    ELSE minutes
END) DESC, id DESC);
CREATE INDEX work_time_entries_minutes_up_idx ON data.work_time_entries USING btree (tenant_id, (
CASE
    WHEN (minutes IS NULL) THEN 2147483647
    ELSE minutes
END), id);
CREATE INDEX work_time_entries_name_sort_idx ON data.work_time_entries USING btree (tenant_id, name COLLATE data.alphabet, id);
CREATE INDEX work_time_entries_owner_idx ON data.work_time_entries USING btree (tenant_id, owner_id, created_at DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX work_time_entries_project_id_filter_idx ON data.work_time_entries USING btree (tenant_id, project_id, created_at DESC, id DESC);
CREATE INDEX work_time_entries_search_idx ON data.work_time_entries USING gin (tenant_id, search);
CREATE INDEX work_time_entries_status_filter_idx ON data.work_time_entries USING btree (tenant_id, status, created_at DESC, id DESC);
CREATE INDEX work_time_entries_task_id_filter_idx ON data.work_time_entries USING btree (tenant_id, task_id, created_at DESC, id DESC);
CREATE INDEX work_time_entries_time_idx ON data.work_time_entries USING btree (tenant_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX work_time_entries_updated_at_sort_idx ON data.work_time_entries USING btree (tenant_id, updated_at, id);
CREATE INDEX work_time_entries_work_date_filter_idx ON data.work_time_entries USING btree (tenant_id, work_date, created_at DESC, id DESC);
CREATE INDEX work_time_entries_work_date_sort_idx ON data.work_time_entries USING btree (tenant_id, work_date, id) INCLUDE (running_since, status, project_id, minutes, billable, deleted_at);
CREATE INDEX work_time_entries_workspace_idx ON data.work_time_entries USING btree (tenant_id, workspace_id, created_at DESC, id DESC) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX work_time_entries_running_idx ON data.work_time_entries USING btree (tenant_id, membership_id) WHERE ((running_since IS NOT NULL) AND (deleted_at IS NULL));
CREATE TRIGGER approved BEFORE UPDATE ON data.work_time_entries FOR EACH ROW WHEN (((old.status = ANY (ARRAY['approved'::text, 'invoiced'::text])) AND ((new.status <> ALL (ARRAY['approved'::text, 'invoiced'::text])) OR (new.membership_id IS DISTINCT FROM old.membership_id) OR (new.project_id IS DISTINCT FROM old.project_id) OR (new.task_id IS DISTINCT FROM old.task_id) OR (new.work_date IS DISTINCT FROM old.work_date) OR (new.minutes IS DISTINCT FROM old.minutes) OR (new.billable IS DISTINCT FROM old.billable) OR (new.note IS DISTINCT FROM old.note) OR (new.name IS DISTINCT FROM old.name) OR (new.rate_minor IS DISTINCT FROM old.rate_minor) OR (new.amount_minor IS DISTINCT FROM old.amount_minor) OR (new.approved_at IS DISTINCT FROM old.approved_at)))) EXECUTE FUNCTION data.check_time_entry();
CREATE TRIGGER day AFTER UPDATE ON data.work_time_entries FOR EACH ROW WHEN (((new.minutes IS NOT NULL) AND (new.deleted_at IS NULL) AND ((new.minutes IS DISTINCT FROM old.minutes) OR (new.membership_id <> old.membership_id) OR (new.work_date <> old.work_date) OR (old.deleted_at IS NOT NULL)))) EXECUTE FUNCTION data.check_day();
CREATE TRIGGER figures AFTER UPDATE ON data.work_time_entries FOR EACH ROW WHEN ((((new.project_id IS NOT NULL) OR (new.task_id IS NOT NULL) OR (old.project_id IS NOT NULL) OR (old.task_id IS NOT NULL)) AND ((new.status <> old.status) OR (new.minutes IS DISTINCT FROM old.minutes) OR (new.project_id IS DISTINCT FROM old.project_id) OR (new.task_id IS DISTINCT FROM old.task_id) OR (new.billable <> old.billable) OR (new.deleted_at IS DISTINCT FROM old.deleted_at)))) EXECUTE FUNCTION data.count_time();
CREATE TRIGGER held_change AFTER UPDATE ON data.work_time_entries FOR EACH ROW EXECUTE FUNCTION data.keep_under_hold();
CREATE TRIGGER held_delete AFTER DELETE ON data.work_time_entries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION data.refuse_delete_of_held('work.time_entry');
CREATE TRIGGER held_trash AFTER UPDATE ON data.work_time_entries FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION data.refuse_trash_of_held('work.time_entry');
CREATE TRIGGER keep_custom_fields AFTER UPDATE ON data.work_time_entries FOR EACH ROW WHEN ((new.custom_fields IS DISTINCT FROM old.custom_fields)) EXECUTE FUNCTION data.keep_custom_fields('work.time_entry');
CREATE TRIGGER keep_external_refs AFTER UPDATE ON data.work_time_entries FOR EACH ROW WHEN (((new.external_refs IS DISTINCT FROM old.external_refs) OR ((new.external_refs <> '[]'::jsonb) AND ((new.deleted_at IS NULL) <> (old.deleted_at IS NULL))))) EXECUTE FUNCTION data.keep_external_refs('work.time_entry');
CREATE TRIGGER keep_new_custom_fields AFTER INSERT ON data.work_time_entries FOR EACH ROW WHEN ((new.custom_fields <> '{}'::jsonb)) EXECUTE FUNCTION data.keep_custom_fields('work.time_entry');
CREATE TRIGGER keep_new_external_refs AFTER INSERT ON data.work_time_entries FOR EACH ROW WHEN ((new.external_refs <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_external_refs('work.time_entry');
CREATE TRIGGER keep_new_tags AFTER INSERT ON data.work_time_entries FOR EACH ROW WHEN ((new.tags <> '[]'::jsonb)) EXECUTE FUNCTION data.keep_tags('work.time_entry');
CREATE TRIGGER keep_tags AFTER UPDATE ON data.work_time_entries FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION data.keep_tags('work.time_entry');
CREATE TRIGGER new_day AFTER INSERT ON data.work_time_entries FOR EACH ROW WHEN ((new.minutes IS NOT NULL)) EXECUTE FUNCTION data.check_day();
CREATE TRIGGER new_figures AFTER INSERT ON data.work_time_entries FOR EACH ROW WHEN (((new.project_id IS NOT NULL) OR (new.task_id IS NOT NULL))) EXECUTE FUNCTION data.count_time();
alter table data.work_time_entries enable row level security;
alter table data.work_time_entries force row level security;
create policy rows on data.work_time_entries as permissive for all to :app, :system using (true) with check (true);
create policy search on data.work_time_entries as permissive for select to :lookup using (true);
create policy tenant_isolation on data.work_time_entries as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.work_time_entries to :app;
grant delete, insert, select, update on data.work_time_entries to :system;
grant select (tenant_id, id, search) on data.work_time_entries to :lookup;

create table data.workspace_members (
  tenant_id uuid not null,
  workspace_id uuid not null,
  membership_id uuid not null,
  workspace_role text not null,
  source text default 'manual'::text not null,
  added_at timestamp(3) with time zone not null,
  added_by jsonb not null,
  constraint workspace_members_pkey PRIMARY KEY (tenant_id, workspace_id, membership_id, source),
  constraint workspace_members_source_check CHECK ((source ~ '^(manual|scim:.{1,200})$'::text)),
  constraint workspace_members_workspace_role_check CHECK ((workspace_role = ANY (ARRAY['lead'::text, 'member'::text, 'guest'::text])))
);
alter table data.workspace_members alter column tenant_id set (n_distinct=-0.01);
CREATE INDEX workspace_members_member_idx ON data.workspace_members USING btree (tenant_id, membership_id, workspace_id);
CREATE INDEX workspace_members_source_idx ON data.workspace_members USING btree (tenant_id, source);
CREATE TRIGGER epoch_delete AFTER DELETE ON data.workspace_members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER epoch_insert AFTER INSERT ON data.workspace_members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs_of_members();
CREATE TRIGGER epoch_update AFTER UPDATE ON data.workspace_members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER members_delete AFTER DELETE ON data.workspace_members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.count_workspace_members_delete();
CREATE TRIGGER members_insert AFTER INSERT ON data.workspace_members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.count_workspace_members_insert();
alter table data.workspace_members enable row level security;
alter table data.workspace_members force row level security;
create policy rows on data.workspace_members as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.workspace_members as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant delete, insert, select, update on data.workspace_members to :app;
grant delete, insert, select, update on data.workspace_members to :system;

create table data.workspaces (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  created_at timestamp(3) with time zone not null,
  key text,
  description text,
  parent_id uuid,
  lead_id uuid,
  visibility text default 'open'::text not null,
  default_role_ids uuid[] default '{}'::uuid[] not null,
  is_default boolean default false not null,
  version integer default 1 not null,
  updated_at timestamp(3) with time zone default now() not null,
  archived_at timestamp(3) with time zone,
  constraint workspaces_pkey PRIMARY KEY (tenant_id, id),
  constraint workspaces_check CHECK ((parent_id <> id)),
  constraint workspaces_description_check CHECK ((length(description) <= 1000)),
  constraint workspaces_key_check CHECK ((key ~ '^[A-Z][A-Z0-9]{0,9}$'::text)),
  constraint workspaces_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint workspaces_version_check CHECK ((version > 0)),
  constraint workspaces_visibility_check CHECK ((visibility = ANY (ARRAY['open'::text, 'closed'::text])))
);
CREATE INDEX workspaces_parent_idx ON data.workspaces USING btree (tenant_id, parent_id);
CREATE UNIQUE INDEX workspaces_default_key ON data.workspaces USING btree (tenant_id) WHERE is_default;
CREATE UNIQUE INDEX workspaces_key_key ON data.workspaces USING btree (tenant_id, key);
CREATE TRIGGER epoch_delete AFTER DELETE ON data.workspaces REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER epoch_insert AFTER INSERT ON data.workspaces REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
CREATE TRIGGER epoch_update AFTER UPDATE ON data.workspaces REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION data.raise_epochs();
alter table data.workspaces enable row level security;
alter table data.workspaces force row level security;
create policy rows on data.workspaces as permissive for all to :app, :system using (true) with check (true);
create policy tenant_isolation on data.workspaces as restrictive for all to :app, :system using ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))) with check ((tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting)));
grant insert, select, update on data.workspaces to :app;
grant insert, select, update on data.workspaces to :system;

create table directory.api_key_limits (
  tenant_id uuid not null,
  lineage_id uuid not null,
  reads_per_minute integer,
  writes_per_minute integer,
  constraint api_key_limits_pkey PRIMARY KEY (tenant_id, lineage_id),
  constraint api_key_limits_reads_per_minute_check CHECK ((reads_per_minute > 0)),
  constraint api_key_limits_writes_per_minute_check CHECK ((writes_per_minute > 0))
);
CREATE TRIGGER epoch AFTER INSERT OR UPDATE ON directory.api_key_limits FOR EACH ROW EXECUTE FUNCTION directory.bump_epoch();
grant insert, select, update on directory.api_key_limits to :lookup;

create table directory.background_lags (
  singleton boolean default true not null,
  relay_seconds integer not null,
  sealing_seconds integer not null,
  mail_seconds integer not null,
  measured_at timestamp(3) with time zone not null,
  constraint background_lags_pkey PRIMARY KEY (singleton),
  constraint background_lags_mail_seconds_check CHECK ((mail_seconds >= 0)),
  constraint background_lags_relay_seconds_check CHECK ((relay_seconds >= 0)),
  constraint background_lags_sealing_seconds_check CHECK ((sealing_seconds >= 0)),
  constraint background_lags_singleton_check CHECK (singleton)
);
grant select on directory.background_lags to :lookup;
grant insert, select, update on directory.background_lags to :system;

create table directory.closed_invitations (
  tenant_id uuid not null,
  invitation_id uuid not null,
  token_hash bytea not null,
  closed_at timestamp(3) with time zone not null,
  constraint closed_invitations_pkey PRIMARY KEY (tenant_id, invitation_id),
  constraint closed_invitations_token_key UNIQUE (token_hash),
  constraint closed_invitations_token_hash_check CHECK ((length(token_hash) = 32))
);
grant delete, insert, select on directory.closed_invitations to :lookup;

create table directory.credential_uses (
  credential_id uuid not null,
  last_used_at timestamp(3) with time zone not null,
  last_used_ip text,
  constraint credential_uses_pkey PRIMARY KEY (credential_id)
);
grant insert, select, update on directory.credential_uses to :lookup;
grant select on directory.credential_uses to :system;

create table directory.credentials (
  id uuid not null,
  tenant_id uuid,
  kind text not null,
  key_id text not null,
  lineage_id uuid not null,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  allow_protected boolean not null,
  allowed_cidrs text[] not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  member_id uuid,
  maker_id uuid,
  constraint credentials_pkey PRIMARY KEY (id),
  constraint credentials_key_id_key UNIQUE (key_id),
  constraint credentials_kind_check CHECK ((kind = ANY (ARRAY['api_key'::text, 'scim_token'::text, 'session'::text, 'oauth_token'::text]))),
  constraint credentials_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint credentials_oauth_check CHECK (((kind <> 'oauth_token'::text) OR ((member_id IS NOT NULL) AND (expires_at IS NOT NULL) AND (NOT allow_protected)))),
  constraint credentials_secret_hash_check CHECK ((length(secret_hash) = 32)),
  constraint credentials_session_check CHECK (((kind <> 'session'::text) OR ((expires_at IS NOT NULL) AND ((member_id IS NULL) = (tenant_id IS NULL))))),
  constraint credentials_tenant_check CHECK (((kind = 'session'::text) OR (tenant_id IS NOT NULL)))
);
CREATE INDEX credentials_lineage_idx ON directory.credentials USING btree (tenant_id, lineage_id);
CREATE INDEX credentials_member_idx ON directory.credentials USING btree (tenant_id, member_id) WHERE (member_id IS NOT NULL);
CREATE INDEX credentials_oauth_idx ON directory.credentials USING btree (expires_at) WHERE (kind = 'oauth_token'::text);
CREATE INDEX credentials_tenant_idx ON directory.credentials USING btree (tenant_id, created_at);
CREATE TRIGGER epoch AFTER UPDATE ON directory.credentials FOR EACH ROW EXECUTE FUNCTION directory.bump_epoch();
CREATE TRIGGER epoch_delete AFTER DELETE ON directory.credentials FOR EACH ROW WHEN ((old.kind <> 'oauth_token'::text)) EXECUTE FUNCTION directory.bump_epoch();
grant delete, insert, select on directory.credentials to :lookup;
grant insert, select, update on directory.credentials to :system;
grant update (key_id, name, secret_hash, scopes, allow_protected, allowed_cidrs, expires_at, revoked_at) on directory.credentials to :lookup;

create table directory.founders (
  tenant_id uuid not null,
  user_id uuid not null,
  constraint founders_pkey PRIMARY KEY (tenant_id)
);
CREATE INDEX founders_user_idx ON directory.founders USING btree (user_id);
grant insert, select on directory.founders to :lookup;

create table directory.installation_keys (
  name text not null,
  wrapped bytea not null,
  master_key_id text not null,
  constraint installation_keys_pkey PRIMARY KEY (name)
);
CREATE TRIGGER master_key AFTER INSERT OR UPDATE OF master_key_id ON directory.installation_keys FOR EACH ROW EXECUTE FUNCTION directory.note_master_key();
grant select on directory.installation_keys to :lookup;
grant select, update on directory.installation_keys to :system;

create table directory.maintenance_windows (
  id uuid not null,
  title text not null,
  starts_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone not null,
  announced_at timestamp(3) with time zone not null,
  cancelled_at timestamp(3) with time zone,
  constraint maintenance_windows_pkey PRIMARY KEY (id),
  constraint maintenance_windows_check CHECK ((ends_at > starts_at)),
  constraint maintenance_windows_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200)))
);
CREATE INDEX maintenance_windows_time_idx ON directory.maintenance_windows USING btree (starts_at);
grant select on directory.maintenance_windows to :lookup;
grant insert, select, update on directory.maintenance_windows to :system;

create table directory.master_keys (
  id text not null,
  first_used_at timestamp(3) with time zone not null,
  constraint master_keys_pkey PRIMARY KEY (id)
);
grant insert, select on directory.master_keys to :lookup;
grant delete, select on directory.master_keys to :system;

create table directory.member_places (
  tenant_id uuid not null,
  membership_id uuid not null,
  user_id uuid,
  email_lower text not null,
  constraint member_places_pkey PRIMARY KEY (tenant_id, membership_id)
);
CREATE INDEX member_places_email_idx ON directory.member_places USING btree (email_lower);
CREATE INDEX member_places_user_idx ON directory.member_places USING btree (user_id);
grant delete, insert, select, update on directory.member_places to :lookup;

create table directory.migrations (
  id integer default nextval('directory.migrations_id_seq'::regclass) not null,
  "timestamp" bigint not null,
  name character varying not null,
  constraint "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY (id)
);
grant select on directory.migrations to :app;
grant select on directory.migrations to :system;

create table directory.oauth_clients (
  id uuid not null,
  name text not null,
  redirect_uris text[] not null,
  allowed_scopes text[] not null,
  secret_hash bytea,
  suspended_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint oauth_clients_pkey PRIMARY KEY (id),
  constraint oauth_clients_allowed_scopes_check CHECK ((cardinality(allowed_scopes) > 0)),
  constraint oauth_clients_name_check CHECK (((length(name) >= 1) AND (length(name) <= 80))),
  constraint oauth_clients_redirect_uris_check CHECK ((cardinality(redirect_uris) > 0)),
  constraint oauth_clients_secret_hash_check CHECK ((length(secret_hash) = 32))
);
CREATE TRIGGER epochs AFTER UPDATE ON directory.oauth_clients FOR EACH ROW EXECUTE FUNCTION directory.bump_epochs_of_client();
grant select on directory.oauth_clients to :lookup;
grant insert, select, update on directory.oauth_clients to :system;

create table directory.oauth_grants (
  id uuid not null,
  tenant_id uuid not null,
  client_id uuid not null,
  methods text[] not null,
  multi_factor_at timestamp(3) with time zone,
  exchanged_at timestamp(3) with time zone,
  constraint oauth_grants_pkey PRIMARY KEY (id)
);
CREATE INDEX oauth_grants_client_idx ON directory.oauth_grants USING btree (client_id, tenant_id);
CREATE INDEX oauth_grants_tenant_idx ON directory.oauth_grants USING btree (tenant_id);
grant insert, select, update on directory.oauth_grants to :lookup;

create table directory.oauth_tokens (
  id uuid not null,
  grant_id uuid not null,
  kind text not null,
  token_hash bytea not null,
  challenge text,
  redirect_uri text,
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  constraint oauth_tokens_pkey PRIMARY KEY (id),
  constraint oauth_tokens_hash_key UNIQUE (token_hash),
  constraint oauth_tokens_code_check CHECK ((((kind = 'code'::text) = (challenge IS NOT NULL)) AND ((kind = 'code'::text) = (redirect_uri IS NOT NULL)))),
  constraint oauth_tokens_kind_check CHECK ((kind = ANY (ARRAY['code'::text, 'refresh'::text]))),
  constraint oauth_tokens_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX oauth_tokens_expiry_idx ON directory.oauth_tokens USING btree (expires_at);
CREATE INDEX oauth_tokens_grant_idx ON directory.oauth_tokens USING btree (grant_id);
grant delete, insert, select, update on directory.oauth_tokens to :lookup;

create table directory.open_invitations (
  tenant_id uuid not null,
  invitation_id uuid not null,
  token_hash bytea not null,
  email_lower text not null,
  constraint open_invitations_pkey PRIMARY KEY (tenant_id, invitation_id),
  constraint open_invitations_token_key UNIQUE (token_hash),
  constraint open_invitations_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX open_invitations_email_idx ON directory.open_invitations USING btree (email_lower);
grant delete, insert, select, update on directory.open_invitations to :lookup;

create table directory.operator_keys (
  id uuid not null,
  name text not null,
  secret_hash bytea not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  constraint operator_keys_pkey PRIMARY KEY (id),
  constraint operator_keys_secret_key UNIQUE (secret_hash),
  constraint operator_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint operator_keys_secret_hash_check CHECK ((length(secret_hash) = 32))
);
grant select on directory.operator_keys to :lookup;
grant insert, select, update on directory.operator_keys to :system;

create table directory.process_coverage (
  process_id uuid not null,
  from_at timestamp(3) with time zone not null,
  to_at timestamp(3) with time zone not null,
  constraint process_coverage_pkey PRIMARY KEY (process_id, from_at),
  constraint process_coverage_check CHECK ((from_at <= to_at))
) with (fillfactor=50);
CREATE INDEX process_coverage_to_idx ON directory.process_coverage USING btree (to_at);
grant insert, select, update on directory.process_coverage to :lookup;
grant delete, select on directory.process_coverage to :system;

create table directory.public_link_tokens (
  token_hash bytea not null,
  tenant_id uuid not null,
  link_id uuid not null,
  constraint public_link_tokens_pkey PRIMARY KEY (token_hash),
  constraint public_link_tokens_token_hash_check CHECK ((length(token_hash) = 32))
);
grant insert, select on directory.public_link_tokens to :lookup;

create table directory.sessions (
  credential_id uuid not null,
  tenant_id uuid,
  member_id uuid,
  user_id uuid not null,
  ip text,
  user_agent text,
  methods text[] not null,
  authenticated_at timestamp(3) with time zone,
  multi_factor_at timestamp(3) with time zone,
  idle_seconds integer not null,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null,
  in_browser boolean default false not null,
  constraint sessions_pkey PRIMARY KEY (credential_id),
  constraint sessions_idle_seconds_check CHECK ((idle_seconds > 0)),
  constraint sessions_member_check CHECK (((member_id IS NULL) = (tenant_id IS NULL))),
  constraint sessions_user_agent_check CHECK ((length(user_agent) <= 500))
);
CREATE INDEX sessions_expiry_idx ON directory.sessions USING btree (expires_at);
CREATE INDEX sessions_member_idx ON directory.sessions USING btree (tenant_id, member_id, created_at);
CREATE INDEX sessions_user_idx ON directory.sessions USING btree (user_id);
grant insert, select on directory.sessions to :lookup;
grant select on directory.sessions to :system;
grant update (methods, authenticated_at, multi_factor_at) on directory.sessions to :lookup;

create table directory.signing_keys (
  kid text not null,
  public_key bytea not null,
  sealed_private_key bytea not null,
  not_before timestamp(3) with time zone default now() not null,
  not_after timestamp(3) with time zone,
  master_key_id text not null,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_public_key_check CHECK ((length(public_key) = 32))
);
CREATE UNIQUE INDEX signing_keys_active_idx ON directory.signing_keys USING btree (((not_after IS NULL))) WHERE (not_after IS NULL);
CREATE TRIGGER master_key AFTER INSERT OR UPDATE OF master_key_id ON directory.signing_keys FOR EACH ROW EXECUTE FUNCTION directory.note_master_key();
grant select on directory.signing_keys to :lookup;
grant insert, select, update on directory.signing_keys to :system;

create table directory.tenant_activity (
  tenant_id uuid not null,
  seen_at timestamp(3) with time zone not null,
  constraint tenant_activity_pkey PRIMARY KEY (tenant_id)
) with (fillfactor=50);
grant insert, select, update on directory.tenant_activity to :lookup;
grant select on directory.tenant_activity to :system;

create table directory.tenant_commitments (
  tenant_id uuid not null,
  metric text not null,
  target_millis integer not null,
  constraint tenant_commitments_pkey PRIMARY KEY (tenant_id, metric),
  constraint tenant_commitments_target_millis_check CHECK (((target_millis >= 1) AND (target_millis <= 100000)))
);
grant select on directory.tenant_commitments to :lookup;
grant insert, select, update on directory.tenant_commitments to :system;

create table directory.tenants (
  id uuid not null,
  slug text not null,
  name text not null,
  plan text not null,
  owner_email text,
  currency text default 'USD'::text not null,
  reads_per_minute integer not null,
  writes_per_minute integer not null,
  epoch bigint default 1 not null,
  created_at timestamp(3) with time zone not null,
  mfa jsonb,
  version integer default 1 not null,
  updated_at timestamp(3) with time zone default now() not null,
  suspended_at timestamp(3) with time zone,
  suspension_reason text,
  closes_at timestamp(3) with time zone,
  closed_at timestamp(3) with time zone,
  is_served boolean generated always as (((suspended_at IS NULL) AND (closed_at IS NULL))) stored not null,
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_slug_key UNIQUE (slug),
  constraint tenants_closing_check CHECK (((closed_at IS NULL) OR (closes_at IS NOT NULL))),
  constraint tenants_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint tenants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint tenants_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'starter'::text, 'business'::text, 'enterprise'::text]))),
  constraint tenants_reads_per_minute_check CHECK ((reads_per_minute > 0)),
  constraint tenants_slug_check CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
  constraint tenants_suspension_check CHECK (((suspension_reason IS NULL) OR (suspended_at IS NOT NULL))),
  constraint tenants_suspension_reason_check CHECK (((length(suspension_reason) >= 1) AND (length(suspension_reason) <= 500))),
  constraint tenants_version_check CHECK ((version > 0)),
  constraint tenants_writes_per_minute_check CHECK ((writes_per_minute > 0))
);
CREATE INDEX tenants_closing_idx ON directory.tenants USING btree (closes_at) WHERE ((closes_at IS NOT NULL) AND (closed_at IS NULL));
CREATE TRIGGER epoch BEFORE UPDATE ON directory.tenants FOR EACH ROW EXECUTE FUNCTION directory.bump_own_epoch();
CREATE TRIGGER version BEFORE UPDATE OF name, plan, currency, reads_per_minute, writes_per_minute, suspended_at, suspension_reason, closes_at, closed_at ON directory.tenants FOR EACH ROW EXECUTE FUNCTION directory.bump_tenant_version();
grant insert, select on directory.tenants to :lookup;
grant insert, select, update on directory.tenants to :system;
grant update (name, currency, epoch, mfa, suspended_at, suspension_reason, closes_at, closed_at) on directory.tenants to :lookup;

create table directory.used_id_tokens (
  token_hash bytea not null,
  expires_at timestamp(3) with time zone not null,
  constraint used_id_tokens_pkey PRIMARY KEY (token_hash),
  constraint used_id_tokens_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX used_id_tokens_expiry_idx ON directory.used_id_tokens USING btree (expires_at);
grant insert, select on directory.used_id_tokens to :lookup;
grant delete, select on directory.used_id_tokens to :system;

create table directory.users (
  id uuid not null,
  issuer text not null,
  subject text not null,
  email text,
  name text,
  created_at timestamp(3) with time zone not null,
  last_sign_in_at timestamp(3) with time zone not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_subject_key UNIQUE (issuer, subject),
  constraint users_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
  constraint users_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 2048))),
  constraint users_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint users_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);
grant insert, select, update on directory.users to :lookup;

alter sequence data.event_positions owned by data.events_pending."position";
alter sequence directory.migrations_id_seq owned by directory.migrations.id;
grant usage on sequence data.event_positions to :app;
grant usage on sequence data.event_positions to :system;

set local role :owner;
\ir functions/data.holds_naming.sql
grant execute on function
  data.holds_naming(tenant uuid, r jsonb)
to :app, :system;
set local role :owner;
alter table data.event_numbers attach partition data.event_numbers_default DEFAULT;
alter table data.events attach partition data.events_default DEFAULT;
alter table data.webhook_attempts attach partition data.webhook_attempts_default DEFAULT;
alter table data.webhook_deliveries attach partition data.webhook_deliveries_default DEFAULT;
select data.make_partition('event_numbers', 'event_id', day::date) from generate_series((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + 14, interval '1 day') day;
select data.make_partition('events', 'id', day::date) from generate_series((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + 14, interval '1 day') day;
select data.make_partition('webhook_attempts', 'delivery_id', day::date) from generate_series((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + 14, interval '1 day') day;
select data.make_partition('webhook_deliveries', 'id', day::date) from generate_series((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + 14, interval '1 day') day;

alter table data.access_review_items
  add constraint access_review_items_review_fkey FOREIGN KEY (tenant_id, review_id) REFERENCES data.access_reviews(tenant_id, id),
  add constraint access_review_items_reviewer_fkey FOREIGN KEY (tenant_id, reviewer_id) REFERENCES data.memberships(tenant_id, id);
alter table data.ai_calls
  add constraint ai_calls_tenant_id_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES data.ai_jobs(tenant_id, id) ON DELETE CASCADE;
alter table data.ai_job_targets
  add constraint ai_job_targets_tenant_id_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES data.ai_jobs(tenant_id, id) ON DELETE CASCADE;
alter table data.ai_jobs
  add constraint ai_jobs_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint ai_jobs_tenant_id_agent_id_agent_version_fkey FOREIGN KEY (tenant_id, agent_id, agent_version) REFERENCES data.intelligence_agent_versions(tenant_id, agent_id, agent_version),
  add constraint ai_jobs_tenant_id_approval_id_fkey FOREIGN KEY (tenant_id, approval_id) REFERENCES data.home_approvals(tenant_id, id),
  add constraint ai_jobs_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.ai_ledger
  add constraint ai_ledger_tenant_id_reservation_id_fkey FOREIGN KEY (tenant_id, reservation_id) REFERENCES data.ai_reservations(tenant_id, id);
alter table data.ai_model_prices
  add constraint ai_model_prices_tenant_id_model_id_fkey FOREIGN KEY (tenant_id, model_id) REFERENCES data.ai_models(tenant_id, id);
alter table data.ai_models
  add constraint ai_models_tenant_id_provider_id_fkey FOREIGN KEY (tenant_id, provider_id) REFERENCES data.ai_providers(tenant_id, id);
alter table data.ai_prompt_uses
  add constraint ai_prompt_uses_tenant_id_prompt_id_prompt_version_fkey FOREIGN KEY (tenant_id, prompt_id, prompt_version) REFERENCES data.ai_prompt_versions(tenant_id, prompt_id, prompt_version);
alter table data.ai_prompt_versions
  add constraint ai_prompt_versions_tenant_id_prompt_id_fkey FOREIGN KEY (tenant_id, prompt_id) REFERENCES data.ai_prompts(tenant_id, id) ON DELETE CASCADE;
alter table data.ai_prompts
  add constraint ai_prompts_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint ai_prompts_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.ai_queue
  add constraint ai_queue_tenant_id_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES data.ai_jobs(tenant_id, id) ON DELETE CASCADE;
alter table data.attachments
  add constraint attachments_file_id_fkey FOREIGN KEY (tenant_id, file_id) REFERENCES data.documents_files(tenant_id, id);
alter table data.audit_stream_cursors
  add constraint audit_stream_cursors_tenant_id_stream_id_fkey FOREIGN KEY (tenant_id, stream_id) REFERENCES data.audit_streams(tenant_id, id) ON DELETE CASCADE;
alter table data.checklists
  add constraint checklists_tenant_id_template_id_fkey FOREIGN KEY (tenant_id, template_id) REFERENCES data.settings_checklist_templates(tenant_id, id);
alter table data.comments
  add constraint comments_tenant_id_author_id_fkey FOREIGN KEY (tenant_id, author_id) REFERENCES data.memberships(tenant_id, id),
  add constraint comments_tenant_id_record_id_parent_id_parent_is_answer_fkey FOREIGN KEY (tenant_id, record_id, parent_id, parent_is_answer) REFERENCES data.comments(tenant_id, record_id, id, is_answer);
alter table data.data_export_parts
  add constraint data_export_parts_request_fkey FOREIGN KEY (tenant_id, request_id) REFERENCES data.data_export_requests(tenant_id, id) ON DELETE CASCADE;
alter table data.document_template_versions
  add constraint document_template_versions_template_fkey FOREIGN KEY (tenant_id, template_id) REFERENCES data.document_templates(tenant_id, id) ON DELETE CASCADE;
alter table data.documents_documents
  add constraint documents_documents_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint documents_documents_replaces_id_fkey FOREIGN KEY (tenant_id, replaces_id) REFERENCES data.documents_documents(tenant_id, id),
  add constraint documents_documents_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.documents_file_versions
  add constraint documents_file_versions_file_fkey FOREIGN KEY (tenant_id, file_id) REFERENCES data.documents_files(tenant_id, id) ON DELETE CASCADE;
alter table data.documents_files
  add constraint documents_files_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint documents_files_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.evidence_bundles
  add constraint evidence_bundles_previous_fkey FOREIGN KEY (tenant_id, previous_id) REFERENCES data.evidence_bundles(tenant_id, id);
alter table data.export_parts
  add constraint export_parts_export_fkey FOREIGN KEY (tenant_id, export_id) REFERENCES data.export_jobs(tenant_id, id) ON DELETE CASCADE;
alter table data.failed_sign_ins
  add constraint failed_sign_ins_tenant_id_membership_id_fkey FOREIGN KEY (tenant_id, membership_id) REFERENCES data.memberships(tenant_id, id) ON DELETE CASCADE;
alter table data.file_content_uses
  add constraint file_content_uses_tenant_id_content_id_fkey FOREIGN KEY (tenant_id, content_id) REFERENCES data.file_contents(tenant_id, id);
alter table data.file_uses
  add constraint file_uses_file_fkey FOREIGN KEY (tenant_id, file_id) REFERENCES data.documents_files(tenant_id, id) ON DELETE CASCADE;
alter table data.finance_credit_notes
  add constraint finance_credit_notes_account FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint finance_credit_notes_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint finance_credit_notes_tenant_id_invoice_id_currency_fkey FOREIGN KEY (tenant_id, invoice_id, currency) REFERENCES data.finance_invoices(tenant_id, id, currency),
  add constraint finance_credit_notes_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.finance_invoice_sources
  add constraint finance_invoice_sources_tenant_id_invoice_id_fkey FOREIGN KEY (tenant_id, invoice_id) REFERENCES data.finance_invoices(tenant_id, id) ON DELETE CASCADE;
alter table data.finance_invoices
  add constraint finance_invoices_account FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint finance_invoices_deal FOREIGN KEY (tenant_id, deal_id) REFERENCES data.sales_deals(tenant_id, id),
  add constraint finance_invoices_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint finance_invoices_project FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id),
  add constraint finance_invoices_proposal FOREIGN KEY (tenant_id, proposal_id) REFERENCES data.proposals_proposals(tenant_id, id),
  add constraint finance_invoices_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.finance_payment_allocations
  add constraint finance_payment_allocations_tenant_id_invoice_id_currency_fkey FOREIGN KEY (tenant_id, invoice_id, currency) REFERENCES data.finance_invoices(tenant_id, id, currency) ON DELETE CASCADE,
  add constraint finance_payment_allocations_tenant_id_payment_id_currency_fkey FOREIGN KEY (tenant_id, payment_id, currency) REFERENCES data.finance_payments(tenant_id, id, currency) ON DELETE CASCADE;
alter table data.finance_payments
  add constraint finance_payments_account FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint finance_payments_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint finance_payments_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.finance_tax_rates
  add constraint finance_tax_rates_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint finance_tax_rates_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.home_announcements
  add constraint home_announcements_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.home_approvals
  add constraint approvals_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint approvals_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.home_pages
  add constraint home_pages_id_fkey FOREIGN KEY (tenant_id, id) REFERENCES data.memberships(tenant_id, id);
alter table data.import_faults
  add constraint import_faults_import_fkey FOREIGN KEY (tenant_id, import_id) REFERENCES data.imports(tenant_id, id) ON DELETE CASCADE;
alter table data.import_records
  add constraint import_records_import_fkey FOREIGN KEY (tenant_id, import_id) REFERENCES data.imports(tenant_id, id) ON DELETE CASCADE;
alter table data.intelligence_agent_versions
  add constraint intelligence_agent_versions_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES data.intelligence_agents(tenant_id, id) ON DELETE CASCADE;
alter table data.intelligence_agents
  add constraint intelligence_agents_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint intelligence_agents_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.invitations
  add constraint invitations_tenant_id_accepted_membership_id_fkey FOREIGN KEY (tenant_id, accepted_membership_id) REFERENCES data.memberships(tenant_id, id),
  add constraint invitations_tenant_id_employee_id_fkey FOREIGN KEY (tenant_id, employee_id) REFERENCES data.people_employees(tenant_id, id) ON DELETE SET NULL (employee_id);
alter table data.job_queue
  add constraint job_queue_tenant_id_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES data.jobs(tenant_id, id) ON DELETE CASCADE;
alter table data.legal_hold_ids
  add constraint legal_hold_ids_tenant_id_hold_id_fkey FOREIGN KEY (tenant_id, hold_id) REFERENCES data.legal_holds(tenant_id, id) ON DELETE CASCADE;
alter table data.memberships
  add constraint memberships_delegate_fkey FOREIGN KEY (tenant_id, delegate_id) REFERENCES data.memberships(tenant_id, id);
alter table data.notification_digests
  add constraint notification_digests_member_fkey FOREIGN KEY (tenant_id, member_id) REFERENCES data.memberships(tenant_id, id);
alter table data.notifications
  add constraint notifications_comment_fkey FOREIGN KEY (tenant_id, comment_id) REFERENCES data.comments(tenant_id, id) ON DELETE SET NULL (comment_id),
  add constraint notifications_member_fkey FOREIGN KEY (tenant_id, member_id) REFERENCES data.memberships(tenant_id, id);
alter table data.oauth_grants
  add constraint oauth_grants_tenant_id_membership_id_fkey FOREIGN KEY (tenant_id, membership_id) REFERENCES data.memberships(tenant_id, id);
alter table data.people_departments
  add constraint people_departments_calendar_id_fkey FOREIGN KEY (tenant_id, calendar_id) REFERENCES data.settings_calendars(tenant_id, id),
  add constraint people_departments_lead_employee_id_fkey FOREIGN KEY (tenant_id, lead_employee_id) REFERENCES data.people_employees(tenant_id, id),
  add constraint people_departments_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint people_departments_parent_id_fkey FOREIGN KEY (tenant_id, parent_id) REFERENCES data.people_departments(tenant_id, id),
  add constraint people_departments_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.people_employees
  add constraint people_employees_calendar_id_fkey FOREIGN KEY (tenant_id, calendar_id) REFERENCES data.settings_calendars(tenant_id, id),
  add constraint people_employees_department_id_fkey FOREIGN KEY (tenant_id, department_id) REFERENCES data.people_departments(tenant_id, id),
  add constraint people_employees_manager_id_fkey FOREIGN KEY (tenant_id, manager_id) REFERENCES data.people_employees(tenant_id, id),
  add constraint people_employees_membership_id_fkey FOREIGN KEY (tenant_id, membership_id) REFERENCES data.memberships(tenant_id, id),
  add constraint people_employees_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint people_employees_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.people_employments
  add constraint people_employments_tenant_id_department_id_fkey FOREIGN KEY (tenant_id, department_id) REFERENCES data.people_departments(tenant_id, id),
  add constraint people_employments_tenant_id_employee_id_fkey FOREIGN KEY (tenant_id, employee_id) REFERENCES data.people_employees(tenant_id, id) ON DELETE CASCADE,
  add constraint people_employments_tenant_id_manager_id_fkey FOREIGN KEY (tenant_id, manager_id) REFERENCES data.people_employees(tenant_id, id);
alter table data.people_skills
  add constraint people_skills_tenant_id_employee_id_fkey FOREIGN KEY (tenant_id, employee_id) REFERENCES data.people_employees(tenant_id, id) ON DELETE CASCADE;
alter table data.people_time_off
  add constraint people_time_off_employee_id_fkey FOREIGN KEY (tenant_id, employee_id) REFERENCES data.people_employees(tenant_id, id),
  add constraint people_time_off_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint people_time_off_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.people_time_off_ledger
  add constraint people_time_off_ledger_tenant_id_employee_id_fkey FOREIGN KEY (tenant_id, employee_id) REFERENCES data.people_employees(tenant_id, id) ON DELETE CASCADE,
  add constraint people_time_off_ledger_tenant_id_time_off_id_fkey FOREIGN KEY (tenant_id, time_off_id) REFERENCES data.people_time_off(tenant_id, id) ON DELETE CASCADE;
alter table data.people_time_off_policies
  add constraint people_time_off_policies_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint people_time_off_policies_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.posture_checks
  add constraint posture_checks_tenant_id_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id);
alter table data.proposals_content_blocks
  add constraint proposals_content_blocks_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint proposals_content_blocks_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.proposals_proposals
  add constraint proposals_proposals_account FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint proposals_proposals_contact FOREIGN KEY (tenant_id, contact_id) REFERENCES data.sales_contacts(tenant_id, id),
  add constraint proposals_proposals_deal FOREIGN KEY (tenant_id, deal_id) REFERENCES data.sales_deals(tenant_id, id),
  add constraint proposals_proposals_next FOREIGN KEY (tenant_id, superseded_by_id) REFERENCES data.proposals_proposals(tenant_id, id),
  add constraint proposals_proposals_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint proposals_proposals_root FOREIGN KEY (tenant_id, root_id) REFERENCES data.proposals_proposals(tenant_id, id),
  add constraint proposals_proposals_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.record_watchers
  add constraint record_watchers_tenant_id_id_fkey FOREIGN KEY (tenant_id, id) REFERENCES data.memberships(tenant_id, id);
alter table data.report_results
  add constraint report_results_run_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES data.report_runs(tenant_id, id) ON DELETE CASCADE;
alter table data.report_runs
  add constraint report_runs_report_fkey FOREIGN KEY (tenant_id, report_id) REFERENCES data.reports(tenant_id, id) ON DELETE CASCADE;
alter table data.reports
  add constraint reports_workspace_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.resource_grants
  add constraint resource_grants_tenant_id_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.role_assignments
  add constraint role_assignments_tenant_id_membership_id_fkey FOREIGN KEY (tenant_id, membership_id) REFERENCES data.memberships(tenant_id, id);
alter table data.sales_account_roles
  add constraint sales_account_roles_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id) ON DELETE CASCADE;
alter table data.sales_accounts
  add constraint sales_accounts_merged_into FOREIGN KEY (tenant_id, merged_into_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint sales_accounts_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint sales_accounts_parent FOREIGN KEY (tenant_id, parent_account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint sales_accounts_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.sales_contact_emails
  add constraint sales_contact_emails_tenant_id_contact_id_fkey FOREIGN KEY (tenant_id, contact_id) REFERENCES data.sales_contacts(tenant_id, id) ON DELETE CASCADE;
alter table data.sales_contacts
  add constraint sales_contacts_account FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint sales_contacts_merged_into FOREIGN KEY (tenant_id, merged_into_id) REFERENCES data.sales_contacts(tenant_id, id),
  add constraint sales_contacts_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint sales_contacts_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.sales_deal_contacts
  add constraint sales_deal_contacts_tenant_id_contact_id_fkey FOREIGN KEY (tenant_id, contact_id) REFERENCES data.sales_contacts(tenant_id, id),
  add constraint sales_deal_contacts_tenant_id_deal_id_fkey FOREIGN KEY (tenant_id, deal_id) REFERENCES data.sales_deals(tenant_id, id) ON DELETE CASCADE;
alter table data.sales_deals
  add constraint sales_deals_account FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint sales_deals_handoff_id_fkey FOREIGN KEY (tenant_id, handoff_id) REFERENCES data.sales_handoffs(tenant_id, id) ON DELETE SET NULL (handoff_id) DEFERRABLE,
  add constraint sales_deals_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint sales_deals_primary_contact FOREIGN KEY (tenant_id, primary_contact_id) REFERENCES data.sales_contacts(tenant_id, id),
  add constraint sales_deals_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id) ON DELETE SET NULL (project_id) DEFERRABLE,
  add constraint sales_deals_renewal_of FOREIGN KEY (tenant_id, renewal_of_deal_id) REFERENCES data.sales_deals(tenant_id, id),
  add constraint sales_deals_stage_of_pipeline FOREIGN KEY (tenant_id, pipeline_id, stage, status) REFERENCES data.sales_pipeline_stages(tenant_id, pipeline_id, stage, category) DEFERRABLE,
  add constraint sales_deals_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.sales_handoff_skips
  add constraint sales_handoff_skips_tenant_id_deal_id_fkey FOREIGN KEY (tenant_id, deal_id) REFERENCES data.sales_deals(tenant_id, id) ON DELETE CASCADE;
alter table data.sales_handoff_templates
  add constraint sales_handoff_templates_tenant_id_project_template_id_fkey FOREIGN KEY (tenant_id, project_template_id) REFERENCES data.work_project_templates(tenant_id, id) ON DELETE SET NULL (project_template_id);
alter table data.sales_handoffs
  add constraint sales_handoffs_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint sales_handoffs_tenant_id_checklist_id_fkey FOREIGN KEY (tenant_id, checklist_id) REFERENCES data.checklists(tenant_id, id) ON DELETE SET NULL (checklist_id),
  add constraint sales_handoffs_tenant_id_deal_id_fkey FOREIGN KEY (tenant_id, deal_id) REFERENCES data.sales_deals(tenant_id, id) ON DELETE CASCADE,
  add constraint sales_handoffs_tenant_id_delivery_owner_id_fkey FOREIGN KEY (tenant_id, delivery_owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint sales_handoffs_tenant_id_invoice_id_fkey FOREIGN KEY (tenant_id, invoice_id) REFERENCES data.finance_invoices(tenant_id, id) ON DELETE SET NULL (invoice_id),
  add constraint sales_handoffs_tenant_id_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint sales_handoffs_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id) ON DELETE SET NULL (project_id),
  add constraint sales_handoffs_tenant_id_project_template_id_fkey FOREIGN KEY (tenant_id, project_template_id) REFERENCES data.work_project_templates(tenant_id, id) ON DELETE SET NULL (project_template_id),
  add constraint sales_handoffs_tenant_id_template_id_fkey FOREIGN KEY (tenant_id, template_id) REFERENCES data.sales_handoff_templates(tenant_id, id) ON DELETE SET NULL (template_id),
  add constraint sales_handoffs_tenant_id_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.sales_leads
  add constraint sales_leads_deal FOREIGN KEY (tenant_id, deal_id) REFERENCES data.sales_deals(tenant_id, id),
  add constraint sales_leads_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint sales_leads_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint sales_leads_tenant_id_contact_id_fkey FOREIGN KEY (tenant_id, contact_id) REFERENCES data.sales_contacts(tenant_id, id),
  add constraint sales_leads_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.sales_pipeline_stages
  add constraint sales_pipeline_stages_tenant_id_pipeline_id_fkey FOREIGN KEY (tenant_id, pipeline_id) REFERENCES data.sales_pipelines(tenant_id, id) ON DELETE CASCADE;
alter table data.sales_pipelines
  add constraint sales_pipelines_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint sales_pipelines_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.sales_products
  add constraint sales_products_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint sales_products_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.saved_views
  add constraint saved_views_workspace_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.scim_group_members
  add constraint scim_group_members_tenant_id_group_id_fkey FOREIGN KEY (tenant_id, group_id) REFERENCES data.scim_groups(tenant_id, id),
  add constraint scim_group_members_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES data.scim_users(tenant_id, id);
alter table data.scim_groups
  add constraint scim_groups_tenant_id_config_id_fkey FOREIGN KEY (tenant_id, config_id) REFERENCES data.scim_configs(tenant_id, id);
alter table data.scim_log
  add constraint scim_log_tenant_id_config_id_fkey FOREIGN KEY (tenant_id, config_id) REFERENCES data.scim_configs(tenant_id, id);
alter table data.scim_mappings
  add constraint scim_mappings_tenant_id_config_id_fkey FOREIGN KEY (tenant_id, config_id) REFERENCES data.scim_configs(tenant_id, id);
alter table data.scim_user_emails
  add constraint scim_user_emails_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES data.scim_users(tenant_id, id);
alter table data.scim_users
  add constraint scim_users_tenant_id_config_id_fkey FOREIGN KEY (tenant_id, config_id) REFERENCES data.scim_configs(tenant_id, id),
  add constraint scim_users_tenant_id_id_fkey FOREIGN KEY (tenant_id, id) REFERENCES data.memberships(tenant_id, id);
alter table data.secret_versions
  add constraint secret_versions_tenant_id_secret_id_fkey FOREIGN KEY (tenant_id, secret_id) REFERENCES data.secrets(tenant_id, id);
alter table data.settings_calendars
  add constraint settings_calendars_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint settings_calendars_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.settings_checklist_templates
  add constraint settings_checklist_templates_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint settings_checklist_templates_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.settings_custom_fields
  add constraint settings_custom_fields_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint settings_custom_fields_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.talent_applications
  add constraint talent_applications_candidate_id_fkey FOREIGN KEY (tenant_id, candidate_id) REFERENCES data.talent_candidates(tenant_id, id),
  add constraint talent_applications_department_id_fkey FOREIGN KEY (tenant_id, department_id) REFERENCES data.people_departments(tenant_id, id),
  add constraint talent_applications_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES data.talent_jobs(tenant_id, id),
  add constraint talent_applications_manager_id_fkey FOREIGN KEY (tenant_id, manager_id) REFERENCES data.people_employees(tenant_id, id),
  add constraint talent_applications_mapping_template_id_fkey FOREIGN KEY (tenant_id, mapping_template_id) REFERENCES data.talent_mapping_templates(tenant_id, id) ON DELETE SET NULL (mapping_template_id),
  add constraint talent_applications_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint talent_applications_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.talent_candidate_skills
  add constraint talent_candidate_skills_candidate_id_fkey FOREIGN KEY (tenant_id, candidate_id) REFERENCES data.talent_candidates(tenant_id, id) ON DELETE CASCADE;
alter table data.talent_candidates
  add constraint talent_candidates_application_id_fkey FOREIGN KEY (tenant_id, id, application_id) REFERENCES data.talent_applications(tenant_id, candidate_id, id) DEFERRABLE,
  add constraint talent_candidates_employee_id_fkey FOREIGN KEY (tenant_id, employee_id) REFERENCES data.people_employees(tenant_id, id),
  add constraint talent_candidates_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES data.talent_jobs(tenant_id, id),
  add constraint talent_candidates_merged_into_id_fkey FOREIGN KEY (tenant_id, merged_into_id) REFERENCES data.talent_candidates(tenant_id, id),
  add constraint talent_candidates_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint talent_candidates_referred_by_id_fkey FOREIGN KEY (tenant_id, referred_by_id) REFERENCES data.memberships(tenant_id, id),
  add constraint talent_candidates_resume_file_id_fkey FOREIGN KEY (tenant_id, resume_file_id) REFERENCES data.documents_files(tenant_id, id),
  add constraint talent_candidates_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.talent_interview_people
  add constraint talent_interview_people_interview_id_fkey FOREIGN KEY (tenant_id, interview_id) REFERENCES data.talent_interviews(tenant_id, id) ON DELETE CASCADE;
alter table data.talent_interviews
  add constraint talent_interviews_application_id_fkey FOREIGN KEY (tenant_id, application_id) REFERENCES data.talent_applications(tenant_id, id),
  add constraint talent_interviews_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint talent_interviews_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.talent_jobs
  add constraint talent_jobs_department_id_fkey FOREIGN KEY (tenant_id, department_id) REFERENCES data.people_departments(tenant_id, id),
  add constraint talent_jobs_hiring_manager_id_fkey FOREIGN KEY (tenant_id, hiring_manager_id) REFERENCES data.memberships(tenant_id, id),
  add constraint talent_jobs_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint talent_jobs_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.talent_mapping_templates
  add constraint talent_mapping_templates_tenant_id_onboarding_template_id_fkey FOREIGN KEY (tenant_id, onboarding_template_id) REFERENCES data.settings_checklist_templates(tenant_id, id);
alter table data.talent_mappings
  add constraint talent_mappings_tenant_id_application_id_fkey FOREIGN KEY (tenant_id, application_id) REFERENCES data.talent_applications(tenant_id, id) ON DELETE CASCADE,
  add constraint talent_mappings_tenant_id_candidate_id_fkey FOREIGN KEY (tenant_id, candidate_id) REFERENCES data.talent_candidates(tenant_id, id) ON DELETE CASCADE,
  add constraint talent_mappings_tenant_id_employee_id_fkey FOREIGN KEY (tenant_id, employee_id) REFERENCES data.people_employees(tenant_id, id) ON DELETE SET NULL (employee_id),
  add constraint talent_mappings_tenant_id_invitation_id_fkey FOREIGN KEY (tenant_id, invitation_id) REFERENCES data.invitations(tenant_id, id) ON DELETE SET NULL (invitation_id),
  add constraint talent_mappings_tenant_id_template_id_fkey FOREIGN KEY (tenant_id, template_id) REFERENCES data.talent_mapping_templates(tenant_id, id) ON DELETE SET NULL (template_id);
alter table data.talent_offers
  add constraint talent_offers_application_id_fkey FOREIGN KEY (tenant_id, application_id) REFERENCES data.talent_applications(tenant_id, id),
  add constraint talent_offers_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint talent_offers_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.talent_scorecards
  add constraint talent_scorecards_application_id_fkey FOREIGN KEY (tenant_id, application_id) REFERENCES data.talent_applications(tenant_id, id),
  add constraint talent_scorecards_interview_id_fkey FOREIGN KEY (tenant_id, interview_id) REFERENCES data.talent_interviews(tenant_id, id),
  add constraint talent_scorecards_interviewer_id_fkey FOREIGN KEY (tenant_id, interviewer_id) REFERENCES data.memberships(tenant_id, id),
  add constraint talent_scorecards_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint talent_scorecards_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.webhook_lanes
  add constraint webhook_lanes_endpoint_fkey FOREIGN KEY (tenant_id, endpoint_id) REFERENCES data.webhook_endpoints(tenant_id, id);
alter table data.webhook_recoveries
  add constraint webhook_recoveries_tenant_id_endpoint_id_fkey FOREIGN KEY (tenant_id, endpoint_id) REFERENCES data.webhook_endpoints(tenant_id, id);
alter table data.webhook_stats
  add constraint webhook_stats_tenant_id_endpoint_id_fkey FOREIGN KEY (tenant_id, endpoint_id) REFERENCES data.webhook_endpoints(tenant_id, id);
alter table data.work_cycles
  add constraint work_cycles_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_cycles_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id),
  add constraint work_cycles_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.work_delivery_controls
  add constraint work_delivery_controls_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id) ON DELETE CASCADE;
alter table data.work_milestones
  add constraint work_milestones_contact_fkey FOREIGN KEY (tenant_id, acceptance_contact_id) REFERENCES data.sales_contacts(tenant_id, id),
  add constraint work_milestones_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_milestones_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id),
  add constraint work_milestones_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.work_project_members
  add constraint work_project_members_tenant_id_member_id_fkey FOREIGN KEY (tenant_id, member_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_project_members_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id) ON DELETE CASCADE;
alter table data.work_project_templates
  add constraint work_project_templates_checklist_template_id_fkey FOREIGN KEY (tenant_id, checklist_template_id) REFERENCES data.settings_checklist_templates(tenant_id, id),
  add constraint work_project_templates_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_project_templates_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.work_projects
  add constraint work_projects_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES data.sales_accounts(tenant_id, id),
  add constraint work_projects_deal_id_fkey FOREIGN KEY (tenant_id, deal_id) REFERENCES data.sales_deals(tenant_id, id),
  add constraint work_projects_handoff_id_fkey FOREIGN KEY (tenant_id, handoff_id) REFERENCES data.sales_handoffs(tenant_id, id) ON DELETE SET NULL (handoff_id) DEFERRABLE,
  add constraint work_projects_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_projects_template_id_fkey FOREIGN KEY (tenant_id, template_id) REFERENCES data.work_project_templates(tenant_id, id),
  add constraint work_projects_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.work_task_assignees
  add constraint work_task_assignees_tenant_id_member_id_fkey FOREIGN KEY (tenant_id, member_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_task_assignees_tenant_id_task_id_fkey FOREIGN KEY (tenant_id, task_id) REFERENCES data.work_tasks(tenant_id, id) ON DELETE CASCADE;
alter table data.work_task_blockers
  add constraint work_task_blockers_tenant_id_blocker_id_fkey FOREIGN KEY (tenant_id, blocker_id) REFERENCES data.work_tasks(tenant_id, id),
  add constraint work_task_blockers_tenant_id_task_id_fkey FOREIGN KEY (tenant_id, task_id) REFERENCES data.work_tasks(tenant_id, id) ON DELETE CASCADE;
alter table data.work_task_states
  add constraint work_task_states_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_task_states_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id),
  add constraint work_task_states_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.work_tasks
  add constraint work_tasks_custom_state_fkey FOREIGN KEY (tenant_id, custom_state_id, custom_state, category) REFERENCES data.work_task_states(tenant_id, id, key, category),
  add constraint work_tasks_cycle_id_fkey FOREIGN KEY (tenant_id, cycle_id) REFERENCES data.work_cycles(tenant_id, id),
  add constraint work_tasks_milestone_of_project FOREIGN KEY (tenant_id, project_id, milestone_id) REFERENCES data.work_milestones(tenant_id, project_id, id),
  add constraint work_tasks_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_tasks_parent_id_fkey FOREIGN KEY (tenant_id, parent_id) REFERENCES data.work_tasks(tenant_id, id),
  add constraint work_tasks_parent_of_project FOREIGN KEY (tenant_id, project_id, parent_id) REFERENCES data.work_tasks(tenant_id, project_id, id),
  add constraint work_tasks_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id),
  add constraint work_tasks_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.work_time_entries
  add constraint work_time_entries_membership_id_fkey FOREIGN KEY (tenant_id, membership_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_time_entries_owner_id_fkey FOREIGN KEY (tenant_id, owner_id) REFERENCES data.memberships(tenant_id, id),
  add constraint work_time_entries_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES data.work_projects(tenant_id, id),
  add constraint work_time_entries_task_id_fkey FOREIGN KEY (tenant_id, task_id) REFERENCES data.work_tasks(tenant_id, id),
  add constraint work_time_entries_task_of_project FOREIGN KEY (tenant_id, project_id, task_id) REFERENCES data.work_tasks(tenant_id, project_id, id),
  add constraint work_time_entries_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.workspace_members
  add constraint workspace_members_tenant_id_membership_id_fkey FOREIGN KEY (tenant_id, membership_id) REFERENCES data.memberships(tenant_id, id),
  add constraint workspace_members_tenant_id_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES data.workspaces(tenant_id, id);
alter table data.workspaces
  add constraint workspaces_tenant_id_lead_id_fkey FOREIGN KEY (tenant_id, lead_id) REFERENCES data.memberships(tenant_id, id),
  add constraint workspaces_tenant_id_parent_id_fkey FOREIGN KEY (tenant_id, parent_id) REFERENCES data.workspaces(tenant_id, id);
alter table directory.api_key_limits
  add constraint api_key_limits_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id) ON DELETE CASCADE;
alter table directory.closed_invitations
  add constraint closed_invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id);
alter table directory.credential_uses
  add constraint credential_uses_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES directory.credentials(id) ON DELETE CASCADE;
alter table directory.credentials
  add constraint credentials_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id);
alter table directory.founders
  add constraint founders_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id) DEFERRABLE INITIALLY DEFERRED,
  add constraint founders_user_id_fkey FOREIGN KEY (user_id) REFERENCES directory.users(id);
alter table directory.member_places
  add constraint member_places_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id);
alter table directory.oauth_grants
  add constraint oauth_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES directory.oauth_clients(id),
  add constraint oauth_grants_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id);
alter table directory.oauth_tokens
  add constraint oauth_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES directory.oauth_grants(id);
alter table directory.open_invitations
  add constraint open_invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id);
alter table directory.public_link_tokens
  add constraint public_link_tokens_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id);
alter table directory.sessions
  add constraint sessions_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES directory.credentials(id) ON DELETE CASCADE,
  add constraint sessions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id),
  add constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES directory.users(id);
alter table directory.tenant_commitments
  add constraint tenant_commitments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES directory.tenants(id);

revoke create on schema data, directory from :system, :lookup;

insert into directory.migrations ("timestamp", name) values
  (1763700000001, 'Directory1763700000001'),
  (1763700000002, 'Records1763700000002'),
  (1763700000003, 'Webhooks1763700000003'),
  (1763700000004, 'Sales1763700000004'),
  (1763700000005, 'Envelope1763700000005'),
  (1763700000006, 'Accounts1763700000006'),
  (1763700000007, 'Work1763700000007'),
  (1763700000008, 'Finance1763700000008'),
  (1763700000009, 'Payments1763700000009'),
  (1763700000010, 'People1763700000010'),
  (1763700000011, 'Talent1763700000011'),
  (1763700000012, 'Governance1763700000012'),
  (1763700000013, 'Timeline1763700000013'),
  (1763700000014, 'Automation1763700000014'),
  (1763700000015, 'Accounting1763700000015'),
  (1763700000016, 'Intelligence1763700000016'),
  (1763700000017, 'Delivery1763700000017'),
  (1763700000018, 'DeliverySpeed1763700000018'),
  (1763700000019, 'WebhookGaps1763700000019'),
  (1763700000020, 'Access1763700000020'),
  (1763700000021, 'Scim1763700000021'),
  (1763700000022, 'Identity1763700000022'),
  (1763700000023, 'Members1763700000023'),
  (1763700000024, 'Secrets1763700000024'),
  (1763700000025, 'AiPolicy1763700000025'),
  (1763700000026, 'AiJobs1763700000026'),
  (1763700000027, 'AiMoney1763700000027'),
  (1763700000028, 'Claims1763700000028'),
  (1763700000029, 'Transfers1763700000029'),
  (1763700000030, 'ScimEstimates1763700000030'),
  (1763700000031, 'MemberCounts1763700000031'),
  (1763700000032, 'QueueLookups1763700000032'),
  (1763700000033, 'DirectEntries1763700000033'),
  (1763700000034, 'RoomForResults1763700000034'),
  (1763700000035, 'ImmutableEvents1763700000035'),
  (1763700000036, 'Sending1763700000036'),
  (1763700000037, 'SetAsideEvents1763700000037'),
  (1763700000040, 'UsageOfSessions1763700000040'),
  (1763700000041, 'AnswerTerms1763700000041'),
  (1763700000042, 'Denials1763700000042'),
  (1763700000046, 'PaymentTerms1763700000046'),
  (1763700000047, 'BaseCurrency1763700000047'),
  (1763700000048, 'Words1763700000048'),
  (1763700000049, 'Trash1763700000049'),
  (1763700000050, 'Erasure1763700000050'),
  (1763700000054, 'LoggedMails1763700000054'),
  (1763700000056, 'ClosedInvitations1763700000056'),
  (1763700000057, 'HeldInOrder1763700000057'),
  (1763700000058, 'ApiKeys1763700000058'),
  (1763700000059, 'UsageOfKeys1763700000059'),
  (1763700000060, 'BrowserSessions1763700000060'),
  (1763700000061, 'Mfa1763700000061'),
  (1763700000064, 'Founding1763700000064'),
  (1763700000065, 'TenantLife1763700000065'),
  (1763700000066, 'Oauth1763700000066'),
  (1763700000069, 'Profiles1763700000069'),
  (1763700000070, 'PublicLinks1763700000070'),
  (1763700000071, 'SavedViews1763700000071'),
  (1763700000072, 'Tags1763700000072'),
  (1763700000073, 'MutedMails1763700000073'),
  (1763700000074, 'Calendars1763700000074'),
  (1763700000075, 'UsedNumberings1763700000075'),
  (1763700000080, 'Founders1763700000080'),
  (1763700000081, 'MfaChanges1763700000081'),
  (1763700000085, 'ApprovalsOfHome1763700000085'),
  (1763700000086, 'SigningKeys1763700000086'),
  (1763700000087, 'AuditTree1763700000087'),
  (1763700000088, 'AccessReviews1763700000088'),
  (1763700000090, 'Jobs1763700000090'),
  (1763700000091, 'Retention1763700000091'),
  (1763700000092, 'Purging1763700000092'),
  (1763700000093, 'Posture1763700000093'),
  (1763700000094, 'Status1763700000094'),
  (1763700000095, 'KeyVersions1763700000095'),
  (1763700000097, 'AuditStreams1763700000097'),
  (1763700000098, 'AuditFilters1763700000098'),
  (1763700000100, 'Evidence1763700000100'),
  (1763700000101, 'MasterKeyAges1763700000101'),
  (1763700000110, 'ValidEvents1763700000110'),
  (1763700000111, 'Slo1763700000111'),
  (1763700000112, 'ServiceLevels1763700000112'),
  (1763700000114, 'InterviewScorecards1763700000114'),
  (1763700000115, 'MetricIndexes1763700000115'),
  (1763700000117, 'EvidenceChains1763700000117'),
  (1763700000118, 'LastingHolds1763700000118'),
  (1763700000119, 'TransferJobs1763700000119'),
  (1763700000120, 'FastErasure1763700000120'),
  (1763700000121, 'RecoveryJobs1763700000121'),
  (1763700000122, 'EvidenceList1763700000122'),
  (1763700000124, 'CoveringMetricIndexes1763700000124'),
  (1763700000128, 'Performance1763700000128'),
  (1763700000129, 'SlaCorrections1763700000129'),
  (1763700000130, 'Reports1763700000130'),
  (1763700000133, 'MetricSnapshots1763700000133'),
  (1763700000137, 'Traces1763700000137'),
  (1763700000140, 'Checklists1763700000140'),
  (1763700000150, 'DeliveryControl1763700000150'),
  (1763700000153, 'Onboarding1763700000153'),
  (1763700000154, 'Notifications1763700000154'),
  (1763700000159, 'Home1763700000159'),
  (1763700000162, 'SalesHandoff1763700000162'),
  (1763700000166, 'TalentMappings1763700000166'),
  (1763700000170, 'CalendarsOfPlaces1763700000170'),
  (1763700000171, 'NoAccessForLeavers1763700000171'),
  (1763700000175, 'Dunning1763700000175'),
  (1763700000176, 'InvoicedProjects1763700000176'),
  (1763700000177, 'MonthEnds1763700000177'),
  (1763700000180, 'Cycles1763700000180'),
  (1763700000181, 'TaskStates1763700000181'),
  (1763700000182, 'FollowUps1763700000182'),
  (1763700000185, 'SampleData1763700000185'),
  (1763700000186, 'ProjectTaskStates1763700000186'),
  (1763700000187, 'TemplateOfHire1763700000187'),
  (1763700000190, 'GivenMappingValues1763700000190'),
  (1763700000191, 'AwayOnLeave1763700000191'),
  (1763700000193, 'FailedReviewStarts1763700000193'),
  (1763700000194, 'SampleRemoval1763700000194'),
  (1763700000200, 'JsonObjects1763700000200'),
  (1763700000201, 'MilestoneCurrencies1763700000201'),
  (1763700000202, 'StoppedTimers1763700000202'),
  (1763700000203, 'WordsInOrder1763700000203'),
  (1763700000210, 'MappingPromises1763700000210'),
  (1763700000211, 'GivenUpRuns1763700000211'),
  (1763700000212, 'LateStarts1763700000212'),
  (1763700000213, 'HandoffPromises1763700000213'),
  (1763700000214, 'JobGuarantors1763700000214'),
  (1763700000220, 'PeopleBehindKeys1763700000220'),
  (1763700000230, 'CredentialsOfReportRuns1763700000230'),
  (1763700000240, 'AnotherCode1763700000240'),
  (1763700000241, 'LimitsOfKeys1763700000241'),
  (1763700000242, 'NarrowerGrants1763700000242'),
  (1763700000250, 'Addresses1763700000250'),
  (1763700000260, 'AnonymousTime1763700000260'),
  (1763700000261, 'HeldMembers1763700000261'),
  (1763700000262, 'MergedReferences1763700000262'),
  (1763700000263, 'StageRemoval1763700000263'),
  (1763700000264, 'QuotedComments1763700000264'),
  (1763700000265, 'ComparableNames1763700000265'),
  (1763700000270, 'CreditedSources1763700000270'),
  (1763700000280, 'WaitingTasks1763700000280'),
  (1763700000300, 'FailedSignIns1763700000300'),
  (1763700000320, 'DomainCheck1763700000320'),
  (1763700000330, 'ProjectBudgets1763700000330'),
  (1763700000331, 'JobQueue1763700000331'),
  (1763700000340, 'DocumentTemplates1763700000340'),
  (1763700000350, 'SearchEverywhere1763700000350'),
  (1763700000360, 'MemberHours1763700000360'),
  (1763700000370, 'FileContents1763700000370'),
  (1763700000371, 'Files1763700000371'),
  (1763700000372, 'AttachedFiles1763700000372'),
  (1763700000380, 'Documents1763700000380'),
  (1763700000390, 'MailStates1763700000390'),
  (1763700000391, 'SentCreditNotes1763700000391'),
  (1763700000400, 'Exports1763700000400'),
  (1763700000410, 'Imports1763700000410'),
  (1763700000420, 'DataExport1763700000420'),
  (1763700000430, 'PublicPages1763700000430'),
  (1763700000440, 'Proposals1763700000440'),
  (1763700000450, 'EInvoices1763700000450');
