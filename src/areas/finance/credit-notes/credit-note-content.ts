import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { documentLines, ratesOf, taxRateIdsOf } from '#libs/lines/document-lines.js';
import type { LineView } from '#libs/lines/line.dto.js';
import type { InvoiceFigures } from '../settlement-desk.js';
import { TaxRatesService } from '../tax-rates/tax-rates.service.js';
import { type CreditLines, shareOfInvoice, wholeInvoice } from './credit-lines.js';
import type { CreditNote, CreditNoteInput } from './credit-note.js';
import { creditedLines } from './credit-note.queries.js';
import { Creditable } from './creditable.js';

/** Calculates the lines and amounts of credit notes. */
@Injectable()
export class CreditNoteContent {
  constructor(
    private readonly database: Database,
    private readonly rates: TaxRatesService,
  ) {}

  /** What can be credited of an invoice, beside what has been credited so far. */
  async creditableOf({ id, lineItems }: InvoiceFigures): Promise<Creditable> {
    const notes = await this.database.read<{ lineItems: LineView[] }>(creditedLines(id));
    return new Creditable(
      lineItems,
      notes.flatMap((note) => note.lineItems),
    );
  }

  /** Lines and sums: from lines, from an amount, or whatever is left of the invoice. `present` is the note so far. */
  async of(
    invoice: InvoiceFigures,
    { lineItems, amountMinor }: Pick<CreditNoteInput, 'lineItems' | 'amountMinor'>,
    present?: CreditNote,
  ): Promise<Partial<CreditNote>> {
    if (lineItems && amountMinor !== undefined)
      throw Problem.validation([
        { pointer: '/amountMinor', code: 'not_with_line_items', detail: 'Give lines or an amount, not both.' },
      ]);
    const creditable = await this.creditableOf(invoice);
    const source = lineItems
      ? { lineItems, taxInclusive: invoice.taxInclusive }
      : linesOf(invoice, creditable, amountMinor);
    return this.workedOut(invoice, creditable, source, present);
  }

  /** What lines come to beside what has been credited so far. @throws Problem 409 for more than is left of the invoice. */
  async workedOut(
    invoice: InvoiceFigures,
    creditable: Creditable,
    { lineItems, taxInclusive }: CreditLines,
    present?: CreditNote,
  ): Promise<Partial<CreditNote>> {
    const known = new Map([...ratesOf(present?.lineItems ?? []), ...ratesOf(invoice.lineItems)]);
    const others = taxRateIdsOf(lineItems).filter((id) => !known.has(id));
    const { header, ...lines } = documentLines(lineItems, {
      taxInclusive,
      taxRounding: (tax, price) => creditable.taxOf(tax, price, taxInclusive),
      rates: new Map([...(await this.rates.choose(others)), ...known]),
      present: present?.lineItems ?? [],
    });
    creditable.expect(lines.lineItems);
    const { subtotalMinor, discountMinor, taxMinor, totalMinor } = header;
    if (totalMinor > creditable.leftMinor) throw tooMuch();
    return { ...lines, subtotalMinor, discountMinor, taxMinor, totalMinor, taxInclusive };
  }
}

export function tooMuch(): Problem {
  return new Problem('amount_exceeds_balance', 'More would be credited than the invoice comes to.');
}

/** Lines that come to an amount, or to whatever is left. @throws Problem 409 for more than that. */
function linesOf(invoice: InvoiceFigures, creditable: Creditable, amountMinor: number | undefined): CreditLines {
  const { leftMinor } = creditable;
  const wanted = amountMinor ?? leftMinor;
  if (wanted > leftMinor) throw tooMuch();
  return wanted === invoice.totalMinor ? wholeInvoice(invoice) : shareOfInvoice(invoice, creditable.left(), wanted);
}
