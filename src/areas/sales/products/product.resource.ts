import { flag, oneOf } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { trashActions } from '#libs/resource/standard-actions.js';
import {
  BILLING_INTERVALS,
  CreateProduct,
  priceMinor,
  PRODUCT_KINDS,
  ProductView,
  sku,
  UpdateProduct,
} from './product.dto.js';
import { Product } from './product.entity.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

/** A product is active or in the archive, which is a place and no state. */
export const productLifecycle = lifecycle({
  states: ['active'],
  initial: 'active',
  transitions: {
    archive: {
      from: ['active'],
      to: null,
      permission: 'products:write',
      event: 'archived',
      summary: 'Take a product off the offer',
      happened: 'A product is no longer offered.',
    },
    unarchive: {
      from: ['active'],
      to: null,
      permission: 'products:write',
      event: 'unarchived',
      summary: 'Offer a product again',
      happened: 'A product is offered again.',
    },
    ...trashActions('product', ['active'], 'products:delete', 'medium'),
  },
});

export type ProductAction = keyof typeof productLifecycle.transitions;

export const productResource: ResourceDefinition<Product, ProductAction> = {
  type: 'sales.product',
  noun: 'product',
  area: 'sales',
  collection: 'products',
  prefix: 'PROD',
  entity: Product,
  view: ProductView,
  create: CreateProduct,
  update: UpdateProduct,
  permissions: { read: 'products:read', write: 'products:write' },
  lifecycle: productLifecycle,
  defaults: { kind: 'service', prices: [], stocked: false },
  inputs: {},
  problems: { create: ['duplicate'], update: ['duplicate'], restore: ['duplicate'] },
  bodies: {
    create: { name: 'Consulting', sku: 'CONS-01', kind: 'service', unitPriceMinor: 12000, unit: 'hour' },
    update: { unitPriceMinor: 12500, prices: [{ currency: 'EUR', unitPriceMinor: 11500 }] },
  },
  list: {
    filters: {
      ...recordFilters('sales.product'),
      sku: filter.exact(sku(), true),
      kind: filter.exact(oneOf(PRODUCT_KINDS)),
      currency: filter.exact(currencyCode()),
      unitPriceMinor: filter.ordered(priceMinor(), true),
      billingInterval: filter.exact(oneOf(BILLING_INTERVALS), true),
      stocked: filter.exact(flag()),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'sku', 'unitPriceMinor'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'products:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'sales.product',
    reference: 'PROD-000005',
    name: 'Consulting',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    sku: 'CONS-01',
    kind: 'service',
    description: null,
    unitPriceMinor: 12000,
    currency: 'USD',
    prices: [{ currency: 'EUR', unitPriceMinor: 11000 }],
    unit: 'hour',
    costMinor: 7000,
    stocked: false,
    billingInterval: null,
    active: true,
  },
};
