import { anyObject, constant, Field, type Kind, text } from '#libs/http/field.js';
import { isObject } from '#libs/kernel/is-object.js';

const MAX_ID = 2_147_483_647;

/** The id of a JSON-RPC request: a string or an integer. */
const requestId: Kind = {
  schema: { type: ['string', 'integer'], maxLength: 255, maximum: MAX_ID },
  check: (value) =>
    (typeof value === 'string' && value.length <= 255) || (Number.isSafeInteger(value) && Number(value) <= MAX_ID)
      ? []
      : [{ code: 'invalid_type', detail: 'The id must be a string of at most 255 characters or an integer.' }],
  parse: () => undefined,
};

const params: Kind = {
  ...anyObject(),
  check: (value) => (isObject(value) ? [] : [{ code: 'invalid_type', detail: 'The value must be an object.' }]),
};

/** One message of the Model Context Protocol. `Source:` JSON-RPC 2.0. */
export class McpMessage {
  @Field(constant('2.0'), { description: 'Version of JSON-RPC.', example: '2.0' })
  jsonrpc!: '2.0';

  @Field(requestId, { description: 'Id of the request; omit it for a notification.', example: 1, optional: true })
  id?: string | number;

  @Field(text({ min: 1, max: 128 }), {
    description: '`initialize`, `ping`, `tools/list`, `tools/call`, or a notification.',
    example: 'tools/list',
  })
  method!: string;

  @Field(params, { description: 'Parameters of the method.', optional: true })
  params?: Record<string, unknown>;
}

/** The response to a request. */
export class McpAnswer {
  @Field(constant('2.0'), { description: 'Version of JSON-RPC.', example: '2.0' })
  jsonrpc!: '2.0';

  @Field(requestId, { description: 'Id of the request.', example: 1 })
  id!: string | number;

  @Field(anyObject(), { description: 'Result of the method.', example: { tools: [] }, optional: true })
  result?: object;

  @Field(anyObject(), {
    description: 'JSON-RPC error with `code` and `message`.',
    example: { code: -32601, message: 'Method not found' },
    optional: true,
  })
  error?: object;
}
