import type { PoolClient } from 'pg';
import { isUnreachable } from './failures.js';
import { fly, type Row } from './flights/flight.js';
import { traced } from './flights/flight-span.js';
import { merged } from './merged.js';
import { statement, type Statement } from './statement.js';

const BEGIN = statement('begin');
/** Begins a transaction whose reads all see the state of its first read. */
export const BEGIN_SNAPSHOT = statement('begin isolation level repeatable read read only');
const COMMIT = statement('commit');

/**
 * A unit of work with as few round trips as possible.
 *
 * Reads are sent immediately, the first one together with BEGIN and the tenant. Writes wait and are sent together with
 * COMMIT. A unit of work that only writes needs one flight; one that reads first needs two.
 */
export class Transaction {
  private client: PoolClient | null = null;
  private waiting: Statement[] = [];
  private savepoints = 0;
  private failed = false;
  private afterwards: (() => void)[] = [];
  private merges = false;
  /** Whether the tenant has been set in this transaction. */
  entered = false;

  constructor(
    private readonly connect: () => Promise<PoolClient>,
    private readonly enter: Statement,
    /** Precedes the first read. If it fails, the unit of work ends there. */
    private readonly expectation: Statement | null = null,
    /** Commits the writes of a unit of work without reads, after `enter`; by default in a separate flight. */
    private readonly writeTogether: ((enter: Statement, writes: readonly Statement[]) => Promise<void>) | null = null,
    private readonly begin: Statement = BEGIN,
  ) {}

  /** Whether a statement has failed since the innermost savepoint began. */
  get hasFailed(): boolean {
    return this.failed;
  }

  /** Reads rows that later decisions depend on. Sends the waiting writes first. */
  async query<R extends object = Row>(query: Statement): Promise<R[]> {
    const [rows] = await this.queryAll([query]);
    return rows as R[];
  }

  /** Reads the rows of independent statements in one round trip. */
  async queryAll(queries: readonly Statement[]): Promise<Row[][]> {
    const waiting = this.waiting.splice(0);
    const answers = await this.send([...this.opening(), ...(this.merges ? merged(waiting) : waiting), ...queries]);
    return answers.slice(-queries.length).map(({ rows }) => rows);
  }

  /** Queues a change whose result this unit of work does not need. Errors occur when it is sent. */
  write(query: Statement): void {
    this.waiting.push(query);
  }

  /** Like {@link write}, but ahead of all other waiting writes, so that nothing else runs if it fails. */
  writeFirst(query: Statement): void {
    this.waiting.unshift(query);
  }

  /** Runs `work`, whose writes are sent in fewer statements: see {@link merged}. */
  async merging<T>(work: () => Promise<T>): Promise<T> {
    const before = this.merges;
    this.merges = true;
    try {
      return await work();
    } finally {
      this.merges = before;
    }
  }

  /** Calls `act` after the commit; never if this transaction, or the savepoint that is open now, is undone. */
  onceCommitted(act: () => void): void {
    this.afterwards.push(act);
  }

  /** Runs `work` in a savepoint: its failure undoes only its own changes. */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const before = this.afterwards.length;
    const name = `p${++this.savepoints}`;
    await this.query({ text: `savepoint ${name}`, values: [] });
    try {
      const result = await work();
      await this.query({ text: `release savepoint ${name}`, values: [] });
      return result;
    } catch (error) {
      if (isUnreachable(error)) throw error;
      this.waiting = [];
      this.failed = false;
      this.afterwards.length = before;
      await this.query({ text: `rollback to savepoint ${name}`, values: [] });
      throw error;
    }
  }

  /** Sends the waiting writes and commits. A unit of work without reads is one flight, which its Sync commits. */
  async commit(): Promise<void> {
    if (this.client) await this.send([...this.waiting.splice(0), COMMIT]);
    else if (this.waiting.length > 0) await this.writeOnly(this.waiting.splice(0));
    this.release();
    for (const act of this.afterwards.splice(0)) act();
  }

  private async writeOnly(writes: readonly Statement[]): Promise<void> {
    if (this.writeTogether) await this.writeTogether(this.enter, writes);
    else await this.send([this.enter, ...writes]);
    this.entered = true;
  }

  /** Rolls back. Never throws: a connection that cannot roll back is closed, which also rolls back. */
  async rollback(): Promise<void> {
    this.waiting = [];
    const { client } = this;
    if (!client) return;
    this.client = null;
    try {
      await client.query('rollback');
      client.release();
    } catch (error) {
      client.release(error as Error);
    }
  }

  private opening(): Statement[] {
    if (this.client) return [];
    return this.expectation ? [this.begin, this.enter, this.expectation] : [this.begin, this.enter];
  }

  private async send(statements: Statement[]) {
    if (this.failed) throw new Error('The transaction has failed and can only be rolled back.');
    const client = (this.client ??= await this.connect());
    try {
      const answers = await traced(statements, () => fly(client, statements));
      this.entered = true;
      return answers;
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }

  private release(): void {
    this.client?.release();
    this.client = null;
  }
}
