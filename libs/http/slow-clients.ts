import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const SWEEP_MS = 1_000;
/** What clients that send or read slowly may have a process keep for them, all together. */
const KEPT_BYTES = 67_108_864;
/** What an answer that waits takes beside its text: request, reply and what they refer to. */
const EXCHANGE_BYTES = 16_384;
/** Slowest rate at which an answer has to be read, beside the time that every answer has. */
const BYTES_PER_MS = 64;

/** A body on its way in. */
interface Receiving {
  request: FastifyRequest;
  /** What the connection had received before. */
  readBefore: number;
}

/** An answer on its way out. */
interface Sending {
  request: FastifyRequest;
  /** When it has to be read, as `performance.now()` has it. */
  untilMs: number;
  /** Whether its text is in memory for this client alone. */
  own: boolean;
}

/**
 * Cuts the connections of clients that take longer than `timeoutMs`, and some more for a long one, to read an answer (how
 * long a request may take to arrive is for Node), and of those that came first when bodies on their way in and answers on
 * their way out together take too much memory. It looks every second, and each time that so much more has been answered.
 */
export function cutSlowClients(server: FastifyInstance, timeoutMs: number, cut: () => void): void {
  // Maps keep the order in which entries came.
  const receiving = new Map<FastifyReply, Receiving>();
  const sending = new Map<FastifyReply, Sending>();
  let answeredBytes = 0;

  server.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request)) receiving.set(reply, { request, readBefore: request.raw.socket.bytesRead });
    done();
  });
  server.addHook('preValidation', (_request, reply, done) => {
    receiving.delete(reply);
    done();
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    receiving.delete(reply);
    const size = sizeOf(reply, payload);
    sending.set(reply, {
      request,
      untilMs: performance.now() + timeoutMs + size / BYTES_PER_MS,
      own: typeof payload === 'string',
    });
    answeredBytes += size + EXCHANGE_BYTES;
    if (answeredBytes > KEPT_BYTES) sweep();
    done(null, payload);
  });
  server.addHook('onResponse', (_request, reply, done) => {
    sending.delete(reply);
    done();
  });

  const end = (exchanges: Map<FastifyReply, Receiving | Sending>, reply: FastifyReply): void => {
    const { socket } = exchanges.get(reply)!.request.raw;
    exchanges.delete(reply);
    if (socket.destroyed) return; // several answers can wait on one connection
    socket.destroy();
    cut();
  };
  const sweep = (): void => {
    answeredBytes = 0;
    forgetGone(receiving);
    forgetGone(sending);
    for (const [reply, { untilMs }] of sending) if (performance.now() >= untilMs) end(sending, reply);
    const kept = [
      ...Array.from(receiving, ([reply, { request, readBefore }]) => {
        return { exchanges: receiving, reply, bytes: request.raw.socket.bytesRead - readBefore };
      }),
      ...Array.from(sending, ([reply, { own }]) => {
        const { writableLength } = reply.raw;
        return { exchanges: sending, reply, bytes: writableLength && EXCHANGE_BYTES + (own ? writableLength : 0) };
      }),
    ];
    let sum = kept.reduce((total, { bytes }) => total + bytes, 0);
    for (const { exchanges, reply, bytes } of kept) {
      if (sum <= KEPT_BYTES) return;
      if (bytes > 0) end(exchanges, reply);
      sum -= bytes;
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

/** A client that went away has nothing left to send or read. */
function forgetGone(exchanges: Map<FastifyReply, Receiving | Sending>): void {
  for (const [reply, { request }] of exchanges) if (request.raw.socket.destroyed) exchanges.delete(reply);
}
