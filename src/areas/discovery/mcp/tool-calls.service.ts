import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '#libs/kernel/problem.js';
import { ToolsService } from '../tools/tools.service.js';
import type { KnownOperation } from '../operations/operation-catalogue.js';
import { requestOf } from './tool-request.js';

/** What of an answer a model is shown at most; what is longer costs it more than it helps. */
const MAX_CHARACTERS = 100_000;
/** Headers of the caller that go with each request, so that it is theirs in every way. */
const PASSED = [
  ...['x-api-key', 'authorization', 'x-tenant-slug', 'cookie', 'origin', 'sec-fetch-site'],
  ...['user-agent', 'traceparent'],
];

/** What a tool answers: JSON as text, and whether it is a problem. */
export interface ToolOutcome {
  text: string;
  isError: boolean;
}

/**
 * Calls operations as tools. Each call is a request of its own to this process, with the credential of the caller: guards,
 * limits, audit and idempotency are those of every other request.
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
      remoteAddress: caller.ip,
    });
    if (statusCode >= 400) return { text: withPause(body, headers['retry-after']), isError: true };
    if (body.length <= MAX_CHARACTERS) return { text: body || '{}', isError: false };
    return request.method === 'GET' ? tooLong(body.length) : doneAtLength(statusCode, body.length);
  }
}

function problem(refused: Problem, requestId: string): ToolOutcome {
  return { text: JSON.stringify(refused.toDocument(requestId)), isError: true };
}

/** A problem with how long to wait, which a model does not see in the header. */
function withPause(body: string, retryAfter: unknown): string {
  if (retryAfter === undefined) return body;
  return JSON.stringify({ ...(JSON.parse(body) as object), retryAfterSeconds: Number(retryAfter) });
}

function tooLong(characters: number): ToolOutcome {
  const detail = `The answer has ${characters} characters, and a tool shows at most ${MAX_CHARACTERS}. Ask for less: a smaller limit, more filters, or one record.`;
  return { text: JSON.stringify({ code: 'answer_too_long', detail }), isError: true };
}

function doneAtLength(status: number, characters: number): ToolOutcome {
  const detail = `It is done. The answer has ${characters} characters, and a tool shows at most ${MAX_CHARACTERS}: read the records one by one.`;
  return { text: JSON.stringify({ status, detail }), isError: false };
}
