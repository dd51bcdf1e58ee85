import { civilDate, id, instant, integer, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { CreatePayment, DIRECTIONS, METHODS, PAYMENT_INPUTS, PaymentView, UpdatePayment } from './payment.dto.js';
import { Payment } from './payment.entity.js';
import { type PaymentAction, paymentLifecycle } from './payment.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };
const amount = () => integer({ min: 0, max: MAX_MINOR });
const ALLOCATED = `exists (select 1 from data.finance_payment_allocations x
  where x.tenant_id = t.tenant_id and x.payment_id = t.id and x.invoice_id = any(:values))`;

export const paymentResource: ResourceDefinition<Payment, PaymentAction> = {
  type: 'finance.payment',
  noun: 'payment',
  area: 'finance',
  collection: 'payments',
  prefix: 'PAY',
  entity: Payment,
  view: PaymentView,
  create: CreatePayment,
  update: UpdatePayment,
  permissions: { read: 'payments:read', write: 'payments:write' },
  lifecycle: paymentLifecycle,
  stateField: 'status',
  references: { accountId: { table: 'data.sales_accounts', where: 'deleted_at is null and merged_into_id is null' } },
  inputs: PAYMENT_INPUTS,
  problems: {
    create: ['duplicate', 'amount_exceeds_balance', 'currency_mismatch', 'account_mismatch', 'invalid_transition'],
    update: [
      'duplicate',
      'record_locked',
      'invalid_transition',
      'amount_exceeds_balance',
      'currency_mismatch',
      'account_mismatch',
      'exchange_rate_missing',
    ],
    succeed: ['amount_exceeds_balance', 'currency_mismatch', 'account_mismatch', 'exchange_rate_missing'],
    allocate: ['amount_exceeds_balance', 'currency_mismatch', 'account_mismatch'],
    refund: ['amount_exceeds_balance'],
  },
  bodies: {
    create: { amountMinor: 36000, currency: 'USD', method: 'bank_transfer', receivedDate: '2026-11-21' },
    update: { paymentReference: 'INV-2026-00017' },
    succeed: { receivedDate: '2026-11-21' },
    refund: { amountMinor: 6000, reason: 'Order cancelled' },
  },
  list: {
    filters: {
      ...recordFilters('finance.payment'),
      status: filter.exact(oneOf(paymentLifecycle.states)),
      accountId: filter.exact(id(), true),
      direction: filter.exact(oneOf(DIRECTIONS)),
      method: filter.exact(oneOf(METHODS)),
      currency: filter.exact(currencyCode()),
      amountMinor: filter.ordered(amount()),
      receivedDate: filter.ordered(civilDate()),
      settledAt: filter.ordered(instant(), true),
      paymentReference: filter.exact(text({ max: 200 }), true),
      providerId: filter.exact(text({ max: 200 }), true),
      invoiceId: filter.related(id(), ALLOCATED),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'receivedDate', 'amountMinor'],
    defaultSort: '-createdAt',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1d01',
    object: 'finance.payment',
    reference: 'PAY-000001',
    name: 'Payment',
    ...EMPTY_ENVELOPE,
    version: 2,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    status: 'succeeded',
    accountId: null,
    direction: 'incoming',
    amountMinor: 36000,
    refundedMinor: 0,
    unallocatedMinor: 0,
    currency: 'USD',
    exchangeRate: null,
    method: 'bank_transfer',
    receivedDate: '2026-11-21',
    paymentReference: 'INV-2026-00017',
    provider: { name: 'stripe', id: 'pi_3NqS' },
    allocations: [{ invoiceId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c17', amountMinor: 36000 }],
    settledAt: '2026-11-21T09:15:02.114Z',
    reason: null,
    allowedActions: ['allocate', 'refund'],
  },
};
