import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { Kind, ModelClass } from '#libs/http/field.js';
import { attributesOf } from '#libs/resource/types/attribute.js';

type Client = Pick<pg.ClientBase, 'query'>;

/** A value of a column, and whether the field accepts it. */
interface Trial {
  value: string;
  isAdmitted: boolean;
}

interface Check {
  /** Of the column. */
  name: string;
  condition: string;
}

interface Bounds {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: string[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/** SQLSTATE `numeric_value_out_of_range`. */
const OUT_OF_RANGE = '22003';

/** Checks of a single column. */
const CHECKS = `
  select a.attname as name, pg_get_expr(k.conbin, k.conrelid) as condition
  from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and array[a.attnum] = k.conkey
  where k.conrelid = to_regclass($1) and k.contype = 'c'`;

/** Unique indexes, with the definitions of their columns. */
const UNIQUE = `
  select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = to_regclass($1) and indisunique`;

/** Intended differences between table and API. */
const MEANT = new Map([
  ["AiJob.costCapMicros: the table refuses '0'", 'bodies begin at 1'],
  ["AiJob.attempts: the table takes '1000001'", 'nobody sends it'],
  ["AiProvider.api: the table refuses 'local'", 'the one of the platform has no row'],
  ["Account.lifecycleBefore: the table refuses 'blocked'", 'what it was before it was blocked'],
  ["Account.paymentTermsDays: the table takes '366'", 'the API took more once'],
  ["Endpoint.maxConcurrency: the table takes '31'", 'the API took more once'],
  ["PublicLink.purpose: the table takes 'no such word'", 'areas declare the purposes'],
  ["Task.estimateMinutes: the table takes '1000001'", 'the API took more once'],
]);

/**
 * Differences between the table and the declared fields of a type, as sentences: the table refuses what the API
 * accepts, a check constraint accepts values just beyond the bounds of the field, or a unique field has no unique
 * index.
 */
export async function compareBounds(client: Client, source: DataSource): Promise<string[]> {
  const faults: string[] = [];
  for (const { target, name, columns, tablePath } of source.entityMetadatas) {
    const attributes = attributesOf(target as ModelClass);
    if (attributes.size === 0) continue;
    const { rows: checks } = await client.query<Check>(CHECKS, [tablePath]);
    const { rows: indexes } = await client.query<{ definition: string }>(UNIQUE, [tablePath]);
    for (const column of columns) {
      const attribute = attributes.get(column.propertyName);
      if (!attribute?.isStored) continue;
      const place = `${name}.${column.propertyName}`;
      const own = checks.filter((check) => check.name === column.databaseName);
      for (const { value, isAdmitted } of trialsOf(attribute.kind)) {
        const isTaken = await takes(client, column, own, value);
        if (isTaken !== isAdmitted && (isAdmitted || own.length > 0))
          faults.push(`${place}: the table ${isTaken ? 'takes' : 'refuses'} ${shorten(value)}`);
      }
      const isIndexed = indexes.some(({ definition }) => new RegExp(`\\b${column.databaseName}\\b`).test(definition));
      if (attribute.unique && !isIndexed) faults.push(`${place}: there is no unique index`);
    }
  }
  return faults.filter((fault) => !MEANT.has(fault));
}

/** Values at the bounds of a kind and just beyond them. */
function trialsOf({ schema }: Kind): Trial[] {
  const { type, format, pattern, enum: words, maxLength, minimum, maximum } = schema as Bounds;
  if (words) return [...words.map(admitted), refused('no such word')];
  if (type === 'string' && !format && !pattern && maxLength !== undefined)
    return [admitted('x'.repeat(maxLength)), refused('x'.repeat(maxLength + 1))];
  if (type === 'integer')
    return [
      ...(minimum === undefined ? [] : [admitted(String(minimum)), refused(String(BigInt(minimum) - 1n))]),
      ...(maximum === undefined ? [] : [admitted(String(maximum))]),
      ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [refused(String(BigInt(maximum) + 1n))]),
    ];
  return [];
}

const admitted = (value: string): Trial => ({ value, isAdmitted: true });
const refused = (value: string): Trial => ({ value, isAdmitted: false });

/** Whether a value has the type of the column and satisfies its checks. */
async function takes(
  client: Client,
  { databaseName, type }: ColumnMetadata,
  checks: Check[],
  value: string,
): Promise<boolean> {
  const all = ['true', ...checks.map(({ condition }) => `(${condition})`)].join(' and ');
  try {
    const { rows } = await client.query<{ passes: boolean | null }>(
      `select ${all} as passes from (select $1::${String(type)} as ${databaseName}) t`,
      [value],
    );
    return rows[0]!.passes !== false;
  } catch (error) {
    if ((error as { code?: string }).code !== OUT_OF_RANGE) throw error;
    return false;
  }
}

const shorten = (value: string): string => (value.length > 40 ? `${value.length} characters` : `'${value}'`);
