import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Guarantors } from '#libs/auth/guarantors.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import type { Job, JobEnd, JobStep } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { attributesOf } from '#libs/resource/types/attribute.js';
import type { ReservedNumbers } from '#libs/resource/records/number-series.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { UnreadableTable } from '#libs/tables/csv-reader.js';
import type { OfOrderer } from '#libs/worker/on-behalf.js';
import { ImportFiles, type ReadRows } from './import-files.js';
import { NO_RESULTS } from './import-fields.js';
import { ImportInputs, type ImportPlan, type PreparedRow } from './import-inputs.js';
import { ImportNotices } from './import-notices.js';
import { ImportRecords } from './import-records.js';
import { ImportRollback } from './import-rollback.js';
import { ImportRows } from './import-rows.js';
import { ImportWriter, type Written } from './import-writer.js';
import { type ImportRun, imports, type ImportStatus } from './import.js';

const JOB = 'integrations.import';
const ON_BEHALF: OfOrderer = { of: 'orderer', asks: 'imports:run', told: null };
/** Hours for which a completed import can be rolled back. */
export const ROLLBACK_HOURS = 24;

/** What a job does. */
export type ImportTask = 'validate' | 'run' | 'roll_back';

const BEGUN = { validate: 'validating', run: 'running', roll_back: 'rolling_back' } as const;
const EVENTS: Partial<Record<ImportStatus, string>> = { running: 'started' };

/** Where a job is: which part is next, and what those before it came to. */
interface Progress {
  next: number;
  rows: number;
  created: number;
  updated: number;
  failed: number;
}

/** What was done outside of the transaction. */
type Prepared =
  | { read: ReadRows }
  | { refused: Content }
  | { rehearsed: Written; size: number }
  | { plan: ImportPlan; rows: PreparedRow[]; numbers: ReservedNumbers | null }
  | Problem
  | null;

/**
 * Validates, runs and rolls back imports, as jobs, with the present rights of who ordered it. The first step of a
 * validation reads the file and stores its rows in parts. Each further step rehearses a part, and each step of a run
 * writes one: in the transaction that records the progress, so no row is imported twice or left out.
 */
