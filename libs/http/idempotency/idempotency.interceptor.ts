import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { Problem } from '#libs/kernel/problem.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { statusOf } from '../accepted.js';
import { answerHeaders } from '../answer-headers.js';
import { type Claim, fingerprintOf, IdempotencyKeys, inProgress, type StoredAnswer } from './idempotency-keys.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
/** AuditTrail that the operation decided: they are stored like successes. */
const DECIDED = new Set([404, 409, 410, 412, 422]);
const CLAIM_LOST = 'TOP02';

/** Thrown to answer with what is stored; the filter sends it as it is. */
export class Replay extends Error {
  constructor(readonly answer: StoredAnswer) {
    super('replay');
  }
}

/**
 * Makes a write with an `Idempotency-Key` have one effect. The key is claimed before the handler runs; the answer is
 * stored in the transaction of the effect, so that both exist or neither. A handler without a transaction has its answer
 * stored after it. Of a route whose answers show secrets, stored answers are sealed.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly sealer: Sealer,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const header = request.headers['idempotency-key'];
    if (header === undefined) return next.handle();
    return from(this.run(String(header), context, next));
  }

  private async run(header: string, context: ExecutionContext, next: CallHandler): Promise<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const route = request.route!;
    const { params, query, body } = request;
    const key = readKey(header);
    const place = `data.idempotency_keys|body|${route.id}|${key}`;
    const seal = route.secretAnswer ? await this.sealer.prepare(place) : asItIs;
    const claim = await this.keys.claim(key, fingerprintOf({ operation: route.id, params, query, body }));
    if (!('owner' in claim))
      throw new Replay(route.secretAnswer ? { ...claim, body: await this.sealer.open(claim.body, place) } : claim);

    const scope = currentScope();
    let stored = false;
    const answerOf = (result: unknown): StoredAnswer => {
      const status = statusOf(route, result);
      return {
        status,
        headers: answerHeaders(route, request, result),
        body: seal(result === undefined ? '' : (reply.code(status).serialize(result) as string)),
      };
    };
    scope.completion = (result) => {
      stored = true;
      return this.keys.completion(claim, answerOf(result));
    };
    try {
      const result = await firstValueFrom<unknown>(next.handle());
      if (!stored) await this.keys.complete(claim, answerOf(result));
      return result;
    } catch (error) {
      scope.completion = null;
      throw await this.settle(claim, request.dialect?.problemOf(error) ?? error, request, seal);
    }
  }

  private async settle(
    claim: Claim,
    error: unknown,
    { id: requestId, dialect }: FastifyRequest,
    seal: (body: string) => string,
  ): Promise<unknown> {
    if (error instanceof Error && 'code' in error && error.code === CLAIM_LOST) return inProgress();
    if (error instanceof Problem && DECIDED.has(error.status)) {
      const headers = { 'content-type': dialect?.mediaType ?? 'application/problem+json', ...error.more.headers };
      const body = seal(JSON.stringify(dialect?.errorOf(error) ?? error.toDocument(requestId)));
      await this.keys.complete(claim, { status: error.status, headers, body });
    } else {
      // If the database is gone the claim runs out by itself; the caller gets the error that matters.
      await this.keys.release(claim).catch(() => undefined);
    }
    return error;
  }
}

const asItIs = (body: string): string => body;

/** A bare key and the quoted form of a structured field are one key. @throws Problem 400 `idempotency_key_invalid`. */
function readKey(header: string): string {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!KEY.test(key))
    throw new Problem('idempotency_key_invalid', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.', {
      errors: [{ header: 'Idempotency-Key', code: 'invalid_format', detail: 'Use 1 to 255 visible ASCII characters.' }],
    });
  return key;
}
