import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { notWith, Problem } from '#libs/kernel/problem.js';
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

  /** The amounts of an invoice that can still be credited. */
  async creditableOf({ id, lineItems }: InvoiceFigures): Promise<Creditable> {
    const notes = await this.database.read<{ lineItems: LineView[] }>(creditedLines(id));
    return new Creditable(
      lineItems,
      notes.flatMap((note) => note.lineItems),
    );
  }

  /** Lines and sums from lines, from an amount, or from the remainder of the invoice. `present` is the current note. */
  async of(
    invoice: InvoiceFigures,
    { lineItems, amountMinor }: Pick<CreditNoteInput, 'lineItems' | 'amountMinor'>,
    present?: CreditNote,
  ): Promise<Partial<CreditNote>> {
    if (lineItems && amountMinor !== undefined)
      throw Problem.validation([
        { pointer: '/amountMinor', ...notWith('line_items', 'Give lines or an amount, not both.') },
      ]);
    const creditable = await this.creditableOf(invoice);
    const source = lineItems
      ? { lineItems, taxInclusive: invoice.taxInclusive }
      : linesOf(invoice, creditable, amountMinor);
    return this.workedOut(invoice, creditable, source, present);
  }

  /** Calculates lines, considering previous credits. @throws Problem 409 if more than the remainder of the invoice. */
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

/** Lines for an amount, or for the remainder. @throws Problem 409 if the amount exceeds the remainder. */
function linesOf(invoice: InvoiceFigures, creditable: Creditable, amountMinor: number | undefined): CreditLines {
  const { leftMinor } = creditable;
  const wanted = amountMinor ?? leftMinor;
  if (wanted > leftMinor) throw tooMuch();
  return wanted === invoice.totalMinor ? wholeInvoice(invoice) : shareOfInvoice(invoice, creditable.left(), wanted);
}
