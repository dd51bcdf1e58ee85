import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { isTimeout } from '#libs/database/failures.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { readableType } from '#libs/resource/access/readable-type.js';
import { concealedFields, readStoredFilter } from '#libs/resource/lists/stored-filter.js';
import { Table } from '#libs/resource/lists/table.js';
import { escapePointer } from '#libs/http/field.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { drillDownOf } from './drill-down.js';
import type { Question } from './question.js';
import { isAmount, type ReportField, reportFields } from './report-fields.js';
import { type PlannedDimension, type PlannedMeasure, planColumns, type ReportPlan } from './report-plan.js';
import { type ReportRecord, reportStatement } from './report-sql.js';
import type { ReportResult } from './report.dto.js';

const LIMIT_TIME = `select set_config('statement_timeout', $1, true)`;
const TRASH = 'includeDeleted';

interface Source {
  table: Table;
  fields: ReadonlyMap<string, ReportField>;
}

/** Answers questions about the records that the caller may see. */
@Injectable()
export class ReportEngine {
  /** Maximum time of a statement. */
  timeoutMs = 15_000;
  private readonly sources = new Map<string, Source>();

  constructor(
    private readonly kit: ResourceKit,
    private readonly database: Database,
    private readonly settings: TenantSettings,
  ) {}

  /**
   * Checks a question under the rights of the caller.
   * @throws Problem 400 with everything that is wrong, 403 if the caller cannot read the type.
   */
  async plan(question: Question): Promise<ReportPlan> {
    const { filter, maxRows } = question;
    const resource = await this.readable(question);
    const { definition } = resource;
    const { fields } = this.sourceOf(resource);
    const concealed = concealedFields(definition);
    const { request, violations } = await readStoredFilter(this.kit, definition, filter);
    const { columns, violations: faults } = planColumns(question, fields, concealed);
    const all = [...violations, ...forbiddenFilters(filter, concealed), ...trashFaults(definition, filter), ...faults];
    if (!request || all.length > 0) throw Problem.validation(all);
    return { resource, request, filter, maxRows, ...columns };
  }

  /** Requires that the caller may see all fields of a question. @throws Problem 403. */
  async requireVisible(question: Question): Promise<void> {
    const { definition } = await this.readable(question);
    const { filter, dimensions, measures } = question;
    const used = [
      ...Object.keys(filter).map((name) => name.split('[')[0]!),
      ...[...dimensions, ...measures].map(({ field }) => field),
    ];
    const concealed = concealedFields(definition);
    const field = used.find((each) => each != null && concealed.has(each));
    if (field == null) return;
    const requiredPermission = concealed.get(field)!;
    throw new Problem('field_forbidden', `The field ${field} requires the permission ${requiredPermission}.`, {
      extensions: { field, requiredPermission },
    });
  }

  private readable({ recordType }: Question): Promise<Resource> {
    return readableType(this.kit.registry, recordType, '/recordType');
  }

  /** @throws Problem as {@link plan}, 422 `report_timeout`. */
  async run(question: Question): Promise<ReportResult> {
    const plan = await this.plan(question);
    const calendar = (await this.settings.get()).general;
    const { table } = this.sourceOf(plan.resource);
    const found = await this.read(reportStatement(plan, table, { tenantId: currentTenant().id, calendar }));
    const truncated = found.length > plan.maxRows;
    if (truncated) found.pop();
    const keys = [
      ...plan.dimensions.map(({ key }, i) => [key, `d${i}`] as const),
      ...plan.measures.map(({ key }, i) => [key, `m${i}`] as const),
    ];
    return {
      recordType: question.recordType,
      columns: [...plan.dimensions.map(columnOfDimension), ...plan.measures.map(columnOfMeasure)],
      rows: found.map((row) => ({
        values: Object.fromEntries(keys.map(([key, name]) => [key, row[name] ?? null])),
        drillDown: drillDownOf(plan, row),
      })),
      rowCount: found.length,
      truncated,
      filtersApplied: question.filter,
      timeZone: calendar.timezone,
      asOf: this.kit.now(),
    };
  }

  private read(query: Statement): Promise<ReportRecord[]> {
    return this.database.transaction(async (transaction) => {
      try {
        const limit = statement(LIMIT_TIME, [String(this.timeoutMs)]);
        const [, rows] = await transaction.queryAll([limit, query]);
        return rows as ReportRecord[];
      } catch (error) {
        if (!isTimeout(error)) throw error;
        const detail = `It would take more than ${this.timeoutMs / 1_000} seconds. Filter by a shorter time or group by fewer fields.`;
        throw new Problem('report_timeout', detail, { cause: error });
      }
    });
  }

  private sourceOf({ definition }: Resource): Source {
    let source = this.sources.get(definition.type);
    if (!source) {
      const table = new Table(this.database.source, definition.entity);
      this.sources.set(definition.type, (source = { table, fields: reportFields(definition, table) }));
    }
    return source;
  }
}

function forbiddenFilters(filter: Question['filter'], concealed: ReadonlyMap<string, string>): Violation[] {
  return Object.keys(filter).flatMap((name) => {
    const permission = concealed.get(name.split('[')[0]!);
    if (permission === undefined || name === TRASH) return [];
    const detail = `This requires the permission ${permission}.`;
    return [{ pointer: `/filter/${escapePointer(name)}`, code: 'field_forbidden', detail }];
  });
}

function trashFaults({ list }: ResourceDefinition, filter: Question['filter']): Violation[] {
  if (!list.trashPermission || !(TRASH in filter)) return [];
  return [{ pointer: `/filter/${TRASH}`, code: 'not_applicable', detail: 'Reports do not count the trash.' }];
}

function columnOfDimension({ key, field, bucket }: PlannedDimension): ReportResult['columns'][number] {
  return { key, role: 'dimension', field: field.name, bucket, aggregate: null, unit: null };
}

function columnOfMeasure({ key, field, aggregate }: PlannedMeasure): ReportResult['columns'][number] {
  const isMoney = field !== null && aggregate !== 'count_distinct' && isAmount(field);
  const unit = isMoney ? (field.name.endsWith('Micros') ? 'micros' : 'minor') : null;
  return { key, role: 'measure', field: field?.name ?? null, bucket: null, aggregate, unit };
}
