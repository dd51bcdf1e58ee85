import type pg from 'pg';
import { uuidv7 } from '#libs/kernel/id.js';
import { rowSearch } from './row-search.js';
import type { Reference, TenantTable, UniqueKey } from './tenant-tables.js';

export type Row = Record<string, unknown>;
type Client = Pick<pg.ClientBase, 'query'>;

/** Contains the members that CHECK constraints require. */
const WHOLE = JSON.stringify({
  ...{ outcome: 'allow', rules: [], policyVersion: 0, code: 'x', message: 'x' },
  ...{ type: 'system', id: null, name: 'x', membershipId: null, keyId: 'x', inputTokens: 0, outputTokens: 0, calls: 0 },
});

/** SQL literals to try for a column, by type prefix. Add one if a CHECK accepts none of them. */
const CANDIDATES: [type: string, literals: string[]][] = [
  ['text[]', [`array['x']`, `array[]`]],
  ['uuid[]', [`array[]`]],
  ['bigint[]', [`array_fill(0, array[12])`]],
  ['integer[]', [`array[]`, `array[1]`]],
  [
    'text',
    [
      `'USD'`,
      `'four'`,
      `'https://example.com/x'`,
      `'x@example.com'`,
      `'manual'`,
      `'scim:x'`,
      `'2026-11'`,
      `repeat('a', 64)`,
      `repeat('a', 8)`,
    ],
  ],
  ['character varying', [`'x'`]],
  ['integer', ['1', '1000', '0', '100', '2000']],
  ['bigint', ['1', '1000', '0', '3']],
  ['smallint', ['1', '0']],
  ['boolean', ['false', 'true']],
  ['timestamp', [`'2026-11-21T09:15:02.114Z'`, `'2026-11-22T09:15:02.114Z'`]],
  ['date', [`'2026-11-21'`, `'2026-11-22'`]],
  ['jsonb', [`'[]'`, `'{}'`, `'${WHOLE}'`]],
  ['json', [`'[]'`]],
  ['bytea', [`decode(repeat('ab', 32), 'hex')`, `'\\x00'`]],
  ['inet', [`'192.0.2.1'`]],
  ['cidr', [`'192.0.2.0/24'`]],
];

/** Text columns with JSON, which generated columns read. */
const JSON_TEXTS: ReadonlyMap<string, object> = new Map([
  ['audit_log.details', {}],
  ['audit_log.entry', {}],
  ['evidence_bundles.bundle', { period: {}, summary: {}, signature: { keyId: 'key' } }],
]);

/**
 * Creates rows of any tenant table from the catalog alone. PostgreSQL searches for values that satisfy the CHECK
 * constraints, and rows required by foreign keys are created first. One row per table and tenant is kept.
 */
export class RowBuilder {
  private readonly tables: ReadonlyMap<string, TenantTable>;
  private readonly rows = new Map<string, Row>();
  /** Makes texts unique, for unique keys. */
  private made = 0;

  /** `client` must be a superuser, to bypass row-level security. */
  constructor(
    private readonly client: Client,
    tables: readonly TenantTable[],
  ) {
    this.tables = new Map(tables.map((table) => [table.name, table]));
  }

  /** The tenant's stored row of a table. */
  async seed(table: TenantTable, tenantId: string): Promise<Row> {
    const place = `${table.name} ${tenantId}`;
    let row = this.rows.get(place);
    if (!row) {
      const draft = await this.draft(table, tenantId);
      const { text, values } = insertion(table, draft);
      // Triggers are disabled, because they check surrounding rows, such as sums and balanced journals. Keys and checks
      // stay in force.
      await this.client.query(`set session_replication_role = 'replica'`);
      row = (await this.client.query<Row>(`${text} returning *`, values)).rows[0]!;
      await this.client.query(`set session_replication_role = 'origin'`);
      this.rows.set(place, row);
    }
    return row;
  }

  /** A valid row that is not stored yet. Its optional references are empty, unless CHECK constraints require one. */
  async draft(table: TenantTable, tenantId: string): Promise<Row> {
    const fixed = await this.fixedValues(table, tenantId);
    const empty = this.optional(table).map((column) => [column, null] as const);
    const row = await this.find(table, new Map([...fixed, ...empty]));
    if (row) return row;
    const own = await this.ownReferences(table, tenantId);
    const choices = new Map(empty.map(([column]) => [column, own.get(column)]));
    for (const column of choices.keys()) fixed.delete(column);
    return this.solve(table, fixed, choices);
  }

