import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';

/** `percent` counts ten-thousandths of a percent; `usedAt` is when a document first used the rate, null until then. */
@Entity({ schema: 'data', name: 'finance_tax_rates' })
export class TaxRate extends RecordRow {
  @Column('integer')
  percent!: number;

  @Column('text', { nullable: true })
  country!: string | null;

  @Column('text', { nullable: true })
  region!: string | null;

  @Column('text', { nullable: true })
  code!: string | null;

  @Column('text')
  kind!: string;

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: string | null;
}
