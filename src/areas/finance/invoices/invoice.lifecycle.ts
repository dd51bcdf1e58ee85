import { lifecycle } from '#libs/kernel/lifecycle.js';

/** `overdue` follows from the due date, `paid` from the balance. */
export const invoiceLifecycle = lifecycle({
  states: ['draft', 'issued', 'partially_paid', 'overdue', 'paid', 'void', 'uncollectible'],
  initial: 'draft',
  transitions: {
    issue: {
      from: ['draft'],
      to: 'issued',
      permission: 'invoices:issue',
      event: 'issued',
      summary: 'Issue an invoice: it gets its number and can no longer be changed',
      happened: 'An invoice was issued.',
      risk: 'medium',
      gate: { key: 'invoice.issue', past: ['issued', 'partially_paid', 'overdue', 'paid', 'uncollectible'] },
    },
    send: {
      from: ['issued', 'partially_paid', 'overdue', 'paid', 'uncollectible'],
      to: null,
      permission: 'invoices:send',
      event: 'sent',
      summary: 'Send an invoice to its customer',
      happened:
        'An invoice was sent: a mail with a public link to it was queued for each of the recipients in `sentTo`.',
    },
    view: {
      from: ['issued', 'partially_paid', 'overdue', 'paid', 'void', 'uncollectible'],
      to: null,
      permission: 'invoices:read',
      event: 'viewed',
      summary: 'Record that an invoice was opened by a public link',
      happened: 'An invoice was opened by a public link for the first time.',
      byPlatform: true,
    },
    pay: {
      from: ['issued', 'partially_paid', 'overdue', 'uncollectible'],
      to: 'partially_paid',
      permission: 'payments:write',
      event: 'payment_recorded',
      summary: 'Record a payment of an invoice',
      happened: 'A payment of an invoice was recorded.',
      risk: 'medium',
    },
    credit: {
      from: ['issued', 'partially_paid', 'overdue', 'paid'],
      to: null,
      permission: 'credit-notes:write',
      event: 'credited',
      summary: 'Issue a credit note for an invoice',
      happened: 'A credit note was issued for an invoice.',
      risk: 'medium',
      gate: { key: 'credit_note.issue', past: [] }, // the credit note has passed it
    },
    void: {
      from: ['issued', 'overdue'],
      to: 'void',
      permission: 'invoices:void',
      event: 'voided',
      summary: 'Void an invoice; it keeps its number',
      happened: 'An invoice was voided.',
      risk: 'high',
      gate: { key: 'invoice.void', past: ['void'] },
    },
    write_off: {
      from: ['issued', 'partially_paid', 'overdue'],
      to: 'uncollectible',
      permission: 'invoices:write-off',
      event: 'written_off',
      summary: 'Write off the open amount of an invoice',
      happened: 'The open amount of an invoice was written off.',
      risk: 'high',
    },
    delete: {
      from: ['draft'],
      to: null,
      permission: 'invoices:delete',
      event: 'deleted',
      summary: 'Delete a draft',
      happened: 'A draft of an invoice was deleted.',
    },
    fall_due: {
      from: ['issued', 'partially_paid'],
      to: 'overdue',
      permission: 'invoices:write',
      event: 'overdue',
      summary: 'Mark an invoice as overdue',
      happened: 'The due date of an invoice passed with a balance open.',
      byPlatform: true,
    },
    settle: {
      from: ['issued', 'partially_paid', 'overdue'],
      to: 'paid',
      permission: 'payments:write',
      event: 'paid',
      summary: 'Mark an invoice as paid',
      happened: 'An invoice was settled in full.',
      byPlatform: true,
    },
    release: {
      from: ['partially_paid', 'paid', 'overdue'],
      to: 'partially_paid',
      permission: 'payments:refund',
      event: 'payment_released',
      summary: 'Release a payment from an invoice',
      happened: 'Money paid for an invoice was released from it again, for example by a refund.',
      risk: 'medium',
      byPlatform: true,
    },
  },
});

export type InvoiceAction = keyof typeof invoiceLifecycle.transitions;
export type InvoiceStatus = (typeof invoiceLifecycle.states)[number];

/** SQL of the status of the row `t` at the instant `:now`: an open invoice may not be marked as overdue yet. */
export const STATUS_SQL = `case when t.status in ('issued', 'partially_paid') and t.overdue_at <= :now
  then 'overdue' else t.status end`;

/** Stored statuses that become `overdue` after the due date. */
export const OPEN_STATUSES: readonly InvoiceStatus[] = ['issued', 'partially_paid'];

/** The stored statuses of invoices that are shown with one of these; an overdue invoice may not be marked yet. */
export function storedAs(shown: unknown): InvoiceStatus[] {
  const statuses = [shown].flat() as InvoiceStatus[];
  return statuses.includes('overdue') ? [...new Set([...statuses, ...OPEN_STATUSES])] : statuses;
}
