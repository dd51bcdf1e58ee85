import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import { cellOf, CRLF, plainTextOf, tableOf, textOf } from '#libs/kernel/csv.js';
import { cut } from '#libs/kernel/cut.js';
import { isObject } from '#libs/kernel/is-object.js';
import { Problem } from '#libs/kernel/problem.js';
import { csvRows, firstLineOf, linesOf, separatorOf } from '#libs/tables/csv-reader.js';
import { decoded, encodingOf, isUtf8Throughout } from '#libs/tables/text-encoding.js';
import type { ImportFormat, ImportRun, ImportSource } from './import.js';
import type { RowFault } from './import-rows.js';
import { MAX_COLUMNS, MAX_NAME, MAX_ROWS } from './import-fields.js';

/** Rows of a part. */
export const PART_ROWS = 500;
/** Bytes that decide about encoding, separator and columns. */
const HEAD_BYTES = 256 * 1024;
const SAMPLES = 3;
/** Columns of the file with refused rows that are no columns of an import. */
export const ADDED_COLUMNS = ['importRow', 'importErrors'];

/** What text files are by their bytes: their content may look like markup, and UTF-16 like nothing known. */
const TEXTS = /^(?:text\/|application\/(?:octet-stream|xml|json)$|image\/svg\+xml$)/;

/** What a line of text does not have. */
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** A row as it is stored: values by the place of their column in the mapping, or why it cannot be read. */
export interface StoredRow {
  row: number;
  values: Record<string, unknown>;
  fault: { code: string; message: string; column: string | null } | null;
}

/** A row of the file: the cells or members of all columns that it has. */
type RawRow = { row: number; values: Map<string, unknown>; fault: StoredRow['fault'] };

/** What is known about the rows of a file once they are read. */
export interface ReadRows {
  content: Content;
  offsets: number[];
  count: number;
}

/** Reads the files of imports. Outside of transactions. */
@Injectable()
export class ImportFiles {
  constructor(private readonly contents: FileContents) {}

  /**
   * How a file is to be read, and the first values of its columns.
   * @throws Problem 400 at `/fileId` or `/format` for a file without rows, or that is no text.
   */
  async look(
    content: Content,
    format: ImportFormat,
  ): Promise<{ source: ImportSource; samples: Map<string, string[]> }> {
    const { mimeType, sizeBytes, id } = content;
    if (sizeBytes === 0) throw refusal('/fileId', 'no_rows', 'The file is empty.');
    const head = await bytesOf(
      (await this.contents.open(id, { first: 0, last: Math.min(sizeBytes, HEAD_BYTES) - 1 })).stream,
    );
    const found = encodingOf(head);
    // The byte order mark of UTF-16 begins other files too.
    if (found === 'utf-8' && !TEXTS.test(mimeType))
      throw refusal('/fileId', 'not_a_text', `The file is ${mimeType}, not text.`);
    const isUtf8 =
      found !== 'utf-8' || (await isUtf8Throughout((await this.contents.open(id)).stream as AsyncIterable<Buffer>));
    const encoding = isUtf8 ? found : 'windows-1252';
    let text = '';
    for await (const each of decoded(from([head]), encoding)) text += each;
    const source: ImportSource = { encoding, separator: format === 'csv' ? separatorOf(text) : '', header: [] };
    if (CONTROLS.test(firstLineOf(text))) throw refusal('/fileId', 'not_a_text', 'The file is not text.');
    const rows: Map<string, unknown>[] = [];
    source.header = format === 'csv' ? await headerOf(text, source.separator) : [];
    const whole = sizeBytes > HEAD_BYTES ? wholeLines(text) : text;
    try {
      for await (const { values, fault } of this.raw(from([whole]), source, format)) {
        if (!fault) rows.push(values);
        if (rows.length >= (format === 'csv' ? SAMPLES : PART_ROWS)) break;
      }
    } catch {
      // The head may end within a quote; whatever else is wrong with the rows, the validation says.
    }
    if (format === 'ndjson') source.header = [...new Set(rows.flatMap((row) => [...row.keys()]))].slice(0, MAX_COLUMNS);
    if (source.header.filter((name) => name !== '').length === 0)
      throw refusal(
        '/format',
        'no_columns',
        format === 'csv' ? 'The first row has no names of columns.' : 'No line is a JSON object.',
      );
    const samplesOf = (name: string) => rows.flatMap((row) => textOf(row.get(name)) ?? []).slice(0, SAMPLES);
    const samples = source.header.map(
      (name) => [name, samplesOf(name).map((each) => cut(each, 200).toWellFormed().replaceAll('\0', ''))] as const,
    );
    return { source, samples: new Map(samples) };
  }

