import { Injectable, type Provider } from '@nestjs/common';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { brokenUnique } from '#libs/database/failures.js';
import { holdCurrency } from '#libs/database/hold-currency.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { CHECK_NOW } from '../records/rehearsal.js';
import { ResourceRegistry } from '../resource-registry.js';
import { type SampleRow, SampleStory } from './sample-story.js';

/** Areas with sample data. Each may name the records of those before it. */
export const SAMPLE_AREAS = [
  'settings',
  'people',
  'sales',
  'work',
  'talent',
  'finance',
  'proposals',
  'operations',
  'timeline',
  'sales-handoff',
  'talent-mapping',
  'exports',
  'reports',
  'documents',
  'home',
] as const;
export type SampleArea = (typeof SAMPLE_AREAS)[number];
export type SampleBuilder = (story: SampleStory) => void | Promise<void>;
/** Adds what is made of the other sample data, after it is inserted. */
export type SampleFinish = (story: SampleStory, transaction: Transaction) => Promise<void>;

/** A record, as named where its type is not known in advance. */
export interface NamedRecord {
  object: string;
  id: string;
  reference: string | null;
  name: string | null;
}

/** A sample record that was not removed, and a record of the tenant because of which it stays. */
export interface KeptRecord extends NamedRecord {
  usedBy: NamedRecord | null;
}

const DEFER = statement('set constraints all deferred');
const OLDEST_MEMBER = `select id from data.memberships
  where tenant_id = $1 and status = 'active' and deleted_at is null order by created_at, id limit 1`;
const COUNT = `select count(*)::integer as count from data.sample_records where tenant_id = $1`;
const REMOVE = `select data.remove_sample_data($1)`;
const KEPT = `select id, place, kept_by as "keptBy" from data.sample_records
  where tenant_id = $1 and kept_by is not null order by place, id`;

/** Sample data of the tenant in scope. */
@Injectable()
export class SampleData {
  private readonly builders = new Map<SampleArea, SampleBuilder>();
  private finish: SampleFinish | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: TenantSettings,
    private readonly registry: ResourceRegistry,
  ) {}

  add(area: SampleArea, builder: SampleBuilder): void {
    this.builders.set(area, builder);
  }

  addLast(finish: SampleFinish): void {
    this.finish = finish;
  }

  /** Number of sample records. Joins the open transaction. */
  async count(): Promise<number> {
    const [row] = await this.database.read<{ count: number }>(statement(COUNT, [currentTenant().id]));
    return row!.count;
  }

  /**
   * Inserts the sample data of all areas, without events. Returns the number of records.
   * @throws Problem 409 `duplicate` if a record of the tenant has one of its references or addresses.
   */
  async load(transaction: Transaction): Promise<number> {
    const story = new SampleStory(this.clock.nowMs(), await this.settings.get(), await this.owner(transaction));
    for (const area of SAMPLE_AREAS) await this.builders.get(area)?.(story);
    transaction.write(holdCurrency());
    transaction.write(DEFER);
    for (const [table, rows] of story.rows) transaction.write(insertion(table, rows));
    try {
      await transaction.query(CHECK_NOW);
    } catch (error) {
      const constraint = brokenUnique(error);
      if (constraint === null) throw error;
      const detail = `Another record already has a value of the sample data (${constraint}).`;
      throw new Problem('duplicate', detail, { cause: error });
    }
    await this.finish?.(story, transaction);
    return story.rows.get('data.sample_records')!.length;
  }

  /**
   * Removes the sample data, except records that others need. Returns the number of records that stay.
   * @throws Problem 423 `legal_hold`.
   */
  async remove(transaction: Transaction, loadedAt: string): Promise<number> {
    await transaction.query(statement(REMOVE, [loadedAt]));
    return this.count();
  }

  /** The sample records that the last removal has kept. */
  async kept(): Promise<KeptRecord[]> {
    const rows = await this.database.read<{ id: string; place: string; keptBy: Partial<Keeper> }>(
      statement(KEPT, [currentTenant().id]),
    );
    const { source } = this.database;
    const types = new Map([
      ...this.registry.everything().map(({ definition, service }) => [service.table, definition.type] as const),
      ...this.registry.allObjects().map(({ entity, type }) => [source.getMetadata(entity).tablePath, type] as const),
    ]);
    const tables = new Map([...types].map(([table, type]) => [type, table]));
    const keepers = rows.map(({ keptBy: { place, object, id } }) => ({ place: place ?? tables.get(object ?? ''), id }));
    const named = await this.named([...rows, ...keepers], types);
    return rows.flatMap(({ id }, index) => {
      const record = named.get(id);
      return record ? [{ ...record, usedBy: named.get(keepers[index]!.id ?? '') ?? null }] : [];
    });
  }

  private async named(
    records: readonly { place?: string | undefined; id?: string | undefined }[],
    types: ReadonlyMap<string, string>,
  ): Promise<Map<string, NamedRecord>> {
    const named = new Map<string, NamedRecord>();
    for (const [table, object] of types) {
      const ids = records.flatMap(({ place, id }) => (place === table && id !== undefined ? [id] : []));
      if (ids.length === 0) continue;
      const text = `select t.id, to_jsonb(t) ->> 'reference' as reference, to_jsonb(t) ->> 'name' as name
        from ${table} t where t.tenant_id = $1 and t.id = any($2::uuid[])`;
      const found = await this.database.read<Omit<NamedRecord, 'object'>>(statement(text, [currentTenant().id, ids]));
      for (const row of found) named.set(row.id, { object, ...row });
    }
    return named;
  }

  private async owner(transaction: Transaction): Promise<string | null> {
    const caller = callerOrNull()?.membershipId;
    if (caller) return caller;
    const [member] = await transaction.query<{ id: string }>(statement(OLDEST_MEMBER, [currentTenant().id]));
    return member?.id ?? null;
  }
}

/** What needs a sample record: a row of a table, or a record of a type. */
interface Keeper {
  place: string;
  object: string;
  id: string;
}

/** Omitted columns get their defaults; a column that only some rows have is null in the others. */
function insertion(table: string, rows: readonly SampleRow[]): Statement {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const names = columns.map(snake).join(', ');
  const records = rows.map((row) => Object.fromEntries(columns.map((column) => [snake(column), row[column] ?? null])));
  const text = `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::${table}, $1::jsonb)`;
  return statement(text, [JSON.stringify(records)]);
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Adds sample data in the module of its area. */
export function contributesSample(area: SampleArea, builder: SampleBuilder): Provider {
  return {
    provide: Symbol('sample data'),
    inject: [SampleData],
    useFactory: (samples: SampleData) => samples.add(area, builder),
  };
}
