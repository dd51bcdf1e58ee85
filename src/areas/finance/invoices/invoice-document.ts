import { digestOf } from '#libs/kernel/canonical.js';
import type { ShownInvoice } from './invoice.js';
import { DOCUMENT_FIELDS } from './invoice.parts.js';

type Document = Pick<ShownInvoice, (typeof DOCUMENT_FIELDS)[number]>;

/** SHA-256 of the canonical JSON (RFC 8785) of an issued invoice, in lower case hexadecimal. */
export function contentHashOf(invoice: Document): string {
  return digestOf(Object.fromEntries(DOCUMENT_FIELDS.map((field) => [field, invoice[field]])));
}