  /**
   * Stores the mapped values of all rows in parts, each of which can be read alone. Rows with the same key as an earlier
   * one are refused.
   * @param keys columns whose values stand once in the file
   * @throws UnreadableTable; Problem 400 for too many rows.
   */
  async store(run: ImportRun, keys: readonly string[], signal: AbortSignal): Promise<ReadRows> {
    const offsets = [0];
    let count = 0;
    const parts = partsOf(this.rowsOf(run), Object.keys(run.mapping), keys);
    async function* texts(): AsyncGenerator<Buffer> {
      for await (const { text, rows } of parts) {
        signal.throwIfAborted();
        count += rows;
        if (count > MAX_ROWS)
          throw refusal('/fileId', 'too_many_rows', `An import has at most ${MAX_ROWS} rows; split the file.`);
        const bytes = Buffer.from(text);
        offsets.push(offsets.at(-1)! + bytes.length);
        yield bytes;
      }
    }
    const received = await this.contents.receive(texts(), { maxBytes: Number.MAX_SAFE_INTEGER });
    return { content: await this.contents.store(received, { sealed: true }), offsets, count };
  }

  /** The rows of a stored part. */
  async part(run: ImportRun, number: number): Promise<StoredRow[]> {
    const [first, end] = [run.offsets[number]!, run.offsets[number + 1]!];
    const { stream } = await this.contents.open(run.rowsId!, { first, last: end - 1 });
    const lines = (await bytesOf(stream)).toString().split('\n').slice(0, -1);
    return lines.map((line) => {
      const [row, values, fault] = JSON.parse(line) as [number, StoredRow['values'], StoredRow['fault']];
      return { row, values, fault };
    });
  }

  /**
   * Stores a table of the rows that were refused: all columns of the file, the number of the row, and what to change.
   * @param faults in the order of rows, all of a row together
   */
  async storeRefused(
    run: ImportRun,
    faults: AsyncIterable<readonly RowFault[]>,
    signal: AbortSignal,
  ): Promise<Content> {
    const columns = run.columns.map(({ name }) => name);
    const rows = this.rowsOf(run);
    async function* texts(): AsyncGenerator<Buffer> {
      yield Buffer.from(tableOf([...columns, ...ADDED_COLUMNS], []));
      for await (const own of faults) {
        signal.throwIfAborted();
        const { row: number } = own[0]!;
        const values = await nextRow(rows, number);
        const words = own.map(({ column, message }) => (column === null ? message : `${column}: ${message}`)).join(' ');
        const cells = columns.map((column) => textOf(values.get(column)));
        yield Buffer.from(`${[...cells, number, words].map(cellOf).join(',')}${CRLF}`);
      }
    }
    const received = await this.contents.receive(texts(), { maxBytes: Number.MAX_SAFE_INTEGER });
    await rows.return(undefined);
    return this.contents.store(received, { sealed: true });
  }

  /** The rows of the whole file, as they are in it. */
  private async *rowsOf({ contentId, source, format }: ImportRun): AsyncGenerator<RawRow> {
    const { stream } = await this.contents.open(contentId);
    yield* this.raw(decoded(stream as AsyncIterable<Buffer>, source.encoding), source, format);
  }

  private raw(text: AsyncIterable<string>, source: ImportSource, format: ImportFormat): AsyncGenerator<RawRow> {
    return format === 'csv' ? csvTable(text, source) : objects(text);
  }
}

