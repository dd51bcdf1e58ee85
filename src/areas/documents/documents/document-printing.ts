import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { FileContents } from '#libs/files/file-contents.js';
import type { Job, JobEnd, JobStep } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { Problem } from '#libs/kernel/problem.js';
import type { PageSize, PdfFault } from '#libs/pdf/pdf.js';
import { PdfRenderer } from '#libs/pdf/pdf-renderer.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { DocumentsService, type Printed, RENDER } from './documents.service.js';
import type { Document } from './document.js';

/** Countries whose paper is Letter, by ISO 3166-1. Elsewhere it is A4. */
const LETTER = new Set('US CA MX CL CO CR GT NI PA PH PR SV VE DO'.split(' '));

/** Prints documents, in a job that does so outside of transactions. The same document makes the same bytes. */
@Injectable()
export class DocumentPrinting implements OnModuleInit {
  constructor(
    private readonly service: DocumentsService,
    private readonly jobs: Jobs,
    private readonly renderer: PdfRenderer,
    private readonly contents: FileContents,
    private readonly settings: TenantSettings,
    private readonly tenants: TenantReader,
  ) {}

  onModuleInit(): void {
    this.jobs.register<Printed | PdfFault | null>({
      kind: RENDER,
      permission: 'documents:write',
      onBehalf: { of: 'tenant', because: 'consequence' },
      work: (job) => this.work(job),
      step: (transaction, job, printed) => this.step(transaction, job, printed),
      ended: (transaction, job, end) => this.ended(transaction, job, end),
    });
  }

  private async work(job: Job): Promise<Printed | PdfFault | null> {
    const row = await this.service.records.readPlainly(documentOf(job)).catch(unlessGone);
    return row?.status === 'draft' ? this.print(row) : null;
  }

  private async print(row: Document): Promise<Printed | PdfFault> {
    const { general, finance, branding } = await this.settings.get();
    const author = finance.legalEntity.legalName ?? general.legalName ?? branding.displayName;
    const by = author ?? (await this.tenants.current()).name;
    const outcome = await this.renderer.render(currentTenant().id, row.source, {
      ...{ format: row.sourceFormat, title: row.name, author: by, locale: row.locale },
      ...{ pageSize: paperOf(general.country), footer: `${by} · ${row.name}`, createdAt: row.createdAt },
    });
    if ('fault' in outcome) return outcome.fault;
    const { bytes, pages } = outcome.pdf;
    return { content: await this.contents.storeBytes(Buffer.from(bytes), { sealed: row.target !== null }), pages };
  }

  private async step(transaction: Transaction, job: Job, printed: Printed | PdfFault | null): Promise<JobStep> {
    const documentId = documentOf(job);
    const row = await this.service.records.rows.lockPlainly(transaction, documentId).catch(unlessGone);
    if (row?.status === 'draft' && printed) {
      if ('code' in printed) await this.fail(transaction, row, printed);
      else await this.service.printed(transaction, row, printed);
    }
    return { isDone: true, done: 1, phase: null, result: { documentId } };
  }

  private async ended(transaction: Transaction, job: Job, end: JobEnd): Promise<void> {
    const row = await this.service.records.rows.lockPlainly(transaction, documentOf(job)).catch(unlessGone);
    const { code, detail } =
      end.status === 'failed' ? end.failure : { code: 'cancelled', detail: 'The job was cancelled.' };
    if (row?.status === 'draft') await this.fail(transaction, row, { code, detail });
  }

  private async fail(
    transaction: Transaction,
    row: Document,
    { code, detail }: { code: string; detail: string },
  ): Promise<void> {
    await this.service.records.rows.apply(transaction, row, { renderError: { code, detail } }, 'updated');
  }
}

function documentOf({ input }: Job): string {
  return String(input['documentId']);
}

/** @throws any problem but a 404. */
function unlessGone(error: unknown): null {
  if (error instanceof Problem && error.code === 'not_found') return null;
  throw error;
}

function paperOf(country: string | null): PageSize {
  return country !== null && LETTER.has(country) ? 'Letter' : 'A4';
}
