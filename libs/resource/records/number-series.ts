import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope, currentTenant, runAsSystem, type Scope } from '#libs/tenancy/scope.js';

const TAKE = `insert into data.number_series as s (tenant_id, series, next) values ($1, $2, 1 + $3::bigint)
  on conflict (tenant_id, series) do update set next = s.next + $3::bigint
  returning next - $3::bigint as first`;
const COUNTS = `select series, next from data.number_series where tenant_id = $1`;
const LARGEST_BLOCK = 64;
const BUSY_MS = 1_000;

/** Format of the references of a type. */
export function referencePattern(prefix: string): string {
  return `${prefix}-{seq:6}`;
}

/** Numbers that are set aside for one piece of work. */
export interface ReservedNumbers {
  series: string;
  next: number;
  /** The first number that is not reserved any more. */
  end: number;
}

/** Numbers of records that are never stored. */
const IMAGINED = 2_000_000_000;

interface Block {
  next: number;
  end: number;
  size: number;
  takenAtMs: number;
  refill: Promise<void> | null;
}

/**
 * Numbers for references: unique per tenant and series, increasing, with gaps.
 *
 * A process reserves numbers in blocks, so that writers of one tenant do not wait for each other's commits. A block is
 * one number until a series is busy, then doubles up to 64: a small tenant sees no gaps, a busy one small gaps. Inside
 * an open transaction, waiting for a block would need a second connection. Instead, the number is taken in that
 * transaction, which blocks others until it ends, and a block for later requests is fetched in the background.
 */
@Injectable()
export class NumberSeries {
  private readonly blocks = new LRUCache<string, Block>({ max: 50_000 });
  private readonly reserved = new WeakMap<Scope, ReservedNumbers>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Sets numbers of a series aside, before a transaction that creates many records. Those not used are lost. */
  async reserve(series: string, count: number): Promise<ReservedNumbers> {
    const [answer] = await this.database.aside([statement(TAKE, [currentTenant().id, series, count])]);
    const next = answer!.rows[0]!['first'] as number;
    return { series, next, end: next + count };
  }

  /** Numbers for records of a transaction that will be rolled back; no others are taken. */
  imagined(series: string): ReservedNumbers {
    return { series, next: IMAGINED, end: Infinity };
  }

  /** Takes the next numbers in the running scope from those that are set aside, as long as there are any. */
  use(numbers: ReservedNumbers): void {
    this.reserved.set(currentScope(), numbers);
  }

  /** The next number of a series, at least 1. */
  async next(series: string): Promise<number> {
    const own = this.reserved.get(currentScope());
    if (own?.series === series && own.next < own.end) return own.next++;
    const key = `${currentTenant().id}|${series}`;
    let block = this.blocks.get(key);
    if (!block) this.blocks.set(key, (block = { next: 0, end: 0, size: 0, takenAtMs: 0, refill: null }));
    while (block.next >= block.end) {
      if (currentScope().transaction) {
        this.fetch(block, series);
        return this.take(series);
      }
      block.refill ??= this.refill(block, series).finally(() => (block.refill = null));
      await block.refill;
    }
    return block.next++;
  }

  /** The next number of each series, ignoring numbers that processes have reserved. */
  async counts(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.read<{ series: string; next: number }>(statement(COUNTS, [currentTenant().id]));
    return new Map(rows.map(({ series, next }) => [series, next]));
  }

  /** Refills a block in the background. If that fails, the next request retries. */
  private fetch(block: Block, series: string): void {
    const refill = () => this.refill(block, series).catch(() => undefined);
    block.refill ??= runAsSystem(currentTenant(), 'number series', uuidv7(), refill).finally(
      () => (block.refill = null),
    );
  }

  private async take(series: string): Promise<number> {
    const take = statement(TAKE, [currentTenant().id, series, 1]);
    const [row] = await this.database.transaction((transaction) => transaction.query<{ first: number }>(take));
    return row!.first;
  }

  private async refill(block: Block, series: string): Promise<void> {
    const now = this.clock.nowMs();
    const busy = now - block.takenAtMs < BUSY_MS;
    const size = busy ? Math.min(LARGEST_BLOCK, block.size * 2) : 1;
    const [answer] = await this.database.aside([statement(TAKE, [currentTenant().id, series, size])]);
    const first = answer!.rows[0]!['first'] as number;
    Object.assign(block, { next: first, end: first + size, size, takenAtMs: now });
  }
}
