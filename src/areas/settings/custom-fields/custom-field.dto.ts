import {
  Field,
  fieldsOf,
  flag,
  listOf,
  name,
  number,
  oneOf,
  text,
  type FieldSpec,
  type Kind,
} from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { CUSTOM_FIELD_TYPES, type CustomFieldType, MAX_OPTIONS } from '#libs/resource/custom-field-values.js';
import { model, RecordView } from '#libs/resource/record.dto.js';

export const recordType = () =>
  text({ min: 3, max: 60, pattern: /^[a-z_]+\.[a-z0-9_]+$/, form: 'the type of a record, such as sales.deal' });
export const fieldKey = () =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z][a-zA-Z0-9]{0,39}$/,
    form: 'a lower-case letter followed by letters and digits',
  });
const optionList = () =>
  listOf(text({ min: 1, max: 100, pattern: /^\S(.*\S)?$/, form: 'on one line, without white space at its ends' }), {
    max: MAX_OPTIONS,
    unique: true,
  });
const bound = () => number({ min: -MAX_MINOR, max: MAX_MINOR });

/** A value of any custom field; which ones are right is decided by the definition as a whole. */
function anyValue(): Kind {
  return {
    schema: { type: ['string', 'number', 'boolean', 'array', 'object'], items: {} },
    check: () => [],
    parse: () => undefined,
  };
}

export class CreateCustomField {
  @Field(recordType(), { description: 'Type of the records that get it.', example: 'sales.deal' })
  recordType!: string;

  @Field(fieldKey(), { description: 'Member of `customFields` that holds it.', example: 'region' })
  key!: string;

  @Field(name(), { description: 'What people see.', example: 'Region' })
  label!: string;

  @Field(oneOf(CUSTOM_FIELD_TYPES), { description: 'What it holds. Cannot be changed.', example: 'text' })
  fieldType!: CustomFieldType;

  @Field(flag(), { description: 'Whether new records must have it; false if not given.', optional: true })
  required!: boolean;

  @Field(optionList(), {
    description: 'Words to choose from, for select and multi_select.',
    optional: true,
    example: [],
  })
  options!: string[];

  @Field(bound(), {
    description: 'Smallest number, amount in minor units or length of a text.',
    optional: true,
    nullable: true,
  })
  min!: number | null;

  @Field(bound(), {
    description: 'Largest number, amount in minor units or length of a text.',
    optional: true,
    nullable: true,
  })
  max!: number | null;

  @Field(text({ min: 1, max: 200 }), {
    description: 'Regular expression that a text has to match as a whole; without look-around and back-references.',
    example: '[A-Z]{2}-\\d+',
    optional: true,
    nullable: true,
  })
  pattern!: string | null;

  @Field(recordType(), {
    description: 'Type of the records that a reference names.',
    example: 'sales.deal',
    optional: true,
    nullable: true,
  })
  target!: string | null;

  @Field(anyValue(), {
    description: 'Value of new records that are given none.',
    example: 'EMEA',
    optional: true,
    nullable: true,
  })
  defaultValue!: unknown;
}

const FIXED = new Set(['recordType', 'key', 'fieldType', 'target']);

/** A merge patch: what the records hold already does not change with it. */
export const UpdateCustomField = model(
  'UpdateCustomField',
  Object.fromEntries(
    [...fieldsOf(CreateCustomField)]
      .filter(([field]) => !FIXED.has(field))
      .map(([field, spec]): [string, FieldSpec] => [field, { ...spec, optional: true }]),
  ),
);

export class CustomFieldView extends RecordView {
  @Field(recordType(), { description: 'Type of the records that have it.', example: 'sales.deal' })
  recordType!: string;

  @Field(fieldKey(), { description: 'Member of `customFields` that holds it.', example: 'region' })
  key!: string;

  @Field(name(), { description: 'What people see.', example: 'Region' })
  label!: string;

  @Field(oneOf(CUSTOM_FIELD_TYPES), { description: 'What it holds.', example: 'text' })
  fieldType!: CustomFieldType;

  @Field(flag(), { description: 'Whether new records must have it.', example: false })
  required!: boolean;

  @Field(optionList(), { description: 'Words to choose from.', example: [] })
  options!: string[];

  @Field(bound(), { description: 'Smallest number or length.', nullable: true })
  min!: number | null;

  @Field(bound(), { description: 'Largest number or length.', nullable: true })
  max!: number | null;

  @Field(text({ max: 200 }), { description: 'What a text has to match.', nullable: true })
  pattern!: string | null;

  @Field(recordType(), { description: 'Type of the records that it names.', nullable: true })
  target!: string | null;

  @Field(anyValue(), { description: 'Value of new records that are given none.', nullable: true })
  defaultValue!: unknown;
}
