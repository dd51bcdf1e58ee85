import { Column, Entity } from 'typeorm';
import { MergeableRow } from '../merging/mergeable.repository.js';
import type { Consent } from './contact.dto.js';

@Entity({ schema: 'data', name: 'sales_contacts' })
export class Contact extends MergeableRow {
  @Column('text', { name: 'first_name', nullable: true })
  firstName!: string | null;

  @Column('text', { name: 'last_name', nullable: true })
  lastName!: string | null;

  @Column('jsonb')
  emails!: string[];

  @Column('jsonb')
  phones!: string[];

  @Column('text', { nullable: true })
  title!: string | null;

  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @Column('boolean', { name: 'is_primary' })
  isPrimary!: boolean;

  @Column('text', { nullable: true })
  locale!: string | null;

  @Column('jsonb')
  consent!: Consent;
}
