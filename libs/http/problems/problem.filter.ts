import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asProblem, OutageProblem } from '#libs/database/failures.js';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import { runInScope } from '#libs/tenancy/scope.js';
import { challengeOfRefusal } from './challenge.js';
import { Admission } from '../server/admission.js';
import { Replay } from '../idempotency/idempotency.interceptor.js';
import { isBrowser, sendProblemPage } from '../page.js';
import { UnknownPaths } from '../rate-limit/unknown-paths.js';
import { RefusalTrail } from './refusal-trail.js';
import type { RouteOptions } from '../route.js';
import { RouteTable } from '../route-table.js';
import { sendProblem } from '../server/send-problem.js';

/** Codes for framework errors, which have only a status. */
const BY_STATUS: Record<number, ProblemCode> = {
  400: 'bad_request',
  404: 'not_found',
  406: 'not_acceptable',
  408: 'request_timeout',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
  503: 'unavailable',
};
const DETAILS: Partial<Record<ProblemCode, string>> = {
  bad_request: 'The request is not well-formed.',
  payload_too_large: 'The body may have at most 1 MiB.',
  unsupported_media_type: 'The Content-Type is not that of a media type. Send the body as application/json.',
};

/** Converts any thrown error into problem details, and triggers the audit of refusals. Never discloses internals. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  constructor(
    private readonly refusals: RefusalTrail,
    private readonly routes: RouteTable,
    private readonly unknownPaths: UnknownPaths,
    private readonly admission: Admission,
  ) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    if (thrown instanceof Replay) {
      const { status, headers, body } = thrown.answer;
      const type = headers['content-type'] ?? 'application/json; charset=utf-8';
      void reply.code(status).headers(headers).header('content-type', type).header('idempotent-replayed', 'true');
      void reply.send(body);
      return;
    }
    const { scope } = request;
    const problem = await this.problemOf(thrown, request, reply);
    const challenge = challengeOfRefusal(problem, request);
    if (challenge !== null) void reply.header('www-authenticate', challenge);
    if (problem.status === 403 && scope.tenant)
      await runInScope(scope, () =>
        this.refusals.record({ action: scope.operation ?? 'request', target: null, reason: problem.code }),
      );
    if (problem.code === 'overloaded') this.admission.refuse(problem, request, reply);
    else if (request.route?.page && isBrowser(request))
      sendProblemPage(reply, problem, {
        requestId: scope.requestId,
        next: signInAgain(request, request.route.page, problem),
      });
    else sendProblem(reply, problem, scope.requestId, request.dialect);
  }

  private async problemOf(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<Problem> {
    const error = request.dialect?.problemOf(thrown) ?? asProblem(thrown);
    if (error instanceof Problem) {
      const isLogged = error.code === 'overloaded' || thrown instanceof OutageProblem;
      if (error.status >= 500 && !isLogged) this.logger.error(error.more.cause ?? error, error.stack);
      return error;
    }
    const status = statusOf(error);
    if (status === 404 && !request.routeOptions.url) return this.noRoute(request, reply);
    const code = BY_STATUS[status];
    if (code) return new Problem(code, DETAILS[code] ?? 'The request could not be answered.', { cause: error });
    this.logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return new Problem('internal_error', 'An unexpected error occurred. It has been logged with the request id.');
  }

  /** No handler matches method and path: 405 if another method has one. Counts as a request of the caller. */
  private async noRoute(request: FastifyRequest, reply: FastifyReply): Promise<Problem> {
    const limited = await this.unknownPaths.count(request, reply);
    if (limited) return limited;
    const methods = this.routes.methodsOf(request.url);
    if (methods.length === 0 || methods.includes(request.method)) {
      const near = this.routes.near(request.url);
      return new Problem('not_found', `There is nothing at this path.${near ? ` Did you mean \`${near}\`?` : ''}`);
    }
    return new Problem('method_not_allowed', `The resource takes ${methods.join(', ')}.`, {
      headers: { allow: methods.join(', ') },
    });
  }
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  return status >= 400 && status < 600 ? status : 500;
}

/** The link to a sign-in with a new prompt. Without the prompt, the provider would repeat its previous response. */
function signInAgain(
  request: FastifyRequest,
  { signIn, comesBack }: NonNullable<RouteOptions['page']>,
  { status }: Problem,
): { href: string; text: string } | null {
  if (signIn === null) return null;
  const isMended = status === 401 || status === 403; // by another sign-in
  const back = request.method === 'GET' ? request.url : pathOfReferrer(request);
  const query = new URLSearchParams({
    fresh: 'true',
    ...(comesBack && isMended && back !== null ? { returnTo: back } : {}),
  });
  return { href: `${signIn}?${query.toString()}`, text: 'Sign in again' };
}

/** The page that a form was sent from. */
function pathOfReferrer({ headers, host }: FastifyRequest): string | null {
  const url = URL.parse(headers.referer ?? '');
  return url?.host === host ? url.pathname + url.search : null;
}
