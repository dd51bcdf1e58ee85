import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { requireForSure } from '#libs/auth/current-principal.js';
import type { Statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { readableType } from '#libs/resource/access/readable-type.js';
import { concealedFields } from '#libs/resource/lists/stored-filter.js';
import { readStoredQuery, withStoredQuery } from '#libs/resource/lists/stored-query.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import { currentScope, runInScope } from '#libs/tenancy/scope.js';
import { exportPlan, type ExportPlan } from './export-columns.js';
import { type ExportedPage, type ExportStyle, exportWriter, type ExportWriter } from './export-writer.js';

/** Records per read. */
const PAGE = 1_000;

/** Which records of which list are exported. */
export interface ExportQuestion {
  type: string;
  query: Record<string, string>;
  /** Also if the tenant has disabled the area of the type. */
  ofDisabledArea?: true;
}

/** A question, and how its records are written. */
export type ExportOrder = ExportQuestion & ExportStyle & { plan: ExportPlan };

/** What has been written. */
export interface Written {
  count: number;
}

/** Reads the lists of the caller, and writes their records. */
@Injectable()
export class ExportTables {
  constructor(private readonly kit: ResourceKit) {}

  /**
   * What an export of the caller shows of each record.
   * @throws Problem 400 with everything that is wrong, 403 if the caller cannot read the list.
   */
  async plan(question: ExportQuestion): Promise<ExportPlan> {
    const { definition } = await this.readable(question);
    const query = readStoredQuery(definition, question.query);
    await this.selection(question, 1);
    return exportPlan(definition, query, await this.kit.customFields.of(definition.type));
  }

  /** The statement that selects the first `limit` records of the caller's list, as `id` and `position`. */
  async selection(question: ExportQuestion, limit: number): Promise<Statement> {
    const { definition, service } = await this.readable(question);
    return withStoredQuery(() => service.selection(readStoredQuery(definition, question.query), limit));
  }

  /** Requires that the caller may see the list and all fields of an export. @throws Problem 403. */
  async requireVisible({ plan, ...question }: ExportQuestion & { plan: ExportPlan }): Promise<void> {
    const concealed = concealedFields((await this.readable(question)).definition);
    const field = plan.columns.map((column) => column.field).find((each) => concealed.has(each));
    if (field === undefined) return;
    const requiredPermission = concealed.get(field)!;
    throw new Problem('field_forbidden', `The field ${field} requires the permission ${requiredPermission}.`, {
      extensions: { field, requiredPermission },
    });
  }

  writer({ type, plan, ...style }: ExportOrder): ExportWriter {
    return exportWriter(this.kit.registry.ofType(type)!.definition, plan, style);
  }

  /**
   * The text of those of the records that the caller may see now. A page is read while the one before is written. The
   * stream can be read outside the scope of the caller.
   * @param before how many records come before them in the file
   */
  text(order: ExportOrder, ids: readonly string[], before: number): { text: Readable; written: Written } {
    const written: Written = { count: 0 };
    const scope = currentScope();
    const read = (from: number): Promise<ExportedPage> =>
      runInScope(scope, () => this.page(order, ids.slice(from, from + PAGE)));
    const texts = textsOf(this.writer(order), ids.length, read, before, written);
    return { text: Readable.from(texts, { objectMode: false }), written };
  }

  private async page(order: ExportOrder, ids: readonly string[]): Promise<ExportedPage> {
    const { definition, service } = await this.readable(order);
    const { include, includeDeleted } = readStoredQuery(definition, order.query);
    return service.among(ids, { ...(include ? { include } : {}), ...(includeDeleted ? { includeDeleted } : {}) });
  }

  private async readable({ type, ofDisabledArea }: ExportQuestion): Promise<Resource> {
    if (!ofDisabledArea) return readableType(this.kit.registry, type, '/type');
    const resource = this.kit.registry.ofType(type)!;
    await requireForSure(resource.definition.permissions.read, { object: type });
    return resource;
  }
}

async function* textsOf(
  writer: ExportWriter,
  total: number,
  read: (from: number) => Promise<ExportedPage>,
  before: number,
  written: Written,
): AsyncGenerator<string> {
  const ahead = (from: number): Promise<ExportedPage> | null => {
    if (from >= total) return null;
    const page = read(from);
    page.catch(() => undefined); // whoever awaits it gets the error, unless the stream was closed
    return page;
  };
  let next = ahead(0);
  for (let from = PAGE; next !== null; from += PAGE) {
    const page: ExportedPage = await next;
    next = ahead(from);
    const text = writer.text(page, before + written.count);
    written.count += page.data.length;
    yield text;
  }
}
