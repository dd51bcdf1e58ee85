import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ExportTables } from '#src/areas/exports/exports.area.js';
import { NAMING_COLUMNS } from '../subjects/person-tables.js';
import { SubjectFinder } from '../subjects/subject-finder.js';
import type { DataExportRequest } from '../requests/export-request.js';
import { ArchiveContents, columnsWithout, type Omission } from './archive-contents.js';
import { ArchiveParts } from './archive-parts.js';
import { ArchiveRows } from './archive-rows.js';

/** More records of a type than any tenant has. */
const ALL = 2_000_000_000;
const GIVEN = `select s.id, s.position from unnest($1::uuid[]) with ordinality as s (id, position)`;

/** Selects what an archive has. */
@Injectable()
export class ArchiveSelection {
  constructor(
    private readonly contents: ArchiveContents,
    private readonly parts: ArchiveParts,
    private readonly rows: ArchiveRows,
    private readonly tables: ExportTables,
    private readonly finder: SubjectFinder,
    private readonly kit: ResourceKit,
  ) {}

  /** Notes the records of each type, all that the caller may read, and the tables; `total` counts the files. */
  async select(transaction: Transaction, request: DataExportRequest): Promise<{ total: number; omitted: Omission[] }> {
    const [types, tables] = [this.contents.types(request), this.contents.tables(request)];
    const known = request.subject && (await this.finder.know(request.subject));
    const omitted = [...types.omitted, ...tables.omitted];
    let position = 0;
    for (const definition of types.found) {
      const { type } = definition;
      const ids = known?.records.get(type);
      if (known && !ids) continue;
      const { query, omitted: fields } = this.contents.queryOf(definition, request);
      const question = { type, query, ofDisabledArea: true } as const;
      const plan = await this.tables.plan(question);
      // Also archived records, which the lists of some types never show.
      const all = { includeArchived: true, includeDeleted: 'includeDeleted' in query };
      const selection = ids
        ? statement(GIVEN, [ids])
        : await this.kit.registry.ofType(type)!.service.selection(all, ALL);
      const section = { position: position++, type, plan: { kind: 'records', query, plan } } as const;
      await this.parts.addRecords(transaction, request.id, section, selection);
      omitted.push(...fields);
    }
    for (const table of tables.found) {
      if (known && !(table.table in NAMING_COLUMNS)) continue;
      const rows = await this.rows.plan(table.table, columnsWithout(table, request));
      const { restricted = [], type } = table;
      if (!request.isFull && restricted.length > 0) omitted.push({ type, permission: null, fields: [...restricted] });
      this.parts.addRows(transaction, request.id, {
        position: position++,
        type,
        plan: { kind: 'rows', rows, persons: known?.ids ?? null },
      });
    }
    return { total: position, omitted };
  }
}
