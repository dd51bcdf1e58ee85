import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { ScanStatus } from './file.js';

const COLUMNS = `number, content_id as "contentId", mime_type as "mimeType", size_bytes as "sizeBytes", sha256,
  scan_status as "scanStatus", created_at as "createdAt", created_by as "createdBy"`;
const ADD = `insert into data.documents_file_versions
    (tenant_id, file_id, number, content_id, mime_type, size_bytes, sha256, scan_status, created_at, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const ARRIVED = `update data.documents_file_versions
  set content_id = $4, mime_type = $5, sha256 = $6, scan_status = $7 where tenant_id = $1 and file_id = $2 and number = $3`;
const LIST = `select ${COLUMNS} from data.documents_file_versions
  where tenant_id = $1 and file_id = $2 order by number desc`;
const SCANNED = `update data.documents_file_versions set scan_status = $4
  where tenant_id = $1 and file_id = $2 and content_id = $3`;
const DROP = `delete from data.documents_file_versions where tenant_id = $1 and file_id = $2`;
const USED = `select coalesce(sum(size_bytes), 0)::float8 as bytes from data.documents_file_versions where tenant_id = $1`;
const LOCK = `select pg_advisory_xact_lock(hashtextextended('file bytes ' || $1, 0))`;
const QUEUE = `insert into data.file_scans (tenant_id, file_id, content_id, due_at) values ($1, $2, $3, $4)
  on conflict (tenant_id, file_id, content_id) do nothing`;

/** A version of the bytes of a file. What has not arrived has no content yet. */
export interface FileVersion {
  number: number;
  contentId: string | null;
  mimeType: string | null;
  sizeBytes: number;
  sha256: string | null;
  scanStatus: ScanStatus;
  createdAt: string;
  createdBy: ActorStamp;
}

/** The versions of files. */
@Injectable()
export class FileVersionsRepository {
  constructor(private readonly database: Database) {}

  add(transaction: Transaction, fileId: string, version: FileVersion): void {
    const { number, contentId, mimeType, sizeBytes, sha256, scanStatus, createdAt, createdBy } = version;
    const values = [number, contentId, mimeType, sizeBytes, sha256, scanStatus, createdAt, JSON.stringify(createdBy)];
    transaction.write(statement(ADD, [currentTenant().id, fileId, ...values]));
  }

  /** Notes that announced bytes have arrived. */
  arrived(
    transaction: Transaction,
    fileId: string,
    { number, contentId, mimeType, sha256, scanStatus }: FileVersion,
  ): void {
    transaction.write(
      statement(ARRIVED, [currentTenant().id, fileId, number, contentId, mimeType, sha256, scanStatus]),
    );
  }

  /** All versions of a file, newest first. */
  of(fileId: string): Promise<FileVersion[]> {
    return this.database.read<FileVersion>(statement(LIST, [currentTenant().id, fileId]));
  }

  scanned(transaction: Transaction, fileId: string, contentId: string, scanStatus: ScanStatus): void {
    transaction.write(statement(SCANNED, [currentTenant().id, fileId, contentId, scanStatus]));
  }

  drop(transaction: Transaction, fileId: string): void {
    transaction.write(statement(DROP, [currentTenant().id, fileId]));
  }

  queueScan(transaction: Transaction, fileId: string, contentId: string, at: string): void {
    transaction.write(statement(QUEUE, [currentTenant().id, fileId, contentId, at]));
  }

  /** Bytes that all files of the tenant use or have announced. Nobody else adds any until the transaction ends. */
  async lockedBytes(transaction: Transaction): Promise<number> {
    const { id } = currentTenant();
    const [, rows] = await transaction.queryAll([statement(LOCK, [id]), statement(USED, [id])]);
    return (rows![0] as { bytes: number }).bytes; // as the statement selects it
  }

  /** Bytes that all files of the tenant use or have announced. */
  async bytes(): Promise<number> {
    const [row] = await this.database.read<{ bytes: number }>(statement(USED, [currentTenant().id]));
    return row!.bytes;
  }
}
