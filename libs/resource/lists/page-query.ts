import { Field, type FieldOptions, integer, text } from '#libs/http/field.js';

const limit = integer({ min: 1, max: 200 });
const cursor = text({ min: 1, max: 4_000 });
const CURSOR: FieldOptions = {
  description: 'Where to go on: `page.nextCursor` of the page before, with the same filters and sort.',
  optional: true,
};

/** Which page of a list is asked for, where one that is short answers all of it at once. */
export class ShortListQuery {
  @Field(limit, { description: 'Largest number of items; all if not given.', optional: true })
  limit?: number;

  @Field(cursor, CURSOR)
  cursor?: string;
}

/** Which page of a list is asked for. */
export class PageQuery {
  @Field(limit, { description: 'Largest number of items; 50 if not given.', optional: true })
  limit?: number;

  @Field(cursor, CURSOR)
  cursor?: string;
}
