import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { fieldsOf, type JsonSchema } from '#libs/http/field.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { textOf } from '#libs/kernel/csv.js';
import { every } from '#libs/access/guard.js';
import { currentScope, runInScope } from '#libs/tenancy/scope.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { csvWriter } from '#libs/tables/csv-writer.js';
import type { TableColumn, TableValue } from '#libs/tables/table.js';
import { type ExportFormat, type ExportOrder, ExportTables } from '#src/areas/exports/exports.area.js';
import { SubjectFinder } from '../subjects/subject-finder.js';
import { redacted, redactedLine } from '../subjects/redacted.js';
import type { DataExportRequest } from '../requests/export-request.js';
import { ARCHIVE_TABLES } from './archive-tables.js';
import { ArchiveContents } from './archive-contents.js';
import { ArchiveParts, type Part, type Section, type WrittenPart } from './archive-parts.js';
import { ArchiveRows, schemaOfRows, tableColumnsOf } from './archive-rows.js';

/** Records per read. */
const PAGE = 1_000;
const STYLE = { locale: 'en', byteOrderMark: false };

/** Writes the parts of archives, with the rights of the caller. */
@Injectable()
export class ArchiveWriter {
  constructor(
    private readonly contents: ArchiveContents,
    private readonly parts: ArchiveParts,
    private readonly rows: ArchiveRows,
    private readonly tables: ExportTables,
    private readonly finder: SubjectFinder,
    private readonly kit: ResourceKit,
  ) {}

  /** Stores the text of a part. */
  async write(request: DataExportRequest, part: Part, signal: AbortSignal): Promise<WrittenPart> {
    const { plan } = part;
    if (plan.kind === 'records') {
      const order = this.orderOf(request, part);
      const { text, written } = request.subject
        ? this.redactedText(order, part.ids)
        : this.tables.text(order, part.ids, 0);
      const { id } = await this.parts.store(text, signal);
      return { part, contentId: id, size: written.count, next: null };
    }
    const table = ARCHIVE_TABLES.find(({ type }) => type === part.type)!;
    const naming = plan.persons && (await this.finder.naming(table.table, plan.persons));
    const guard = every(this.contents.rowsOf(table, plan.rows, request), naming);
    const own = plan.persons && new Set(plan.persons);
    const progress = { after: part.after ?? [], count: 0, next: null as string[] | null };
    const lines = this.rows.lines(plan.rows, guard, progress);
    const first = await lines.next(); // most tables have nothing to be stored
    if (first.done) return { part, contentId: null, size: 0, next: null };
    const style = request.format === 'csv_zip' ? linesInCsv(tableColumnsOf(plan.rows)) : linesAsTheyAre;
    const inCsv = (found: string[]) => style(own ? found.map((line) => redactedLine(line, own)) : found);
    async function* texts(): AsyncGenerator<string> {
      yield inCsv(first.value as string[]);
      for await (const more of lines) yield inCsv(more);
    }
    const { id } = await this.parts.store(Readable.from(texts(), { objectMode: false }), signal);
    return { part, contentId: id, size: progress.count, next: progress.next };
  }

  /** The records about a person, without the names of others who made or changed them. */
  private redactedText({ type, query, ...order }: ExportOrder, ids: readonly string[]) {
    const written = { count: 0 };
    const writer = this.tables.writer({ type, query, ...order });
    const { service } = this.kit.registry.ofType(type)!;
    const own = new Set(ids);
    const scope = currentScope();
    async function* texts(): AsyncGenerator<string> {
      for (let from = 0; from < ids.length; from += PAGE) {
        const some = ids.slice(from, from + PAGE);
        const page = await runInScope(scope, () => service.among(some, { includeDeleted: 'includeDeleted' in query }));
        yield writer.text({ ...page, data: page.data.map((each) => redacted(each, own)) }, written.count);
        written.count += page.data.length;
      }
    }
    return { text: Readable.from(texts(), { objectMode: false }), written };
  }

  /** What a file begins with. */
  headOf(request: DataExportRequest, section: Section): string {
    if (request.format === 'ndjson_zip') return '';
    const { plan } = section;
    if (plan.kind === 'records') return this.tables.writer(this.orderOf(request, section)).head;
    return csvWriter(tableColumnsOf(plan.rows), STYLE).head;
  }

  /** The JSON Schema of a line of NDJSON, or of a row of CSV by its header. */
  schemaOf({ format }: DataExportRequest, { type, plan }: Section): JsonSchema {
    const common = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: type };
    if (format === 'csv_zip') {
      const columns = plan.kind === 'records' ? plan.plan.columns : tableColumnsOf(plan.rows);
      const properties = Object.fromEntries(columns.map((column) => [column.key, schemaOfCell(column)]));
      return { ...common, type: 'object', properties, required: columns.map(({ key }) => key) };
    }
    if (plan.kind === 'rows') return { ...common, ...schemaOfRows(plan.rows) };
    const { view } = this.kit.registry.ofType(type)!.definition;
    const { properties, required, ...schema } = inlineSchemaOf(view);
    const names = new Set(plan.plan.fields ? ['id', 'object', ...plan.plan.fields] : fieldsOf(view).keys());
    return {
      ...common,
      ...schema,
      properties: Object.fromEntries(Object.entries(properties as object).filter(([name]) => names.has(name))),
      required: (required as string[]).filter((name) => names.has(name)),
    };
  }

  private orderOf({ format }: DataExportRequest, { type, plan }: Section) {
    if (plan.kind !== 'records') throw new Error(`${type} is no type of records.`);
    const style: ExportFormat = format === 'csv_zip' ? 'csv' : 'ndjson';
    return { type, query: plan.query, plan: plan.plan, ofDisabledArea: true as const, format: style, ...STYLE };
  }
}

function linesAsTheyAre(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function linesInCsv(columns: readonly TableColumn[]): (lines: readonly string[]) => string {
  const writer = csvWriter(columns, STYLE);
  return (lines) =>
    writer.rows(
      lines.map((line) => valuesOf(line)),
      0,
    );
}

/** The members of a line are the columns, in their order. */
function valuesOf(line: string): TableValue[] {
  const values: unknown[] = Object.values(JSON.parse(line) as object);
  return values.map((value) => (typeof value === 'number' || typeof value === 'boolean' ? value : textOf(value)));
}

function schemaOfCell({ kind }: TableColumn): JsonSchema {
  return { type: 'string', description: `A cell of ${kind === 'text' ? 'text' : `the kind ${kind}`}; empty for null.` };
}
