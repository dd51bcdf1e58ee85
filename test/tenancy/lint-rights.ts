import type { Rule } from './lint-rule.js';

/** Privileges of the app role in the directory besides calling its functions: read the latest migration. */
const DIRECTORY_EXCEPTIONS = ['SELECT on directory.migrations'];

/**
 * Tables that the app role may delete from. Not from the audit log, its tree and its checkpoints, from events, ledgers
 * and journals.
 */
const DELETABLE = [
  'data.ai_queue',
  'data.attachments',
  'data.audit_pending',
  'data.audit_streams',
  'data.checklists',
  'data.custom_field_values',
  'data.data_export_parts',
  'data.data_export_requests',
  'data.document_templates',
  'data.documents_file_versions',
  'data.export_jobs',
  'data.export_parts',
  'data.export_schedules',
  'data.external_refs',
  'data.file_content_uses',
  'data.file_contents',
  'data.file_uses',
  'data.finance_invoice_sources',
  'data.finance_payment_allocations',
  'data.home_announcements',
  'data.idempotency_keys',
  'data.import_faults',
  'data.import_records',
  'data.imports',
  'data.job_queue',
  'data.jobs',
  'data.mail_suppressions',
  'data.metric_anomalies',
  'data.metric_snapshots',
  'data.notification_digests',
  'data.notifications',
  'data.people_employments',
  'data.people_skills',
  'data.posture_runs',
  'data.record_links',
  'data.record_tags',
  'data.record_watchers',
  'data.report_runs',
  'data.reports',
  'data.request_key_days',
  'data.request_minutes',
  'data.request_stats_day',
  'data.request_stats_hour',
  'data.request_stats_minute',
  'data.resource_grants',
  'data.retention_policies',
  'data.role_assignments',
  'data.roles',
  'data.sales_account_roles',
  'data.sales_contact_emails',
  'data.sales_deal_contacts',
  'data.sales_handoff_skips',
  'data.sales_handoff_templates',
  'data.sales_pipeline_stages',
  'data.saved_views',
  'data.scim_group_members',
  'data.scim_log',
  'data.scim_mappings',
  'data.scim_user_emails',
  'data.secret_versions',
  'data.secrets',
  'data.slo_counts',
  'data.slo_progress',
  'data.tags',
  'data.talent_candidate_skills',
  'data.talent_interview_people',
  'data.talent_mapping_templates',
  'data.talent_mappings',
  'data.webhook_queue',
  'data.webhook_stats',
  'data.work_project_members',
  'data.work_task_assignees',
  'data.work_task_blockers',
  'data.workspace_members',
];

