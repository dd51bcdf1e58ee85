import { Field, integer, type Kind, listOf, text } from '#libs/http/field.js';

/** Maximum number of rows of an import. */
export const MAX_ROWS = 1_000_000;
/** Maximum number of columns. */
export const MAX_COLUMNS = 500;
/** Maximum length of the name of a column. */
export const MAX_NAME = 200;

const KEY = /^[a-zA-Z][\w.]{0,119}$|^externalRef:[^:\s][^:]{0,59}$/;

const count = () => integer({ min: 0, max: MAX_ROWS });
/** The name of a field, as in exports. */
export const targetKey = () =>
  text({ min: 1, max: 120, pattern: KEY, form: 'a field such as name or externalRef:crm' });

/** Fields by the names of columns. */
export const mappingKind: Kind = {
  schema: { type: 'object', maxProperties: MAX_COLUMNS, additionalProperties: targetKey().schema },
  check: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
    const columns = Object.entries(value);
    if (columns.length > MAX_COLUMNS)
      return [{ code: 'too_many', detail: `There may be at most ${MAX_COLUMNS} columns.` }];
    const isRight = ([name, key]: [string, unknown]) => name.length <= MAX_NAME && targetKey().check(key).length === 0;
    return columns.every(isRight) ? [] : [{ code: 'invalid_value', detail: 'Each value must be the name of a field.' }];
  },
  parse: () => undefined,
};

/** A column of the file. */
export class ImportColumn {
  @Field(text({ max: MAX_NAME }), { description: 'Its name.', example: 'Deal name' })
  name!: string;

  @Field(listOf(text({ max: 200 }), { max: 3 }), {
    description: 'Its first values, shortened.',
    example: ['Acme renewal'],
  })
  samples!: string[];

  @Field(targetKey(), {
    description: 'The field that it probably stands for; null for none.',
    example: 'name',
    nullable: true,
  })
  suggestion!: string | null;
}

/** What an import would do, and has done. */
export class ImportResults {
  @Field(count(), {
    description: 'Rows that can be imported; null until it is validated.',
    example: 98,
    nullable: true,
  })
  validRows!: number | null;

  @Field(count(), { description: 'Rows that cannot; see `errors`.', example: 2, nullable: true })
  invalidRows!: number | null;

  @Field(count(), { description: 'Records that were created; null until it runs.', example: 90, nullable: true })
  created!: number | null;

  @Field(count(), { description: 'Records that were there and were updated.', example: 8, nullable: true })
  updated!: number | null;

  @Field(count(), { description: 'Rows that were refused; see `errors`.', example: 2, nullable: true })
  failed!: number | null;

  @Field(count(), {
    description: 'Records that were taken back; null unless it is rolled back.',
    example: null,
    nullable: true,
  })
  rolledBack!: number | null;

  @Field(count(), {
    description: 'Records that stay because they were changed since, or because they cannot be taken back.',
    example: null,
    nullable: true,
  })
  kept!: number | null;
}

/** No counts yet. */
export const NO_RESULTS: ImportResults = {
  validRows: null,
  invalidRows: null,
  created: null,
  updated: null,
  failed: null,
  rolledBack: null,
  kept: null,
};

/** Why an import failed as a whole. */
export class ImportFailure {
  @Field(text({ max: 100 }), { description: 'Stable code.', example: 'row_too_long' })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'What went wrong.', example: 'Row 7 has more than 1000000 characters.' })
  message!: string;
}
