import { addAbortSignal, Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { storeSection } from '#libs/database/store-portions.js';
import type { Transaction } from '#libs/database/transaction.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import { currentScope, currentTenant, runInScope } from '#libs/tenancy/scope.js';
import type { ExportPlan } from '#src/areas/exports/exports.area.js';
import type { RowPlan } from './archive-rows.js';

/** Records per part. */
const PART_ROWS = 10_000;
/** The largest archive. */
const MAX_BYTES = 200 * 1024 ** 3;
/** Parts that are looked at together. */
const SOME = 25;

const TAKE_TIME = `select set_config('statement_timeout', '120s', true)`;
const ADD_SECTION = `insert into data.data_export_parts (tenant_id, request_id, position, number, type, plan, ids)
  values ($1, $2, $3, 0, $4, $5, '{}')`;
const ADD_PART = `insert into data.data_export_parts (tenant_id, request_id, position, number, type, ids, after)
  values ($1, $2, $3, $4, $5, '{}', $6)`;
const NEXT = `select p.position, p.number, p.type, p.ids, p.after, s.plan from data.data_export_parts p
  join data.data_export_parts s on s.tenant_id = $1 and s.request_id = $2 and s.position = p.position and s.number = 0
  where p.tenant_id = $1 and p.request_id = $2 and p.number > 0 and p.size is null
  order by p.position, p.number limit ${SOME}`;
const NAME = `update data.data_export_parts set content_id = $5, size = $6
  where tenant_id = $1 and request_id = $2 and position = $3 and number = $4`;
const SECTIONS = `select s.position, s.type, s.plan,
    coalesce((select sum(p.size) from data.data_export_parts p
      where p.tenant_id = $1 and p.request_id = $2 and p.position = s.position), 0)::integer as count
  from data.data_export_parts s where s.tenant_id = $1 and s.request_id = $2 and s.number = 0 order by s.position`;
const CONTENTS = `select content_id as id from data.data_export_parts
  where tenant_id = $1 and request_id = $2 and position = $3 and content_id is not null order by number`;
const FORGET = `delete from data.data_export_parts where tenant_id = $1 and request_id = $2`;
// Versions of the files that the archive has.
const FILES = `select v.file_id as "fileId", v.number, v.content_id as "contentId", v.size_bytes::float8 as "sizeBytes", f.name
  from data.data_export_parts p
    join data.documents_file_versions v on v.tenant_id = $1 and v.file_id = any(p.ids)
    join data.documents_files f on f.tenant_id = $1 and f.id = v.file_id
  where p.tenant_id = $1 and p.request_id = $2 and p.type = 'documents.file' and p.number > 0
    and v.content_id is not null and v.scan_status in ('clean', 'not_scanned') and (v.file_id, v.number) > ($3::uuid, $4::integer)
  order by v.file_id, v.number limit 1000`;

/**
 * How a file of an archive is written: the records of a type, or the rows of a table; only those that name one of the
 * `persons`, if there are some.
 */
export type SectionPlan =
  | { kind: 'records'; query: Record<string, string>; plan: ExportPlan }
  | { kind: 'rows'; rows: RowPlan; persons: string[] | null };

/** A file of the archive. */
export interface Section {
  position: number;
  type: string;
  plan: SectionPlan;
}

/** A part of a file that is not written yet. */
export interface Part extends Section {
  number: number;
  /** Of records. */
  ids: string[];
  /** Position in the table after which rows begin; empty for its beginning. */
  after: string[] | null;
}

export interface WrittenPart {
  part: Pick<Part, 'position' | 'number' | 'type'>;
  /** Null if it has nothing. */
  contentId: string | null;
  size: number;
  /** Where the next part of the table begins; null if there is none. */
  next: string[] | null;
}

export interface FileVersion {
  fileId: string;
  number: number;
  contentId: string;
  sizeBytes: number;
  name: string;
}

/** The parts of archives: what each has and, once it is written, its stored text. */
@Injectable()
export class ArchiveParts {
  constructor(
    private readonly database: Database,
    private readonly contents: FileContents,
  ) {}

  /** Adds a file with the records that a statement selects, as `id` and `position`. */
  async addRecords(transaction: Transaction, requestId: string, section: Section, selection: Statement): Promise<void> {
    this.addSection(transaction, requestId, section);
    const { position, type } = section;
    const place = { tenantId: currentTenant().id, requestId, position, type };
    const storing = storeSection(selection, place, PART_ROWS);
    await transaction.queryAll([statement(TAKE_TIME), storing]);
  }

  /** Adds a file with rows of a table. */
  addRows(transaction: Transaction, requestId: string, section: Section): void {
    this.addSection(transaction, requestId, section);
    this.addPart(transaction, requestId, { ...section, number: 1 }, []);
  }

  /** The next parts that are to be written. */
  next(requestId: string): Promise<Part[]> {
    return this.database.read<Part>(statement(NEXT, [currentTenant().id, requestId]));
  }

  /** Stores a text or an archive, encrypted, outside of any transaction. */
  async store(bytes: Readable, signal: AbortSignal): Promise<Content> {
    const received = await this.contents.receive(addAbortSignal(signal, bytes), { maxBytes: MAX_BYTES });
    return this.contents.store(received, { sealed: true });
  }

  /** Notes that a part is written, and adds the one that follows it. */
  name(transaction: Transaction, requestId: string, { part, contentId, size, next }: WrittenPart): void {
    const values = [currentTenant().id, requestId, part.position, part.number, contentId, size];
    transaction.write(statement(NAME, values));
    if (next) this.addPart(transaction, requestId, { ...part, number: part.number + 1 }, next);
  }

  /** The files of an archive whose parts are all written, with the number of their records. */
  sections(requestId: string): Promise<(Section & { count: number })[]> {
    return this.database.read<Section & { count: number }>(statement(SECTIONS, [currentTenant().id, requestId]));
  }

  /** The text of all parts of a file, read only as fast as the stream is. */
  text(requestId: string, position: number, head: string): Readable {
    const scope = currentScope();
    const inScope = <T>(work: () => Promise<T>) => runInScope(scope, work);
    const query = () =>
      this.database.read<{ id: string }>(statement(CONTENTS, [currentTenant().id, requestId, position]));
    const open = (id: string) => inScope(() => this.contents.open(id));
    async function* texts(): AsyncGenerator<string | Buffer> {
      yield head;
      for (const { id } of await inScope(query)) yield* (await open(id)).stream as AsyncIterable<Buffer>;
    }
    return Readable.from(texts(), { objectMode: false });
  }

  /** The versions of the files in the archive, as far as they were found harmless or were not scanned. */
  async *files(requestId: string): AsyncGenerator<FileVersion> {
    let [fileId, number] = ['00000000-0000-0000-0000-000000000000', 0];
    for (;;) {
      const query = statement(FILES, [currentTenant().id, requestId, fileId, number]);
      const found = await this.database.read<FileVersion>(query);
      yield* found;
      const last = found.at(-1);
      if (!last) return;
      ({ fileId, number } = last);
    }
  }

  /** The bytes of a version of a file. */
  async bytes(contentId: string): Promise<Readable> {
    return (await this.contents.open(contentId)).stream;
  }

  forget(transaction: Transaction, requestId: string): void {
    transaction.write(statement(FORGET, [currentTenant().id, requestId]));
  }

  private addSection(transaction: Transaction, requestId: string, { position, type, plan }: Section): void {
    const values = [currentTenant().id, requestId, position, type, JSON.stringify(plan)];
    transaction.write(statement(ADD_SECTION, values));
  }

  private addPart(
    transaction: Transaction,
    requestId: string,
    { position, number, type }: Pick<Part, 'position' | 'number' | 'type'>,
    after: string[],
  ): void {
    transaction.write(statement(ADD_PART, [currentTenant().id, requestId, position, number, type, after]));
  }
}
