import { randomBytes } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DATABASE_URL } from '#libs/database/data-source.js';
import { Database } from '#libs/database/database.js';
import { SessionLock } from '#libs/database/session-lock.js';
import { WORKER_LOCK_CLASS } from './worker-lock.js';

/**
 * Detects dead workers at once, without a timeout. Each worker holds an advisory lock on a separate connection, which
 * PostgreSQL releases when the process ends, and the tokens of its leases contain its id.
 */
@Injectable()
export class WorkerPresence implements OnModuleDestroy {
  private readonly worker = randomBytes(4);
  private readonly lock: SessionLock;

  /** @param url of the database, with the worker's role, without a pooler. */
  constructor(
    @Inject(DATABASE_URL) url: string,
    private readonly database: Database,
  ) {
    this.lock = new SessionLock(url, 'platform-worker-presence', [WORKER_LOCK_CLASS, this.worker.readInt32BE()]);
  }

  /** Id of this worker. */
  get id(): number {
    return this.worker.readUInt32BE();
  }

  /** A new lease token of this worker: a UUID that begins with the worker's id. */
  token(): string {
    const hex = Buffer.concat([this.worker, randomBytes(12)]).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  /**
   * Takes this worker's lock, unless it is already held.
   * @throws Problem `unavailable` if the database cannot be reached.
   */
  async beKnown(): Promise<void> {
    try {
      await this.lock.hold();
    } catch (error) {
      throw this.database.problemOf(error);
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.lock.free();
  }
}