@Injectable()
export class ImportRuns implements OnModuleInit {
  constructor(
    private readonly records: ImportRecords,
    private readonly rows: ImportRows,
    private readonly files: ImportFiles,
    private readonly inputs: ImportInputs,
    private readonly writer: ImportWriter,
    private readonly rollback: ImportRollback,
    private readonly notices: ImportNotices,
    private readonly contents: FileContents,
    private readonly database: Database,
    private readonly guarantors: Guarantors,
    private readonly jobs: Jobs,
    private readonly kit: ResourceKit,
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

  /** Starts a task of a locked import as part of a transaction. */
  begin(transaction: Transaction, row: ImportRun, task: ImportTask): ImportRun {
    const input = { importId: row.id, task };
    const jobId = this.jobs.start(transaction, {
      kind: JOB,
      input,
      total: null,
      phase: task === 'validate' ? 'reading' : 'writing',
    });
    const status = BEGUN[task];
    const { results } = row;
    const none = { created: null, updated: null, failed: null, rolledBack: null, kept: null };
    const counts = task === 'validate' ? NO_RESULTS : task === 'run' ? { ...results, ...none } : results;
    if (task !== 'roll_back') this.rows.forgetFaults(transaction, row.id);
    const changes = { status, jobId, results: counts, error: null, refusedId: null, rollbackUntil: null };
    return this.records.objects.change(transaction, row, changes, EVENTS[status] ?? status);
  }

  private async work(job: Job, signal: AbortSignal): Promise<Prepared> {
    const row = await this.records.objects.rows.find(importOf(job));
    const task = taskOf(job);
    if (row?.status !== BEGUN[task] || task === 'roll_back') return null;
    return this.asOrderer(row, async () => {
      const { next } = progressOf(job);
      const plan = await this.inputs.planOf(row);
      if (task === 'validate' && next < 0) return { read: await this.files.store(row, keysOf(row, plan), signal) };
      if (next >= row.offsets.length - 1)
        return { refused: await this.files.storeRefused(row, this.rows.faultsByRow(row.id), signal) };
      const stored = await this.files.part(row, next);
      const rows = await this.inputs.prepare(row, plan, stored);
      if (task === 'run') return { plan, rows, numbers: await this.writer.numbersFor(plan, rows) };
      const rehearse = (transaction: Transaction) => this.writer.rehearse(transaction, plan, rows);
      return { rehearsed: await this.database.transaction(rehearse), size: rows.length };
    });
  }

  private async step(transaction: Transaction, job: Job, prepared: Prepared): Promise<JobStep> {
    const row = await this.records.objects.rows.lock(transaction, importOf(job));
    const task = taskOf(job);
    if (row?.status !== BEGUN[task]) return { isDone: true, done: job.done, phase: null, result: null };
    if (prepared instanceof Problem) return this.fail(transaction, job, row, prepared);
    if (task === 'roll_back') return this.takeBack(transaction, job, row);
    if (prepared === null) return { isDone: false, done: job.done }; // the state of the import was another one
    if ('refused' in prepared) return this.finish(transaction, job, row, prepared.refused);
    if ('read' in prepared) return this.read(transaction, row, prepared.read);
    const written = 'plan' in prepared ? await this.write(transaction, row, prepared) : prepared.rehearsed;
    if (written instanceof Problem) return this.fail(transaction, job, row, written);
    const size = 'plan' in prepared ? prepared.rows.length : prepared.size;
    const at = this.kit.now();
    this.rows.addFaults(transaction, row.id, written.faults, at);
    const before = progressOf(job);
    const refused = new Set(written.faults.map((each) => each.row)).size;
    const after: Progress = {
      next: before.next + 1,
      rows: before.rows + size,
      created: before.created + written.created,
      updated: before.updated + written.records.length - written.created,
      failed: before.failed + refused,
    };
    const step = { isDone: false, done: after.rows, state: { ...after } };
    const { validRows, invalidRows } = row.results;
    return task === 'validate'
      ? { ...step, phase: 'validating' }
      : { ...step, phase: 'writing', total: (validRows ?? 0) + (invalidRows ?? 0) };
  }

  /** Notes the parts of a file that has been read. */
  private read(transaction: Transaction, row: ImportRun, { content, offsets, count }: ReadRows): JobStep {
    this.use(transaction, row, content.id, null);
    transaction.write(this.records.objects.rows.replace({ ...row, rowsId: content.id, offsets, refusedId: null }));
    const state: Progress = { next: 0, rows: 0, created: 0, updated: 0, failed: 0 };
    return { isDone: false, done: 0, total: count, phase: 'validating', state: { ...state } };
  }

  /** Writes a part; asks again for the rights of who ordered it. */
  private write(
    transaction: Transaction,
    row: ImportRun,
    { plan, rows, numbers }: { plan: ImportPlan; rows: PreparedRow[]; numbers: ReservedNumbers | null },
  ): Promise<Written | Problem> {
    return this.asOrderer(row, async () => {
      const written = await this.writer.write(transaction, plan, rows, numbers);
      this.rows.addRecords(transaction, row.id, written.records);
      return written;
    });
  }

  private async finish(
    transaction: Transaction,
    job: Job,
    row: ImportRun,
    { id: refusedId }: Content,
  ): Promise<JobStep> {
    this.use(transaction, row, row.rowsId!, refusedId);
    const { rows, created, updated, failed } = progressOf(job);
    const { objects } = this.records;
    if (taskOf(job) === 'validate') {
      const results = { ...NO_RESULTS, validRows: rows - failed, invalidRows: failed };
      const after = objects.change(transaction, row, { status: 'validated', results, refusedId }, 'validated');
      await this.notices.validated(transaction, after);
      return done(job, after, rows);
    }
    const results = { ...row.results, created, updated, failed };
    const rollbackUntil = new Date(Date.parse(this.kit.now()) + ROLLBACK_HOURS * HOUR_MS).toISOString();
    const after = objects.change(
      transaction,
      row,
      { status: 'completed', results, refusedId, rollbackUntil },
      'completed',
    );
    await this.notices.completed(transaction, after);
    return done(job, after, rows);
  }

  private async takeBack(transaction: Transaction, job: Job, row: ImportRun): Promise<JobStep> {
    const taken = await this.asOrderer(row, () => this.rollback.step(transaction, row));
    if (taken instanceof Problem) return this.fail(transaction, job, row, taken);
    const { results } = row;
    const rolledBack = (results.rolledBack ?? 0) + taken.rolledBack;
    const kept = (results.kept ?? 0) + taken.kept;
    const counts = { ...results, rolledBack, kept };
    const total = (results.created ?? 0) + (results.updated ?? 0);
    if (!taken.isOver) {
      transaction.write(this.records.objects.rows.replace({ ...row, results: counts }));
      return { isDone: false, done: rolledBack + kept, total, phase: 'rolling_back' };
    }
    const after = this.records.objects.change(
      transaction,
      row,
      { status: 'rolled_back', results: counts },
      'rolled_back',
    );
    await this.notices.rolledBack(transaction, after);
    return done(job, after, rolledBack + kept);
  }

  private async fail(transaction: Transaction, job: Job, row: ImportRun, problem: Problem): Promise<JobStep> {
    const { code, more, detail } = problem;
    const first = more.errors?.[0];
    const error = { code: first?.code ?? code, message: first?.detail ?? detail };
    const failed = this.end(transaction, job, row, { status: 'failed', error });
    await this.notices.failed(transaction, failed);
    return { isDone: true, done: job.done, phase: null, result: { importId: row.id, status: 'failed', error } };
  }

  /** The job was cancelled, or given up, which `Jobs` tells. */
  private async ended(transaction: Transaction, job: Job, end: JobEnd): Promise<void> {
    const row = await this.records.objects.rows.lock(transaction, importOf(job));
    if (row?.status !== BEGUN[taskOf(job)]) return;
    if (end.status === 'cancelled') this.end(transaction, job, row, { status: 'cancelled', error: null });
    else {
      const { code, detail: message } = end.failure;
      this.end(transaction, job, row, { status: 'failed', error: { code, message } });
    }
  }

  /** Ends an import before all rows are done. What it has written stays, and can be rolled back. */
  private end(
    transaction: Transaction,
    job: Job,
    row: ImportRun,
    { status, error }: Pick<ImportRun, 'error'> & { status: 'failed' | 'cancelled' },
  ): ImportRun {
    const { created, updated, failed } = progressOf(job);
    const isRun = taskOf(job) === 'run';
    const results = isRun ? { ...row.results, created, updated, failed } : row.results;
    const mayRollBack = taskOf(job) !== 'validate';
    const until = new Date(Date.parse(this.kit.now()) + ROLLBACK_HOURS * HOUR_MS).toISOString();
    const changes = { status, error, results, rollbackUntil: mayRollBack ? until : null };
    return this.records.objects.change(transaction, row, changes, status);
  }

  /** Keeps the file as it was, and the rows that were read from it, in place of earlier ones. */
  private use(transaction: Transaction, { id, contentId }: ImportRun, rowsId: string, refusedId: string | null): void {
    const use = { object: imports.type, id };
    this.contents.release(transaction, use);
    for (const each of [contentId, rowsId, refusedId])
      if (each !== null) this.contents.use(transaction, each, { ...use, expiresAt: null });
  }

  /** Acts with the present rights of who ordered it; the problem that a retry would not solve. */
  private async asOrderer<T>(row: ImportRun, work: () => Promise<T>): Promise<T | Problem> {
    const { guarantor, requester: actor, id, recordType } = row;
    try {
      return await this.guarantors.act(guarantor, { grounds: `import ${id}`, actor }, () => {
        requirePermission(ON_BEHALF.asks);
        requirePermission(this.kit.registry.ofType(recordType)!.definition.permissions.write, { object: recordType });
        return work();
      });
    } catch (error) {
      if (error instanceof UnreadableTable)
        return Problem.validation([{ pointer: '/fileId', code: error.code, detail: error.message }]);
      if (error instanceof Problem && error.status < 500) return error;
      throw error;
    }
  }
}

/** Columns whose values stand once in a file: what finds the record of a row, ids of other systems, unique fields. */
function keysOf({ mapping, upsertBy, mode }: ImportRun, { resource, columns }: ImportPlan): string[] {
  const attributes = attributesOf(resource.definition.entity);
  return columns
    .filter(
      ({ name, target: { key, system } }) =>
        system !== undefined ||
        attributes.get(key)?.unique === true ||
        (mode !== 'create' && mapping[name] === upsertBy),
    )
    .map(({ name }) => name);
}

function importOf({ input }: Job): string {
  return String(input['importId']);
}

function taskOf({ input }: Job): ImportTask {
  return input['task'] as ImportTask; // as begin() wrote it
}

/** A validation first reads the file; its `next` is negative until then. */
function progressOf({ state, input }: Job): Progress {
  if ('next' in state) return state as unknown as Progress; // as the step before wrote it
  return { next: input['task'] === 'validate' ? -1 : 0, rows: 0, created: 0, updated: 0, failed: 0 };
}

function done(job: Job, { id, status, results }: ImportRun, rows: number): JobStep {
  return {
    isDone: true,
    done: rows,
    total: Math.max(rows, job.done),
    phase: null,
    result: { importId: id, status, results },
  };
}
