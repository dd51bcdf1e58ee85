import { Field, flag, integer, listOf, nested, oneOf, text, type FieldOptions } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { mergePatchOf, RecordInput, RecordView } from '#libs/resource/record.dto.js';

export const PRODUCT_KINDS = ['goods', 'service', 'subscription'] as const;
export const BILLING_INTERVALS = ['month', 'quarter', 'year'] as const;
export type ProductKind = (typeof PRODUCT_KINDS)[number];
export type BillingInterval = (typeof BILLING_INTERVALS)[number];

export const sku = () =>
  text({ min: 1, max: 100, pattern: /^\S(.*\S)?$/, form: 'on one line, without white space at its ends' });
export const priceMinor = () => integer({ min: 0, max: MAX_MINOR });

/** A price in a further currency. */
export class ProductPrice {
  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'EUR' })
  currency!: string;

  @Field(priceMinor(), { description: 'Price of one, in minor units.', example: 11000 })
  unitPriceMinor!: number;
}

const prices = () => listOf(nested(ProductPrice), { max: 50 });
const may = (options: FieldOptions): FieldOptions => ({ ...options, optional: true, nullable: true });

const SKU = { description: 'Stock keeping unit, unique in any case.', example: 'CONS-01' };
const KIND = { description: 'What it is.', example: 'service' };
const DESCRIPTION = { description: 'More about it.', example: 'By our own engineers' };
const PRICE = { description: 'Price of one, in minor units.', example: 12000 };
const PRICES = { description: 'Prices in further currencies.', example: [{ currency: 'EUR', unitPriceMinor: 11000 }] };
const UNIT = { description: 'What is counted.', example: 'hour' };
const COST = { description: 'What one costs the tenant, in minor units.', example: 7000 };
const STOCKED = { description: 'Whether it is kept in stock; only goods.' };
const INTERVAL = { description: 'How often a subscription is paid; null for everything else.' };

export class CreateProduct extends RecordInput {
  @Field(sku(), may(SKU))
  sku!: string | null;

  @Field(oneOf(PRODUCT_KINDS), { ...KIND, description: 'What it is; service if not given.', optional: true })
  kind!: ProductKind;

  @Field(text({ max: 5_000 }), may(DESCRIPTION))
  description!: string | null;

  @Field(priceMinor(), may(PRICE))
  unitPriceMinor!: number | null;

  @Field(currencyCode(), {
    description: 'ISO 4217 code of price and cost; the tenant’s own if not given.',
    example: 'USD',
    optional: true,
  })
  currency!: string;

  @Field(prices(), { ...PRICES, optional: true })
  prices!: ProductPrice[];

  @Field(text({ min: 1, max: 40 }), may(UNIT))
  unit!: string | null;

  @Field(priceMinor(), may(COST))
  costMinor!: number | null;

  @Field(flag(), { ...STOCKED, optional: true })
  stocked!: boolean;

  @Field(oneOf(BILLING_INTERVALS), {
    description: 'How often a subscription is paid; month if not given. Only subscriptions have one.',
    optional: true,
    nullable: true,
  })
  billingInterval!: BillingInterval | null;
}

export const UpdateProduct = mergePatchOf('UpdateProduct', CreateProduct);

export class ProductView extends RecordView {
  @Field(sku(), { ...SKU, nullable: true })
  sku!: string | null;

  @Field(oneOf(PRODUCT_KINDS), KIND)
  kind!: ProductKind;

  @Field(text({ max: 5_000 }), { ...DESCRIPTION, nullable: true })
  description!: string | null;

  @Field(priceMinor(), { ...PRICE, nullable: true })
  unitPriceMinor!: number | null;

  @Field(currencyCode(), { description: 'ISO 4217 code of price and cost.', example: 'USD' })
  currency!: string;

  @Field(prices(), PRICES)
  prices!: ProductPrice[];

  @Field(text({ max: 40 }), { ...UNIT, nullable: true })
  unit!: string | null;

  @Field(priceMinor(), { ...COST, nullable: true })
  costMinor!: number | null;

  @Field(flag(), STOCKED)
  stocked!: boolean;

  @Field(oneOf(BILLING_INTERVALS), { ...INTERVAL, nullable: true })
  billingInterval!: BillingInterval | null;

  @Field(flag(), { description: 'Whether it is offered: neither archived nor in the trash.', example: true })
  active!: boolean;
}
