import type { FastifyReply } from 'fastify';
import type { Problem } from '#libs/kernel/problem.js';
import type { Dialect } from '../dialect.js';

/** Responds with a problem, in the format of the dialect if there is one. */
export function sendProblem(reply: FastifyReply, problem: Problem, requestId: string, dialect: Dialect | null): void {
  void reply
    .code(problem.status)
    .headers(problem.more.headers ?? {})
    .header('content-type', dialect?.mediaType ?? 'application/problem+json')
    .send(JSON.stringify(dialect?.errorOf(problem) ?? problem.toDocument(requestId)));
}
