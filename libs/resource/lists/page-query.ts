import { Field, integer, text } from '#libs/http/field.js';

/** Number of items of a page whose query names none. */
export const PAGE_SIZE = 50;

/** The requested page of a list. */
export class PageQuery {
  @Field(integer({ min: 1, max: 200 }), {
    description: `Largest number of items; ${PAGE_SIZE} if not given.`,
    optional: true,
  })
  limit?: number;

  @Field(text({ min: 1, max: 4_000 }), {
    description: 'Where to go on: `page.nextCursor` of the page before, with the same filters and sort.',
    optional: true,
  })
  cursor?: string;
}
