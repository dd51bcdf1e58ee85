import type { Rule } from './lint-rule.js';

/** Functions that run with the rights of the lookup role. Each checks which rows it may access. */
const DEFINERS = [
  'directory.authenticate(text)',
  'directory.bump_epoch()',
  'directory.is_service_key(uuid)',
  'directory.api_key_lineage(uuid)',
  'directory.raise_epoch(uuid)',
  'directory.check_epoch(uuid,bigint)',
  'directory.members_with_second_factor()',
  'directory.record_uses(uuid[],timestamp with time zone[],text[])',
  'directory.hold_currency(text)',
  'directory.set_currency(text)',
  'directory.find_tenant(text)',
  'directory.find_user(text,text)',
  'directory.keep_user(uuid,text,text,text,text,timestamp with time zone)',
  'directory.use_id_token(bytea,timestamp with time zone)',
  'directory.open_session(uuid,text,bytea,uuid,uuid,text,text,text,text[],timestamp with time zone,timestamp with time zone,integer,timestamp with time zone,timestamp with time zone,boolean)',
  'directory.renew_session(uuid,text,bytea,text[],timestamp with time zone,timestamp with time zone)',
  'directory.browser_session(uuid)',
  'directory.personal_session(text)',
  'directory.personal_sessions_of(uuid,timestamp with time zone)',
  'directory.end_personal_sessions(uuid,uuid,timestamp with time zone)',
  'directory.session_places(uuid,timestamp with time zone)',
  'directory.tenants_of(uuid)',
  'directory.note_member()',
  'directory.mfa_policy()',
  'directory.set_mfa_policy(jsonb)',
  'directory.last_sign_ins()',
  'directory.session_state(text)',
  'directory.sessions_of(uuid,timestamp with time zone)',
  'directory.find_session(uuid)',
  'directory.revoke_session(uuid,timestamp with time zone)',
  'directory.keys_of(uuid)',
  'directory.revoke_credentials(uuid,text[],timestamp with time zone)',
  'directory.person_of(uuid)',
  'directory.member_access(uuid[],timestamp with time zone)',
  'directory.open_invitation(uuid,bytea,text)',
  'directory.close_invitation(uuid)',
  'directory.add_public_link(uuid,bytea)',
  'directory.find_public_link(bytea)',
  'directory.find_invitation(bytea)',
  'directory.find_closed_invitation(bytea)',
  'directory.read_signing_keys()',
  'directory.background_lag()',
  'directory.installation_key(text)',
  'directory.master_keys_in_use()',
  'directory.note_master_key()',
  'directory.find_operator_key(bytea,timestamp with time zone)',
  'directory.found_tenant(uuid,text,text,text,text,text,integer,integer,timestamp with time zone)',
  'directory.tenant_founded_for(text,text)',
  'directory.tenant_by_id(uuid)',
  'directory.tenant_in_scope()',
  'directory.lock_tenant()',
  'directory.change_tenant(text,timestamp with time zone,text,timestamp with time zone)',
  'directory.close_tenant(timestamp with time zone)',
  'directory.service_of(text)',
  'directory.invitations_of(uuid)',
  'directory.add_scim_token(uuid,uuid,text,text,bytea,timestamp with time zone,timestamp with time zone)',
  'directory.end_scim_tokens(uuid,timestamp with time zone)',
  'directory.renew_scim_token(uuid,timestamp with time zone,timestamp with time zone)',
  'directory.revoke_scim_tokens(uuid,timestamp with time zone)',
  'directory.scim_tokens()',
  'directory.add_api_key(uuid,text,uuid,text,bytea,text[],boolean,text[],timestamp with time zone,timestamp with time zone,uuid,uuid)',
  'directory.maker_of(text)',
  'directory.keys_of_person(uuid,uuid[])',
  'directory.change_api_key(uuid,text,text[],boolean,text[],timestamp with time zone,timestamp with time zone)',
  'directory.end_api_key(uuid,timestamp with time zone)',
  'directory.revoke_api_key(uuid,timestamp with time zone)',
  'directory.api_keys(uuid)',
  'directory.api_key_limits(uuid)',
  'directory.limit_api_key(uuid,integer,integer)',
  'directory.limits_of_key(text)',
  'directory.key_credentials(uuid[])',
  'directory.bump_epochs_of_client()',
  'directory.open_oauth_grant(uuid,uuid,text[],timestamp with time zone,uuid,bytea,text,text,timestamp with time zone)',
  'directory.add_oauth_code(uuid,uuid,bytea,text,text,timestamp with time zone)',
  'directory.use_oauth_token(uuid,timestamp with time zone)',
  'directory.issue_oauth_tokens(uuid,text,text[],uuid,uuid,text,bytea,timestamp with time zone,uuid,bytea,timestamp with time zone,timestamp with time zone)',
  'directory.end_oauth_grants(uuid[],timestamp with time zone)',
  'directory.claim_founding(uuid,uuid,integer)',
  'directory.tenant_founded_by(text,uuid)',
  'directory.lock_mfa_policy()',
  'directory.grant_states(uuid[])',
  'directory.find_served_tenant(uuid)',
  'directory.served_tenant(text)',
  'directory.find_oauth_client(uuid)',
  'directory.find_oauth_token(bytea)',
  'directory.delegation_of(text)',
  'directory.report_process(uuid,timestamp with time zone,timestamp with time zone,uuid[])',
  'directory.coverage(timestamp with time zone,timestamp with time zone)',
  'directory.maintenance(timestamp with time zone,timestamp with time zone)',
  'directory.commitments()',
];

