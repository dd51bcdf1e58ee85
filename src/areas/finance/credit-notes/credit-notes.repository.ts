import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import type { LineView } from '#libs/lines/line.dto.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { InvoiceFigures } from '../settlement-desk.js';
import { CreditNote } from './credit-note.entity.js';

const CREDITED = `select line_items as "lineItems" from data.finance_credit_notes
  where tenant_id = $1 and invoice_id = $2 and status in ('issued', 'applied')`;
const LOCK_INVOICE = `
  select id, number, status, account_id as "accountId", currency, issue_date as "issueDate", due_date as "dueDate",
    total_minor as "totalMinor", amount_paid_minor as "amountPaidMinor", amount_credited_minor as "amountCreditedMinor",
    written_off_minor as "writtenOffMinor", base_total_minor as "baseTotalMinor", exchange_rate as "exchangeRate",
    line_items as "lineItems", tax_inclusive as "taxInclusive"
  from data.finance_invoices where tenant_id = $1 and id = $2 for update`;

/** An invoice as a credit note finds it. */
export type CreditedInvoice = InvoiceFigures & { status: string };

@Injectable()
export class CreditNotesRepository extends ResourceRepository<CreditNote> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, CreditNote);
  }

  /** The lines of all credit notes of an invoice that have been issued and not voided. */
  async creditedLines(invoiceId: string): Promise<LineView[]> {
    const query = statement(CREDITED, [currentTenant().id, invoiceId]);
    const notes = await this.database.read<Pick<CreditNote, 'lineItems'>>(query);
    return notes.flatMap(({ lineItems }) => lineItems);
  }

  /** The invoice of a credit note, locked: who credits or pays it waits. */
  async lockInvoice(transaction: Transaction, invoiceId: string): Promise<CreditedInvoice> {
    const [row] = await transaction.query<CreditedInvoice>(statement(LOCK_INVOICE, [currentTenant().id, invoiceId]));
    return row!;
  }
}
