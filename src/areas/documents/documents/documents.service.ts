import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { type Content, FileContents } from '#libs/files/file-contents.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { Problem } from '#libs/kernel/problem.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Change, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import type { DocumentAction } from './document.lifecycle.js';
import { type Document, documents, type ShownDocument, type VoidDocument } from './document.js';

/** Kind of the job that prints a document. */
export const RENDER = 'documents.render';

/** What a document says, with the input for it. As a symbol it is never serialized or stored. */
export const PREPARED = Symbol('prepared');

/** What a template made for a document. */
export type Prepared = Pick<
  Document,
  'kind' | 'templateVersion' | 'frozen' | 'source' | 'sourceFormat' | 'locale' | 'name'
>;

/** The printed form of a document. */
export interface Printed {
  content: Content;
  pages: number;
}

/** Documents that were made from templates. Each is printed once, by a job. */
@Injectable()
export class DocumentsService implements Decisions<Document, ShownDocument, DocumentAction> {
  readonly records: Records<Document, ShownDocument, DocumentAction>;
  readonly actions = {
    print: (_row: Document, changes: Partial<Document>) => changes,
    finalize: (row: Document) => this.finalize(row),
    supersede: () => ({}),
    void: (_row: Document, { reason }: VoidDocument) => ({ voidedAt: this.kit.now(), voidReason: reason }),
  };

  constructor(
    private readonly kit: ResourceKit,
    private readonly jobs: Jobs,
    private readonly contents: FileContents,
    private readonly subjects: RecordSubjects,
  ) {
    this.records = Records.of(documents, kit, this);
  }

  draft(input: Input & { [PREPARED]?: Prepared }): Draft<Document> {
    const { data: _, ...given } = input;
    const prepared = input[PREPARED]!; // the route has prepared it
    const { name = prepared.name, target = null, replacesId = null } = given as Partial<Document>; // validated
    const none = { contentId: null, contentHash: null, sizeBytes: null, pageCount: null, renderError: null };
    const open = { finalizedAt: null, voidedAt: null, voidReason: null };
    return { ...given, ...prepared, name, target, replacesId, ...none, ...open } as Draft<Document>;
  }

  /** What is final keeps its name, too. */
  edit(row: Document, patch: Partial<Document>): Partial<Document> {
    if (patch.name !== undefined && !['draft', 'rendered'].includes(row.status))
      throw new Problem('record_locked', `The document is ${row.status}: its name cannot change any more.`);
    return patch;
  }

  derive(): Partial<ShownDocument> {
    return { data: null };
  }

  /** Adds the data, for those who may see the record that it is about. */
  async detail(view: ShownDocument, row: Document): Promise<ShownDocument> {
    return { ...view, data: (await this.isOpen(row)) ? row.frozen : null };
  }

  erased(): Partial<Document> {
    return { name: 'Document', frozen: {}, source: '', contentId: null, target: null, status: 'void' };
  }

  saved(transaction: Transaction, { before, after }: Change<Document>): void {
    if (!before)
      this.jobs.start(transaction, { kind: RENDER, input: { documentId: after.id }, total: 1, phase: 'printing' });
    if (after.contentId !== null && before?.contentId !== after.contentId)
      this.contents.use(transaction, after.contentId, { object: documents.type, id: after.id, expiresAt: null });
  }

  /** The PDF. @throws Problem 404; 409 `file_not_available` if there is none, or none yet. */
  async contentOf(id: string): Promise<{ row: Document; content: Content }> {
    const row = await this.records.read(id);
    if (!(await this.isOpen(row))) throw Problem.notFound();
    const content = row.contentId === null ? null : await this.contents.find(row.contentId);
    if (!content)
      throw new Problem(
        'file_not_available',
        row.renderError?.detail ??
          (row.status === 'draft' ? 'The PDF is not made yet; try again.' : 'There is no PDF.'),
      );
    return { row, content };
  }

  /** Takes the PDF of a document that waits for it. */
  async printed(transaction: Transaction, row: Document, { content, pages }: Printed): Promise<void> {
    const { id: contentId, sha256: contentHash, sizeBytes } = content;
    const changes = { contentId, contentHash, sizeBytes, pageCount: pages, renderError: null };
    await this.records.transit(transaction, row, 'print', changes);
  }

  private async finalize(row: Document): Promise<Partial<Document>> {
    const { replacesId } = row;
    if (replacesId !== null)
      await this.records.unit(async (transaction) => {
        const replaced = await this.records.rows.lockPlainly(transaction, replacesId);
        if (replaced.status !== 'final')
          throw new Problem('record_locked', `The document that it replaces is ${replaced.status}, not final.`);
        await this.records.transit(transaction, replaced, 'supersede', {});
      });
    return { finalizedAt: this.kit.now() };
  }

  /** Whether the caller may see the record that a document is about. */
  private async isOpen({ target }: Document): Promise<boolean> {
    return target === null || (await this.subjects.ifVisible(target.object, target.id)) !== null;
  }
}
