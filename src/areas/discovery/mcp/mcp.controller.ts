import { Body, Controller, HttpStatus, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Route } from '#libs/http/route.js';
import { McpQuery } from '../tools/tool.dto.js';
import { McpAnswer, McpMessage } from './mcp.dto.js';
import { McpService } from './mcp.service.js';

@Controller('api/discovery/mcp')
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @Route({
    id: 'discovery.mcp.send',
    summary: 'Exchange a Model Context Protocol message',
    description:
      'An MCP server for AI agents (streamable HTTP, without sessions). Each request is one JSON-RPC message and is answered in JSON. The server lists the tools of `GET /api/discovery/tools` and calls them with your credential. A message counts as a read; the operation that a tool calls is counted in addition. Problems are returned as tool errors. Protocol versions from 2025-06-18 on are supported, without batches. Web pages elsewhere are refused (`Origin`).',
    permission: 'any',
    forPartners: true,
    safe: true,
    keyless: true,
    query: McpQuery,
    body: McpMessage,
    answer: McpAnswer,
    emptyDescription: 'A notification, which has no response',
    emptyStatus: 202,
    problems: ['bad_request', 'csrf_refused'],
    tag: 'discovery',
  })
  @Post()
  async send(
    @Body() message: McpMessage,
    @Query() { area }: McpQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<McpAnswer | undefined> {
    const answer = await this.mcp.answer(message, area, request);
    if (!answer) void reply.code(HttpStatus.ACCEPTED);
    return answer;
  }
}