  /**
   * A row of `tenantId` that is valid except for one reference to a row of another tenant. Other optional references
   * are empty or point to own rows, as required by CHECK constraints.
   */
  async crossed(table: TenantTable, reference: Reference, tenantId: string, otherId: string): Promise<Row> {
    const own = await this.ownReferences(table, tenantId);
    const foreign = await this.seed(this.tables.get(reference.table)!, otherId);
    const fixed = await this.fixedValues(table, tenantId);
    reference.columns.forEach(
      (column, i) => column !== 'tenant_id' && fixed.set(column, foreign[reference.targets[i]!]),
    );
    const open = this.optional(table).filter((column) => !reference.columns.includes(column));
    const choices = new Map(open.map((column) => [column, own.get(column)]));
    // Ids without a foreign key may have to be empty too: the record or its workspace, but not both.
    for (const column of this.loose(table)) choices.set(column, fixed.get(column));
    for (const column of choices.keys()) fixed.delete(column);
    return this.solve(table, fixed, choices);
  }

  /** Values of all references to rows of the tenant. */
  private async ownReferences(table: TenantTable, tenantId: string): Promise<Map<string, unknown>> {
    const own = new Map<string, unknown>();
    for (const { columns, targets, table: target } of table.references) {
      const parent = await this.seed(this.tables.get(target)!, tenantId);
      columns.forEach((column, i) => own.set(column, parent[targets[i]!]));
    }
    return own;
  }

  /** The tenant, the required references and new ids of a row. */
  private async fixedValues(table: TenantTable, tenantId: string): Promise<Map<string, unknown>> {
    const fixed = new Map<string, unknown>([['tenant_id', tenantId]]);
    const needed = this.needed(table);
    for (const { columns, targets, table: target } of needed) {
      if (target === table.name) continue;
      const parent = await this.seed(this.tables.get(target)!, tenantId);
      columns.forEach((column, i) => column !== 'tenant_id' && fixed.set(column, parent[targets[i]!]));
    }
    for (const { name, type } of table.columns) if (type === 'uuid' && !fixed.has(name)) fixed.set(name, uuidv7());
    // What has to name a row of its own table names itself, such as the first version of several.
    for (const { columns, targets, table: target } of needed)
      if (target === table.name) columns.forEach((column, i) => fixed.set(column, fixed.get(targets[i]!)));
    return fixed;
  }

  /** Nullable reference columns. */
  private optional(table: TenantTable): string[] {
    return table.references.flatMap(({ columns }) => columns).filter((column) => !this.isNeeded(table, column));
  }

  /** Nullable id columns without a foreign key. */
  private loose({ columns, references }: TenantTable): string[] {
    const tied = new Set(references.flatMap((reference) => reference.columns));
    return columns
      .filter(({ name, type, nullable }) => type === 'uuid' && nullable && !tied.has(name))
      .map(({ name }) => name);
  }

  private needed(table: TenantTable) {
    return table.references.filter(({ columns }) => columns.every((column) => this.isNeeded(table, column)));
  }

  private isNeeded(table: TenantTable, column: string): boolean {
    return table.columns.some(({ name, nullable }) => name === column && !nullable);
  }

  /** As {@link find}. @throws Error if there is none. */
  private async solve(
    table: TenantTable,
    fixed: ReadonlyMap<string, unknown>,
    optional: ReadonlyMap<string, unknown>,
  ): Promise<Row> {
    const row = await this.find(table, fixed, optional);
    if (!row)
      throw new Error(
        `No new row of data.${table.name} passes its checks and unique keys; add what it needs to CANDIDATES in row-builder.ts.`,
      );
    return row;
  }

