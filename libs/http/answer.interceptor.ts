import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { Database } from '#libs/database/database.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { answerHeaders } from './answer-headers.js';
import { routeOf } from './route.js';

/**
 * Sets the headers that follow from the answer, and makes sure that the credential was confirmed by the database even if
 * the handler needed none of it.
 */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = routeOf(context.getHandler())!;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      mergeMap(async (result: unknown) => {
        void reply.headers(answerHeaders(route, request, result));
        if (!currentScope().confirmed) await this.database.confirm();
        return result;
      }),
    );
  }
}