/** Reads on to a row; its values. */
async function nextRow(rows: AsyncGenerator<RawRow>, number: number): Promise<RawRow['values']> {
  for (;;) {
    const next = await rows.next();
    if (next.done === true || next.value.row > number) return new Map();
    if (next.value.row === number) return next.value.values;
  }
}

async function* csvTable(text: AsyncIterable<string>, { separator, header }: ImportSource): AsyncGenerator<RawRow> {
  for await (const { row, cells } of csvRows(text, separator)) {
    if (row === 1) continue;
    const values = new Map<string, unknown>();
    for (const [place, cell] of cells.entries()) {
      const name = header[place];
      if (name !== undefined && name !== '' && cell !== '') values.set(name, plainTextOf(cell));
    }
    const surplus = cells.slice(header.length).some((cell) => cell !== '');
    const fault = surplus
      ? {
          code: 'too_many_cells',
          message: `The row has ${cells.length} cells, the header ${header.length}.`,
          column: null,
        }
      : unstorable(values);
    yield { row, values, fault };
  }
}

async function* objects(text: AsyncIterable<string>): AsyncGenerator<RawRow> {
  for await (const { row, line } of linesOf(text)) {
    const value = parsed(line);
    if (value === null) {
      const fault = { code: 'malformed_json', message: 'The line is not a JSON object.', column: null };
      yield { row, values: new Map(), fault };
      continue;
    }
    const values = new Map(Object.entries(value));
    yield { row, values, fault: unstorable(values) };
  }
}

function unstorable(values: ReadonlyMap<string, unknown>): RawRow['fault'] {
  for (const [column, value] of values)
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      const message = 'A text holds NUL or half of a surrogate pair, which cannot be stored.';
      return { code: 'invalid_characters', message, column: cut(column, MAX_NAME) };
    }
  return null;
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(line) as unknown;
    return isObject(value) && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

async function* partsOf(
  rows: AsyncIterable<RawRow>,
  columns: readonly string[],
  keys: readonly string[],
): AsyncGenerator<{ text: string; rows: number }> {
  const seen = new Map(keys.map((key) => [key, new Map<string, number>()]));
  let lines: string[] = [];
  for await (const { row, values, fault } of rows) {
    const kept: Record<string, unknown> = {};
    for (const [place, name] of columns.entries()) if (values.has(name)) kept[place] = values.get(name);
    lines.push(`${JSON.stringify([row, kept, fault ?? repeated(row, values, seen)])}\n`);
    if (lines.length < PART_ROWS) continue;
    yield { text: lines.join(''), rows: lines.length };
    lines = [];
  }
  if (lines.length > 0) yield { text: lines.join(''), rows: lines.length };
}

/** The fault of a row that has the key of an earlier one. */
function repeated(
  row: number,
  values: ReadonlyMap<string, unknown>,
  seen: ReadonlyMap<string, Map<string, number>>,
): RawRow['fault'] {
  for (const [column, known] of seen) {
    const key = textOf(values.get(column));
    const earlier = key === null ? undefined : known.get(key);
    if (earlier !== undefined)
      return { code: 'duplicate_row', message: `Row ${earlier} has the same value.`, column: cut(column, MAX_NAME) };
    if (key !== null) known.set(key, row);
  }
  return null;
}

/** The names of the columns; one that stands there twice gets a number. */
async function headerOf(text: string, separator: string): Promise<string[]> {
  for await (const { row, cells } of csvRows(from([firstLineOf(text)]), separator)) {
    if (row > 1) break;
    const counts = new Map<string, number>();
    return cells.slice(0, MAX_COLUMNS).map((cell) => {
      const name = cut(plainTextOf(cell).trim(), MAX_NAME - 5)
        .toWellFormed()
        .replaceAll('\0', '');
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return name === '' || count === 1 ? name : `${name} (${count})`;
    });
  }
  return [];
}

/** A text up to its last line break. */
function wholeLines(text: string): string {
  return text.split('\n').slice(0, -1).join('\n');
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  return Buffer.concat(await stream.toArray());
}

async function* from<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

function refusal(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
