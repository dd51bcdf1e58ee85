import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { Problem } from '#libs/kernel/problem.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { currentScope, type Once } from '#libs/tenancy/scope.js';
import { isObject } from '#libs/kernel/is-object.js';
import { statusOf } from '../accepted.js';
import { answerHeaders } from '../answer-headers.js';
import {
  expectFree,
  fingerprintOf,
  IdempotencyKeys,
  inProgress,
  isTaken,
  type KeyedRequest,
  keyedRequest,
  store,
  type StoredAnswer,
} from './idempotency-keys.js';
import { Replays, termsOf } from './replays.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Refusals that the operation decided: they are stored like successes. */
const DECIDED = new Set([404, 409, 410, 412, 422]);

/** How answers under a key are kept, and told again. */
interface Keeping {
  seal: (body: string) => string;
  open: (body: string) => Promise<string>;
  again: Again;
}

/** What is asked of an answer of success before it is told again; throws what is due in its place. */
type Again = (answer: never) => Promise<void>;

/** A request with a key, and how it is answered. */
interface Exchange {
  key: string;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Thrown to answer with what is stored; the filter sends it as it is. */
export class Replay extends Error {
  constructor(readonly answer: StoredAnswer) {
    super('replay');
  }
}

/**
 * Makes a write with an `Idempotency-Key` have one effect. The answer is stored in the transaction of the effect, so that
 * both exist or neither; a handler without a transaction has its answer stored after it. The key is claimed before the
 * handler runs, or by what stores the answer (`keyInFlight` of the route, ADR 8). Of a route whose answers show secrets,
 * stored answers are sealed. Whose a key of an operation is that is open to everyone, its handler knows (`onceFor`).
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly sealer: Sealer,
    private readonly replays: Replays,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const header = request.headers['idempotency-key'];
    if (header === undefined) return next.handle();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const exchange = { key: readKey(String(header)), request, reply };
    const once: Once = (work, again) => this.run(exchange, work, again);
    if (request.route!.permission !== 'public')
      return from(
        once(
          () => firstValueFrom<unknown>(next.handle()),
          () => Promise.resolve(),
        ),
      );
    currentScope().once = once;
    return next.handle();
  }

  private async run<T>({ key, request, reply }: Exchange, work: () => Promise<T>, again: Again): Promise<T> {
    const route = request.route!;
    const { params, query, body } = request;
    const place = `data.idempotency_keys|body|${route.id}|${key}`;
    const keeping = { ...(route.secretAnswer ? await this.sealed(place) : PLAINLY), again };
    const keyed = keyedRequest(key, fingerprintOf({ operation: route.id, params, query, body }));
    const scope = currentScope();
    if (route.keyInFlight) scope.expectation = expectFree(keyed);
    else {
      const before = await this.keys.claim(keyed);
      if (before) throw await this.replay(before, request, keeping);
    }

    let stored = false;
    const answerOf = (result: unknown): StoredAnswer => {
      const status = statusOf(route, result);
      return {
        status,
        headers: answerHeaders(route, request, result),
        body: keeping.seal(result === undefined ? '' : (reply.code(status).serialize(result) as string)),
        terms: termsOf({ showsSecret: showsSecret(route, result) }),
      };
    };
    scope.completion = (result) => {
      stored = true;
      return store(keyed, answerOf(result));
    };
    try {
      const result = await work();
      if (!stored) await this.keys.complete(keyed, answerOf(result));
      return result;
    } catch (error) {
      scope.completion = null;
      scope.expectation = null;
      throw await this.settle(keyed, request.dialect?.problemOf(error) ?? error, request, keeping);
    }
  }

  private async sealed(place: string): Promise<Omit<Keeping, 'again'>> {
    return { seal: await this.sealer.prepare(place), open: (body) => this.sealer.open(body, place) };
  }

  /** @throws Problem 401, 403 for who may not have the answer any more. */
  private async replay(stored: StoredAnswer, request: FastifyRequest, { open, again }: Keeping): Promise<Replay> {
    const answer = { ...stored, body: await open(stored.body) };
    await this.replays.permit(request, answer);
    if (answer.status < 400) await again(JSON.parse(answer.body || 'null') as never);
    await this.replays.record(answer);
    return new Replay(answer);
  }

  /**
   * What is thrown in the end. The key keeps a failure that the operation decided, and is free after any other one; when
   * another request has had the key meanwhile, what is due is its answer, unless the caller has lost the right to it.
   */
  private async settle(
    keyed: KeyedRequest,
    error: unknown,
    request: FastifyRequest,
    keeping: Keeping,
  ): Promise<unknown> {
    const { id: requestId, dialect, route } = request;
    let due = error;
    if (isTaken(error)) due = inProgress();
    else if (error instanceof Problem && DECIDED.has(error.status)) {
      const headers = { 'content-type': dialect?.mediaType ?? 'application/problem+json', ...error.more.headers };
      const body = keeping.seal(JSON.stringify(dialect?.errorOf(error) ?? error.toDocument(requestId)));
      const failure = await this.keys
        .complete(keyed, { status: error.status, headers, body, terms: termsOf() })
        .catch((failure: unknown) => failure);
      if (!failure) return error;
      if (!isTaken(failure)) return this.freed(keyed, failure, route!);
      due = inProgress();
    } else if (!route!.keyInFlight || isRefusal(error)) return this.freed(keyed, error, route!);
    const before = await this.keys.find(keyed);
    return before ? this.replay(before, request, keeping) : due;
  }

  /** The error that ends a request whose key keeps nothing. */
  private async freed(
    keyed: KeyedRequest,
    error: unknown,
    { keyInFlight }: { keyInFlight?: boolean },
  ): Promise<unknown> {
    // If the database is gone the claim runs out by itself; the caller gets the error that matters.
    if (!keyInFlight) await this.keys.release(keyed).catch(() => undefined);
    return error;
  }
}

/** Whether a secret stands in an answer. */
function showsSecret(
  { secretAnswer = false }: { secretAnswer?: boolean | readonly string[] },
  answer: unknown,
): boolean {
  if (typeof secretAnswer === 'boolean') return secretAnswer;
  return isObject(answer) && secretAnswer.some((member) => (answer[member] ?? null) !== null);
}

const PLAINLY: Omit<Keeping, 'again'> = { seal: (body) => body, open: (body) => Promise.resolve(body) };

/** Whether a failure is the last word: the caller has no right to what another request was told, or the database is in trouble. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem && (error.status === 401 || error.status === 403 || error.status >= 500);
}

/** A bare key and the quoted form of a structured field are one key. @throws Problem 400 `idempotency_key_invalid`. */
function readKey(header: string): string {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!KEY.test(key))
    throw new Problem('idempotency_key_invalid', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.', {
      errors: [{ header: 'Idempotency-Key', code: 'invalid_format', detail: 'Use 1 to 255 visible ASCII characters.' }],
    });
  return key;
}
