import { parserOf } from '../values.js';

export type Row = Record<string, unknown>;

/** A column of a result, as PostgreSQL describes it. */
export interface Field {
  name: string;
  dataTypeID: number;
}

/** Builds a row from the texts of its columns. @throws Error for a value that JavaScript cannot represent. */
export type RowReader = (texts: readonly (string | null)[]) => Row;

const MAX_READERS = 2_000;
const readers = new Map<string, RowReader>();

/**
 * The reader for rows with these columns. It is compiled, because an object literal with all properties is created
 * several times faster than an object that grows property by property. The names come from statements, never from a
 * request.
 */
export function rowReader(fields: readonly Field[]): RowReader {
  const key = fields.map(({ name, dataTypeID }) => `${dataTypeID} ${name}`).join();
  let reader = readers.get(key);
  if (!reader) {
    if (readers.size >= MAX_READERS) readers.clear();
    readers.set(key, (reader = compile(fields)));
  }
  return reader;
}

function compile(fields: readonly Field[]): RowReader {
  const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  const members = fields.map(({ name }, i) => {
    const text = `texts[${i}]`;
    return `${JSON.stringify(name)}: ${parsers[i] ? `${text} === null ? null : parsers[${i}](${text})` : text}`;
  });
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- compiled from the names of columns, which are the code's
  const make = new Function('parsers', `return (texts) => ({ ${members.join(', ')} });`) as (
    parsers: unknown[],
  ) => RowReader;
  return make(parsers);
}
