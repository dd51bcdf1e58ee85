import { Controller, Get, Param } from '@nestjs/common';
import { Route, type RouteOptions } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { creditNotes } from '../credit-notes/credit-note.js';
import { invoices } from '../invoices/invoice.js';
import { EInvoiceFiles } from './e-invoice-files.js';
import { XML } from './e-invoice-texts.js';

const FILE = {
  answer: [],
  answerDescription: 'UN/CEFACT Cross Industry Invoice.',
  downloads: [XML],
  problems: ['not_found'],
} satisfies Partial<RouteOptions>;
const DESCRIPTION =
  'The XML in the format that `finance.eInvoice` of the settings named at its issue. It says what was issued, and stays the same. 404 if it is a draft or was issued without.';

/** Electronic invoices in the European standard EN 16931. */
@Controller()
export class EInvoicesController {
  constructor(private readonly files: EInvoiceFiles) {}

  @Route({
    ...FILE,
    id: 'finance.invoices.e_invoice',
    summary: 'Download an invoice as an electronic invoice',
    description: DESCRIPTION,
    permission: 'invoices:read',
    object: invoices.type,
    tag: 'finance invoices',
  })
  @Get(`${pathOf(invoices)}/:id/e-invoice`)
  invoice(@Param('id') id: string) {
    return this.files.ofInvoice(id);
  }

  @Route({
    ...FILE,
    id: 'finance.credit_notes.e_invoice',
    summary: 'Download a credit note as an electronic invoice',
    description: DESCRIPTION,
    permission: 'credit-notes:read',
    object: creditNotes.type,
    tag: 'finance credit notes',
  })
  @Get(`${pathOf(creditNotes)}/:id/e-invoice`)
  creditNote(@Param('id') id: string) {
    return this.files.ofCreditNote(id);
  }
}
