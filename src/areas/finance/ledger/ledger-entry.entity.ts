import { Column, Entity } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { LedgerAccount } from './ledger.js';

/** One line of a journal. `baseMinor` is the amount in the tenant's currency, debit positive, credit negative. */
@Entity({ schema: 'data', name: 'finance_ledger_entries' })
export class LedgerEntry extends TenantRow {
  @Column('uuid', { name: 'journal_id' })
  journalId!: string;

  @Column('date', { name: 'entry_date' })
  entryDate!: string;

  @Column('text', { name: 'account_code' })
  accountCode!: LedgerAccount;

  @Column('bigint', { name: 'debit_minor' })
  debitMinor!: number;

  @Column('bigint', { name: 'credit_minor' })
  creditMinor!: number;

  @Column('text')
  currency!: string;

  @Column('bigint', { name: 'base_minor' })
  baseMinor!: number;

  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @Column('uuid', { name: 'invoice_id', nullable: true })
  invoiceId!: string | null;

  @Column('text', { name: 'source_object' })
  sourceObject!: string;

  @Column('uuid', { name: 'source_id' })
  sourceId!: string;

  /** Whether it belongs to the sample data; only such entries can be deleted. */
  @Column('boolean')
  sample!: boolean;
}
