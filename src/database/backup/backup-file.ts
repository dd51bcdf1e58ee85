import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { OperatorError } from '#libs/config/operator-error.js';

/*
 * A backup is a gzip file of text: a line with the manifest; for each table a line with its name and columns, its rows in
 * the text format of COPY, and the line `\.`; a last line with the summary. Lines other than rows are JSON.
 */

/** What a backup was made from. */
export interface Manifest {
  format: typeof FORMAT;
  /** When the snapshot was taken. */
  createdAt: string;
  /** Version of PostgreSQL, e.g. `18.4`. */
  postgres: string;
  /** Names of the migrations that have made the schema. */
  migrations: string[];
  /** Ids of the master keys that encrypt keys in the backup. */
  masterKeyIds: string[];
  /** Names of the partitions of one day, e.g. `events_20261128`. */
  partitions: string[];
  /** Last value of each sequence that has been used. */
  sequences: Record<string, string>;
}

/** The table whose rows follow. */
export interface TableLine {
  table: string;
  columns: string[];
}

/** Ends a backup: rows of each table, and the SHA-256 of everything before this line. */
export interface Summary {
  rows: Record<string, number>;
  sha256: string;
}

export const FORMAT = 'tenant-operating-platform backup 1';
const END = Buffer.from('\\.\n');
const LINE_AND_END = Buffer.from('\n\\.\n');
const LINE_FEED = 10;
/** Rows of some tables have megabytes; small chunks would be joined again and again. */
const CHUNK_BYTES = 1024 * 1024;

/** The content of a backup, written in order by {@link writeBackupFile}. */
export type Part = { line: object } | { rows: AsyncIterable<Buffer> };

/**
 * Writes a backup with mode 0600: complete and on the disk, or not at all.
 * @param summary rows of each table, asked for after the last part.
 * @returns its size in bytes.
 * @throws OperatorError if the file exists or cannot be written; errors of the parts as they are.
 */
export async function writeBackupFile(
  path: string,
  parts: AsyncIterable<Part>,
  summary: () => Summary['rows'],
): Promise<number> {
  const draft = `${path}.${process.pid}.draft`;
  await refuseExisting(path);
  try {
    const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(content(parts, summary), createGzip(), file);
    await rename(draft, path);
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
    return (await stat(path)).size;
  } catch (error) {
    await rm(draft, { force: true });
    throw explained(error, `The backup cannot be written to ${path}`);
  }
}

async function refuseExisting(path: string): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new OperatorError(`The file ${path} exists already; name another one`);
}

async function* content(parts: AsyncIterable<Part>, summary: () => Summary['rows']): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const part of parts) {
    for await (const chunk of 'line' in part ? [lineOf(part.line)] : part.rows) {
      hash.update(chunk);
      yield chunk;
    }
    if ('line' in part) continue;
    hash.update(END);
    yield END;
  }
  yield lineOf({ rows: summary(), sha256: hash.digest('hex') } satisfies Summary);
}

const lineOf = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

/** Reads a backup from its start to its end. Each method throws an OperatorError if the file is damaged. */
export class BackupReader {
  private readonly file: ReadStream;
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly hash = createHash('sha256');
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly path: string) {
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    this.file = createReadStream(path).on('error', (error) => gunzip.destroy(error));
    this.chunks = this.file.pipe(gunzip)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async manifest(): Promise<Manifest> {
    const manifest = await this.line<Manifest>();
    if (manifest.format !== FORMAT) throw new OperatorError(`${this.path} is not a backup that this release can read`);
    return manifest;
  }

  /** The next table, or the summary after the last one, which has been verified except for the numbers of rows. */
  async next(): Promise<TableLine | Summary> {
    const before = this.hash.copy().digest('hex');
    const line = await this.line<TableLine | Summary>();
    if ('table' in line) return line;
    if (line.sha256 !== before || (await this.more())) throw this.damaged('its checksum is wrong');
    return line;
  }

  /** The rows of the table that {@link next} has returned; each chunk ends with a row. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.rest.subarray(0, END.length).equals(END)) {
        this.take(END.length);
        return;
      }
      const end = this.rest.indexOf(LINE_AND_END);
      const length = (end === -1 ? this.rest.lastIndexOf(LINE_FEED) : end) + 1;
      if (length > 0) yield this.take(length);
      else if (!(await this.more())) throw this.damaged('it ends too early');
    }
  }

  /** Closes the file. */
  async close(): Promise<void> {
    this.file.destroy();
    await this.chunks.return?.();
  }

  private async line<T>(): Promise<T> {
    for (;;) {
      const end = this.rest.indexOf(LINE_FEED);
      if (end === -1 && (await this.more())) continue;
      if (end === -1) throw this.damaged('it ends too early');
      const text = this.take(end + 1).toString();
      try {
        return JSON.parse(text) as T;
      } catch {
        throw this.damaged('a line is not JSON');
      }
    }
  }

  private take(length: number): Buffer {
    const taken = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    this.hash.update(taken);
    return taken;
  }

  /** Reads on; false at the end of the file. */
  private async more(): Promise<boolean> {
    try {
      const read = await this.chunks.next();
      if (read.done) return false;
      this.rest = Buffer.concat([this.rest, read.value]);
      return true;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code.startsWith('Z_')) throw this.damaged((error as Error).message);
      throw explained(error, `The backup ${this.path} cannot be read`);
    }
  }

  private damaged(reason: string): OperatorError {
    return new OperatorError(`${this.path} is not a complete backup: ${reason}`);
  }
}

/** Reads a backup from start to end. @throws OperatorError if it is damaged or cannot be read. */
export async function verifyBackupFile(path: string): Promise<void> {
  const reader = new BackupReader(path);
  try {
    await reader.manifest();
    while ('table' in (await reader.next())) for await (const _rows of reader.rows());
  } finally {
    await reader.close();
  }
}

/** Errors of the file system are for the operator; others are returned unchanged. */
function explained(error: unknown, what: string): unknown {
  const { message, syscall } = error as NodeJS.ErrnoException;
  return syscall ? new OperatorError(`${what}: ${message}`, { cause: error }) : error;
}
