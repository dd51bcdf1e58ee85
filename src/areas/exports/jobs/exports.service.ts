import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { guarantorOf } from '#libs/auth/guarantors.js';
import { personOf } from '#libs/auth/principal.js';
import { includedIn } from '#libs/auth/rights.js';
import { Database } from '#libs/database/database.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import { dispositionOf } from '#libs/http/files/disposition.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { type ExportOrder, ExportTables } from '../table/export-tables.js';
import { type ExportFormat, MEDIA_TYPES } from '../table/export-writer.js';
import { MAX_INLINE_ROWS } from './export-fields.js';
import { type ExportJob, exportJobs, type ShownExport } from './export-job.js';
import { ExportRecords } from './export-records.js';
import { ExportRuns, orderOf } from './export-runs.js';

export type NewExport = Pick<ExportJob, 'type' | 'format'> &
  Partial<Pick<ExportJob, 'query' | 'locale' | 'byteOrderMark'>>;

/** Exports of the caller, and those that were sent to them. */
@Injectable()
export class ExportsService {
  constructor(
    private readonly records: ExportRecords,
    private readonly runs: ExportRuns,
    private readonly tables: ExportTables,
    private readonly contents: FileContents,
    private readonly jobs: Jobs,
    private readonly settings: TenantSettings,
    private readonly trail: AuditTrail,
    private readonly database: Database,
    private readonly kit: ResourceKit,
  ) {}

  list(query: object): Promise<Page<ShownExport>> {
    return this.records.objects.list(query);
  }

  /** @throws Problem 404. */
  get(id: string): Promise<ShownExport> {
    return this.records.objects.get(id);
  }

  /** @throws Problem 400, 403, 409 `limit_reached`. */
  async create(input: NewExport): Promise<ShownExport> {
    const order = await this.orderOf(input);
    const caller = currentPrincipal();
    const by = {
      requesterId: personOf(caller),
      guarantor: guarantorOf(caller),
      scopes: includedIn(caller.permissions),
    };
    return this.records.objects.unit(async (transaction) => {
      await this.records.objects.refuseBeyondLimit();
      const row = this.runs.begin(transaction, { ...order, ...by, readerIds: [], scheduleId: null });
      return this.records.objects.show(row);
    });
  }

  /** The file of a short list, at once. The export itself is logged before it starts. @throws Problem 400, 403, 409. */
  async inline(input: NewExport): Promise<StreamableFile> {
    const order = await this.orderOf(input);
    const selection = await this.tables.selection(order, MAX_INLINE_ROWS + 1);
    const ids = (await this.database.read<{ id: string }>(selection)).map(({ id }) => id);
    if (ids.length > MAX_INLINE_ROWS) {
      const detail = `The list has more than ${MAX_INLINE_ROWS} records: send the request without \`inline\`.`;
      throw new Problem('export_too_large', detail);
    }
    const { type, query, format } = order;
    const changes = Object.fromEntries(
      Object.entries({ type, query, format }).map(([name, to]) => [name, { from: null, to }]),
    );
    const target = { type: exportJobs.type, id: null, name: type };
    await this.trail.record({ action: 'exports.job.sent', target, outcome: 'success', riskLevel: 'medium', changes });
    const writer = this.tables.writer(order);
    const { text } = this.tables.text(order, ids, 0);
    async function* whole(): AsyncGenerator<string | Buffer> {
      yield writer.head;
      yield* text as AsyncIterable<Buffer>;
      yield writer.tail;
    }
    const mimeType = MEDIA_TYPES[format];
    return new StreamableFile(writer.fileOf(Readable.from(whole(), { objectMode: false })), {
      type: mimeType.startsWith('text/') ? `${mimeType}; charset=utf-8` : mimeType,
      disposition: dispositionOf({ name: this.nameOf(order, this.kit.now()), mimeType, inline: false }),
    });
  }

  /**
   * The file of an export, which is logged.
   * @throws Problem 403, 404, 409 `blocked` for one that is not ready, 410 `export_expired`.
   */
  async download(id: string): Promise<{ content: Content; name: string }> {
    const row = await this.records.objects.read(id);
    const content = row.contentId === null ? null : await this.contents.find(row.contentId);
    if (row.status === 'expired' || (row.contentId !== null && !content))
      throw new Problem('export_expired', 'The file is removed: make another export.');
    if (!content) throw new Problem('blocked', `The export is ${row.status}, not ready.`);
    await this.tables.requireVisible(orderOf(row));
    const target = { type: exportJobs.type, id, name: exportJobs.noun };
    await this.trail.record({ action: 'exports.job.downloaded', target, outcome: 'success', riskLevel: 'medium' });
    return { content: { ...content, mimeType: MEDIA_TYPES[row.format] }, name: this.nameOf(row, row.asOf!) };
  }

  /** Ends an export that is not finished. @throws Problem 404, 409 `invalid_transition`. */
  async cancel(id: string): Promise<ShownExport> {
    const row = await this.records.objects.read(id);
    requireOwn(row);
    return this.database.transaction(async (transaction) => {
      const job = await this.jobs.rows.lock(transaction, row.jobId);
      const before = await this.records.objects.rows.lock(transaction, id);
      if (!job || !before) throw Problem.notFound();
      if (before.finishedAt !== null) throw invalidTransition('cancel', { state: before.status }, []);
      await this.jobs.cancel(transaction, job);
      return this.records.objects.get(id);
    });
  }

  private async orderOf({ type, query = {}, format, locale, byteOrderMark = false }: NewExport): Promise<ExportOrder> {
    const plan = await this.tables.plan({ type, query });
    const usual = (await this.settings.get()).general.locale;
    return { type, query, format, locale: locale ?? usual, byteOrderMark, plan };
  }

  private nameOf({ type, format }: { type: string; format: ExportFormat }, asOf: string): string {
    return `${this.kit.registry.ofType(type)!.definition.collection}-${asOf.slice(0, 10)}.${format}`;
  }
}

/** An export that was sent to the caller is not theirs to cancel. @throws Problem 403. */
function requireOwn({ requesterId }: ExportJob): void {
  if (requesterId !== personOf(currentPrincipal()))
    throw new Problem('permission_denied', 'Only who requested an export can cancel it.');
}
