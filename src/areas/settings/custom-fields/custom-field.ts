import { Column } from 'typeorm';
import { flag, type Kind, listOf, name, number, oneOf, text } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { Attribute, Mapped } from '#libs/resource/types/attribute.js';
import {
  CUSTOM_FIELD_TYPES,
  type CustomFieldType,
  MAX_OPTION_LENGTH,
  MAX_OPTIONS,
} from '#libs/resource/records/custom-field-values.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { archiveActions } from '#libs/resource/types/standard-actions.js';

const typeKey = text({
  min: 3,
  max: 60,
  pattern: /^[a-z_]+\.[a-z0-9_]+$/,
  form: 'the type of a record, such as sales.deal',
});
const fieldKey = text({
  min: 1,
  max: 40,
  pattern: /^[a-z][a-zA-Z0-9]{0,39}$/,
  form: 'a lower-case letter followed by letters and digits',
});
const option = text({
  min: 1,
  max: MAX_OPTION_LENGTH,
  pattern: /^\S(.*\S)?$/,
  form: 'on one line, without white space at its ends',
});
const bound = number({ min: -MAX_MINOR, max: MAX_MINOR });

/** A value of any custom field; which ones are right is decided by the definition as a whole. */
const anyValue: Kind = {
  schema: { type: ['string', 'number', 'boolean', 'array', 'object'], items: {} },
  check: () => [],
  parse: () => undefined,
};

/** The definition of a field that a tenant adds to a type of record; its label is its name. */
export class CustomField extends RecordRow {
  @Attribute(typeKey, 'Type of the records that have the field.', { example: 'sales.deal', once: true, filter: true })
  recordType!: string;

  @Attribute(fieldKey, 'Key of the value in `customFields` of the records.', {
    example: 'region',
    once: true,
    filter: true,
    sort: true,
  })
  key!: string;

  @Mapped(name(), 'Label for people to read.', { example: 'Region' })
  label?: string;

  @Attribute(oneOf(CUSTOM_FIELD_TYPES), 'Type of the values.', { example: 'select', once: true, filter: true })
  fieldType!: CustomFieldType;

  @Attribute(
    flag(),
    'Whether callers must send a value when they create a record; false by default. Records that the platform creates, such as the payment of `pay`, take the default value or stay without one.',
    { default: false, filter: true },
  )
  required!: boolean;

  @Attribute(
    listOf(option, { max: MAX_OPTIONS, unique: true }),
    'Values to choose from. Required for `select` and `multi_select`, and for them only.',
    { default: [], example: ['EMEA', 'APAC'] },
  )
  options!: string[];

  @Mapped(bound, 'Smallest number, amount in minor units, or length of a text.', { nullable: true })
  @Column('jsonb', { nullable: true })
  min!: number | null;

  @Mapped(bound, 'Largest number, amount in minor units, or length of a text.', { nullable: true })
  @Column('jsonb', { nullable: true })
  max!: number | null;

  @Attribute(
    text({ min: 1, max: 200 }),
    'Regular expression in the syntax of RE2 that a text must match as a whole. RE2 has neither look-around nor back-references.',
    { nullable: true },
  )
  pattern!: string | null;

  @Attribute(typeKey, 'Type of the records that a `reference` can name; for that type only.', {
    nullable: true,
    once: true,
  })
  target!: string | null;

  @Mapped(anyValue, 'Value of new records that are created without one.', { nullable: true })
  @Column('jsonb', { name: 'default_value', nullable: true })
  defaultValue!: unknown;
}

/** An archived field can no longer be set; records keep and show their values. */
export const customFields = recordType(CustomField, {
  type: 'core.custom_field',
  base: '/api',
  area: 'settings',
  collection: 'custom-fields',
  noun: 'custom field',
  prefix: 'CF',
  permissions: { read: 'custom-fields:read', write: 'custom-fields:manage' },
  name: { example: 'Region' },
  hasEnvelope: false,
  trashPermission: 'custom-fields:manage',
  defaultSort: 'createdAt',
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
  lifecycle: stateless(archiveActions('custom field', ['active'], 'custom-fields:manage')),
});
