import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { RecordSubjects } from '../access/record-subjects.js';
import { ResourceRegistry } from '../resource-registry.js';
import { ADD_USE, END_USE } from './file-uses.statements.js';

/** Type key of files. */
export const FILE_TYPE = 'documents.file';

const COLUMNS = `id, name, mime_type as "mimeType", size_bytes as "sizeBytes", sha256`;
const FIND = `select ${COLUMNS} from data.documents_files where tenant_id = $1 and id = any($2::uuid[])`;
const USES = `select object, record_id as "recordId", place from data.file_uses
  where tenant_id = $1 and file_id = $2 order by object, record_id, place`;
const OPEN = `select exists (select from data.documents_files
  where tenant_id = $1 and id = $2 and deleted_at is null and not confidential) as found`;
const LOCK = `select ${COLUMNS} from data.documents_files
  where tenant_id = $1 and id = $2 and deleted_at is null for share`;
/** Uses of a file that are looked at to find one that the caller may see. */
const MOST_USES = 200;
const MOST_LISTED = 10;

/** Where a file is used: the record that names it, and the place in it, such as `resumeFileId`. */
export interface FileUse {
  /** Type key of the record. */
  object: string;
  recordId: string;
  place: string;
}

/** What others show of a file. All are null until it has arrived, but for the name. */
export interface FileFacts {
  id: string;
  name: string;
  mimeType: string | null;
  sizeBytes: number;
  sha256: string | null;
}

/** Files that records name. Whoever may see such a record may read the file, unless that is confidential. */
@Injectable()
export class FileUses {
  constructor(
    private readonly database: Database,
    private readonly registry: ResourceRegistry,
    private readonly subjects: RecordSubjects,
  ) {}

  /** Keeps a file from being put into the trash until the transaction ends. @throws Problem 400 if it is there. */
  async lock(transaction: Transaction, fileId: string, pointer: string): Promise<FileFacts> {
    const [file] = await transaction.query<FileFacts>(statement(LOCK, [currentTenant().id, fileId]));
    if (!file) throw Problem.unknownReference(pointer);
    return file;
  }

  /** Notes that a record names a file; committed with the record. */
  add(transaction: Transaction, fileId: string, { object, recordId, place }: FileUse): void {
    transaction.write(statement(ADD_USE, [currentTenant().id, fileId, object, recordId, place]));
  }

  /** Notes that a place of a record names no file any more. */
  end(transaction: Transaction, { object, recordId, place }: FileUse): void {
    transaction.write(statement(END_USE, [currentTenant().id, object, recordId, place]));
  }

  /** Where a file is used. */
  async of(fileId: string): Promise<FileUse[]> {
    return this.database.read<FileUse>(statement(USES, [currentTenant().id, fileId]));
  }

  /** The records that name a file, as the caller may know them, and the number of others. */
  async places(fileId: string): Promise<{ shown: string[]; others: number }> {
    const uses = await this.of(fileId);
    const listed = uses.slice(0, MOST_LISTED);
    const subjects = await this.subjects.visibleAmong(listed.map(({ object, recordId: id }) => ({ object, id })));
    const shown = subjects.flatMap((subject, index) =>
      subject ? `${subject.reference} (${listed[index]!.place})` : [],
    );
    return { shown, others: uses.length - shown.length };
  }

  /** What others show of files, by id, whether or not the caller may read them. */
  async facts(ids: readonly string[]): Promise<Map<string, FileFacts>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.read<FileFacts>(statement(FIND, [currentTenant().id, ids]));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Whether the caller may read a file: by their own rights, or because they may see a record that names it. */
  async isReadable(fileId: string): Promise<boolean> {
    return (await this.subjects.ifVisible(FILE_TYPE, fileId)) !== null || this.isShownByRecord(fileId);
  }

  /** Whether the caller may see a record that names a file which is not confidential. */
  async isShownByRecord(fileId: string): Promise<boolean> {
    const [row] = await this.database.read<{ found: boolean }>(statement(OPEN, [currentTenant().id, fileId]));
    if (!row!.found) return false;
    const records = (await this.of(fileId)).slice(0, MOST_USES).map(({ object, recordId: id }) => ({ object, id }));
    return (await this.subjects.visibleAmong(records)).some((subject) => subject !== null);
  }

  /** @throws Problem 400 `unknown_reference` for a file that the caller may not read. */
  async requireReadable(fileId: string, pointer: string): Promise<void> {
    if (!this.registry.ofType(FILE_TYPE) || !(await this.isReadable(fileId))) throw Problem.unknownReference(pointer);
  }
}
