import { Readable } from 'node:stream';
import { parse } from 'csv-parse';

/** A row of a table that is read. Rows are counted from 1, the header included. */
export interface ReadRow {
  row: number;
  cells: string[];
}

/** A text that cannot be read to its end. */
export class UnreadableTable extends Error {
  constructor(
    readonly code: 'row_too_long' | 'quote_not_closed',
    message: string,
  ) {
    super(message);
  }
}

/** Characters of a row. */
const MAX_ROW = 1_000_000;
const SEPARATORS = [',', ';', '\t', '|'];

/** The first line of a table in CSV; cells in quotes may have line breaks. */
export function firstLineOf(head: string): string {
  return /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(head)![0];
}

/** The separator of a table in CSV: the one that its first line has most of, outside of quotes. */
export function separatorOf(head: string): string {
  const line = firstLineOf(head).replaceAll(/"(?:[^"]|"")*"/g, '');
  const counts = SEPARATORS.map((each) => line.split(each).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

/**
 * The rows of a table in CSV as in RFC 4180, with any separator and line break. As in spreadsheets, a quote within a cell
 * is a quote. Rows without content are counted and left out. @throws UnreadableTable
 */
export async function* csvRows(text: AsyncIterable<string>, separator: string): AsyncGenerator<ReadRow> {
  let row = 0;
  const parser = parse({
    delimiter: separator,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_ROW,
    on_record: (cells: string[]) => {
      row++;
      return cells.every((each) => each === '') ? null : ({ row, cells } as unknown as string[]); // which the parser passes on
    },
  });
  const source = Readable.from(text);
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    yield* parser as unknown as AsyncIterable<ReadRow>; // as on_record makes them
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'CSV_MAX_RECORD_SIZE') throw tooLong(row + 1);
    if (code === 'CSV_QUOTE_NOT_CLOSED')
      throw new UnreadableTable('quote_not_closed', `A quote that begins in row ${row + 1} is never closed.`);
    throw error;
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** The lines of a text, counted from 1; without content they are left out. @throws UnreadableTable */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<{ row: number; line: string }> {
  let row = 0;
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    if (rest.length > MAX_ROW) throw tooLong(row + lines.length + 1);
    for (const line of lines) {
      row++;
      if (line.length > MAX_ROW) throw tooLong(row);
      if (line.trim() !== '') yield { row, line };
    }
  }
  if (rest.trim() !== '') yield { row: row + 1, line: rest };
}

function tooLong(row: number): UnreadableTable {
  return new UnreadableTable('row_too_long', `Row ${row} has more than ${MAX_ROW} characters.`);
}
