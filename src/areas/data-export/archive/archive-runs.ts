import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import type { Job, JobEnd, JobStep } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { SigningKeys } from '#libs/proof/signing-keys.js';
import type { NewObject } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope, currentTenant, runInScope } from '#libs/tenancy/scope.js';
import type { OfOrderer } from '#libs/worker/on-behalf.js';
import { type DataExportRequest, exportRequests } from '../requests/export-request.js';
import { ExportRequestNotices } from '../requests/export-request-notices.js';
import { isOver, ExportRequestRecords } from '../requests/export-request-records.js';
import { archiveOf, type ArchivedFile } from './archive-file.js';
import type { Omission } from './archive-contents.js';
import { ArchiveParts, type WrittenPart } from './archive-parts.js';
import { ArchiveRights } from './archive-rights.js';
import { ArchiveSelection } from './archive-selection.js';
import { ArchiveWriter } from './archive-writer.js';

const JOB = 'data_export.archive';
/** A request has a guarantor of its own, because somebody else starts it by approving it. */
const ON_BEHALF: OfOrderer = { of: 'orderer', asks: 'data-exports:request', told: null };
/** Records that one step writes, at least if there are as many. */
const STEP_ROWS = 10_000;

type Written = { kind: 'parts'; parts: WrittenPart[] } | { kind: 'archive'; content: Content };
type Prepared = Written | Problem | null;
type NewRequest = Omit<NewObject<DataExportRequest>, 'status' | 'jobId'>;
/** What a decision changes. */
type Decision = Partial<
  Pick<DataExportRequest, 'approvals' | 'decisionReason' | 'expiresInHours' | 'isFull' | 'fullGuarantor'>
>;

/**
 * Archives, as jobs. The first step selects which records each file has. Each further one writes some parts of files
 * outside of any transaction; the transaction that records the progress names the stored texts. The last one joins them.
 */
