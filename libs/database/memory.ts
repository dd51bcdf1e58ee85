import { LRUCache } from 'lru-cache';
import { currentScope, currentTenant, isTransactionOpen } from '#libs/tenancy/scope.js';
import type { Transaction } from './transaction.js';

/**
 * What a process remembers of the database. Nothing is remembered from a transaction that has not committed: other
 * requests would use rows that they cannot see yet, and that may never exist.
 */
export class Memory<V extends object> {
  private readonly values: LRUCache<string, V>;

  /** Remembers at most `max` values, the most recently used ones, each at most for `maxAgeMs` (0: without a limit). */
  constructor(max: number, maxAgeMs = 0) {
    this.values = new LRUCache<string, V>({ max, ttl: maxAgeMs });
  }

  get(key: string): V | undefined {
    return this.values.get(key);
  }

  /** Remembers a value that has just been read: at once, or when the open transaction has committed. */
  keep(key: string, value: V): void {
    const keep = (): void => void this.values.set(key, value);
    if (isTransactionOpen()) (currentScope().transaction as Transaction).onceCommitted(keep);
    else keep();
  }

  forget(key: string): void {
    this.values.delete(key);
  }
}

/**
 * What a process remembers of the current tenant, until anything of it changes: every change of what is kept here raises
 * the tenant's epoch, which PostgreSQL compares in the first statement of each transaction. An entry of an earlier epoch
 * is therefore never used.
 */
export class TenantMemory<V extends object> {
  private readonly values: Memory<V>;

  constructor(max: number) {
    this.values = new Memory<V>(max);
  }

  /** The value of `part` of the tenant, from memory or by `read`. Null is not remembered. */
  async get<R extends V | null>(read: () => Promise<R>, part = ''): Promise<V | R> {
    const { id, epoch } = currentTenant();
    const key = `${id}|${epoch}|${part}`;
    const known = this.values.get(key);
    if (known) return known;
    const found = await read();
    if (found !== null) this.values.keep(key, found);
    return found;
  }
}
