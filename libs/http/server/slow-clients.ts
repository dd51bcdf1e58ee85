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
/** Minimum rate at which a file must arrive, in addition to the basic time. */
const FILE_BYTES_PER_MS = 8;

/** A body being received, or a response being sent. Times are `performance.now()`. */
interface Exchange {
  reply: FastifyReply;
  sinceMs: number;
  /** Deadline for a body to arrive, or a response to be read; for a file or a stream, for more of it. */
  untilMs: number;
  /** Bytes of a stream that the connection had accepted at the last check; null for anything else. */
  taken: number | null;
  /** Bytes that the connection had received before the body; null for a response and a file. */
  readBefore: number | null;
  /** Of a file that arrives: bytes that the connection had received before it, and at the last check. */
  file: { before: number; seen: number } | null;
  /** Whether the response text is in memory only for this client. */
  own: boolean;
  /** Its index in the list. */
  index: number;
}

/**
 * Closes the connections of clients that take longer than `timeoutMs`, plus extra time for a long response, to read a
 * response, or to send a body; a file may take longer, as long as more of it arrives. If bodies and responses in transit take too much
 * memory, it closes the oldest connections. Checks every second, and each time a certain amount has been sent.
 */
export function cutSlowClients(server: FastifyInstance, timeoutMs: number, cut: () => void): void {
  // Not a Map: whenever a Map grows or shrinks, V8 leaves a table that refers to the next one. Once one of these is in
  // the old generation, all requests in later ones are kept until the whole heap is collected.
  const underWay: Exchange[] = [];
  let answeredBytes = 0;

  const deadline = (): number => performance.now() + timeoutMs;
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
    if (hasBody(request))
      begin(reply, { untilMs: deadline(), taken: null, readBefore: bytesRead, file: null, own: false });
    done();
  });
  server.addHook('preValidation', ({ raw, uploadStream }, reply, done) => {
    end(reply);
    const file = { before: raw.socket.bytesRead, seen: raw.socket.bytesRead };
    if (uploadStream) begin(reply, { untilMs: deadline(), taken: null, readBefore: null, file, own: false });
    done();
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    end(reply);
    const size = sizeOf(reply, payload);
    const untilMs = performance.now() + timeoutMs + size / BYTES_PER_MS;
    const taken = payload instanceof Readable ? reply.raw.socket!.bytesWritten : null;
    begin(reply, { untilMs, taken, readBefore: null, file: null, own: typeof payload === 'string' });
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
  const expire = (exchange: Exchange): void => {
    const { reply, readBefore, file } = exchange;
    if (readBefore === null && !file) return close(exchange);
    end(reply);
    server.server.emit('clientError', timeout(), reply.request.raw.socket);
  };
  const sweep = (): void => {
    answeredBytes = 0;
    const now = performance.now();
    for (const exchange of [...underWay]) {
      if (hasMoved(exchange)) exchange.untilMs = now + timeoutMs;
      if (exchange.file) exchange.untilMs = Math.min(exchange.untilMs, fileDeadline(exchange, timeoutMs));
      if (now >= exchange.untilMs || exchange.reply.request.raw.socket.destroyed) expire(exchange);
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

/** Node's error for a request that arrives too slowly, which gets a 408. */
const timeout = (): Error => Object.assign(new Error('The request is too slow.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** When a file has to be there at the latest, for what has arrived of it; never, once all of it has. */
function fileDeadline({ reply, file, sinceMs }: Exchange, timeoutMs: number): number {
  const { uploadStream, raw } = reply.request;
  if (uploadStream?.complete) return Infinity;
  return sinceMs + timeoutMs + (raw.socket.bytesRead - file!.before) / FILE_BYTES_PER_MS;
}

/** Whether the client has read more of a stream, or sent more of a file, since the last check. */
function hasMoved(exchange: Exchange): boolean {
  const { file } = exchange;
  if (file) {
    const { bytesRead } = exchange.reply.request.raw.socket;
    const moved = bytesRead > file.seen || exchange.reply.request.uploadStream?.complete === true;
    file.seen = bytesRead;
    return moved;
  }
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
