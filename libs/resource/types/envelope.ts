import { Field, id, listOf, text, type Kind } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';

const MAX_CUSTOM_FIELDS = 100;
const CUSTOM_FIELD_KEY = /^[a-z][a-zA-Z0-9]{0,39}$/;

/** One label of a record. Filters compare it case-insensitively. */
export const tag = (): Kind =>
  text({ min: 1, max: 50, pattern: /^\S(.*\S)?$/, form: 'on one line, without white space at its ends' });

/** Up to 50 distinct labels, compared by {@link fold}. */
export function tagList(): Kind {
  const list = listOf(tag(), { max: 50 });
  return {
    ...list,
    schema: { ...list.schema, uniqueItems: true },
    check: (value) => {
      const faults = list.check(value);
      if (faults.length > 0) return faults;
      const tags = (value as string[]).map(fold);
      return new Set(tags).size === tags.length
        ? []
        : [{ code: 'not_unique', detail: 'The list holds a tag twice; case makes no difference.' }];
    },
  };
}

/** Values of the tenant's custom fields, by key. Their definitions determine valid keys and values. */
export function customFieldValues(): Kind {
  return {
    schema: { type: 'object', additionalProperties: true, maxProperties: MAX_CUSTOM_FIELDS },
    check: (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
      const keys = Object.keys(value);
      if (keys.length > MAX_CUSTOM_FIELDS)
        return [{ code: 'too_many', detail: `There may be at most ${MAX_CUSTOM_FIELDS} custom fields.` }];
      return keys.some((key) => !CUSTOM_FIELD_KEY.test(key))
        ? [{ code: 'unknown_custom_field', detail: `Keys of custom fields match ${CUSTOM_FIELD_KEY.source}.` }]
        : [];
    },
    parse: () => undefined,
  };
}

/** The record's id in another system. */
export class ExternalReference {
  @Field(
    text({
      min: 1,
      max: 60,
      pattern: /^[a-z0-9][a-z0-9_.-]*$/,
      form: 'lower-case letters, digits, dots, underscores and hyphens, with a letter or digit first',
    }),
    {
      description: 'Name of the other system.',
      example: 'hubspot',
    },
  )
  system!: string;

  @Field(text({ min: 1, max: 200 }), { description: 'Id of the record there.', example: '8734512' })
  id!: string;

  @Field(text({ max: 2_000 }), { description: 'Its address there.', optional: true, nullable: true })
  url!: string | null;
}

/** A membership id. In filters, `me` is the member that the caller acts for. */
export function member(): Kind {
  const plain = id();
  return {
    ...plain,
    check: (value) => (value === 'me' ? [] : plain.check(value)),
    schema: { type: 'string', maxLength: 36 },
  };
}
