import { addDays, civilDateAt, startOfDayMs } from '#libs/kernel/civil-time.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { toMinor } from '#libs/kernel/money.js';
import { type ActorStamp, EMPTY_ENVELOPE } from '#libs/resource/types/record.entity.js';
import type { EffectiveSettings } from '#libs/settings/tenant-settings.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';

/** Columns of a row, in camel case. */
export type SampleRow = Readonly<Record<string, unknown>>;

/** A record of the sample data. `key` is its name within the sample data, e.g. `account 3`. */
export interface SampleRecord {
  key: string;
  table: string;
  /** Last part of the reference, after `DEMO-`. */
  reference: string;
  name: string;
  createdAt: string;
  updatedAt?: string;
  version?: number;
}

/** A change of state in the past. */
export interface SampleMove {
  action: string;
  from: string;
  to: string;
  fromStage?: string;
  toStage?: string;
  at: string;
}

/** Prefix of references and document numbers, so that those of the tenant have no gaps. */
export const SAMPLE_PREFIX = 'DEMO';
export const SAMPLE_TAG = 'sample';

/** Collects the rows of the sample data. Areas name each other's records by key. */
export class SampleStory {
  /** By table, in the order in which they are inserted. */
  readonly rows = new Map<string, SampleRow[]>();
  private readonly ids = new Map<string, string>();
  private readonly byKey = new Map<string, SampleRow>();

  constructor(
    private readonly nowMs: number,
    readonly settings: EffectiveSettings,
    /** Membership that owns the sample records; null if the tenant has no active member. */
    readonly memberId: string | null,
  ) {}

  /** Id for a key, always the same. */
  id(key: string): string {
    let id = this.ids.get(key);
    if (id === undefined) this.ids.set(key, (id = uuidv7()));
    return id;
  }

  /** The key of a record that was added before. */
  keyOf(id: string): string {
    const found = [...this.ids].find(([, each]) => each === id);
    if (!found) throw new Error(`The sample data has no record ${id}.`);
    return found[0];
  }

  /** A column of a record that was added before. */
  get<T>(key: string, column: string): T {
    const row = this.byKey.get(key);
    if (!row || !(column in row)) throw new Error(`The sample data has no ${column} of ${key}.`);
    return row[column] as T; // the caller knows its kind
  }

  /** Author of all records: who loads the sample data. */
  get author(): ActorStamp {
    const { type, id, name } = currentScope().actor;
    return { type, id, name };
  }

  /** Currency of all amounts: that of the tenant. */
  get currency(): string {
    return currentTenant().currency;
  }

  /** An amount in minor units. */
  minor(major: number): number {
    return toMinor(major, this.currency)!; // whole amounts have one in every currency
  }

  get now(): string {
    return new Date(this.nowMs).toISOString();
  }

  /** Time of a day in the past or, if negative, in the future. Never later than now for a day in the past. */
  at(daysAgo: number, hour = 10): string {
    const midnight = startOfDayMs(this.day(daysAgo), this.settings.general.timezone);
    const ms = midnight + hour * 3_600_000;
    return new Date(daysAgo >= 0 ? Math.min(ms, this.nowMs) : ms).toISOString();
  }

  /** Civil date of a day in the past or, if negative, in the future. */
  day(daysAgo: number): string {
    return addDays(civilDateAt(this.nowMs, this.settings.general.timezone), -daysAgo);
  }

  /** The last `count` working days before today, oldest first, as days ago. */
  workdays(count: number): number[] {
    const days: number[] = [];
    for (let ago = 1; days.length < count; ago++)
      if (![0, 6].includes(new Date(`${this.day(ago)}T00:00:00Z`).getUTCDay())) days.unshift(ago);
    return days;
  }

  /** Days from a date to today. */
  daysSince(date: string): number {
    return Math.round((Date.parse(this.day(0)) - Date.parse(date)) / DAY_MS);
  }

  /** Adds a record. Returns its id. */
  record({ key, table, reference, ...own }: SampleRecord, columns: SampleRow): string {
    const id = this.id(key);
    const row = {
      ...this.own(id),
      reference: `${SAMPLE_PREFIX}-${reference}`,
      ...EMPTY_ENVELOPE,
      ...{ ownerId: this.memberId, tags: [SAMPLE_TAG], version: 1, updatedAt: own.createdAt },
      ...own,
      ...{ createdBy: this.author, updatedBy: this.author, archivedAt: null, deletedAt: null },
      ...columns,
    };
    this.byKey.set(key, row);
    this.add(table, row);
    this.add('data.sample_records', { ...this.own(id), place: table });
    return id;
  }

  /** Adds an object that lacks the common columns of records. Returns its id. */
  object(key: string, table: string, columns: SampleRow): string {
    const id = this.id(key);
    this.byKey.set(key, columns);
    this.add(table, { ...this.own(id), ...columns });
    this.add('data.sample_records', { ...this.own(id), place: table });
    return id;
  }

  /** Adds a row that is not a record, with a new id. */
  detail(table: string, columns: SampleRow): void {
    this.add(table, { ...this.own(uuidv7()), ...columns });
  }

  /** Adds a row without an id. */
  link(table: string, columns: SampleRow): void {
    this.add(table, { tenantId: currentTenant().id, ...columns });
  }

  /** Adds the history of a record, oldest move first. */
  moves(object: string, key: string, createdAt: string, moves: readonly SampleMove[]): void {
    const { requestId } = currentScope();
    let before = createdAt;
    for (const { action, from, to, fromStage = null, toStage = null, at } of moves) {
      const seconds = Math.max(0, Math.floor((Date.parse(at) - Date.parse(before)) / 1_000));
      this.detail('data.record_transitions', {
        ...{ object, recordId: this.id(key), action, fromState: from, toState: to, fromStage, toStage },
        ...{ actor: this.author, requestId, occurredAt: at, secondsInFromState: seconds, reason: null },
      });
      before = at;
    }
  }

  private own(id: string) {
    return { tenantId: currentTenant().id, id };
  }

  private add(table: string, row: SampleRow): void {
    const rows = this.rows.get(table);
    if (rows) rows.push(row);
    else this.rows.set(table, [row]);
  }
}
