import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { Problem } from '#libs/kernel/problem.js';
import { SealedColumn } from '#libs/sealing/sealed-column.js';
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
/** Refusals that the operation itself decided: they are stored like successful responses. */
const DECIDED = new Set([404, 409, 410, 412, 422]);

/** How responses under a key are stored and replayed. */
interface Keeping {
  seal: (body: string) => string;
  open: (body: string) => Promise<string>;
  again: Again;
}

/** Checks a successful response before its replay; throws the error to return instead. */
type Again = (answer: never) => Promise<void>;

/** A request with a key, and how to respond to it. */
interface Exchange {
  key: string;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Stored responses that contain secrets. */
export const STORED_RESPONSES = new SealedColumn('data.idempotency_keys', 'body', { identity: ['operation', 'key'] });

/** Thrown to send a stored response; the filter sends it unchanged. */
export class Replay extends Error {
  constructor(readonly answer: StoredAnswer) {
    super('replay');
  }
}

/**
 * Ensures that a write with an `Idempotency-Key` has one effect. The response is stored in the transaction of the
 * effect, so that both exist or neither. For a handler without a transaction it is stored afterwards. The key is
 * claimed before the handler runs, or by the statement that stores the response (`keyInFlight` of the route, ADR 8).
 * Responses that contain secrets are stored encrypted. In public operations, the handler determines the owner of a key
 * (`onceFor`).
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
    if (currentScope().principal)
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
    const keeping = { ...(route.secretAnswer ? await this.sealed(route.id, key) : PLAINLY), again };
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
    // A safe operation may read in a transaction that cannot write.
    if (!route.safe)
      scope.completion = (result) => {
        stored = true;
        return store(keyed, answerOf(result));
      };
    try {
      const result = await work();
      if (result instanceof StreamableFile) {
        await this.keys.release(keyed); // nothing was changed, so a repetition may read the file again
        scope.completion = null;
      } else if (!stored) await this.keys.complete(keyed, answerOf(result));
      return result;
    } catch (error) {
      scope.completion = null;
      scope.expectation = null;
      throw await this.settle(keyed, request.dialect?.problemOf(error) ?? error, request, keeping);
    }
  }

  private async sealed(...ids: [routeId: string, key: string]): Promise<Omit<Keeping, 'again'>> {
    const seal = await this.sealer.prepare(STORED_RESPONSES, ...ids);
    return { seal, open: (body) => this.sealer.open(body, STORED_RESPONSES, ...ids) };
  }

  /** @throws Problem 401, 403 if the caller is no longer allowed to see the response. */
  private async replay(stored: StoredAnswer, request: FastifyRequest, { open, again }: Keeping): Promise<Replay> {
    const answer = { ...stored, body: await open(stored.body) };
    await this.replays.permit(request, answer);
    if (answer.status < 400) await again(JSON.parse(answer.body || 'null') as never);
    await this.replays.record(answer);
    return new Replay(answer);
  }

  /**
   * The error to throw. A refusal by the operation is stored under the key; any other failure releases the key. If
   * another request has used the key in the meantime, its response is returned, unless the caller has lost the right
   * to it.
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

  /** The error of a request that stores nothing under its key. */
  private async freed(
    keyed: KeyedRequest,
    error: unknown,
    { keyInFlight }: { keyInFlight?: boolean },
  ): Promise<unknown> {
    // If the database is unavailable, the claim expires. The caller gets the original error.
    if (!keyInFlight) await this.keys.release(keyed).catch(() => undefined);
    return error;
  }
}

/** Whether a response contains a secret. */
function showsSecret(
  { secretAnswer = false }: { secretAnswer?: boolean | readonly string[] },
  answer: unknown,
): boolean {
  if (typeof secretAnswer === 'boolean') return secretAnswer;
  return isObject(answer) && secretAnswer.some((member) => (answer[member] ?? null) !== null);
}

const PLAINLY: Omit<Keeping, 'again'> = { seal: (body) => body, open: (body) => Promise.resolve(body) };

/** Whether a failure is final: the caller must not get another request's response, or the database is failing. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem && (error.status === 401 || error.status === 403 || error.status >= 500);
}

/**
 * A plain key and the quoted form of a structured field are the same key. @throws Problem 400
 * `idempotency_key_invalid`.
 */
function readKey(header: string): string {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!KEY.test(key))
    throw new Problem('idempotency_key_invalid', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.', {
      errors: [{ header: 'Idempotency-Key', code: 'invalid_format', detail: 'Use 1 to 255 visible ASCII characters.' }],
    });
  return key;
}
