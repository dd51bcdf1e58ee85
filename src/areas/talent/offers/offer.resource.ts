import { id, instant, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { WORKSPACE_OF_APPLICATION } from '../applications/application.parts.js';
import { CreateOffer, OfferView, UpdateOffer } from './offer.dto.js';
import { Offer } from './offer.entity.js';
import { type OfferAction, offerLifecycle } from './offer.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const offerResource: ResourceDefinition<Offer, OfferAction> = {
  type: 'talent.offer',
  noun: 'offer',
  area: 'talent',
  collection: 'offers',
  prefix: 'OFF',
  entity: Offer,
  view: OfferView,
  create: CreateOffer,
  update: UpdateOffer,
  permissions: { read: 'offers:read', write: 'offers:write' },
  reach: {
    workspace: WORKSPACE_OF_APPLICATION,
  },
  lifecycle: offerLifecycle,
  stateField: 'status',
  inputs: {},
  problems: {
    create: ['application_closed', 'duplicate', 'record_locked'],
    update: ['application_closed', 'do_not_contact', 'invalid_transition', 'offer_expired', 'record_locked'],
    submit: ['application_closed', 'record_locked'],
    approve: ['application_closed', 'record_locked'],
    send: ['application_closed', 'do_not_contact', 'offer_expired', 'record_locked'],
    accept: ['application_closed', 'offer_expired', 'record_locked'],
    decline: ['record_locked'],
    expire: ['record_locked'],
    withdraw: ['record_locked'],
  },
  bodies: { update: { startDate: '2027-01-04', pay: { amountMinor: 7200000, currency: 'EUR', period: 'year' } } },
  defaults: { name: 'Offer', employmentType: 'full_time' },
  references: { applicationId: { table: 'data.talent_applications' } },
  list: {
    filters: {
      ...recordFilters('talent.offer'),
      status: filter.exact(oneOf(offerLifecycle.states)),
      applicationId: filter.exact(id()),
      expiresAt: filter.ordered(instant(), true),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'startDate', 'expiresAt'],
    defaultSort: '-createdAt',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'talent.offer',
    reference: 'OFF-000123',
    name: 'Backend engineer',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    status: 'draft',
    applicationId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    jobTitle: 'Backend engineer',
    employmentType: 'full_time',
    startDate: null,
    pay: null,
    expiresAt: null,
    sentAt: null,
    acceptedAt: null,
  },
};
