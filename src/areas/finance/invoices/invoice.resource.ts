import { civilDate, id, instant, integer, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { CreateInvoice, INVOICE_INPUTS, InvoiceView, UpdateInvoice } from './invoice.dto.js';
import { Invoice } from './invoice.entity.js';
import { INVOICE_EXAMPLE } from './invoice.example.js';
import { STATUS_SQL } from './invoice-figures.js';
import { type InvoiceAction, invoiceLifecycle } from './invoice.lifecycle.js';

const amount = () => integer({ min: -MAX_MINOR, max: MAX_MINOR });

export const invoiceResource: ResourceDefinition<Invoice, InvoiceAction> = {
  type: 'finance.invoice',
  noun: 'invoice',
  area: 'finance',
  collection: 'invoices',
  prefix: 'INV',
  entity: Invoice,
  view: InvoiceView,
  create: CreateInvoice,
  update: UpdateInvoice,
  permissions: { read: 'invoices:read', write: 'invoices:write' },
  lifecycle: invoiceLifecycle,
  stateField: 'status',
  defaults: {
    name: 'Invoice',
    amountPaidMinor: 0,
    amountCreditedMinor: 0,
    writtenOffMinor: 0,
    sentTo: [],
  },
  references: {
    accountId: { table: 'data.sales_accounts', where: 'deleted_at is null and merged_into_id is null' },
    dealId: { table: 'data.sales_deals' },
    projectId: { table: 'data.work_projects' },
  },
  inputs: INVOICE_INPUTS,
  besides: {
    issue: [{ scope: 'invoices:send', when: 'With `send`.' }],
  },
  problems: {
    create: ['source_already_billed'],
    update: [
      'record_locked',
      'source_already_billed',
      'source_not_billable',
      'invalid_transition',
      'customer_missing',
      'lines_missing',
      'total_negative',
      'exchange_rate_missing',
      'issue_date_out_of_order',
      'due_date_before_issue',
      'account_blocked',
      'recipient_missing',
      'has_payments',
      'amount_exceeds_balance',
    ],
    issue: [
      'source_not_billable',
      'customer_missing',
      'lines_missing',
      'total_negative',
      'exchange_rate_missing',
      'issue_date_out_of_order',
      'due_date_before_issue',
      'account_blocked',
      'recipient_missing',
    ],
    send: ['recipient_missing'],
    pay: ['amount_exceeds_balance'],
    credit: ['amount_exceeds_balance', 'tax_mismatch', 'required_fields_missing'],
    void: ['has_payments'],
  },
  bodies: {
    create: { name: 'Work in November', customer: { name: 'Globex Ltd' }, amount: 360 },
    update: { tags: ['retainer'], notes: 'Call before sending' },
    issue: { issueDate: '2026-11-21' },
    send: { to: ['billing@globex.example'], message: 'Thank you for your business.' },
    pay: { method: 'bank_transfer', receivedDate: '2026-12-01' },
    credit: { amountMinor: 6000, reason: 'Goods returned' },
  },
  list: {
    filters: {
      ...recordFilters('finance.invoice'),
      status: { ...filter.exact(oneOf(invoiceLifecycle.states)), sql: STATUS_SQL },
      number: filter.exact(text({ max: 60 }), true),
      accountId: filter.exact(id(), true),
      currency: filter.exact(currencyCode()),
      issueDate: filter.ordered(civilDate(), true),
      dueDate: filter.ordered(civilDate(), true),
      totalMinor: filter.ordered(amount()),
      balanceMinor: filter.ordered(amount()),
      isOverdue: filter.condition(`((${STATUS_SQL}) = 'overdue')`),
      dealId: filter.exact(id(), true),
      projectId: filter.exact(id(), true),
      sentAt: filter.ordered(instant(), true),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'issueDate', 'dueDate', 'number', 'totalMinor', 'balanceMinor'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'invoices:delete',
  },
  example: INVOICE_EXAMPLE,
};
