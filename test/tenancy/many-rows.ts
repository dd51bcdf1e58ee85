import type pg from 'pg';

/** Rows per type for the tenant under test. */
export const MANY = 15_000;
const OTHER_TENANTS = 3;
const ROWS_OF_OTHERS = 1_000;
/** Columns copied unchanged, because only the area knows which JSON a check accepts. */
const KEPT = ['tenant_id', 'created_by', 'updated_by', 'version'];

interface ColumnFacts {
  name: string;
  type: string;
  nullable: boolean;
  generated: boolean;
  /** Values listed in a check constraint. */
  words: string[] | null;
}

/**
 * Fills a table with variations of one row, and dependent tables with matching rows. Constraints are bypassed, because
 * only the planner matters, not whether the rows make sense. Indexes are rebuilt afterwards, which is faster.
 */
export async function fillTable(admin: pg.Pool, table: string, type: string, sampleId: string): Promise<void> {
  const client = await admin.connect();
  try {
    const columns = await columnsOf(client, table);
    await client.query(`set session_replication_role = replica`); // neither triggers nor foreign keys
    await client.query(`set maintenance_work_mem = '256MB'`);
    const indexes = await dropRules(client, table);
    for (const { name, generated, nullable } of columns)
      if (generated && !nullable) await client.query(`alter table ${table} alter ${name} drop not null`);
    await copyRow(client, table, columns, sampleId);
    for (const index of indexes) await client.query(index);
    await client.query(`analyze ${table}`);
    await fillCompanions(client, table, type);
    for (const side of await sideTables(client, table)) await fillSide(client, table, side);
    await client.query(`set session_replication_role = default`);
  } finally {
    client.release();
  }
}

async function copyRow(client: pg.ClientBase, table: string, columns: ColumnFacts[], sampleId: string): Promise<void> {
  const names = columns.filter(({ generated }) => !generated);
  const list = names.map(({ name }) => name).join(', ');
  const values = names.map((column) => valueOf(column)).join(', ');
  const copy = (tenant: string, from: number, to: number) =>
    client.query(
      `insert into ${table} (${list}) select ${values.replace('t.tenant_id', tenant)}
       from ${table} t, generate_series(${from}, ${to}) g where t.id = $1`,
      [sampleId],
    );
  await copy('t.tenant_id', 1, MANY);
  for (let other = 1; other <= OTHER_TENANTS; other++)
    await copy(`md5('tenant ${other}')::uuid`, MANY + other * ROWS_OF_OTHERS, MANY + (other + 1) * ROWS_OF_OTHERS - 1);
}

/** SQL of a column in the copy number `g`. */
function valueOf({ name, type, nullable, words }: ColumnFacts): string {
  if (KEPT.includes(name)) return `t.${name}`;
  if (name === 'id') return `md5('row ' || g)::uuid`;
  if (name === 'reference') return `'ROW-' || g`;
  if (name === 'name') return `'name ' || md5(g::text)`;
  if (name === 'created_at' || name === 'updated_at') return `now() - g * interval '1 minute'`;
  if (name === 'deleted_at' || name === 'archived_at') return `case when g % 50 = 1 then now() end`;
  if (name === 'tags') return `jsonb_build_array('tag' || g % 50)`;
  const some = variedValue(name, type, words);
  if (some === null) return `t.${name}`;
  return nullable ? `case when g % 7 <> 0 then ${some} end` : some;
}

function variedValue(name: string, type: string, words: string[] | null): string | null {
  if (words) return `(array[${words.map((word) => `'${word}'`).join(', ')}])[1 + (g / 3) % ${words.length}]`;
  if (type === 'uuid') return `md5('${name} ' || g % 300)::uuid`;
  if (type === 'text') return `'v' || g % 5000`;
  if (type === 'boolean') return `g % 10 = 0`;
  if (type === 'integer') return `g % 100`;
  if (type === 'bigint') return `(g::bigint * 7919) % 1000000`;
  if (type === 'date') return `date '2026-01-01' + g % 700`;
  return type.startsWith('timestamp') ? `now() - (g * 13 % 90000) * interval '1 minute'` : null;
}

async function columnsOf(admin: pg.ClientBase, table: string): Promise<ColumnFacts[]> {
  const { rows } = await admin.query<ColumnFacts>(
    `select a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
       a.attgenerated <> '' as generated,
       (select array_agg(w[1]) from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '''([a-z_]+)''::text', 'g') w
        where c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum]
          and pg_get_constraintdef(c.oid) ~ 'ANY \\(ARRAY') as words
     from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [table],
  );
  return rows;
}

/** Drops checks and all indexes except the primary key; returns the statements that recreate the indexes. */
async function dropRules(client: pg.ClientBase, table: string): Promise<string[]> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = $1::regclass and not indisprimary`,
    [table],
  );
  const { rows: rules } = await client.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype in ('c', 'u', 'x')`,
    [table],
  );
  for (const { name } of rules) await client.query(`alter table ${table} drop constraint "${name}" cascade`);
  for (const { name } of indexes) await client.query(`drop index if exists ${name}`);
  return indexes.map(({ definition }) => definition.replace('CREATE UNIQUE', 'CREATE'));
}

/** Rows for tags, external references and custom fields. */
async function fillCompanions(client: pg.ClientBase, table: string, type: string): Promise<void> {
  const numbered = `(select tenant_id, id, row_number() over () as g from ${table}) t`;
  const fill = (companion: string, columns: string, values: string) =>
    // most records have none
    client.query(
      `insert into data.${companion} (tenant_id, object, record_id, ${columns})
       select tenant_id, '${type}', id, ${values} from ${numbered} where g % 10 = 0`,
    );
  await fill('record_tags', 'tag', `'tag' || g % 50`);
  await fill('external_refs', 'ref', `'crm:' || g`);
  await fill('custom_field_values', 'key, value', `'region', 'r' || g % 50`);
  for (const each of ['record_tags', 'external_refs', 'custom_field_values'])
    await client.query(`analyze data.${each}`);
}

interface SideTable {
  table: string;
  /** Column with the id of the record. */
  record: string;
  columns: ColumnFacts[];
}

/** Dependent tables of a table that only consist of keys and values that can be generated. */
async function sideTables(client: pg.ClientBase, table: string): Promise<SideTable[]> {
  const { rows } = await client.query<{ table: string; record: string }>(
    `select c.conrelid::regclass::text as table, a.attname as record from pg_constraint c
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[2]
     where c.contype = 'f' and c.confrelid = $1::regclass and c.conrelid <> c.confrelid
       and (select count(*) from pg_attribute x where x.attrelid = c.conrelid and x.attnum > 0 and not x.attisdropped) <= 5
       and not exists (select 1 from pg_attribute x where x.attrelid = c.conrelid and x.attname = 'reference')`,
    [table],
  );
  const found: SideTable[] = [];
  for (const each of rows) found.push({ ...each, columns: await columnsOf(client, each.table) });
  return found;
}

async function fillSide(
  client: pg.ClientBase,
  table: string,
  { table: side, record, columns }: SideTable,
): Promise<void> {
  const own = columns.filter(({ generated, name }) => !generated && !['tenant_id', record].includes(name));
  const values = own.map(({ name, type, words }) => variedValue(name, type, words) ?? 'null');
  await client.query(
    `insert into ${side} (${['tenant_id', record, ...own.map(({ name }) => name)].join(', ')})
     select ${['tenant_id', 'id', ...values].join(', ')}
     from (select tenant_id, id, row_number() over () as g from ${table}) t on conflict do nothing`,
  );
  await client.query(`analyze ${side}`);
}