@Injectable()
export class ArchiveRuns implements OnModuleInit {
  constructor(
    private readonly records: ExportRequestRecords,
    private readonly kit: ResourceKit,
    private readonly jobs: Jobs,
    private readonly selection: ArchiveSelection,
    private readonly writer: ArchiveWriter,
    private readonly parts: ArchiveParts,
    private readonly rights: ArchiveRights,
    private readonly contents: FileContents,
    private readonly keys: SigningKeys,
    private readonly notices: ExportRequestNotices,
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

  /** Adds a request that nobody needs to approve. */
  begin(transaction: Transaction, request: NewRequest): DataExportRequest {
    const id = uuidv7();
    const jobId = this.startJob(transaction, id);
    return this.records.objects.add(transaction, { id, ...request, status: 'queued', jobId });
  }

  /** Starts the work on a locked request, also for another time. */
  restart(transaction: Transaction, row: DataExportRequest, decision: Decision, event: string): DataExportRequest {
    this.forget(transaction, row);
    const jobId = this.startJob(transaction, row.id);
    const again = { status: 'queued', jobId, error: null, finishedAt: null, isStale: false } as const;
    return this.records.objects.change(transaction, row, { ...decision, ...again }, event);
  }

  /** Cancels a locked request, with its job. */
  async cancel(transaction: Transaction, row: DataExportRequest, reason: string | null): Promise<DataExportRequest> {
    const job = row.jobId === null ? null : await this.jobs.rows.lock(transaction, row.jobId);
    if (job?.finishedAt !== null) return this.end(transaction, row, 'cancelled', { decisionReason: reason });
    await this.jobs.cancel(transaction, job);
    const after = await this.records.objects.rows.lock(transaction, row.id);
    if (reason === null) return after!;
    const noted = { ...after!, decisionReason: reason };
    transaction.write(this.records.objects.rows.replace(noted));
    return noted;
  }

  /** Keeps the archive of a locked request until an instant. */
  keep(transaction: Transaction, id: string, contentId: string, expiresAt: string): void {
    this.contents.use(transaction, contentId, { object: exportRequests.type, id, expiresAt });
  }

  /** Removes the archive of a locked request. */
  removeArchive(
    transaction: Transaction,
    row: DataExportRequest,
    status: 'expired' | 'revoked',
    reason = row.decisionReason,
  ): DataExportRequest {
    this.forget(transaction, row);
    const changes = { status, contentId: null, decisionReason: reason };
    return this.records.objects.change(transaction, row, changes, status);
  }

  private startJob(transaction: Transaction, requestId: string): string {
    return this.jobs.start(transaction, { kind: JOB, input: { requestId }, total: null, phase: 'selecting' });
  }

  private async work(job: Job, signal: AbortSignal): Promise<Prepared> {
    const row = await this.records.objects.rows.find(requestOf(job));
    if (!row || isOver(row) || row.isStale || !isSelected(job)) return null;
    return this.rights.reading(row, async () => {
      const due = await this.parts.next(row.id);
      if (due.length === 0) return { kind: 'archive', content: await this.assemble(row, job, signal) };
      const parts: WrittenPart[] = [];
      for (let rows = 0; due.length > 0 && rows < STEP_ROWS;) {
        const written = await this.writer.write(row, due.shift()!, signal);
        rows += written.size;
        parts.push(written);
      }
      return { kind: 'parts', parts };
    });
  }

  private async step(transaction: Transaction, job: Job, prepared: Prepared): Promise<JobStep> {
    const row = await this.records.objects.rows.lock(transaction, requestOf(job));
    if (!row || isOver(row)) return { isDone: true, done: job.done, phase: null, result: null };
    if (prepared instanceof Problem) return this.fail(transaction, job, row, prepared);
    if (row.isStale || !isSelected(job) || prepared === null) return this.select(transaction, job, row);
    if (prepared.kind === 'archive') return this.finish(transaction, job, row, prepared.content);
    for (const written of prepared.parts) {
      if (written.contentId !== null)
        this.contents.use(transaction, written.contentId, { object: exportRequests.type, id: row.id, expiresAt: null });
      this.parts.name(transaction, row.id, written);
    }
    const done = job.done + prepared.parts.filter(({ next }) => next === null).length;
    return { isDone: false, done, phase: 'writing', state: job.state };
  }

  /** Selects what the archive has, for the first time or anew. */
  private async select(transaction: Transaction, job: Job, row: DataExportRequest): Promise<JobStep> {
    this.forget(transaction, row);
    const snapshotAt = this.kit.now();
    const running: DataExportRequest = { ...row, status: 'running', snapshotAt, isStale: false };
    const selected = await this.rights.reading(running, () => this.selection.select(transaction, running));
    if (selected instanceof Problem) return this.fail(transaction, job, row, selected);
    transaction.write(this.records.objects.rows.replace(running));
    const { omitted, total } = selected;
    return { isDone: false, done: 0, total, phase: 'writing', state: { omitted } };
  }

  /** The archive from its parts. */
  private async assemble(row: DataExportRequest, { state }: Job, signal: AbortSignal): Promise<Content> {
    const extension = row.format === 'csv_zip' ? 'csv' : 'ndjson';
    const files: ArchivedFile[] = [];
    for (const section of await this.parts.sections(row.id)) {
      const { type, count, position } = section;
      const schema = JSON.stringify(this.writer.schemaOf(row, section), null, 2);
      const about = { type, count: 0, isCompressed: true };
      files.push(
        {
          ...{ path: `data/${type}.${extension}`, type, count, isCompressed: true },
          open: () => Promise.resolve(this.parts.text(row.id, position, this.writer.headOf(row, section))),
        },
        {
          ...about,
          path: `schemas/${type}.schema.json`,
          open: () => Promise.resolve(Readable.from([Buffer.from(schema)])),
        },
      );
    }
    if (row.includeFiles) files.push(...(await this.filesOf(row)));
    const { id, slug } = currentTenant();
    const facts = {
      ...{ tenant: { id, slug }, kind: row.kind, requestId: row.id, snapshotAt: row.snapshotAt! },
      ...{ full: row.isFull, includesDeleted: row.includeDeleted, omitted: state['omitted'] as Omission[] },
    };
    return this.parts.store(archiveOf(files, facts, await this.keys.active()), signal);
  }

  private async filesOf(row: DataExportRequest): Promise<ArchivedFile[]> {
    const files: ArchivedFile[] = [];
    const scope = currentScope();
    for await (const { fileId, number, contentId, name } of this.parts.files(row.id))
      files.push({
        ...{ path: `files/${fileId}/${number}${extensionOf(name)}`, type: 'documents.file_content', count: 1 },
        ...{ isCompressed: false, open: () => runInScope(scope, () => this.parts.bytes(contentId)) },
      });
    return files;
  }

  private async finish(
    transaction: Transaction,
    job: Job,
    row: DataExportRequest,
    { id: contentId, sizeBytes, sha256 }: Content,
  ): Promise<JobStep> {
    const recordCounts = Object.fromEntries(
      (await this.parts.sections(row.id)).map(({ type, count }) => [type, count]),
    );
    const finishedAt = this.kit.now();
    const downloadExpiresAt = new Date(Date.parse(finishedAt) + row.expiresInHours * HOUR_MS).toISOString();
    this.contents.release(transaction, { object: exportRequests.type, id: row.id });
    this.keep(transaction, row.id, contentId, downloadExpiresAt);
    const archive = { contentId, recordCounts, sizeBytes, sha256, finishedAt, downloadExpiresAt };
    const ready = this.records.objects.change(transaction, row, { status: 'ready', ...archive }, 'ready');
    await this.notices.ready(transaction, ready);
    const result = { requestId: row.id, sizeBytes, sha256 };
    return { isDone: true, done: job.done, phase: null, result };
  }

  private async fail(transaction: Transaction, job: Job, row: DataExportRequest, problem: Problem): Promise<JobStep> {
    const error = { code: problem.code, message: problem.detail };
    const failed = this.end(transaction, row, 'failed', { error });
    await this.notices.failed(transaction, failed);
    return { isDone: true, done: job.done, phase: null, result: { requestId: row.id, status: 'failed', error } };
  }

  /** The job was cancelled, or given up, which `Jobs` tells those who manage the tenant. */
  private async ended(transaction: Transaction, job: Job, end: JobEnd): Promise<void> {
    const row = await this.records.objects.rows.lock(transaction, requestOf(job));
    if (!row || isOver(row)) return;
    if (end.status === 'cancelled') return void this.end(transaction, row, 'cancelled', {});
    const { code, detail: message } = end.failure;
    await this.notices.failed(transaction, this.end(transaction, row, 'failed', { error: { code, message } }));
  }

  private end(
    transaction: Transaction,
    row: DataExportRequest,
    status: 'cancelled' | 'failed',
    more: Partial<Pick<DataExportRequest, 'error' | 'decisionReason'>>,
  ): DataExportRequest {
    this.forget(transaction, row);
    const changes = { status, finishedAt: this.kit.now(), isStale: false, ...more };
    return this.records.objects.change(transaction, row, changes, status);
  }

  private forget(transaction: Transaction, { id }: DataExportRequest): void {
    this.contents.release(transaction, { object: exportRequests.type, id });
    this.parts.forget(transaction, id);
  }
}

/** Name of the file with an archive. */
export function nameOf({ kind, snapshotAt }: DataExportRequest): string {
  return `${kind}-export-${snapshotAt!.slice(0, 10)}.zip`;
}

function requestOf({ input }: Job): string {
  return String(input['requestId']);
}

function isSelected({ state }: Job): boolean {
  return 'omitted' in state;
}

/** The extension of a name, if it is plain. */
function extensionOf(name: string): string {
  const extension = extname(name).toLowerCase();
  return /^\.[a-z0-9]{1,10}$/.test(extension) ? extension : '';
}
