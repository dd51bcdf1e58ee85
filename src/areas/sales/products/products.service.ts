import { Injectable } from '@nestjs/common';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { ProductView } from './product.dto.js';
import type { Product } from './product.entity.js';
import { type ProductAction, productResource } from './product.resource.js';
import { ProductsRepository } from './products.repository.js';

/** What a tenant sells. */
@Injectable()
export class ProductsService extends ResourceService<Product, ProductView, ProductAction> {
  constructor(kit: ResourceKit, repository: ProductsRepository) {
    super(productResource, kit, repository);
  }

  /** Price of one in a currency, in minor units; null when the product has none. */
  priceIn({ currency, unitPriceMinor, prices }: Product, wanted: string): number | null {
    if (currency === wanted) return unitPriceMinor;
    return prices.find((price) => price.currency === wanted)?.unitPriceMinor ?? null;
  }

  protected override derive(row: Product): Partial<ProductView> {
    return { active: row.archivedAt === null && row.deletedAt === null };
  }

  protected override async draft(input: Partial<Product>): Promise<Draft<Product>> {
    const { currency = currentTenant().currency } = input;
    const whole = { kind: 'service', prices: [], stocked: false, billingInterval: null, ...input, currency };
    return coherent(whole as unknown as Product); // validated members are columns
  }

  protected override edit(row: Product, patch: Partial<Product>): Partial<Product> {
    const { billingInterval } = coherent({ ...row, ...forgetInterval(row, patch), ...patch });
    return { ...patch, billingInterval };
  }
}

/** A product that becomes something else than a subscription is no longer paid again and again. */
function forgetInterval(row: Product, patch: Partial<Product>): Partial<Product> {
  const ends = row.kind === 'subscription' && patch.kind !== undefined && patch.kind !== 'subscription';
  return ends ? { billingInterval: null } : {};
}

/** @throws Problem 400 for members that do not go together. */
function coherent(product: Product): Product {
  const { kind, currency, prices, stocked, billingInterval } = product;
  const violations: Violation[] = [];
  const add = (pointer: string, code: string, detail: string) => violations.push({ pointer, code, detail });
  if (stocked && kind !== 'goods') add('/stocked', 'invalid_value', 'Only goods are kept in stock.');
  if (billingInterval !== null && kind !== 'subscription')
    add('/billingInterval', 'invalid_value', 'Only a subscription has a billing interval.');
  const seen = new Set([currency]);
  prices.forEach((price, index) => {
    if (seen.has(price.currency))
      add(`/prices/${index}/currency`, 'not_unique', 'The product has a price in that currency already.');
    seen.add(price.currency);
  });
  if (violations.length > 0) throw Problem.validation(violations);
  return { ...product, billingInterval: kind === 'subscription' ? (billingInterval ?? 'month') : null };
}
