import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '#libs/kernel/problem.js';
import { ToolsService } from '../tools/tools.service.js';
import type { KnownOperation } from '../operations/operation-catalogue.js';
import { requestOf } from './tool-request.js';

/** Maximum length of a response shown to a model. */
const MAX_CHARACTERS = 100_000;
/** Headers of the caller that are forwarded with each request. */
const PASSED = [
  ...['x-api-key', 'authorization', 'x-tenant-slug', 'cookie', 'origin', 'sec-fetch-site'],
  ...['user-agent', 'traceparent'],
];

/** Result of a tool: JSON as text, and whether it is a problem. */
export interface ToolOutcome {
  text: string;
  isError: boolean;
}

/**
 * Calls operations as tools. Each call is a separate request to this process with the caller's credential, so guards,
 * rate limits, audit and idempotency apply as to any other request.
 */
@Injectable()
export class ToolCalls {
  constructor(
    private readonly tools: ToolsService,
    private readonly host: HttpAdapterHost,
  ) {}

  async call(operation: KnownOperation, given: Record<string, unknown>, caller: FastifyRequest): Promise<ToolOutcome> {
    const refusal = this.tools.refusalOf(operation);
    if (refusal !== null) return problem(new Problem('permission_denied', refusal), caller.id);
    try {
      return await this.send(operation, given, caller);
    } catch (error) {
      if (error instanceof Problem) return problem(error, caller.id);
      throw error;
    }
  }

  private async send(
    operation: KnownOperation,
    given: Record<string, unknown>,
    caller: FastifyRequest,
  ): Promise<ToolOutcome> {
    const { payload, ...request } = requestOf(operation, given);
    const passed = PASSED.flatMap((name) => (caller.headers[name] === undefined ? [] : [[name, caller.headers[name]]]));
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    const { statusCode, headers, body } = await server.inject({
      ...request,
      ...(payload === undefined ? {} : { payload }),
      headers: { ...(Object.fromEntries(passed) as Record<string, string>), ...request.headers },
      remoteAddress: caller.scope.clientIp ?? '',
    });
    if (statusCode >= 400) return { text: withPause(body, headers['retry-after']), isError: true };
    if (body.length <= MAX_CHARACTERS) return { text: body || '{}', isError: false };
    return request.method === 'GET' ? tooLong(body.length) : doneAtLength(statusCode, body.length);
  }
}

function problem(refused: Problem, requestId: string): ToolOutcome {
  return { text: JSON.stringify(refused.toDocument(requestId)), isError: true };
}

/** Adds the wait time to a problem, because a model does not see the header. */
function withPause(body: string, retryAfter: unknown): string {
  if (retryAfter === undefined) return body;
  return JSON.stringify({ ...(JSON.parse(body) as object), retryAfterSeconds: Number(retryAfter) });
}

function tooLong(characters: number): ToolOutcome {
  const detail = `The response has ${characters} characters, but a tool returns at most ${MAX_CHARACTERS}. Request less: a smaller limit, more filters, or a single record.`;
  return { text: JSON.stringify({ code: 'answer_too_long', detail }), isError: true };
}

function doneAtLength(status: number, characters: number): ToolOutcome {
  const detail = `The operation succeeded. The response has ${characters} characters, but a tool returns at most ${MAX_CHARACTERS}: read the records one by one.`;
  return { text: JSON.stringify({ status, detail }), isError: false };
}
