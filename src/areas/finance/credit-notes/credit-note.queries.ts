import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { InvoiceLine } from '../invoices/invoice.parts.js';
import type { InvoiceFigures } from '../settlement-desk.js';

const CREDITED = `select line_items as "lineItems" from data.finance_credit_notes
  where tenant_id = $1 and invoice_id = $2 and status in ('issued', 'applied')`;
const LOCK_INVOICE = `
  select id, number, status, account_id as "accountId", currency, issue_date as "issueDate", due_date as "dueDate",
    total_minor as "totalMinor", amount_paid_minor as "amountPaidMinor", amount_credited_minor as "amountCreditedMinor",
    written_off_minor as "writtenOffMinor", base_total_minor as "baseTotalMinor", exchange_rate as "exchangeRate",
    line_items as "lineItems", tax_inclusive as "taxInclusive"
  from data.finance_invoices where tenant_id = $1 and id = $2 for update`;

/** Invoice data that a credit note requires. */
export type CreditedInvoice = InvoiceFigures & { status: string; lineItems: InvoiceLine[] };

/** The lines of all credit notes of an invoice that are issued and not voided. */
export function creditedLines(invoiceId: string): Statement {
  return statement(CREDITED, [currentTenant().id, invoiceId]);
}

/** Locks the invoice of a credit note; concurrent credits and payments wait. */
export function lockInvoice(invoiceId: string): Statement {
  return statement(LOCK_INVOICE, [currentTenant().id, invoiceId]);
}
