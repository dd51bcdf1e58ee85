import type pg from 'pg';

const OURS = `('data'::regnamespace, 'directory'::regnamespace)`;
const OF = `array(select x::text from unnest`;
/** Without those that PostgreSQL keeps for itself, such as `pg_attver` since 15.20. */
const OWN_OPTIONS = `array(select o from unnest(attoptions) o where not starts_with(o, 'pg_') order by 1)`;

/** Queries of everything in our schemas, each with a name and all its properties but ids. */
const QUERIES: Record<string, string> = {
  schemas: `select nspname as name, nspowner::regrole, ${OF}(nspacl) x order by 1) as acl
    from pg_namespace where oid in ${OURS}`,
  extensions: `select extname as name, extnamespace::regnamespace from pg_extension`,
  collations: `select collname as name, to_jsonb(c) - array['oid', 'collnamespace', 'collowner', 'collversion'] as rest
    from pg_collation c where collnamespace in ${OURS}`,
  types: `select t.oid::regtype as name, typtype, typowner::regrole, typacl from pg_type t where typnamespace in ${OURS}`,
  relations: `select c.oid::regclass as name, relkind, relowner::regrole, relpersistence, relispartition, relrowsecurity,
      relforcerowsecurity, relreplident, ${OF}(relacl) x order by 1) as acl, ${OF}(reloptions) x order by 1) as options,
      ${OF}((select t.reloptions from pg_class t where t.oid = c.reltoastrelid)) x order by 1) as toast,
      pg_get_expr(relpartbound, c.oid) as bound, pg_get_partkeydef(c.oid) as key,
      (select inhparent::regclass from pg_inherits where inhrelid = c.oid) as parent
    from pg_class c where relnamespace in ${OURS}`,
  columns: `select attrelid::regclass || '.' || attname as name, row_number() over (partition by attrelid order by attnum)
      as place, format_type(atttypid, atttypmod) as type, attnotnull, attidentity, attgenerated, attcollation::regcollation,
      attstorage, attcompression, attstattarget, ${OWN_OPTIONS} as options, ${OF}(attacl) x order by 1) as acl,
      pg_get_expr(d.adbin, d.adrelid) as value
    from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where relnamespace in ${OURS} and attnum > 0 and not attisdropped`,
  // Without "not null" (see columns), whose names only PostgreSQL 18 keeps.
  constraints: `select conrelid::regclass || '.' || conname as name, pg_get_constraintdef(oid) as text, condeferrable,
      condeferred, convalidated, (select p.conname from pg_constraint p where p.oid = c.conparentid) as parent
    from pg_constraint c where connamespace in ${OURS} and contype <> 'n'`,
  indexes: `select i.indexrelid::regclass as name, pg_get_indexdef(indexrelid) as text, indisvalid, indisclustered,
      indisreplident, indimmediate, (select inhparent::regclass from pg_inherits where inhrelid = indexrelid) as parent
    from pg_index i join pg_class c on c.oid = i.indexrelid where relnamespace in ${OURS}`,
  sequences: `select c.oid::regclass as name, to_jsonb(s) - 'seqrelid' as rest, (select d.refobjid::regclass || '.'
      || d.refobjsubid || d.deptype::text from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i')) as owner
    from pg_class c join pg_sequence s on s.seqrelid = c.oid where relnamespace in ${OURS}`,
  triggers: `select tgrelid::regclass || '.' || tgname as name, pg_get_triggerdef(t.oid) as text, tgenabled
    from pg_trigger t join pg_class c on c.oid = tgrelid where relnamespace in ${OURS} and not tgisinternal`,
  policies: `select polrelid::regclass || '.' || polname as name, polpermissive, polcmd,
      array(select r::regrole::text from unnest(polroles) r order by 1) as roles, pg_get_expr(polqual, polrelid) as qual,
      pg_get_expr(polwithcheck, polrelid) as "check" from pg_policy`,
  functions: `select p.oid::regprocedure as name, proowner::regrole, ${OF}(proacl) x order by 1) as acl, proacl is null
      as "noAcl", pg_get_functiondef(p.oid) as text from pg_proc p where pronamespace in ${OURS}`,
  comments: `select pg_describe_object(classoid, objoid, objsubid) as name, description from pg_description
    where pg_describe_object(classoid, objoid, objsubid) ~ '\\m(data|directory)\\M'`,
  statistics: `select stxname as name from pg_statistic_ext where stxnamespace in ${OURS}`,
  rules: `select rulename as name from pg_rewrite join pg_class c on c.oid = ev_class where relnamespace in ${OURS}`,
  defaults: `select defaclobjtype as name, defaclacl from pg_default_acl`,
  migrations: `select name, "timestamp", row_number() over (order by id) as place from directory.migrations`,
};

/** Everything in the schemas of the platform, by kind and name. Rows are not part of it, except the migrations. */
export async function describeCatalog(client: pg.Client): Promise<Record<string, object>> {
  const catalog: Record<string, object> = {};
  for (const [kind, query] of Object.entries(QUERIES)) {
    const { rows } = await client.query<{ name: string }>(query);
    for (const row of rows) catalog[`${kind} ${row.name}`] = row;
    if (new Set(rows.map(({ name }) => name)).size < rows.length) throw new Error(`Two ${kind} have the same name.`);
  }
  return catalog;
}
