import { anyObject, Field, flag, listOf, nested, text } from '#libs/http/field.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';

const AREAS = listOf(text({ min: 1, max: 64 }), { min: 1, max: 50, unique: true });

export class ToolQuery extends PageQuery {
  @Field(AREAS, { description: 'Only tools of these areas, comma-separated.', optional: true })
  area?: string[];
}

export class McpQuery {
  @Field(AREAS, {
    description: 'List only tools of these areas, comma-separated. Most models cannot handle hundreds of tools.',
    optional: true,
  })
  area?: string[];
}

export class Tool {
  @Field(text({ max: 64 }), { description: 'Name, derived from the operation id.', example: 'sales_deals_get' })
  name!: string;

  @Field(text({ max: 128 }), { description: 'Operation that it calls.', example: 'sales.deals.get' })
  operation!: string;

  @Field(text({ max: 10_000 }), { description: 'Description for the model.', example: 'Read a deal.' })
  description!: string;

  @Field(flag(), { description: 'Whether it only reads data.', example: true })
  readOnly!: boolean;

  @Field(anyObject(), {
    description:
      'JSON Schema of its arguments, without references: `path`, `query` and `body` of the request, `idempotencyKey` and `ifMatch`, where the operation accepts them.',
    example: {
      type: 'object',
      properties: {
        path: { type: 'object', properties: { id: { type: 'string', format: 'uuid' } }, required: ['id'] },
      },
      required: ['path'],
    },
  })
  inputSchema!: object;
}

export class ToolList {
  @Field(listOf(nested(Tool), { max: 200 }), { description: 'The tools, in the order of the OpenAPI document.' })
  data!: Tool[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}
