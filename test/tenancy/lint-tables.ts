import { type Rule, STRICT, SYSTEM_TABLES } from './lint-rule.js';

/** Indexes with which the worker finds its next work across tenants. */
const WORK_QUEUE_INDEXES = [
  'ai_queue_expiry_idx',
  'idempotency_keys_done_idx',
  'automation_runs_waiting_idx',
  'automation_runs_finished_idx',
  'events_set_aside_due_idx',
  'file_content_uses_expiry_idx',
  'file_contents_unused_idx',
  'file_scans_due_idx',
  'mails_due_idx',
  'used_file_links_expiry_idx',
];

/** A table that holds rows of tenants, as `t`. */
const TABLES = `
  tables as (
    select c.oid, c.relname, c.relnamespace::regnamespace || '.' || c.relname as place, c.relrowsecurity,
      c.relforcerowsecurity, a.attnum as tenant_column
    from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'data'::regnamespace),
  policies as (
    select t.oid, t.relname, t.place, p.polname, p.polpermissive, p.polcmd,
      pg_get_expr(p.polqual, p.polrelid) as visible, pg_get_expr(p.polwithcheck, p.polrelid) as writable,
      array(select coalesce(r.rolname, 'public')::text from unnest(p.polroles) role left join pg_roles r on r.oid = role
            order by 1) as roles
    from tables t join pg_policy p on p.polrelid = t.oid)`;

/** Rules for every tenant table. */
export const TABLE_RULES: Rule[] = [
  {
    name: 'row-level security is on',
    sql: `with ${TABLES} select place, 'row-level security is not enabled' as fault from tables where not relrowsecurity`,
  },
  {
    name: 'row-level security is forced',
    sql: `with ${TABLES} select place, 'row-level security is not forced on the owner' as fault
      from tables where not relforcerowsecurity`,
  },
  {
    name: 'partitions are reached through their table only',
    sql: `select c.oid::regclass::text as place, concat_ws(', ',
        case when not c.relrowsecurity then 'row-level security is not enabled' end,
        case when p.oid is not null then 'it has an additional policy' end,
        case when x.grantee is not null then 'a role other than its owner has privileges' end) as fault
      from pg_class c left join pg_policy p on p.polrelid = c.oid
        left join lateral (select g.grantee from aclexplode(c.relacl) g where g.grantee <> c.relowner limit 1) x on true
      where c.relispartition and c.relkind in ('r', 'p') and c.relnamespace = 'data'::regnamespace
        and (not c.relrowsecurity or p.oid is not null or x.grantee is not null)`,
  },
  {
    name: 'the same row-level security everywhere',
    values: ({ app, system }) => [STRICT, app, system, SYSTEM_TABLES],
    sql: `with ${TABLES}
      select t.place, case when p.oid is null then 'it has no policy tenant_isolation'
        else format('tenant_isolation is %s for %s to %s using %s with check %s',
          case when p.polpermissive then 'permissive' else 'restrictive' end, p.polcmd, p.roles, p.visible, p.writable)
        end as fault
      from tables t left join policies p on p.oid = t.oid and p.polname = 'tenant_isolation'
      where p.oid is null or p.polpermissive or p.polcmd <> '*'
        or p.visible is distinct from $1 or p.writable is distinct from $1
        or p.roles <> case when t.relname = any($4) then array[$2] else array[$2, $3] end`,
  },
  {
    name: 'no other policies',
    values: ({ app, system, lookup }) => [app, system, lookup],
    sql: `with ${TABLES}
      select place, format('unknown policy %s for %s to %s using %s with check %s', polname, polcmd, roles, visible, writable)
        as fault
      from policies
      where polname <> 'tenant_isolation'
        and not (polname = 'rows' and polpermissive and roles = array[$1, $2])
        and not (polname = 'search' and polcmd = 'r' and roles = array[$3])`,
  },
  {
    name: 'rows belong to a tenant',
    sql: `with ${TABLES}
      select place, 'it has no column tenant_id uuid not null' as fault from tables t
      where not exists (select 1 from pg_attribute a where a.attrelid = t.oid and a.attnum = t.tenant_column
        and a.attnotnull and a.atttypid = 'uuid'::regtype and a.attgenerated = '' and not a.atthasdef)`,
  },
  {
    name: 'keys begin with the tenant',
    sql: `with ${TABLES}
      select place, format('the constraint %s does not begin with tenant_id', k.conname) as fault
      from tables t join pg_constraint k on k.conrelid = t.oid
      where k.contype in ('p', 'u', 'f', 'x') and (k.conkey[1] <> t.tenant_column or t.tenant_column is null)
      union all
      select place, format('the foreign key %s does not tie both tenants together', k.conname)
      from tables t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
        left join pg_attribute a on a.attrelid = k.confrelid and a.attnum = k.confkey[1]
      where a.attname is distinct from 'tenant_id'
      union all
      select place, 'it has no primary key' from tables t
      where not exists (select 1 from pg_constraint k where k.conrelid = t.oid and k.contype = 'p')`,
  },
  {
    name: 'indexes begin with the tenant',
    values: () => [WORK_QUEUE_INDEXES],
    sql: `with ${TABLES}
      select place, format('the index %s does not begin with tenant_id', i.indexrelid::regclass) as fault
      from tables t join pg_index i on i.indrelid = t.oid join pg_class c on c.oid = i.indexrelid
      where i.indkey[0] is distinct from t.tenant_column and (i.indisunique or c.relname <> all($1))`,
  },
  {
    name: 'operators can be used behind a policy',
    sql: `with ${TABLES}
      select place, format('the column %s has the type %s', a.attname, format_type(a.atttypid, a.atttypmod)) as fault
      from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        join pg_type y on y.oid = a.atttypid left join pg_type e on e.oid = y.typelem
      where y.typtype in ('e', 'd') or e.typtype in ('e', 'd')
        or coalesce(nullif(y.typelem, 0), y.oid) in
          ('numeric'::regtype, 'float4'::regtype, 'float8'::regtype, 'money'::regtype)`,
  },
  {
    name: 'money is bigint',
    sql: `with ${TABLES}
      select place, format('the amount %s is %s', a.attname, format_type(a.atttypid, a.atttypmod)) as fault
      from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      where a.attname ~ '(_minor|amount)$' and a.atttypid <> 'bigint'::regtype`,
  },
  {
    name: 'legal holds guard every record',
    sql: `select r.tgrelid::regclass::text as place, 'it needs guardHeldRecords() and keepUnderHold()' as fault
      from pg_trigger r where r.tgname = 'keep_external_refs' and (
        select count(*) from pg_trigger h where h.tgrelid = r.tgrelid and h.tgname in ('held_trash', 'held_delete', 'held_change')
          and h.tgenabled = 'O') < 3`,
  },
];
