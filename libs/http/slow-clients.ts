import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const SWEEP_MS = 1_000;
/** What clients that send or read slowly may have a process keep for them, all together. */
const KEPT_BYTES = 67_108_864;

interface Exchange {
  request: FastifyRequest;
  sinceMs: number;
  /** What the connection had received before this body. */
  readBefore: number;
}

/**
 * Cuts the connections of clients that take longer than `timeoutMs` to read an answer (how long a request may take to
 * arrive is for Node), and of those that have been slowest when bodies on their way in and answers on their way out
 * together take too much memory.
 */
export function cutSlowClients(server: FastifyInstance, timeoutMs: number, cut: () => void): void {
  const receiving = new Map<FastifyReply, Exchange>();
  const sending = new Map<FastifyReply, Exchange>();
  const begin = (exchanges: Map<FastifyReply, Exchange>, request: FastifyRequest, reply: FastifyReply) =>
    exchanges.set(reply, { request, sinceMs: performance.now(), readBefore: request.raw.socket.bytesRead });

  server.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request)) begin(receiving, request, reply);
    done();
  });
  server.addHook('preValidation', (_request, reply, done) => {
    receiving.delete(reply);
    done();
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    receiving.delete(reply);
    begin(sending, request, reply);
    done(null, payload);
  });
  server.addHook('onResponse', (_request, reply, done) => {
    sending.delete(reply);
    done();
  });

  const sweep = (): void => {
    forgetGone(receiving);
    forgetGone(sending);
    const end = (exchanges: Map<FastifyReply, Exchange>, reply: FastifyReply) => {
      exchanges.get(reply)!.request.raw.socket.destroy();
      exchanges.delete(reply);
      cut();
    };
    // The slowest first: maps keep the order in which entries came.
    for (const [reply, { sinceMs }] of sending) {
      if (performance.now() - sinceMs < timeoutMs) break;
      end(sending, reply);
    }
    let kept = 0;
    for (const { request, readBefore } of receiving.values()) kept += request.raw.socket.bytesRead - readBefore;
    for (const reply of sending.keys()) kept += reply.raw.writableLength;
    for (const [reply, { request, readBefore }] of receiving) {
      if (kept <= KEPT_BYTES) return;
      kept -= request.raw.socket.bytesRead - readBefore;
      end(receiving, reply);
    }
    for (const reply of sending.keys()) {
      if (kept <= KEPT_BYTES) return;
      kept -= reply.raw.writableLength;
      end(sending, reply);
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

/** A client that went away has nothing left to send or read. */
function forgetGone(exchanges: Map<FastifyReply, Exchange>): void {
  for (const [reply, { request }] of exchanges) if (request.raw.socket.destroyed) exchanges.delete(reply);
}
