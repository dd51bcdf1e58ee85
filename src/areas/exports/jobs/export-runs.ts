import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Guarantors } from '#libs/auth/guarantors.js';
import type { Transaction } from '#libs/database/transaction.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import type { Job, JobEnd, JobStep } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import type { NewObject } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { OfOrderer } from '#libs/worker/on-behalf.js';
import { type ExportOrder, ExportTables } from '../table/export-tables.js';
import { MAX_ROWS } from './export-fields.js';
import { type ExportJob, exportJobs } from './export-job.js';
import { ExportNotices } from './export-notices.js';
import { ExportParts } from './export-parts.js';
import { ExportRecords } from './export-records.js';

const JOB = 'exports.export';
/** An export has a guarantor of its own, because a schedule starts it without a caller. */
const ON_BEHALF: OfOrderer = { of: 'orderer', asks: 'exports:write', told: null };
/** Days for which a file is kept. */
export const KEPT_DAYS = 7;

/** How an export is started. */
export type ExportStart = Pick<
  NewObject<ExportJob>,
  | 'type'
  | 'query'
  | 'format'
  | 'locale'
  | 'byteOrderMark'
  | 'plan'
  | 'requesterId'
  | 'guarantor'
  | 'scopes'
  | 'readerIds'
  | 'scheduleId'
>;

/** Where a job is: which part is next, of how many, and how many records those before it have. */
interface Progress {
  next: number;
  parts: number;
  selected: number;
  rows: number;
}

/** What was done outside of the transaction: a part, or the file. */
type Prepared = { content: Content; rows: number } | Problem | null;

/**
 * Exports, as jobs. The first step selects the records of the whole list in one statement, so a record is in the export
 * once, whatever is changed meanwhile. Each further step writes the records of a part, as they are then, and stores its
 * text; the transaction that records the progress names the stored text. The last step joins the parts.
 */
@Injectable()
export class ExportRuns implements OnModuleInit {
  constructor(
    private readonly records: ExportRecords,
    private readonly kit: ResourceKit,
    private readonly jobs: Jobs,
    private readonly tables: ExportTables,
    private readonly parts: ExportParts,
    private readonly contents: FileContents,
    private readonly guarantors: Guarantors,
    private readonly notices: ExportNotices,
  ) {}

  onModuleInit(): void {
    this.jobs.register<Prepared>({
      kind: JOB,
      permission: 'settings:manage',
      onBehalf: ON_BEHALF,
      work: (job, signal) => this.work(job, signal),
      step: (transaction, job, prepared) => this.step(transaction, job, prepared),
      ended: (transaction, job, end) => this.ended(transaction, job, end),
    });
  }

  /** Starts an export as part of a transaction. */
  begin(transaction: Transaction, start: ExportStart): ExportJob {
    const id = uuidv7();
    const jobId = this.jobs.start(transaction, { kind: JOB, input: { exportId: id }, total: null, phase: 'selecting' });
    const empty = { asOf: null, rowCount: null, sizeBytes: null, sha256: null, url: null, error: null } as const;
    const open = { status: 'queued', finishedAt: null, expiresAt: null, contentId: null, isStale: false } as const;
    return this.records.objects.add(transaction, { id, ...start, jobId, ...empty, ...open }, 'requested');
  }

  private async work(job: Job, signal: AbortSignal): Promise<Prepared> {
    const row = await this.records.objects.rows.find(exportOf(job));
    const progress = progressOf(job);
    if (row?.finishedAt !== null || row.isStale || !progress) return null;
    return this.asOrderer(row, () =>
      progress.next < progress.parts ? this.writePart(row, progress, signal) : this.assemble(row, progress, signal),
    );
  }

  private async writePart(row: ExportJob, { next, rows: before }: Progress, signal: AbortSignal): Promise<Prepared> {
    const { ids } = await this.parts.find(row.id, next);
    const { text, written } = this.tables.text(orderOf(row), ids, before);
    return { content: await this.parts.store(text, signal), rows: written.count };
  }

  /** The file from its parts. Nothing of it is read twice, unless the worker dies. */
  private async assemble(row: ExportJob, { rows }: Progress, signal: AbortSignal): Promise<Prepared> {
    const writer = this.tables.writer(orderOf(row));
    return { content: await this.parts.store(writer.fileOf(await this.parts.joined(row.id, writer)), signal), rows };
  }

  private async step(transaction: Transaction, job: Job, prepared: Prepared): Promise<JobStep> {
    const row = await this.records.objects.rows.lock(transaction, exportOf(job));
    if (row?.finishedAt !== null) return { isDone: true, done: job.done, phase: null, result: null };
    if (prepared instanceof Problem) return this.fail(transaction, job, row, prepared);
    const progress = progressOf(job);
    if (row.isStale || !progress) return this.select(transaction, job, row);
    const { content, rows } = prepared!; // work has done its part unless it had nothing to do
    if (progress.next === progress.parts) return this.finish(transaction, job, row, content);
    this.contents.use(transaction, content.id, { object: exportJobs.type, id: row.id, expiresAt: null });
    this.parts.name(transaction, row.id, progress.next, content.id);
    const after: Progress = { ...progress, next: progress.next + 1, rows: progress.rows + rows };
    const done = Math.min(after.next * this.parts.size, after.selected);
    const phase = after.next < after.parts ? 'writing' : 'assembling';
    return { isDone: false, done, total: after.selected, phase, state: { ...after } };
  }