/** The same, for the worker and the command line alone. */
const SYSTEM_DEFINERS = [
  'directory.forget_oauth_tokens(timestamp with time zone,integer)',
  'directory.forget_sessions(timestamp with time zone,integer)',
  'directory.revoke_member(uuid,timestamp with time zone)',
];

/** Functions that run with the rights of the owner, because they create and drop tables. They see no tenant rows. */
const OWNER_DEFINERS = ['data.keep_partitions(integer)'];

/** Functions that run with the rights of the worker, so the policies of tenant tables apply in them. */
const WORKER_DEFINERS = ['data.remove_sample_data(timestamp with time zone)', 'data.replace_audit_checkpoint(bigint)'];

/** Other objects allowed in the two schemas. */
export const OBJECT_RULES: Rule[] = [
  {
    name: 'tenant rows are in the schema data',
    sql: `select c.oid::regclass::text as place, 'it has a tenant_id but is outside data and directory' as fault
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('data', 'directory')`,
  },
  {
    name: 'no access that bypasses the tables',
    sql: `select c.oid::regclass::text as place, case c.relkind when 'm' then 'it is a materialised view'
        when 'f' then 'it is a foreign table' else 'the view is not security_invoker' end as fault
      from pg_class c where c.relnamespace::regnamespace::text in ('data', 'directory')
        and (c.relkind in ('m', 'f')
          or c.relkind = 'v' and not coalesce(c.reloptions && array['security_invoker=true', 'security_invoker=on'], false))
      union all
      select c.oid::regclass::text, format('the rule %s rewrites queries', r.rulename)
      from pg_rewrite r join pg_class c on c.oid = r.ev_class
      where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text in ('data', 'directory')`,
  },
  {
    name: 'no enums',
    sql: `select y.oid::regtype::text as place, 'it is an enum' as fault
      from pg_type y where y.typtype = 'e' and y.typnamespace::regnamespace::text in ('data', 'directory', 'public')`,
  },
  {
    name: 'the schemas can be separated',
    sql: `select c.conrelid::regclass::text as place, format('the foreign key %s leads into another schema', c.conname) as fault
      from pg_constraint c join pg_class a on a.oid = c.conrelid join pg_class b on b.oid = c.confrelid
      where c.contype = 'f' and a.relnamespace <> b.relnamespace`,
  },
  {
    name: 'functions have a fixed search_path',
    sql: `select p.oid::regprocedure::text as place, 'its search_path is not set' as fault
      from pg_proc p where p.pronamespace::regnamespace::text in ('data', 'directory')
        and not coalesce('search_path=pg_catalog' = any(p.proconfig), false)`,
  },
  {
    name: 'definer functions are known',
    values: ({ lookup, owner, system }) => [
      [...DEFINERS, ...SYSTEM_DEFINERS],
      lookup,
      OWNER_DEFINERS,
      owner,
      WORKER_DEFINERS,
      system,
    ],
    sql: `select p.oid::regprocedure::text as place, case when r.rolname <> $2
        then 'the definer function belongs to ' || r.rolname else 'it is SECURITY DEFINER and not in the list' end as fault
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_roles r on r.oid = p.proowner
      where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema')
        and not (r.rolname = $4 and p.oid::regprocedure::text = any($3))
        and not (r.rolname = $6 and p.oid::regprocedure::text = any($5))
        and (r.rolname <> $2 or p.oid::regprocedure::text <> all($1) and not exists (
          select 1 from pg_class c where c.relnamespace = 'data'::regnamespace and c.relkind in ('r', 'p')
            and p.oid::regprocedure::text = format('data.search_%s(text)', c.relname)))`,
  },
  {
    name: 'the app role may run only what the API needs',
    values: ({ app }) => [app, SYSTEM_DEFINERS],
    sql: `select p.oid::regprocedure::text as place, 'the app role may run it' as fault
      from pg_proc p where p.prosecdef and p.oid::regprocedure::text = any($2)
        and has_function_privilege($1, p.oid, 'execute')`,
  },
  {
    name: 'definer functions are not for everyone',
    sql: `select p.oid::regprocedure::text as place, 'PUBLIC may run the definer function' as fault
      from pg_proc p where p.prosecdef and p.pronamespace::regnamespace::text in ('data', 'directory')
        and has_function_privilege('public', p.oid, 'execute')`,
  },
];
