import type { NewAttachment } from '#libs/mail/mail-outbox.js';
import type { CreditNote } from '../credit-notes/credit-note.js';
import type { Invoice } from '../invoices/invoice.js';
import { eInvoiceXml } from './e-invoice-xml.js';

export const XML = 'application/xml';

/** The electronic form of an issued invoice; null if it has none. */
export async function invoiceXml(row: Invoice): Promise<string | null> {
  if (!row.eInvoiceData) return null;
  const { number, issueDate, customer, seller, terms } = row;
  const issued = { number: number!, issueDate: issueDate!, customer: customer!, seller: seller! };
  return eInvoiceXml({ ...row, ...issued, note: terms, preceding: null }, row.eInvoiceData);
}

/** The electronic form of an issued credit note of an invoice; null if it has none. */
export async function creditNoteXml(row: CreditNote, invoice: Invoice): Promise<string | null> {
  if (!row.eInvoiceData) return null;
  const { customer, seller, poNumber, purchaseRef } = invoice;
  const issued = { number: row.number!, issueDate: row.issueDate!, customer: customer!, seller: seller! };
  const named = { poNumber, purchaseRef, preceding: invoice.number, note: row.reason, dueDate: null };
  return eInvoiceXml({ ...row, ...issued, ...named }, row.eInvoiceData);
}

/** The attachment of a mail with the document of this number; none without an electronic form. */
export function attachmentsOf(number: string, xml: string | null): NewAttachment[] {
  return xml === null ? [] : [{ name: fileNameOf(number), contentType: XML, text: xml }];
}

/** Name of the file of the document with this number. */
export function fileNameOf(number: string): string {
  return `${number.replaceAll(/[^\w.-]+/g, '-')}.xml`;
}
