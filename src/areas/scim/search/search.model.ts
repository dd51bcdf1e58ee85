import { Field, integer, listOf, text } from '#libs/http/field.js';
import { URN } from '#libs/scim/urn.js';

const MAX_COUNT = 2_147_483_647;
const names = () => listOf(text({ max: 500 }), { max: 200 });

/** What a list is asked for, as a body. `Source:` RFC 7644 section 3.4.3. */
export class ScimSearch {
  @Field(listOf(text({ max: 500 }), { max: 20 }), {
    description: 'URI of the message.',
    example: [URN.searchRequest],
    optional: true,
  })
  schemas?: string[];

  @Field(names(), { description: 'Attributes to show.', example: ['userName'], optional: true })
  attributes?: string[];

  @Field(names(), { description: 'Attributes to leave out.', example: [], optional: true })
  excludedAttributes?: string[];

  @Field(text({ max: 16_384 }), { description: 'A filter.', example: 'userName sw "ana"', optional: true })
  filter?: string;

  @Field(text({ max: 200 }), { description: 'Attribute to sort by.', example: 'userName', optional: true })
  sortBy?: string;

  @Field(text({ max: 20 }), { description: '`ascending` or `descending`.', example: 'ascending', optional: true })
  sortOrder?: string;

  @Field(integer({ min: -MAX_COUNT, max: MAX_COUNT }), {
    description: 'Place of the first resource, counted from 1.',
    example: 1,
    optional: true,
  })
  startIndex?: number;

  @Field(integer({ min: -MAX_COUNT, max: MAX_COUNT }), {
    description: 'Most resources on the page; 100 if not given, never more than 200.',
    example: 100,
    optional: true,
  })
  count?: number;

  @Field(text({ max: 2_000 }), {
    description: 'Page by cursor (RFC 9865), for one type of resource: empty for the first page, then `nextCursor`.',
    optional: true,
  })
  cursor?: string;
}