  /**
   * Lets PostgreSQL find values for the columns that are not fixed, so that every CHECK holds and unique keys are free.
   * @param optional values that a column may have instead of null.
   */
  private async find(
    table: TenantTable,
    fixed: ReadonlyMap<string, unknown>,
    optional: ReadonlyMap<string, unknown> = new Map(),
  ): Promise<Row | undefined> {
    const values: unknown[] = [];
    const literals = new Map<string, string[]>();
    for (const { name, type, nullable, made } of table.columns) {
      if (made) continue;
      const texts = fixed.has(name)
        ? [`$${values.push(fixed.get(name))}`]
        : optional.has(name)
          ? ['null', `$${values.push(optional.get(name))}`]
          : [...this.literalsFor(table, name, type), ...(nullable ? ['null'] : [])];
      literals.set(
        name,
        texts.map((text) => `${text}::${type}`),
      );
    }
    const conditions = [
      ...table.checks.map((check) => ({ sql: `coalesce(${check}, true)`, columns: mentioned(table, check) })),
      ...freeKeys(table, fixed).map((key) => ({
        sql: isFree(table, key),
        columns: [...key.columns, ...mentioned(table, key.condition ?? '')],
      })),
    ];
    const { rows } = await this.client.query<Row>(rowSearch(literals, conditions), values);
    return rows[0];
  }

  /** The candidates of the type, and the words in the CHECK constraints of the column. */
  private literalsFor(table: TenantTable, column: string, type: string): string[] {
    const json = JSON_TEXTS.get(`${table.name}.${column}`);
    if (json) return [`'${JSON.stringify(json)}'`];
    const found = CANDIDATES.find(([begin]) => type === begin || (!type.endsWith('[]') && type.startsWith(begin)));
    if (!found)
      throw new Error(`data.${table.name}.${column}: add values of the type ${type} to CANDIDATES in row-builder.ts.`);
    const words = table.checks
      .filter((check) => type === 'text' && mentions(check, column))
      .flatMap((check) => check.match(/'[A-Za-z0-9_]+'(?=::text)/g) ?? []);
    const unique =
      type === 'text'
        ? [`'x${++this.made}'`, `'X${this.made}'`, `repeat('a', 36) || '/' || lpad('${this.made}', 64, '0')`]
        : [];
    // The length of a non-array is an error rather than a failed CHECK.
    const isArray = table.checks.some((check) => check.includes(`jsonb_array_length(${column})`));
    return [...words, ...unique, ...found[1].filter((literal) => !isArray || !literal.startsWith(`'{`))];
  }
}

/** The columns in a condition. */
function mentioned({ columns }: TenantTable, sql: string): string[] {
  return columns.map(({ name }) => name).filter((name) => mentions(sql, name));
}

function mentions(sql: string, column: string): boolean {
  return new RegExp(`(?<!')\\b${column}\\b(?!')`).test(sql);
}

/** The unique keys that other values can satisfy; a table may allow one row per tenant. */
function freeKeys({ columns, uniqueKeys }: TenantTable, fixed: ReadonlyMap<string, unknown>): UniqueKey[] {
  const chosen = columns.filter(({ name, made }) => !made && !fixed.has(name)).map(({ name }) => name);
  return uniqueKeys
    .filter((key) => !key.columns.some((column) => columns.some(({ name, made }) => made && name === column)))
    .filter((key) => key.condition !== null || key.columns.some((column) => chosen.includes(column)));
}

/** SQL: no stored row has the same values in a unique key. */
function isFree(table: TenantTable, { columns, condition }: UniqueKey): string {
  const same = columns.map((column) => `stored."${column}" = "of_${column}"."${column}"`).join(' and ');
  const free = `not exists (select 1 from data.${table.name} stored where ${same})`;
  return condition === null ? free : `${free} or (${condition}) is not true`;
}

/** The statement that stores a row, without generated columns. */
export function insertion(table: TenantTable, row: Row): { text: string; values: unknown[] } {
  const columns = table.columns.filter(({ made }) => !made);
  return {
    text: `insert into data.${table.name} (${columns.map(({ name }) => `"${name}"`).join(', ')})
      values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
    values: columns.map(({ name, type }) =>
      type === 'jsonb' && row[name] !== null ? JSON.stringify(row[name]) : row[name],
    ),
  };
}

/** The statement that sets the references of the stored row with the same key to those of `row`. */
export function redirection(table: TenantTable, reference: string, row: Row): { text: string; values: unknown[] } {
  const { columns } = table.references.find(({ name }) => name === reference)!;
  const moved = columns.filter((column) => !table.key.includes(column));
  const equals = (names: string[], from: number) => names.map((name, i) => `"${name}" = $${from + i + 1}`);
  return {
    text: `update data.${table.name} set ${equals(moved, 0).join(', ')}
      where ${equals(table.key, moved.length).join(' and ')}`,
    values: [...moved, ...table.key].map((column) => row[column]),
  };
}