/** Rights of the roles. */
export const RIGHT_RULES: Rule[] = [
  {
    name: 'login roles have no powers',
    values: ({ app, system, lookup, owner }) => [[app, system, lookup, owner]],
    sql: `select r.rolname::text as place, concat_ws(', ', case when r.rolsuper then 'it is a superuser' end,
        case when r.rolbypassrls then 'it bypasses row-level security' end,
        case when r.rolcreaterole then 'it may create roles' end,
        case when r.rolcreatedb then 'it may create databases' end,
        case when r.rolreplication then 'it may replicate' end) as fault
      from pg_roles r where r.rolname = any($1)
        and (r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication)`,
  },
  {
    name: 'only two roles log in',
    values: ({ lookup, owner }) => [[lookup, owner]],
    sql: `select r.rolname::text as place, 'it can log in' as fault from pg_roles r where r.rolname = any($1) and r.rolcanlogin`,
  },
  {
    name: 'login roles are members of nothing',
    values: ({ app, system }) => [[app, system]],
    sql: `select m.rolname::text as place, 'it is a member of ' || r.rolname as fault
      from pg_auth_members x join pg_roles m on m.oid = x.member join pg_roles r on r.oid = x.roleid
      where m.rolname = any($1)`,
  },
  {
    name: 'the app role owns nothing',
    values: ({ app }) => [app],
    sql: `select $1::text as place, 'it owns ' || pg_describe_object(d.classid, d.objid, d.objsubid) as fault
      from pg_shdepend d where d.deptype = 'o' and d.refclassid = 'pg_authid'::regclass
        and d.refobjid = (select oid from pg_roles where rolname = $1)
        and d.dbid = (select oid from pg_database where datname = current_database())`,
  },
  {
    name: 'tables belong to the owner',
    values: ({ owner }) => [owner],
    sql: `select c.oid::regclass::text as place, 'it belongs to ' || r.rolname as fault
      from pg_class c join pg_roles r on r.oid = c.relowner
      where c.relnamespace::regnamespace::text in ('data', 'directory') and r.rolname <> $1`,
  },
  {
    name: 'no rights that bypass row-level security',
    values: ({ owner }) => [owner],
    sql: `select c.oid::regclass::text as place,
        format('%s may %s', coalesce(r.rolname, 'PUBLIC'), x.privilege_type) as fault
      from pg_class c, aclexplode(c.relacl) x left join pg_roles r on r.oid = x.grantee
      where c.relnamespace::regnamespace::text in ('data', 'directory') and c.relkind in ('r', 'p', 'v', 'm', 'f')
        and r.rolname is distinct from $1
        and (x.privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE') or x.grantee = 0 or x.is_grantable)`,
  },
  {
    name: 'tenant rows are accessible to app and system only',
    values: ({ owner, app, system, lookup }) => [[owner, app, system], lookup],
    sql: `select c.oid::regclass::text as place, format('%s may %s', coalesce(r.rolname, 'PUBLIC'), x.privilege_type) as fault
      from pg_class c, aclexplode(c.relacl) x left join pg_roles r on r.oid = x.grantee
      where c.relnamespace = 'data'::regnamespace and c.relkind in ('r', 'p') and coalesce(r.rolname, 'PUBLIC') <> all($1)
      union all
      select c.oid::regclass::text, format('%s may %s the column %s', coalesce(r.rolname, 'PUBLIC'), x.privilege_type, a.attname)
      from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped, aclexplode(a.attacl) x
        left join pg_roles r on r.oid = x.grantee
      where c.relnamespace = 'data'::regnamespace and coalesce(r.rolname, 'PUBLIC') <> all($1)
        and not (r.rolname = $2 and x.privilege_type = 'SELECT' and a.attname in ('tenant_id', 'id', 'search'))`,
  },
  {
    name: 'the app role deletes only from known tables',
    values: ({ app }) => [app, DELETABLE],
    sql: `select c.oid::regclass::text as place, 'the app role may delete from it' as fault
      from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace::regnamespace::text in ('data', 'directory')
        and has_table_privilege($1, c.oid, 'DELETE') and c.oid::regclass::text <> all($2)`,
  },
  {
    name: 'the directory is closed to the app role',
    values: ({ app }) => [app, DIRECTORY_EXCEPTIONS],
    sql: `select place, fault from (
        select c.oid::regclass::text as place, format('%s on %s', p.privilege, c.oid::regclass) as fault
        from pg_class c, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p(privilege)
        where c.relnamespace = 'directory'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
          and (has_table_privilege($1, c.oid, p.privilege)
            or p.privilege in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') and has_any_column_privilege($1, c.oid, p.privilege))
        ) found where fault <> all($2)`,
  },
  {
    name: 'login roles create nothing',
    values: ({ app, system }) => [[app, system], app],
    sql: `select n.nspname::text as place, role || ' may create in the schema' as fault
      from pg_namespace n, unnest($1::text[]) role
      where (n.nspname in ('data', 'directory', 'public') or role = $2 and n.nspname !~ '^pg_')
        and has_schema_privilege(role, n.oid, 'create')
      union all
      select current_database(), role || ' may create schemas' from unnest($1::text[]) role
      where has_database_privilege(role, current_database(), 'create')`,
  },
];
