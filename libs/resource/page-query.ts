import { Field, integer, text } from '#libs/http/field.js';

/** Which page of a list is asked for, where one that is short answers all of it at once. */
export class ShortListQuery {
  @Field(integer({ min: 1, max: 200 }), { description: 'Largest number of items; all if not given.', optional: true })
  limit?: number;

  @Field(text({ min: 1, max: 4_000 }), {
    description: 'Where to go on: `page.nextCursor` of the page before, with the same filters and sort.',
    optional: true,
  })
  cursor?: string;
}

/** Which page of a list is asked for. */
export class PageQuery {
  @Field(integer({ min: 1, max: 200 }), { description: 'Largest number of items; 50 if not given.', optional: true })
  limit?: number;

  @Field(text({ min: 1, max: 4_000 }), {
    description: 'Where to go on: `page.nextCursor` of the page before, with the same filters and sort.',
    optional: true,
  })
  cursor?: string;
}
