import { Column, Entity } from 'typeorm';
import { MergeableRow } from '../merging/mergeable.repository.js';
import type { AccountLifecycle, AccountRole, AccountSize } from './account.dto.js';
import type { AccountAddress } from './address.dto.js';

/** `lifecycleBefore` is where a blocked account returns to; null while it is not blocked. */
@Entity({ schema: 'data', name: 'sales_accounts' })
export class Account extends MergeableRow {
  @Column('text', { nullable: true })
  domain!: string | null;

  @Column('jsonb')
  roles!: AccountRole[];

  @Column('text', { nullable: true })
  industry!: string | null;

  @Column('text', { nullable: true })
  size!: AccountSize | null;

  @Column('text', { name: 'billing_email', nullable: true })
  billingEmail!: string | null;

  @Column('jsonb', { name: 'billing_address', nullable: true })
  billingAddress!: AccountAddress | null;

  @Column('jsonb', { name: 'shipping_address', nullable: true })
  shippingAddress!: AccountAddress | null;

  @Column('text', { name: 'tax_id', nullable: true })
  taxId!: string | null;

  @Column('text', { nullable: true })
  currency!: string | null;

  @Column('integer', { name: 'payment_terms_days', nullable: true })
  paymentTermsDays!: number | null;

  @Column('bigint', { name: 'credit_limit_minor', nullable: true })
  creditLimitMinor!: number | null;

  @Column('uuid', { name: 'parent_account_id', nullable: true })
  parentAccountId!: string | null;

  @Column('text')
  lifecycle!: AccountLifecycle;

  @Column('text', { name: 'lifecycle_before', nullable: true })
  lifecycleBefore!: AccountLifecycle | null;
}
