import { once } from 'node:events';
import type { Cluster, Redis, RedisOptions } from 'ioredis';

/** A connection to one Redis or Valkey server, or to a cluster of them. */
export type RedisClient = Redis | Cluster;

/** How a connection behaves while the server is unreachable. */
export interface RedisBehaviour {
  /** Shown by `CLIENT LIST`. */
  name: string;
  /** True: commands fail immediately and are not resent. False: commands wait for the connection. */
  failFast: boolean;
}

const CONNECT_TIMEOUT_MS = 2_000;
const LONGEST_RECONNECT_PAUSE_MS = 1_000;
const ERROR_HANDLED_BY_STATUS = (): void => undefined;

/**
 * Opens a connection to `url`, after checking whether the server belongs to a cluster. The returned connection is ready
 * and reconnects automatically.
 * @throws Error when the server is unreachable for two seconds or refuses the credentials.
 */
export async function openRedis(url: string, behaviour: RedisBehaviour): Promise<RedisClient> {
  const { default: driver } = await import('ioredis'); // imported lazily: most processes run without Redis
  const clustered = await isCluster(new driver.Redis(url, PROBE));
  const options: RedisOptions = {
    connectionName: behaviour.name,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    maxRetriesPerRequest: behaviour.failFast ? 0 : null,
    autoResendUnfulfilledCommands: !behaviour.failFast,
    // After a failover, the old primary replies READONLY until the host name points to the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
  const enableOfflineQueue = !behaviour.failFast;
  const retryStrategy = (times: number): number => Math.min(times * 50, LONGEST_RECONNECT_PAUSE_MS);
  // Not `lazyConnect`: BullMQ awaits connect() of its duplicate. A lost connection rejects that promise, or leaves it
  // pending in a cluster, and the worker would never take a job.
  const client = clustered
    ? new driver.Cluster([url], {
        enableOfflineQueue,
        clusterRetryStrategy: retryStrategy,
        // Certificates of managed clusters contain host names, so the names are not resolved to addresses first.
        ...(url.startsWith('rediss:') ? { dnsLookup: (host, answer) => answer(null, host) } : {}),
        redisOptions: { ...options, ...credentials(url) },
      })
    : new driver.Redis(url, { ...options, enableOfflineQueue, retryStrategy });
  client.on('error', ERROR_HANDLED_BY_STATUS); // without a listener Node would exit
  try {
    await once(client, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
  } catch (error) {
    client.disconnect();
    if ((error as Error).name !== 'AbortError') throw error;
    throw new Error(`Redis was not ready within ${CONNECT_TIMEOUT_MS} ms`, { cause: error });
  }
  return client;
}

const PROBE: RedisOptions = {
  lazyConnect: true,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: CONNECT_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  enableReadyCheck: false,
  retryStrategy: () => null,
};

/** Uses a separate connection, which is closed afterwards. */
async function isCluster(probe: Redis): Promise<boolean> {
  let reason: unknown;
  probe.on('error', (error) => (reason = error));
  try {
    await probe.connect();
    return /^(redis|server)_mode:cluster/m.test(await probe.info('server'));
  } catch (error) {
    throw reason ?? error;
  } finally {
    probe.disconnect();
  }
}

function credentials(url: string): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  const { username, password, protocol } = new URL(url);
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}
