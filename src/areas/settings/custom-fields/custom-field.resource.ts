import { flag, id, instant, oneOf } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import { CUSTOM_FIELD_TYPES } from '#libs/resource/custom-field-values.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { archiveActions } from '#libs/resource/standard-actions.js';
import { CreateCustomField, CustomFieldView, fieldKey, recordType, UpdateCustomField } from './custom-field.dto.js';
import { CustomField } from './custom-field.entity.js';

/** A field in the archive is no longer filled in; records keep and show what they have. */
export const customFieldLifecycle = lifecycle({
  states: ['active'],
  initial: 'active',
  transitions: {
    ...archiveActions('custom field', ['active'], 'custom-fields:manage'),
  },
});

export type CustomFieldAction = keyof typeof customFieldLifecycle.transitions;

export const customFieldResource: ResourceDefinition<CustomField, CustomFieldAction> = {
  type: 'core.custom_field',
  noun: 'custom field',
  base: '/api',
  area: 'settings',
  collection: 'custom-fields',
  prefix: 'CF',
  entity: CustomField,
  view: CustomFieldView,
  create: CreateCustomField,
  update: UpdateCustomField,
  permissions: { read: 'custom-fields:read', write: 'custom-fields:manage' },
  lifecycle: customFieldLifecycle,
  inputs: {},
  problems: { create: ['duplicate', 'limit_reached'] },
  bodies: {
    create: {
      recordType: 'sales.deal',
      key: 'region',
      label: 'Region',
      fieldType: 'select',
      options: ['EMEA', 'APAC'],
    },
    update: { label: 'Sales region', options: ['EMEA', 'APAC', 'AMER'] },
  },
  list: {
    filters: {
      ids: filter.plain(id(), 'in', 't.id'),
      name: filter.text(200),
      recordType: filter.exact(recordType()),
      key: filter.exact(fieldKey()),
      fieldType: filter.exact(oneOf(CUSTOM_FIELD_TYPES)),
      required: filter.exact(flag()),
      createdAt: filter.ordered(instant()),
      updatedAt: filter.ordered(instant()),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'key'],
    defaultSort: 'createdAt',
    trashPermission: 'custom-fields:manage',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b95',
    object: 'core.custom_field',
    reference: 'CF-000001',
    name: 'Region',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Back office' },
    updatedBy: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Back office' },
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    recordType: 'sales.deal',
    key: 'region',
    label: 'Region',
    fieldType: 'select',
    required: false,
    options: ['EMEA', 'APAC'],
    min: null,
    max: null,
    pattern: null,
    target: null,
    defaultValue: null,
  },
};