  /** Selects the records, for the first time or anew. */
  private async select(transaction: Transaction, job: Job, row: ExportJob): Promise<JobStep> {
    this.forget(transaction, row);
    const asOf = this.kit.now();
    const selected = await this.asOrderer(row, async () => {
      const { plan, type, query } = row;
      const question = { type, query };
      const selection = await this.tables.selection(question, MAX_ROWS + 1);
      return { plan: plan ?? (await this.tables.plan(question)), selection };
    });
    if (selected instanceof Problem) return this.fail(transaction, job, row, selected);
    const { plan, selection } = selected;
    const sizes = await this.parts.select(transaction, row.id, selection);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (total > MAX_ROWS) {
      const detail = `The list has more than ${MAX_ROWS} records. Filter it by a field or by time.`;
      return this.fail(transaction, job, row, new Problem('export_too_large', detail));
    }
    const after: ExportJob = { ...row, status: 'running', asOf, plan, isStale: false };
    transaction.write(this.records.objects.rows.replace(after));
    const state: Progress = { next: 0, parts: sizes.length, selected: total, rows: 0 };
    const phase = sizes.length > 0 ? 'writing' : 'assembling';
    return { isDone: false, done: 0, total, phase, state: { ...state } };
  }

  private async finish(transaction: Transaction, job: Job, row: ExportJob, content: Content): Promise<JobStep> {
    const { rows, selected } = progressOf(job)!;
    const { sizeBytes, sha256, id: contentId } = content;
    const finishedAt = this.kit.now();
    const expiresAt = new Date(Date.parse(finishedAt) + KEPT_DAYS * DAY_MS).toISOString();
    const use = { object: exportJobs.type, id: row.id };
    this.contents.release(transaction, use);
    this.contents.use(transaction, contentId, { ...use, expiresAt });
    const url = `${exportJobs.path}/${row.id}/download`;
    const file = { rowCount: rows, sizeBytes, sha256, url, finishedAt, expiresAt };
    const ready = this.records.objects.change(transaction, row, { status: 'ready', ...file, contentId }, 'ready');
    await this.notices.ready(transaction, ready);
    const result = { exportId: row.id, ...file };
    return { isDone: true, done: selected, phase: null, result };
  }

  private async fail(transaction: Transaction, job: Job, row: ExportJob, problem: Problem): Promise<JobStep> {
    const error = { code: problem.code, message: problem.detail };
    const failed = this.end(transaction, row, { status: 'failed', error });
    await this.notices.failed(transaction, failed);
    return { isDone: true, done: job.done, phase: null, result: { exportId: row.id, status: 'failed', error } };
  }

  /** The job was cancelled, or given up, which `Jobs` tells. */
  private async ended(transaction: Transaction, job: Job, end: JobEnd): Promise<void> {
    const row = await this.records.objects.rows.lock(transaction, exportOf(job));
    if (row?.finishedAt !== null) return;
    if (end.status === 'cancelled') this.end(transaction, row, { status: 'cancelled' });
    else {
      const { code, detail: message } = end.failure;
      this.end(transaction, row, { status: 'failed', error: { code, message } });
    }
  }

  private end(
    transaction: Transaction,
    row: ExportJob,
    { status, error = null }: Pick<ExportJob, 'status'> & Partial<Pick<ExportJob, 'error'>>,
  ): ExportJob {
    this.forget(transaction, row);
    const finishedAt = this.kit.now();
    return this.records.objects.change(transaction, row, { status, error, finishedAt, isStale: false }, status);
  }

  private forget(transaction: Transaction, { id }: ExportJob): void {
    this.contents.release(transaction, { object: exportJobs.type, id });
    this.parts.forget(transaction, id);
  }

  /** Reads with the present rights of who ordered it; the problem that a retry would not solve. */
  private async asOrderer<T>({ id, guarantor }: ExportJob, work: () => Promise<T>): Promise<T | Problem> {
    let found: T | undefined;
    try {
      await this.guarantors.check(guarantor, `export ${id}`, async () => {
        requirePermission(ON_BEHALF.asks);
        found = await work();
      });
      return found as T; // the check has run the work
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return error;
      throw error;
    }
  }
}

function exportOf({ input }: Job): string {
  return String(input['exportId']);
}

function progressOf({ state }: Job): Progress | null {
  return 'parts' in state ? (state as unknown as Progress) : null; // as the first step wrote it
}

/** The order of an export that is running. */
export function orderOf({ type, query, format, locale, byteOrderMark, plan }: ExportJob): ExportOrder {
  return { type, query, format, locale, byteOrderMark, plan: plan! };
}
