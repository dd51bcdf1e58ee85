import { Injectable, StreamableFile } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { creditNotes } from '../credit-notes/credit-note.js';
import { CreditNotesService } from '../credit-notes/credit-notes.service.js';
import { invoices } from '../invoices/invoice.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { creditNoteXml, fileNameOf, invoiceXml, XML } from './e-invoice-texts.js';

/** Electronic invoices as files. */
@Injectable()
export class EInvoiceFiles {
  constructor(
    private readonly invoices: InvoicesService,
    private readonly creditNotes: CreditNotesService,
  ) {}

  /** @throws Problem 403, 404 also for an invoice without an electronic form. */
  async ofInvoice(id: string): Promise<StreamableFile> {
    const row = await this.invoices.records.readFor(id, invoices.permissions.read);
    return fileOf(row.number, await invoiceXml(row));
  }

  /** @throws Problem 403, 404 also for a credit note without an electronic form. */
  async ofCreditNote(id: string): Promise<StreamableFile> {
    const row = await this.creditNotes.records.readFor(id, creditNotes.permissions.read);
    return fileOf(row.number, await creditNoteXml(row, await this.invoices.records.readPlainly(row.invoiceId)));
  }
}

function fileOf(number: string | null, xml: string | null): StreamableFile {
  if (number === null || xml === null) throw Problem.notFound();
  const disposition = `attachment; filename="${fileNameOf(number)}"`;
  return new StreamableFile(Buffer.from(xml), { type: XML, disposition });
}
