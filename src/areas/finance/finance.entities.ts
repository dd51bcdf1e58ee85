import type { EntityClass } from '#libs/database/data-source.js';
import { CreditNote } from './credit-notes/credit-note.js';
import { Invoice } from './invoices/invoice.js';
import { LedgerEntry } from './ledger/ledger-entry.entity.js';
import { Payment } from './payments/payment.js';
import { TaxRate } from './tax-rates/tax-rate.js';

export const FINANCE_ENTITIES: EntityClass[] = [CreditNote, Invoice, LedgerEntry, Payment, TaxRate];
