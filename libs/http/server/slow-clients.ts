import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** What the client currently sends or reads; null if nothing is in progress. */
    exchange: Exchange | null;
  }
}

const SWEEP_MS = 1_000;
/** Maximum total memory for slow clients. */
const KEPT_BYTES = 67_108_864;
/** Memory of a waiting response in addition to its text: request, reply and what they refer to. */
const EXCHANGE_BYTES = 16_384;
/** Minimum rate at which a client must read a response, in addition to the basic time. */
const BYTES_PER_MS = 64;

/** A body being received, or a response being sent. Times are `performance.now()`. */
interface Exchange {
  reply: FastifyReply;
  sinceMs: number;
  /** Deadline for reading a response; for a stream, for reading more of it. Node enforces the deadline for bodies. */
  untilMs: number;
  /** Bytes of a stream that the connection had accepted at the last check; null for anything else. */
  taken: number | null;
  /** Bytes that the connection had received before the body; null for a response. */
  readBefore: number | null;
  /** Whether the response text is in memory only for this client. */
  own: boolean;
  /** Its index in the list. */
  index: number;
}

/**
 * Closes the connections of clients that take longer than `timeoutMs`, plus extra time for a long response, to read a
 * response. (Node limits how long a request may take to arrive.) If bodies and responses in transit take too much
 * memory, it closes the oldest connections. Checks every second, and each time a certain amount has been sent.
 */
export function cutSlowClients(server: FastifyInstance, timeoutMs: number, cut: () => void): void {
  // Not a Map: whenever a Map grows or shrinks, V8 leaves a table that refers to the next one. Once one of these is in
  // the old generation, all requests in later ones are kept until the whole heap is collected.
  const underWay: Exchange[] = [];
  let answeredBytes = 0;

  const begin = (reply: FastifyReply, kind: Omit<Exchange, 'reply' | 'sinceMs' | 'index'>): void => {
    reply.exchange = { ...kind, reply, sinceMs: performance.now(), index: underWay.length };
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
    if (hasBody(request)) begin(reply, { untilMs: Infinity, taken: null, readBefore: bytesRead, own: false });
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
    const taken = payload instanceof Readable ? reply.raw.socket!.bytesWritten : null;
    begin(reply, { untilMs, taken, readBefore: null, own: typeof payload === 'string' });
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
    for (const exchange of [...underWay]) {
      if (hasMoved(exchange)) exchange.untilMs = now + timeoutMs;
      if (now >= exchange.untilMs || exchange.reply.request.raw.socket.destroyed) close(exchange);
    }
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

/** Whether the client has read more of a stream since the last check. */
function hasMoved(exchange: Exchange): boolean {
  if (exchange.taken === null) return false;
  const { bytesWritten } = exchange.reply.request.raw.socket;
  const moved = bytesWritten > exchange.taken;
  exchange.taken = bytesWritten;
  return moved;
}

/** Bytes of a response; for a stream, from its header. */
function sizeOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  return Number(reply.getHeader('content-length') ?? 0);
}

/** Memory of a body being received, or of a response that waits to be read. */
function bytesOf({ reply, readBefore, own }: Exchange): number {
  if (readBefore !== null) return reply.request.raw.socket.bytesRead - readBefore;
  const { writableLength } = reply.raw;
  return writableLength && EXCHANGE_BYTES + (own ? writableLength : 0);
}
