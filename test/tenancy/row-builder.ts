import type pg from 'pg';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Reference, TenantTable } from './tenant-tables.js';

export type Row = Record<string, unknown>;
type Client = Pick<pg.ClientBase, 'query'>;

/** SQL literals to try for a column, by the beginning of its type. A CHECK that none of them passes needs another one. */
const CANDIDATES: [type: string, literals: string[]][] = [
  ['text[]', [`array['x']`, `array[]`]],
  ['uuid[]', [`array[]`]],
  ['bigint[]', [`array_fill(0, array[12])`]],
  ['text', [`'USD'`, `'https://example.com/x'`, `'x@example.com'`]],
  ['character varying', [`'x'`]],
  ['integer', ['1', '1000', '0', '100']],
  ['bigint', ['1', '1000', '0']],
  ['smallint', ['1', '0']],
  ['boolean', ['false', 'true']],
  ['timestamp', [`'2026-11-21T09:15:02.114Z'`]],
  ['date', [`'2026-11-21'`]],
  ['jsonb', [`'[]'`, `'{}'`]],
  ['bytea', [`decode(repeat('ab', 32), 'hex')`, `'\\x00'`]],
  ['inet', [`'192.0.2.1'`]],
  ['cidr', [`'192.0.2.0/24'`]],
];

/**
 * Makes rows of any tenant table from nothing but the catalog: PostgreSQL itself is asked for values that pass the CHECK
 * constraints, and rows that foreign keys need are made first. One row per table and tenant is kept.
 */
export class RowBuilder {
  private readonly tables: ReadonlyMap<string, TenantTable>;
  private readonly rows = new Map<string, Row>();
  /** Makes texts differ, for unique keys. */
  private made = 0;

  /** `client` must be past row-level security: a superuser. */
  constructor(
    private readonly client: Client,
    tables: readonly TenantTable[],
  ) {
    this.tables = new Map(tables.map((table) => [table.name, table]));
  }

  /** The tenant's one row of a table, stored. */
  async seed(table: TenantTable, tenantId: string): Promise<Row> {
    const place = `${table.name} ${tenantId}`;
    let row = this.rows.get(place);
    if (!row) {
      const draft = await this.draft(table, tenantId);
      const { text, values } = insertion(table, draft);
      // Triggers look at what stands around a row: sums that add up, journals in balance. Keys and checks hold as ever.
      await this.client.query(`set session_replication_role = 'replica'`);
      row = (await this.client.query<Row>(`${text} returning *`, values)).rows[0]!;
      await this.client.query(`set session_replication_role = 'origin'`);
      this.rows.set(place, row);
    }
    return row;
  }

  /** A valid row that is not stored yet. Its optional references stay empty. */
  async draft(table: TenantTable, tenantId: string): Promise<Row> {
    const fixed = new Map<string, unknown>([['tenant_id', tenantId]]);
    for (const { columns, targets, table: target } of this.needed(table)) {
      const parent = await this.seed(this.tables.get(target)!, tenantId);
      columns.forEach((column, i) => column !== 'tenant_id' && fixed.set(column, parent[targets[i]!]));
    }
    for (const { name, type } of table.columns) if (type === 'uuid' && !fixed.has(name)) fixed.set(name, uuidv7());
    for (const { columns } of table.references)
      for (const column of columns) if (!this.isNeeded(table, column)) fixed.set(column, null);
    return this.solve(table, fixed);
  }

  /** A valid row of `tenantId`, one of whose references leads to a row of another tenant. */
  async crossed(table: TenantTable, reference: Reference, tenantId: string, otherId: string): Promise<Row> {
    const draft = await this.draft(table, tenantId);
    const parent = await this.seed(this.tables.get(reference.table)!, otherId);
    reference.columns.forEach((column, i) => column !== 'tenant_id' && (draft[column] = parent[reference.targets[i]!]));
    return draft;
  }

  private needed(table: TenantTable) {
    return table.references.filter(({ columns }) => columns.every((column) => this.isNeeded(table, column)));
  }

  private isNeeded(table: TenantTable, column: string): boolean {
    return table.columns.some(({ name, nullable }) => name === column && !nullable);
  }

  /** Has PostgreSQL find values for the columns that are not fixed, such that every CHECK holds. */
  private async solve(table: TenantTable, fixed: ReadonlyMap<string, unknown>): Promise<Row> {
    const columns = table.columns.filter(({ made }) => !made);
    const values: unknown[] = [];
    const sources = columns.map(({ name, type, nullable }) => {
      if (fixed.has(name)) return `(select $${values.push(fixed.get(name))}::${type} as "${name}") as "f_${name}"`;
      const literals = [...this.literalsFor(table, name, type), ...(nullable ? ['null'] : [])];
      return `(values ${literals.map((literal) => `(${literal}::${type})`).join(', ')}) as "c_${name}" ("${name}")`;
    });
    const conditions = table.checks.map((check) => `coalesce(${check}, true)`).join(' and ') || 'true';
    const { rows } = await this.client.query<Row>(
      `select ${columns.map(({ name }) => `"${name}"`).join(', ')} from ${sources.join(' cross join ')} where ${conditions} limit 1`,
      values,
    );
    if (!rows[0])
      throw new Error(
        `No row of data.${table.name} passes its checks; add what it needs to CANDIDATES in row-builder.ts.`,
      );
    return rows[0];
  }

  /** The candidates of the type, and whatever words the CHECK constraints of the column name. */
  private literalsFor(table: TenantTable, column: string, type: string): string[] {
    const found = CANDIDATES.find(([begin]) => type === begin || (!type.endsWith('[]') && type.startsWith(begin)));
    if (!found)
      throw new Error(`data.${table.name}.${column}: add values of the type ${type} to CANDIDATES in row-builder.ts.`);
    const words = table.checks
      .filter((check) => type === 'text' && new RegExp(`(?<!')\\b${column}\\b(?!')`).test(check))
      .flatMap((check) => check.match(/'[a-z0-9_]+'(?=::text)/g) ?? []);
    const unique = type === 'text' ? [`'x${++this.made}'`] : [];
    return [...words, ...unique, ...found[1]];
  }
}

/** The statement that stores a row, without the columns that PostgreSQL makes. */
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
