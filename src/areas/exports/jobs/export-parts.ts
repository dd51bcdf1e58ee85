import { addAbortSignal, Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { storePortions } from '#libs/database/store-portions.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import { currentScope, currentTenant, runInScope } from '#libs/tenancy/scope.js';
import type { ExportWriter } from '../table/export-writer.js';

/** Records per part. */
const PART_ROWS = 10_000;
/** The largest file. */
const MAX_BYTES = 20 * 1024 ** 3;

const TAKE_TIME = `select set_config('statement_timeout', '120s', true)`;
const READ = `select ids from data.export_parts where tenant_id = $1 and export_id = $2 and number = $3`;
const CONTENTS = `select content_id as id from data.export_parts where tenant_id = $1 and export_id = $2 order by number`;
const NAME = `update data.export_parts set content_id = $4 where tenant_id = $1 and export_id = $2 and number = $3`;
const FORGET = `delete from data.export_parts where tenant_id = $1 and export_id = $2`;

/** The parts of exports: which records each has and, once it is written, the stored text of these. */
@Injectable()
export class ExportParts {
  readonly size = PART_ROWS;

  constructor(
    private readonly database: Database,
    private readonly contents: FileContents,
  ) {}

  /** Makes the parts from the statement that selects the records; returns the number of records of each. */
  async select(transaction: Transaction, exportId: string, selection: Statement): Promise<number[]> {
    const storing = storePortions(selection, currentTenant().id, exportId, PART_ROWS);
    const [, rows] = await transaction.queryAll([statement(TAKE_TIME), storing]);
    return (rows as { size: number }[]).map(({ size }) => size); // as the statement returns
  }

  async find(exportId: string, number: number): Promise<{ ids: string[] }> {
    const [part] = await this.database.read<{ ids: string[] }>(statement(READ, [currentTenant().id, exportId, number]));
    return part ?? { ids: [] }; // forgotten since: nobody will name what is written
  }

  /** Stores a text or a file, encrypted, outside of any transaction. */
  async store(bytes: Readable, signal: AbortSignal): Promise<Content> {
    const received = await this.contents.receive(addAbortSignal(signal, bytes), { maxBytes: MAX_BYTES });
    return this.contents.store(received, { sealed: true });
  }

  /** The text of all parts, read only as fast as the stream is. */
  async joined(exportId: string, { head, tail }: ExportWriter): Promise<Readable> {
    const found = await this.database.read<{ id: string }>(statement(CONTENTS, [currentTenant().id, exportId]));
    const scope = currentScope();
    const open = (id: string) => runInScope(scope, () => this.contents.open(id));
    async function* texts(): AsyncGenerator<string | Buffer> {
      yield head;
      for (const { id } of found) yield* (await open(id)).stream as AsyncIterable<Buffer>;
      yield tail;
    }
    return Readable.from(texts(), { objectMode: false });
  }

  /** Notes the text of a part. */
  name(transaction: Transaction, exportId: string, number: number, contentId: string): void {
    transaction.write(statement(NAME, [currentTenant().id, exportId, number, contentId]));
  }

  forget(transaction: Transaction, exportId: string): void {
    transaction.write(statement(FORGET, [currentTenant().id, exportId]));
  }
}
