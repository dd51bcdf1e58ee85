import { Field, flag, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { Attribute, Derived } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { trashActions } from '#libs/resource/types/standard-actions.js';

export const PRODUCT_KINDS = ['goods', 'service', 'subscription'] as const;
export const BILLING_INTERVALS = ['month', 'quarter', 'year'] as const;
const sku = text({ min: 1, max: 100, pattern: /^\S(.*\S)?$/, form: 'on one line, without white space at its ends' });
const minor = integer({ min: 0, max: MAX_MINOR });

/** A price in an additional currency. */
export class ProductPrice {
  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'EUR' })
  currency!: string;

  @Field(minor, { description: 'Price of one, in minor units.', example: 11000 })
  unitPriceMinor!: number;
}

/** A product or service that a tenant sells. */
export class Product extends RecordRow {
  @Attribute(sku, 'Stock keeping unit. Unique in the tenant, ignoring case.', {
    example: 'CONS-01',
    nullable: true,
    unique: true,
    filter: true,
    sort: true,
  })
  sku!: string | null;

  @Attribute(oneOf(PRODUCT_KINDS), 'Goods, a service or a subscription; `service` by default.', {
    default: 'service',
    filter: true,
  })
  kind!: (typeof PRODUCT_KINDS)[number];

  @Attribute(text({ max: 5_000 }), 'Text for offers and invoices.', { nullable: true })
  description!: string | null;

  @Attribute(minor, 'Price of one, in minor units.', { example: 12000, nullable: true, filter: true, sort: true })
  unitPriceMinor!: number | null;

  @Attribute(currencyCode(), 'ISO 4217 code of price and cost; by default the tenant’s base currency.', {
    example: 'USD',
    optional: true,
    filter: true,
  })
  currency!: string;

  @Attribute(listOf(nested(ProductPrice), { max: 50 }), 'Prices in other currencies, one for each.', {
    default: [],
    example: [{ currency: 'EUR', unitPriceMinor: 11000 }],
  })
  prices!: ProductPrice[];

  @Attribute(text({ min: 1, max: 40 }), 'Unit that is sold, such as an hour or a piece.', {
    example: 'hour',
    nullable: true,
  })
  unit!: string | null;

  @Attribute(minor, 'What one costs the tenant, in minor units.', { example: 7000, nullable: true })
  costMinor!: number | null;

  @Attribute(flag(), 'Whether it is kept in stock. Only goods can be.', { default: false, filter: true })
  stocked!: boolean;

  @Attribute(
    oneOf(BILLING_INTERVALS),
    'How often a subscription is billed; `month` by default. Null for all other products.',
    { nullable: true, filter: true },
  )
  billingInterval!: (typeof BILLING_INTERVALS)[number] | null;

  @Derived(flag(), 'Whether it is offered: neither archived nor in the trash.', { example: true })
  active?: boolean;
}

declare module '#libs/auth/permissions.js' {
  interface PlainResources {
    products: true;
  }
}

const shelf = { from: ['active'], to: null, permission: 'products:write' } as const;

export const products = recordType(Product, {
  area: 'sales',
  collection: 'products',
  noun: 'product',
  prefix: 'PROD',
  permissions: { read: 'products:read', write: 'products:write' },
  name: { example: 'Consulting' },
  lifecycle: stateless({
    archive: {
      ...shelf,
      event: 'archived',
      summary: 'Stop offering a product',
      happened: 'A product is no longer offered.',
    },
    unarchive: {
      ...shelf,
      event: 'unarchived',
      summary: 'Offer a product again',
      happened: 'A product is offered again.',
    },
    ...trashActions('product', ['active'], 'products:delete', 'medium'),
  }),
});
