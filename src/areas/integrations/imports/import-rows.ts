import { Column, Entity } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Field, id, integer, text } from '#libs/http/field.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { cut } from '#libs/kernel/cut.js';
import { filter, listQuery, type ListOptions, type ListRequest } from '#libs/resource/lists/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { MAX_NAME, MAX_ROWS } from './import-fields.js';

const rowNumber = () => integer({ min: 1, max: 2 * MAX_ROWS });

/** Why a row is not imported. */
@Entity({ schema: 'data', name: 'import_faults' })
export class ImportFault extends TenantRow {
  @Column('uuid', { name: 'import_id' })
  importId!: string;

  /** Counted from 1, the header included. */
  @Column('integer')
  row!: number;

  @Column('text', { name: 'column_name', nullable: true })
  column!: string | null;

  @Column('text')
  code!: string;

  @Column('text')
  message!: string;
}

export class ImportFaultView {
  @Field(rowNumber(), {
    description: 'Number of the row in the file, counted from 1; in `csv` the first is the header.',
    example: 7,
  })
  row!: number;

  @Field(text({ max: MAX_NAME }), {
    description: 'Column; null if it is not about one.',
    example: 'Amount',
    nullable: true,
  })
  column!: string | null;

  @Field(text({ max: 100 }), { description: 'Stable code.', example: 'invalid_number' })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'What to change.', example: 'The value must be a number.' })
  message!: string;
}

export const ImportFaultPage = pageOf(ImportFaultView);

const list: ListOptions = { filters: { row: filter.ordered(rowNumber()) }, sorts: ['row'], defaultSort: 'row' };
const OF_ONE: ListOptions = { ...list, filters: { ...list.filters, importId: filter.exact(id()) } };
export const importFaultList = list;
export const ImportFaultQuery = listQuery('ImportFaultQuery', list);

/** A fault of a row. */
export type RowFault = Pick<ImportFault, 'row' | 'column' | 'code' | 'message'>;

/** A record that a row has created, or updated: then with what its fields had before. */
export interface ImportedRecord {
  row: number;
  recordId: string;
  version: number;
  before: Record<string, unknown> | null;
}

const ADD_FAULTS = `insert into data.import_faults (tenant_id, id, import_id, row, column_name, code, message, created_at)
  select $1, f.id, $2, f.row, f.column_name, f.code, f.message, $8
  from unnest($3::uuid[], $4::integer[], $5::text[], $6::text[], $7::text[]) as f(id, row, column_name, code, message)`;
const FORGET_FAULTS = `delete from data.import_faults where tenant_id = $1 and import_id = $2`;
const FAULTS_FROM = `select row, column_name as "column", code, message from data.import_faults
  where tenant_id = $1 and import_id = $2 and row > $3 order by row, id limit $4`;
const ADD_RECORDS = `insert into data.import_records (tenant_id, import_id, row, record_id, version, before)
  select $1, $2, r.row, r.record_id, r.version, r.before
  from unnest($3::integer[], $4::uuid[], $5::integer[], $6::jsonb[]) as r(row, record_id, version, before)`;
const TAKE = `delete from data.import_records where tenant_id = $1 and import_id = $2 and row in (
    select row from data.import_records where tenant_id = $1 and import_id = $2 order by row desc limit $3)
  returning row, record_id as "recordId", version, before`;

const PAGE = 1_000;

/** Rows of imports: those that were refused, and the records of the others. */
@Injectable()
export class ImportRows extends ResourceRepository<ImportFault> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, ImportFault);
  }

  /** One page of the faults of an import. */
  faultsOf(importId: string, request: ListRequest): Promise<Page<ImportFault>> {
    const own = { field: 'importId', operator: 'eq', value: importId } as const;
    return this.page({ ...request, filters: [own, ...request.filters] }, OF_ONE);
  }

  private faultsBehind(importId: string, row: number, limit: number): Promise<RowFault[]> {
    return this.database.read<RowFault>(statement(FAULTS_FROM, [currentTenant().id, importId, row, limit]));
  }

  /** All faults of an import, in the order of rows, those of a row together. */
  async *faultsByRow(importId: string): AsyncGenerator<readonly RowFault[]> {
    let row = 0;
    for (;;) {
      const found = await this.faultsBehind(importId, row, PAGE);
      const groups = [...Map.groupBy(found, (each) => each.row).values()];
      const isLast = found.length < PAGE;
      const whole = isLast || groups.length === 1 ? groups : groups.slice(0, -1); // the last may go on
      for (const group of whole) yield group;
      if (isLast) return;
      row = whole.at(-1)![0]!.row;
    }
  }

  addFaults(transaction: Transaction, importId: string, faults: readonly RowFault[], at: string): void {
    if (faults.length === 0) return;
    const of = <K extends keyof RowFault>(name: K) => faults.map((each) => each[name]);
    const messages = faults.map(({ message }) => cut(message, 1_000).toWellFormed());
    const ids = faults.map(() => uuidv7());
    const values = [currentTenant().id, importId, ids, of('row'), of('column'), of('code'), messages, at];
    transaction.write(statement(ADD_FAULTS, values));
  }

  forgetFaults(transaction: Transaction, importId: string): void {
    transaction.write(statement(FORGET_FAULTS, [currentTenant().id, importId]));
  }

  addRecords(transaction: Transaction, importId: string, records: readonly ImportedRecord[]): void {
    if (records.length === 0) return;
    const of = <K extends keyof ImportedRecord>(name: K) => records.map((each) => each[name]);
    const before = records.map((each) => each.before && JSON.stringify(each.before));
    const values = [currentTenant().id, importId, of('row'), of('recordId'), of('version'), before];
    transaction.write(statement(ADD_RECORDS, values));
  }

  /** Takes the last records of an import away, to be rolled back: newest first. */
  async take(transaction: Transaction, importId: string, limit: number): Promise<ImportedRecord[]> {
    const taken = await transaction.query<ImportedRecord>(statement(TAKE, [currentTenant().id, importId, limit]));
    return taken.sort((a, b) => b.row - a.row);
  }
}
