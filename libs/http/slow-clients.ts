import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** What the client has to send or to read; null while it has nothing. */
    exchange: Exchange | null;
  }
}

const SWEEP_MS = 1_000;
/** What clients that send or read slowly may have a process keep for them, all together. */
const KEPT_BYTES = 67_108_864;
/** What an answer that waits takes beside its text: request, reply and what they refer to. */
const EXCHANGE_BYTES = 16_384;
/** Slowest rate at which an answer has to be read, beside the time that every answer has. */
const BYTES_PER_MS = 64;

/** A body on its way in, or an answer on its way out. Times are as `performance.now()` has them. */
interface Exchange {
  reply: FastifyReply;
  sinceMs: number;
  /** When an answer has to be read. A body has to be there when Node says. */
  untilMs: number;
  /** What the connection had received before a body; null for an answer. */
  readBefore: number | null;
  /** Whether the text of an answer is in memory for this client alone. */
  own: boolean;
  /** Where it stands among the others. */
  index: number;
}

/**
 * Cuts the connections of clients that take longer than `timeoutMs`, and some more for a long one, to read an answer (how
 * long a request may take to arrive is for Node), and of those that came first when bodies on their way in and answers on
 * their way out together take too much memory. It looks every second, and each time that so much more has been answered.
 */
export function cutSlowClients(server: FastifyInstance, timeoutMs: number, cut: () => void): void {
  // Not a Map: each time that it grows or shrinks V8 leaves a table which refers to the next one, and once one of them is
  // old, all requests that were in a later one last until the whole heap is collected.
  const underWay: Exchange[] = [];
  let answeredBytes = 0;

  const begin = (reply: FastifyReply, kind: Pick<Exchange, 'untilMs' | 'readBefore' | 'own'>): void => {
    const { untilMs, readBefore, own } = kind;
    reply.exchange = { reply, sinceMs: performance.now(), untilMs, readBefore, own, index: underWay.length };
    underWay.push(reply.exchange);
  };
  const end = (reply: FastifyReply): void => {
    const { exchange } = reply;
    if (!exchange) return;
    reply.exchange = null;
    const last = underWay.pop()!;
    if (last !== exchange) underWay[(last.index = exchange.index)] = last;
  };

  server.decorateReply('exchange', null);
  server.addHook('onRequest', (request, reply, done) => {
    const { bytesRead } = request.raw.socket;
    if (hasBody(request)) begin(reply, { untilMs: Infinity, readBefore: bytesRead, own: false });
    done();
  });
  server.addHook('preValidation', (_request, reply, done) => {
    end(reply);
    done();
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    end(reply);
    const size = sizeOf(reply, payload);
    const untilMs = performance.now() + timeoutMs + size / BYTES_PER_MS;
    begin(reply, { untilMs, readBefore: null, own: typeof payload === 'string' });
    answeredBytes += size + EXCHANGE_BYTES;
    if (answeredBytes > KEPT_BYTES) sweep();
    done(null, payload);
  });
  server.addHook('onResponse', (_request, reply, done) => {
    end(reply);
    done();
  });

  const close = ({ reply }: Exchange): void => {
    const { socket } = reply.request.raw;
    end(reply);
    if (socket.destroyed) return; // the client went away, or another answer waited on the same connection
    socket.destroy();
    cut();
  };
  const sweep = (): void => {
    answeredBytes = 0;
    const now = performance.now();
    for (const exchange of [...underWay])
      if (now >= exchange.untilMs || exchange.reply.request.raw.socket.destroyed) close(exchange);
    let kept = underWay.reduce((sum, exchange) => sum + bytesOf(exchange), 0);
    if (kept <= KEPT_BYTES) return;
    for (const exchange of underWay.toSorted((a, b) => a.sinceMs - b.sinceMs)) {
      const bytes = bytesOf(exchange);
      if (bytes > 0) close(exchange);
      if ((kept -= bytes) <= KEPT_BYTES) return;
    }
  };
  const timer = setInterval(sweep, SWEEP_MS).unref();
  server.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    done();
  });
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Bytes of an answer; of a stream what its header says. */
function sizeOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  return Number(reply.getHeader('content-length') ?? 0);
}

/** What is in memory of a body that arrives, or of an answer that waits to be read. */
function bytesOf({ reply, readBefore, own }: Exchange): number {
  if (readBefore !== null) return reply.request.raw.socket.bytesRead - readBefore;
  const { writableLength } = reply.raw;
  return writableLength && EXCHANGE_BYTES + (own ? writableLength : 0);
}
