import pg from 'pg';

const CONNECT_MS = 5_000;

/**
 * An advisory lock for the lifetime of this process, on a separate connection. When the process ends, PostgreSQL
 * closes the connection and releases the lock. The lock is shared: it shows who is present and excludes nobody, so a
 * half-dead connection cannot block its successor. Does not work through a pooler in transaction mode.
 */
export class SessionLock {
  private client: pg.Client | null = null;
  private taking: Promise<void> | null = null;
  private freed = false;

  /**
   * @param url of the database.
   * @param name of the connection, as PostgreSQL lists it.
   * @param key both halves of the lock key, signed 32 bits each.
   */
  constructor(
    private readonly url: string,
    private readonly name: string,
    private readonly key: readonly [number, number],
  ) {}

  /**
   * Takes the lock, again if the connection was lost. Does nothing if it is held, or after {@link free}.
   * @throws Error if the database cannot be reached.
   */
  async hold(): Promise<void> {
    if (this.client || this.freed) return;
    this.taking ??= this.take().finally(() => (this.taking = null));
    await this.taking;
  }

  /** Releases the lock permanently. */
  async free(): Promise<void> {
    this.freed = true;
    await this.taking?.catch(() => undefined);
    await this.client?.end().catch(() => undefined);
  }

  private async take(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: this.name,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    const lose = () => {
      if (this.client === client) this.client = null;
    };
    client.on('error', lose).on('end', lose);
    try {
      await client.connect();
      await client.query('select pg_advisory_lock_shared($1, $2)', [...this.key]);
      this.client = client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }
}
