import { createServer } from 'node:net';

/** Whether a TCP port can be listened on; null when it can, else the error code, e.g. `EADDRINUSE`, `EACCES`. */
export function whyNotListen(host: string, port: number): Promise<string | null> {
  return listen(host, port).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
}

/** A free TCP port of 127.0.0.1: the preferred one if possible. */
export async function findFreePort(preferred: number | null): Promise<number> {
  if (preferred !== null && (await whyNotListen('127.0.0.1', preferred)) === null) return preferred;
  return listen('127.0.0.1', 0);
}

/** Listens briefly; returns the port. */
function listen(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
