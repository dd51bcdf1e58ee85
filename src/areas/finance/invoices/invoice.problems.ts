import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import type { InvoiceAction } from './invoice.lifecycle.js';

const NOT_ISSUED: ProblemCode[] = [
  'source_not_billable',
  'customer_missing',
  'lines_missing',
  'e_invoice_incomplete',
  'total_negative',
  'exchange_rate_missing',
  'issue_date_out_of_order',
  'due_date_before_issue',
  'account_blocked',
  'amount_too_large',
  'recipient_missing',
];

/** Problems specific to invoices. */
export const INVOICE_PROBLEMS: Partial<Record<'create' | 'update' | InvoiceAction, ProblemCode[]>> = {
  create: ['source_already_billed'],
  update: ['record_locked', 'source_already_billed', ...NOT_ISSUED, 'has_payments', 'amount_exceeds_balance'],
  issue: NOT_ISSUED,
  send: ['recipient_missing'],
  pay: ['amount_exceeds_balance', 'amount_too_large'],
  credit: ['amount_exceeds_balance', 'tax_mismatch', 'required_fields_missing'],
  void: ['has_payments'],
};

export function alreadyBilled(): Problem {
  return new Problem('source_already_billed', 'Another invoice charges for one of the sources.');
}
