import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { DaySpan } from '#libs/kernel/day-span.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Snapshot, StoredFigure } from './snapshot.js';

const EXISTS = `select exists (select 1 from data.metric_snapshots where tenant_id = $1 and date = $2) as found`;
const ADD = `
  insert into data.metric_snapshots (tenant_id, date, time_zone, figures, recorded_at) values ($1, $2, $3, $4, $5)
  on conflict (tenant_id, date) do nothing returning date`;
const READ = `
  select date, recorded_at as "recordedAt", figures from data.metric_snapshots
  where tenant_id = $1 and date between $2 and $3 order by date`;
const READ_SOME = `
  select date, recorded_at as "recordedAt",
    (select coalesce(jsonb_object_agg(key, figures -> key), '{}') from unnest($4::text[]) key where figures ? key) as figures
  from data.metric_snapshots where tenant_id = $1 and date between $2 and $3 order by date`;
const FORGET = `delete from data.metric_snapshots where tenant_id = $1 and date < $2`;
const FORGET_ANOMALIES = `delete from data.metric_anomalies where tenant_id = $1 and date < $2`;

/** The recorded metrics of the current tenant. */
@Injectable()
export class SnapshotsRepository {
  constructor(private readonly database: Database) {}

  async has(date: string): Promise<boolean> {
    const [row] = await this.database.read<{ found: boolean }>(statement(EXISTS, [currentTenant().id, date]));
    return row!.found;
  }

  /** Returns no row if the day has already been recorded. */
  add({ date, recordedAt, figures }: Snapshot, timezone: string): Statement {
    return statement(ADD, [currentTenant().id, date, timezone, JSON.stringify(figures), recordedAt]);
  }

  /** By day. */
  read({ from, to }: DaySpan): Promise<Snapshot[]> {
    return this.database.read<Snapshot>(statement(READ, [currentTenant().id, from, to]));
  }

  /** As {@link read}, with only some metrics. */
  readSome({ from, to }: DaySpan, keys: readonly string[]): Promise<Snapshot<Partial<Record<string, StoredFigure>>>[]> {
    return this.database.read(statement(READ_SOME, [currentTenant().id, from, to, keys]));
  }

  /** Deletes the snapshots and anomalies before a day. */
  async forget(before: string): Promise<void> {
    const values = [currentTenant().id, before];
    await this.database.aside([statement(FORGET, values), statement(FORGET_ANOMALIES, values)]);
  }
}
