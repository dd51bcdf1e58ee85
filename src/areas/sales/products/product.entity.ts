import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { BillingInterval, ProductKind, ProductPrice } from './product.dto.js';

@Entity({ schema: 'data', name: 'sales_products' })
export class Product extends RecordRow {
  @Column('text', { nullable: true })
  sku!: string | null;

  @Column('text')
  kind!: ProductKind;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('bigint', { name: 'unit_price_minor', nullable: true })
  unitPriceMinor!: number | null;

  @Column('text')
  currency!: string;

  @Column('jsonb')
  prices!: ProductPrice[];

  @Column('text', { nullable: true })
  unit!: string | null;

  @Column('bigint', { name: 'cost_minor', nullable: true })
  costMinor!: number | null;

  @Column('boolean')
  stocked!: boolean;

  @Column('text', { name: 'billing_interval', nullable: true })
  billingInterval!: BillingInterval | null;
}
