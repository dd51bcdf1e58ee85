import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Payment } from './payment.js';
import type { PaymentAllocation } from './payment.parts.js';

const SET = `
  insert into data.finance_payment_allocations (tenant_id, payment_id, invoice_id, currency, amount_minor, created_at)
  values ($1, $2, $3, $4, $5, now())
  on conflict (tenant_id, payment_id, invoice_id) do update set amount_minor = excluded.amount_minor`;
const DROP = `delete from data.finance_payment_allocations where tenant_id = $1 and payment_id = $2 and invoice_id = $3`;
const PAYING = `
  select payment_id as "paymentId", amount_minor as "amountMinor" from data.finance_payment_allocations
  where tenant_id = $1 and invoice_id = $2 order by created_at desc, payment_id desc`;
const LAST_DEBITS = `
  select invoice_id as "invoiceId", max(entry_date)::text as day from data.finance_ledger_entries
  where tenant_id = $1 and invoice_id = any($2) and account_code = 'receivable' and debit_minor > 0
  group by invoice_id`;

/** Sets the amount of an allocation of a payment; 0 removes it. */
export function allocationOf({ id, currency }: Pick<Payment, 'id' | 'currency'>, part: PaymentAllocation): Statement {
  const { invoiceId, amountMinor } = part;
  const tenantId = currentTenant().id;
  if (amountMinor === 0) return statement(DROP, [tenantId, id, invoiceId]);
  return statement(SET, [tenantId, id, invoiceId, currency, amountMinor]);
}

/** The allocations that pay an invoice, newest first. */
export function payingFor(invoiceId: string): Statement {
  return statement(PAYING, [currentTenant().id, invoiceId]);
}

/** The last day on which the receivable of each invoice grew. */
export function lastDebits(invoiceIds: readonly string[]): Statement {
  return statement(LAST_DEBITS, [currentTenant().id, invoiceIds]);
}
