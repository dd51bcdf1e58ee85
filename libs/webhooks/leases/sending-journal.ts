import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { LEASING } from './claim.js';
import { workerOf } from './lease-owner.js';
import type { LeasedId, TakenDelivery } from './leased-delivery.js';
import { BY_HASH, PLAN_EACH_TIME, PLAN_ONCE } from './planning.js';
import {
  abandonedStatement,
  entryOf,
  journalStatement,
  type OthersJournal,
  othersStatement,
  recordedStatement,
  recordStatement,
  runOutStatement,
} from './sending-statements.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';

/** How long a first attempt may last before its delivery gets a row: longer than what is leased ahead takes to be sent. */
const LONG_MS = 2_000;
/** How often it is looked for notes of other workers that have run out. */
const RUN_OUT_MS = 1_000;

/** A delivery that is being worked on and has no row yet. */
export type Sending = Pick<TakenDelivery, 'tenantId' | 'endpointId' | 'id'>;

interface Entry {
  delivery: TakenDelivery;
  /** Since when it is known to be noted, as `performance.now()` has it; null while that is being committed. */
  sinceMs: number | null;
  /** Resolves when its row is made, or is not; null while none is being made. */
  recording: Promise<void> | null;
}

/**
 * What this process sends for the first time. Such a delivery has no row before its attempt is over, only a note in
 * `data.webhook_sending`, written with the numbers of the events, one for all of a tenant. It gets a row with its result, or
 * earlier, leased as it is, when it fails, lasts long or is not begun; by another worker, to be sent again, when this process
 * dies. ADR 0029.
 *
 * A note is written as this process knows it. So what may stand there and is not known here (the answer to a commit was
 * lost) or is done with here and may have no row (its result was not written) makes its tenant a doubtful one: its note is
 * not written again before all of it has rows.
 */
