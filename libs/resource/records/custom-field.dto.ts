import { anyObject, Field, flag, oneOf, text } from '#libs/http/field.js';
import { CUSTOM_FIELD_TYPES } from './custom-field-values.js';

/** A custom field of the tenant, as apps need it to show and set values. */
export class DiscoveredCustomField {
  @Field(text({ max: 128 }), { description: 'Key in `customFields`.', example: 'region' })
  key!: string;

  @Field(text({ max: 200 }), { description: 'Label.', example: 'Region' })
  label!: string;

  @Field(oneOf(CUSTOM_FIELD_TYPES), { description: 'Type.', example: 'select' })
  type!: string;

  @Field(flag(), { description: 'Whether it is required on creation.', example: false })
  required!: boolean;

  @Field(anyObject(), {
    description: 'JSON Schema of its values.',
    example: { type: 'string', enum: ['EMEA', 'APAC'] },
  })
  schema!: object;

  @Field(text({ max: 128 }), { description: 'Type of referenced records, for references.', nullable: true })
  target!: string | null;
}
