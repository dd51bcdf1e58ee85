import { civilDate, id, integer, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { workspaceOfWhole } from '#libs/resource/part-of.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import {
  CREDIT_NOTE_INPUTS,
  CreateCreditNote,
  CreditNoteView,
  DISPOSITIONS,
  UpdateCreditNote,
} from './credit-note.dto.js';
import { CreditNote } from './credit-note.entity.js';
import { type CreditNoteAction, creditNoteLifecycle } from './credit-note.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };
const INVOICE_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c17';

export const creditNoteResource: ResourceDefinition<CreditNote, CreditNoteAction> = {
  type: 'finance.credit_note',
  noun: 'credit note',
  area: 'finance',
  collection: 'credit-notes',
  prefix: 'CRN',
  entity: CreditNote,
  view: CreditNoteView,
  create: CreateCreditNote,
  update: UpdateCreditNote,
  permissions: { read: 'credit-notes:read', write: 'credit-notes:write' },
  reach: {
    workspace: workspaceOfWhole('data.finance_invoices', 'invoice_id'),
  },
  lifecycle: creditNoteLifecycle,
  named: { invoiceId: { table: 'data.finance_invoices' }, accountId: { table: 'data.sales_accounts' } },
  stateField: 'status',
  inputs: CREDIT_NOTE_INPUTS,
  besides: {
    create: [{ scope: 'payments:refund', when: 'With the disposition `refund`.' }],
    update: [{ scope: 'payments:refund', when: 'With the disposition `refund`.' }],
  },
  problems: {
    create: ['amount_exceeds_balance', 'tax_mismatch'],
    update: [
      'record_locked',
      'invalid_transition',
      'amount_exceeds_balance',
      'tax_mismatch',
      'required_fields_missing',
    ],
    issue: ['amount_exceeds_balance', 'tax_mismatch', 'required_fields_missing'],
    apply: ['amount_exceeds_balance', 'gate_denied'],
  },
  bodies: {
    create: { invoiceId: INVOICE_ID, amountMinor: 6000, reason: 'Returned goods' },
    update: { disposition: 'account_credit' },
  },
  list: {
    filters: {
      ...recordFilters('finance.credit_note'),
      status: filter.exact(oneOf(creditNoteLifecycle.states)),
      number: filter.exact(text({ max: 40 }), true),
      invoiceId: filter.exact(id()),
      accountId: filter.exact(id(), true),
      currency: filter.exact(currencyCode()),
      disposition: filter.exact(oneOf(DISPOSITIONS)),
      issueDate: filter.ordered(civilDate(), true),
      totalMinor: filter.ordered(integer({ min: -MAX_MINOR, max: MAX_MINOR })),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'number', 'issueDate', 'totalMinor'],
    defaultSort: '-createdAt',
    trashPermission: 'credit-notes:write',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e01',
    object: 'finance.credit_note',
    reference: 'CRN-000001',
    name: 'Credit note',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    status: 'draft',
    number: null,
    invoiceId: INVOICE_ID,
    accountId: null,
    currency: 'USD',
    reason: 'Returned goods',
    disposition: 'reduce_balance',
    taxInclusive: true,
    lineItems: [],
    subtotalMinor: 6000,
    discountMinor: 0,
    taxMinor: 1000,
    totalMinor: 6000,
    taxBreakdown: [],
    issueDate: null,
    appliedAt: null,
    voidedAt: null,
    voidReason: null,
    allowedActions: ['issue', 'delete'],
  },
};
