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

/**
 * How long a first attempt may last before its delivery gets a row: longer than it takes to send everything that is
 * leased ahead.
 */
const LONG_MS = 2_000;
/** How often expired notes of other workers are searched for. */
const RUN_OUT_MS = 1_000;

/** A delivery in progress that has no row yet. */
export type Sending = Pick<TakenDelivery, 'tenantId' | 'endpointId' | 'id'>;

interface Entry {
  delivery: TakenDelivery;
  /** When its note was known to be committed (`performance.now()`); null before that. */
  sinceMs: number | null;
  /** Settles when its row has been created or its creation has failed; null if no row is being created. */
  recording: Promise<void> | null;
}

/**
 * The first attempts of this process. Such a delivery has no row until its attempt ends, only a note in
 * `data.webhook_sending`, written with the numbers of the events, one note per tenant. Its row is created with its
 * result. It is created earlier, still leased, if the attempt fails, takes long or is not started. If this process
 * dies, another worker creates the row and sends the delivery again. `Source:` ADR 0029.
 *
 * A note contains what this process knows. An entry may be missing here because the response to a commit was lost, or
 * may be finished here without a row because its result was not written. Its tenant is then doubtful: its note is not
 * written again before all entries have rows.
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

  /** Like {@link has}, after waiting for a row that is being created. */
  async hasStill(delivery: Pick<Sending, 'tenantId' | 'id'>): Promise<boolean> {
    await this.entries.get(delivery.tenantId)?.get(delivery.id)?.recording;
    return this.has(delivery);
  }

  /** Entries that this process is sending for a tenant. */
  of(tenantId: string): Sending[] {
    return Array.from(this.entries.get(tenantId)?.values() ?? [], ({ delivery }) => delivery);
  }

  /** Reads what other processes are sending for some tenants, or for all; see {@link all}. */
  others(tenantIds: readonly string[] | null): Statement {
    return othersStatement(tenantIds, this.worker);
  }

  /**
   * What all processes are sending for some tenants, or for all. Exact in a transaction that holds the lease lock.
   * @param read notes of the other processes, from the statement of {@link others}
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

  /** Adds upcoming first attempts, under one token, to the notes. Commit together with the numbers of the events. */
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

  /** The announced notes are committed. */
  begin(chosen: readonly TakenDelivery[]): void {
    const sinceMs = performance.now();
    for (const { tenantId, id } of chosen) this.entries.get(tenantId)!.get(id)!.sinceMs = sinceMs;
  }

  /** The announced notes are not committed, or may not be. */
  withdraw(chosen: readonly TakenDelivery[]): void {
    for (const delivery of chosen) this.done(delivery);
  }

  /** These deliveries have rows now. */
  recorded(deliveries: Iterable<Pick<Sending, 'tenantId' | 'id'>>): void {
    for (const { tenantId, id } of deliveries) {
      const own = this.entries.get(tenantId);
      if (own?.delete(id) && own.size === 0) this.entries.delete(tenantId);
    }
  }

  /** This process has finished a delivery, with or without a row. */
  done(delivery: Pick<LeasedId, 'tenantId' | 'id'>): void {
    if (!this.has(delivery)) return;
    this.recorded([delivery]);
    this.doubtful.set(delivery.tenantId, (this.doubtful.get(delivery.tenantId) ?? 0) + 1);
  }

  /** Creates rows for deliveries, still leased. Skips those that have a row or need none. */
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

  /** Creates rows for long attempts, for entries that no process has in progress, and for those of dead workers. */
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
   * Creates rows, due now, for entries in the notes of doubtful tenants that are not in progress here. A commit in
   * progress holds the lease lock, so this waits for it.
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
