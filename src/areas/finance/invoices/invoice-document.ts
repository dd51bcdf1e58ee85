import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { ShownInvoice } from './invoice.js';
import { DOCUMENT_FIELDS } from './invoice.parts.js';

type Document = Pick<ShownInvoice, (typeof DOCUMENT_FIELDS)[number]>;

/** SHA-256 of the canonical JSON (RFC 8785) of an issued invoice, in lower case hexadecimal. */
export function contentHashOf(invoice: Document): string {
  const document = Object.fromEntries(DOCUMENT_FIELDS.map((field) => [field, invoice[field]]));
  return createHash('sha256')
    .update(canonicalize(document) as string)
    .digest('hex');
}
