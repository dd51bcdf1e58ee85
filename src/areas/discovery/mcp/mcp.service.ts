import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Database } from '#libs/database/database.js';
import { didYouMean } from '#libs/http/problems/hints.js';
import { OwnPages } from '#libs/http/own-pages.js';
import { cut } from '#libs/kernel/cut.js';
import { Problem } from '#libs/kernel/problem.js';
import { ToolsService } from '../tools/tools.service.js';
import type { McpAnswer, McpMessage } from './mcp.dto.js';
import { ToolCalls } from './tool-calls.service.js';

/** Tools on one page of `tools/list`. */
const PAGE = 50;
/** The first version without batches of messages, which are not answered here. */
const OLDEST_VERSION = '2025-06-18';
const SERVER = { name: 'tenant-operating-platform', version: '1.0.0' };
const INSTRUCTIONS = `Each tool calls one operation of the API. Read discovery_types_get for the fields and states of a type before you write.
Amounts are integers in minor units with an ISO 4217 currency; instants are RFC 3339 in UTC; ids are UUIDs.
Lists are paged: pass page.nextCursor as query.cursor. Give each write a unique idempotencyKey, and reuse it when you retry.
An error is a problem document: correct the fields listed in "errors" and call again. If it has retryAfterSeconds, wait that long first.`;

/**
 * The Model Context Protocol over HTTP, without sessions. Each message gets a new server that acts for the caller of
 * that request and is discarded afterwards.
 */
@Injectable()
export class McpService {
  private readonly logger = new Logger('mcp');

  constructor(
    private readonly tools: ToolsService,
    private readonly calls: ToolCalls,
    private readonly database: Database,
    private readonly pages: OwnPages,
  ) {}

  /**
   * Answers a message; undefined for a notification.
   * @throws Problem 400 for an invalid message, 403 `csrf_refused` for one from a page of others.
   */
  async answer(
    message: McpMessage,
    area: string[] | undefined,
    caller: FastifyRequest,
  ): Promise<McpAnswer | undefined> {
    if (this.pages.sentByOthers(caller))
      throw new Problem('csrf_refused', 'Messages of web pages are accepted only from PUBLIC_URL and CORS_ORIGINS.');
    await this.database.confirm(); // tools depend on the caller's current rights
    // The library is loaded with the first message, because most processes never need it.
    const { WebStandardStreamableHTTPServerTransport } =
      await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js');
    const refusal = await refusalOfParams(message);
    if (refusal) return refusal;
    const server = await this.serverFor(area, caller);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const response = await transport.handleRequest(asRequest(caller), { parsedBody: await offered(message) });
      const text = await response.text();
      const answer = text === '' ? undefined : (JSON.parse(text) as McpAnswer & { error?: { message: string } });
      if (!response.ok) throw new Problem('bad_request', answer?.error?.message ?? 'The message is invalid.');
      return answer;
    } finally {
      await server.close();
    }
  }

  private async serverFor(area: string[] | undefined, caller: FastifyRequest) {
    const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
    const { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } =
      await import('@modelcontextprotocol/sdk/types.js');
    const server = new Server(SERVER, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
    /** Maps failures to errors of the protocol without internal details. */
    const told = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof McpError) throw error;
        if (error instanceof Problem) throw new McpError(ErrorCode.InvalidParams, error.detail);
        this.logger.error(error);
        throw new McpError(ErrorCode.InternalError, 'Internal error');
      }
    };
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
      told(async () => {
        const cursor = params?.cursor === undefined ? {} : { cursor: params.cursor };
        const { data, page } = await this.tools.list({ ...(area ? { area } : {}), limit: PAGE, ...cursor });
        const tools = data.map(({ name, description, readOnly, inputSchema }) => ({
          name,
          description,
          inputSchema: inputSchema as { type: 'object' },
          annotations: { readOnlyHint: readOnly, openWorldHint: false },
        }));
        return { tools, ...(page.nextCursor === null ? {} : { nextCursor: page.nextCursor }) };
      }),
    );
    server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
      told(async () => {
        const { name, arguments: given = {} } = params;
        const operation = await this.tools.find(name);
        if (!operation)
          throw new McpError(
            ErrorCode.InvalidParams,
            `Unknown tool: ${cut(name, 128)}.${didYouMean(name, await this.tools.names())}`,
          );
        const { text, isError } = await this.calls.call(operation, given, caller);
        return { content: [{ type: 'text', text }], isError };
      }),
    );
    return server;
  }
}

/** The response to invalid parameters, in one sentence instead of the validator's raw output. */
async function refusalOfParams(message: McpMessage): Promise<McpAnswer | null> {
  const { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema } =
    await import('@modelcontextprotocol/sdk/types.js');
  const schemas = [CallToolRequestSchema, ListToolsRequestSchema];
  const schema = schemas.find(({ shape }) => shape.method.value === message.method);
  const fault = schema?.safeParse(message).error?.issues[0];
  if (!fault || message.id === undefined) return null;
  const error = { code: ErrorCode.InvalidParams, message: `${fault.path.join('.')}: ${fault.message}` };
  return { jsonrpc: '2.0', id: message.id, error };
}

/**
 * The message with the newest version in the place of one that is too old: the server then offers that one, and the
 * client decides. `Source:` MCP 2025-11-25, version negotiation.
 */
async function offered(message: McpMessage): Promise<McpMessage> {
  const wanted = message.method === 'initialize' ? message.params?.['protocolVersion'] : null;
  if (typeof wanted !== 'string' || wanted >= OLDEST_VERSION) return message;
  const { LATEST_PROTOCOL_VERSION } = await import('@modelcontextprotocol/sdk/types.js');
  return { ...message, params: { ...message.params, protocolVersion: LATEST_PROTOCOL_VERSION } };
}

/** The request in the form that the transport expects. Responses are always JSON, whatever the caller accepts. */
function asRequest({ headers }: FastifyRequest): Request {
  const version = headers['mcp-protocol-version'];
  return new Request('http://localhost/', {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
    },
  });
}
