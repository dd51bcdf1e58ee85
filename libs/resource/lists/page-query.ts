import { Field, type FieldOptions, integer, text } from '#libs/http/field.js';

const limit = integer({ min: 1, max: 200 });
const cursor = text({ min: 1, max: 4_000 });
const CURSOR: FieldOptions = {
  description: 'Where to go on: `page.nextCursor` of the page before, with the same filters and sort.',
  optional: true,
};

/** The requested page of a short list, which by default returns everything at once. */
export class ShortListQuery {
  @Field(limit, { description: 'Largest number of items; all if not given.', optional: true })
  limit?: number;

  @Field(cursor, CURSOR)
  cursor?: string;
}

/** The requested page of a list. */
export class PageQuery {
  @Field(limit, { description: 'Largest number of items; 50 if not given.', optional: true })
  limit?: number;

  @Field(cursor, CURSOR)
  cursor?: string;
}