@Injectable()
export class SendingJournal {
  private readonly entries = new Map<string, Map<string, Entry>>();
  /** How often a tenant became doubtful. */
  private readonly doubtful = new Map<string, number>();
  private lookedMs = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly presence: WorkerPresence,
  ) {}

  /** Whether first attempts of a tenant can be noted. */
  takes(tenantId: string): boolean {
    return !this.doubtful.has(tenantId);
  }

  /** Whether a delivery has no row yet, as far as this process knows. */
  has({ tenantId, id }: Pick<Sending, 'tenantId' | 'id'>): boolean {
    return this.entries.get(tenantId)?.has(id) ?? false;
  }

  /** The same, once a row that is being made at the moment is there. */
  async hasStill(delivery: Pick<Sending, 'tenantId' | 'id'>): Promise<boolean> {
    await this.entries.get(delivery.tenantId)?.get(delivery.id)?.recording;
    return this.has(delivery);
  }

  /** What this process sends for a tenant. */
  of(tenantId: string): Sending[] {
    return Array.from(this.entries.get(tenantId)?.values() ?? [], ({ delivery }) => delivery);
  }

  /** Reads for {@link all} what other processes send for some tenants, or for all. */
  others(tenantIds: readonly string[] | null): Statement {
    return othersStatement(tenantIds, this.worker);
  }

  /**
   * What all processes send for some tenants, or for all; exact in a transaction that has taken its turn to lease.
   * @param read what the others have noted, by the statement of {@link others}
   */
  async all(
    transaction: Transaction,
    tenantIds: readonly string[] | null,
    read: readonly OthersJournal[],
  ): Promise<Sending[]> {
    const own = [...(tenantIds ?? this.entries.keys())].flatMap((tenantId) => this.of(tenantId));
    const others = read.flatMap(({ tenantId, entries }) =>
      entries.map(([id, , endpointId]) => ({ tenantId, id, endpointId })),
    );
    if (others.length === 0) return own;
    transaction.write(PLAN_EACH_TIME);
    const recorded = await transaction.query<{ id: string }>(recordedStatement(others));
    transaction.write(PLAN_ONCE);
    const ids = new Set(recorded.map(({ id }) => id));
    return [...own, ...others.filter(({ id }) => !ids.has(id))];
  }

  /** Notes first attempts that are about to be made under one token, besides those under way. To be committed with the numbers of the events. */
  announce(chosen: readonly TakenDelivery[]): Statement {
    for (const delivery of chosen) {
      const own = this.entries.get(delivery.tenantId) ?? new Map<string, Entry>();
      own.set(delivery.id, { delivery, sinceMs: null, recording: null });
      this.entries.set(delivery.tenantId, own);
    }
    const tenantIds = [...new Set(chosen.map(({ tenantId }) => tenantId))];
    const texts = tenantIds.map((tenantId) => {
      const own = this.entries.get(tenantId)!.values();
      return `[${Array.from(own, ({ delivery }) => entryOf(delivery)).join(',')}]`;
    });
    return journalStatement(tenantIds, texts, workerOf(chosen[0]!.token));
  }

  /** What was announced is committed. */
  begin(chosen: readonly TakenDelivery[]): void {
    const sinceMs = performance.now();
    for (const { tenantId, id } of chosen) this.entries.get(tenantId)!.get(id)!.sinceMs = sinceMs;
  }

  /** What was announced is not committed, or perhaps it is. */
  withdraw(chosen: readonly TakenDelivery[]): void {
    for (const delivery of chosen) this.done(delivery);
  }

  /** These have rows now. */
  recorded(deliveries: Iterable<Pick<Sending, 'tenantId' | 'id'>>): void {
    for (const { tenantId, id } of deliveries) {
      const own = this.entries.get(tenantId);
      if (own?.delete(id) && own.size === 0) this.entries.delete(tenantId);
    }
  }

  /** This process is done with a delivery, whether or not it has a row. */
  done(delivery: Pick<LeasedId, 'tenantId' | 'id'>): void {
    if (!this.has(delivery)) return;
    this.recorded([delivery]);
    this.doubtful.set(delivery.tenantId, (this.doubtful.get(delivery.tenantId) ?? 0) + 1);
  }

  /** Gives deliveries rows, leased as they are. One that has a row already, or none to get, changes nothing. */
  async record(deliveries: Iterable<Pick<Sending, 'tenantId' | 'id'>>): Promise<void> {
    const entries = Array.from(deliveries, ({ tenantId, id }) => this.entries.get(tenantId)?.get(id)).filter(
      (entry) => entry !== undefined,
    );
    if (entries.length === 0) return;
    const taken = entries.map(({ delivery }) => delivery);
    const recording = this.database
      .system([LEASING, BY_HASH, recordStatement(taken, this.worker)])
      .then(() => this.recorded(taken));
    for (const entry of entries) entry.recording = recording.catch(() => undefined);
    await recording;
  }

  /** Gives rows to what lasts long, to what nobody answers for here, and to what others have left. */
  async tend(): Promise<void> {
    await this.resolve();
    const nowMs = performance.now();
    const all = Array.from(this.entries.values(), (own) => [...own.values()]).flat();
    const long = all.filter(({ sinceMs }) => sinceMs !== null && nowMs - sinceMs > LONG_MS);
    await this.record(long.map(({ delivery }) => delivery));
    if (nowMs - this.lookedMs < RUN_OUT_MS) return;
    this.lookedMs = nowMs;
    await this.database.system([runOutStatement(this.worker, [...this.entries.keys(), ...this.doubtful.keys()])]);
  }

  /**
   * Gives rows to what stands in the notes of doubtful tenants and is not under way here: it is due. What may still be committed
   * holds the lock of those that lease, so that this waits for it.
   */
  async resolve(): Promise<void> {
    if (this.doubtful.size === 0) return;
    const doubts = [...this.doubtful];
    const tenantIds = doubts.map(([tenantId]) => tenantId);
    const known = tenantIds.flatMap((tenantId) => this.of(tenantId)).map(({ id }) => id);
    await this.database.system([LEASING, abandonedStatement(this.worker, tenantIds, known)]);
    for (const [tenantId, times] of doubts) if (this.doubtful.get(tenantId) === times) this.doubtful.delete(tenantId);
  }

  private get worker(): number {
    return this.presence.id;
  }
}
