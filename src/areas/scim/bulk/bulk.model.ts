import { anyObject, Field, integer, listOf, text } from '#libs/http/field.js';
import { URN } from '#libs/scim-language/urn.js';

const uris = () => listOf(text({ max: 500 }), { max: 20 });

/** Several changes in one request. `Source:` RFC 7644 section 3.7. */
export class ScimBulk {
  @Field(uris(), { description: 'URI of the message.', example: [URN.bulkRequest], optional: true })
  schemas?: string[];

  @Field(integer({ min: 1, max: 1_000 }), {
    description: 'Number of errors after which the rest is left undone; all is tried if not given.',
    example: 1,
    optional: true,
  })
  failOnErrors?: number;

  @Field(listOf(anyObject(), { max: 100 }), {
    description:
      'Operations: `{ "method", "path", "bulkId"?, "version"?, "data"? }`; with POST the `bulkId` is required. `bulkId:<id>` in data and paths is replaced by the id of the resource that the operation with that `bulkId` creates, even a later one.',
    example: [{ method: 'DELETE', path: '/Users/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' }],
  })
  Operations!: object[];
}

/** The result of each operation. `Source:` RFC 7644 section 3.7.3. */
export class ScimBulkAnswer {
  @Field(uris(), { description: 'URI of the message.', example: [URN.bulkResponse] })
  schemas!: string[];

  @Field(listOf(anyObject(), { max: 100 }), {
    description:
      'In the order of the request, those left undone missing: `{ "method", "bulkId"?, "location"?, "version"?, "status", "response"? }`; `response` says what went wrong.',
    example: [
      {
        method: 'DELETE',
        location: 'https://api.example.com/api/scim/v2/Users/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
        status: '204',
      },
    ],
  })
  Operations!: object[];
}
