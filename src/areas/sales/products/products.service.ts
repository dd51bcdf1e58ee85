import { Injectable } from '@nestjs/common';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { type Shown } from '#libs/resource/types/record-type.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Product, products } from './product.js';

@Injectable()
export class ProductsService implements Decisions<Product> {
  readonly records: Records<Product, Shown<Product>>;

  constructor(kit: ResourceKit) {
    this.records = Records.of(products, kit, this);
  }

  draft(input: Partial<Product>): Draft<Product> {
    return coherent({ currency: currentTenant().currency, ...products.defaults, ...input } as Product);
  }

  edit(row: Product, patch: Partial<Product>): Partial<Product> {
    const ends = patch.kind !== undefined && patch.kind !== 'subscription' && row.kind === 'subscription';
    const { billingInterval } = coherent({ ...row, ...(ends ? { billingInterval: null } : {}), ...patch });
    return { ...patch, billingInterval };
  }

  derive({ archivedAt, deletedAt }: Product): Partial<Shown<Product>> {
    return { active: archivedAt === null && deletedAt === null };
  }
}

/** Validates a product; subscriptions default to monthly billing. @throws Problem 400 for inconsistent members. */
function coherent(product: Product): Product {
  const { kind, currency, prices, stocked, billingInterval = null } = product;
  const violations: Violation[] = [];
  const add = (pointer: string, code: string, detail: string) => violations.push({ pointer, code, detail });
  if (stocked && kind !== 'goods') add('/stocked', 'invalid_value', 'Only goods are kept in stock.');
  if (billingInterval !== null && kind !== 'subscription')
    add('/billingInterval', 'invalid_value', 'Only a subscription has a billing interval.');
  prices.forEach((price, index) => {
    if ([currency, ...prices.slice(0, index).map((each) => each.currency)].includes(price.currency))
      add(`/prices/${index}/currency`, 'not_unique', 'The product has a price in that currency already.');
  });
  if (violations.length > 0) throw Problem.validation(violations);
  return { ...product, billingInterval: kind === 'subscription' ? (billingInterval ?? 'month') : null };
}
