import { oneOf, text } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { CreateTaxRate, TAX_KINDS, TAX_RATE_STATES, TaxRateView, UpdateTaxRate } from './tax-rate.dto.js';
import { TaxRate } from './tax-rate.entity.js';

/** A rate is archived for good: documents go on naming it, so it is never deleted. */
const taxRateLifecycle = lifecycle({
  states: ['active'],
  initial: 'active',
  transitions: {
    archive: {
      from: ['active'],
      to: null,
      permission: 'tax-rates:manage',
      event: 'archived',
      summary: 'Archive a tax rate',
      happened: 'A tax rate was archived: no new document can use it.',
      risk: 'medium',
    },
  },
});

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const taxRateResource: ResourceDefinition<TaxRate, 'archive'> = {
  type: 'finance.tax_rate',
  noun: 'tax rate',
  area: 'finance',
  collection: 'tax-rates',
  prefix: 'TAX',
  entity: TaxRate,
  view: TaxRateView,
  create: CreateTaxRate,
  update: UpdateTaxRate,
  permissions: { read: 'tax-rates:read', write: 'tax-rates:manage' },
  lifecycle: taxRateLifecycle,
  defaults: { kind: 'standard' },
  inputs: {},
  bodies: { create: { name: 'VAT', percent: 20, country: 'GB' }, update: { name: 'VAT 20 %' } },
  list: {
    filters: {
      ...recordFilters('finance.tax_rate'),
      kind: filter.exact(oneOf(TAX_KINDS)),
      country: filter.exact(text({ max: 2 }), true),
      code: filter.exact(text({ max: 40 }), true),
      status: filter.plain(
        oneOf(TAX_RATE_STATES),
        'eq',
        `case when t.archived_at is null then 'active' else 'archived' end`,
      ),
    },
    sorts: ['createdAt', 'updatedAt', 'name'],
    defaultSort: '-createdAt',
    trashPermission: 'tax-rates:manage',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c01',
    object: 'finance.tax_rate',
    reference: 'TAX-000001',
    name: 'VAT',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    status: 'active',
    percent: 20,
    country: 'GB',
    region: null,
    code: null,
    kind: 'standard',
    allowedActions: ['archive'],
  },
};
