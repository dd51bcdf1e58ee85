import { Injectable } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { mustExist, visibilityChecksOf } from '#libs/resource/access/references.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { TimeEntriesService } from '#src/areas/work/time-entries/time-entries.service.js';
import type { InvoiceLine, LineSource } from './invoice.parts.js';

const TIME_ENTRY = 'work.time_entry';
const PRODUCT = 'sales.product';

/** References of a stored or requested line. */
type Naming = Partial<Pick<InvoiceLine, 'source' | 'productId'>>;

/** The records that invoice lines charge for. The database prevents charging a record twice. */
@Injectable()
export class InvoiceSources {
  constructor(
    private readonly registry: ResourceRegistry,
    private readonly timeEntries: TimeEntriesService,
  ) {}

  /** Whether the type of record exists. */
  isType(object: string): boolean {
    return this.registry.ofType(object) !== undefined;
  }

  /** Statements that fail unless all newly referenced records exist. */
  checks(lines: readonly InvoiceLine[], present: readonly InvoiceLine[] = []): Statement[] {
    return [...this.newlyNamed(lines, present)].map(([table, ids]) =>
      mustExist({ table }, '/lineItems', [...new Set(ids)]),
    );
  }

  /** Statements that fail unless all newly referenced records are visible to the caller. */
  visibilityChecks(lines: readonly Naming[], present: readonly InvoiceLine[] = []): Statement[] {
    return [...this.newlyNamed(lines, present)].flatMap(([table, ids]) =>
      visibilityChecksOf(this.registry, { table }, '/lineItems', ids),
    );
  }

  /** Ids that only the new lines reference, by table; unknown types are rejected elsewhere. */
  private newlyNamed(lines: readonly Naming[], present: readonly InvoiceLine[]): Map<string, string[]> {
    const known = new Set(namedBy(present).map(({ id }) => id));
    const byTable = new Map<string, string[]>();
    for (const { object, id } of namedBy(lines).filter((each) => !known.has(each.id))) {
      const table = this.registry.ofType(object)?.service.table;
      if (table !== undefined) byTable.set(table, [...(byTable.get(table) ?? []), id]);
    }
    return byTable;
  }

  /** Marks the charged records as invoiced. @throws Problem 409 `source_not_billable` for time that is not approved. */
  async invoiced(lines: readonly InvoiceLine[]): Promise<void> {
    for (const { source, lineId } of timeEntriesOf(lines))
      try {
        await this.timeEntries.records.follow('invoice', source.id, { invoiceLineId: lineId });
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'invalid_transition') throw error;
        throw new Problem('source_not_billable', `The time entry ${source.id} is not approved, or already invoiced.`);
      }
  }

  /** Makes the records charged by an issued invoice billable again. */
  async released(lines: readonly InvoiceLine[]): Promise<void> {
    for (const { source } of timeEntriesOf(lines)) await this.timeEntries.records.follow('release', source.id);
  }

  /** Like {@link invoiced}, of an invoice whose credit is taken back. */
  async invoicedAgain(lines: readonly InvoiceLine[]): Promise<void> {
    const released: InvoiceLine[] = [];
    for (const line of lines) {
      const { source } = line;
      if (source?.object !== TIME_ENTRY) continue;
      const { invoiceLineId } = await this.timeEntries.records.readPlainly(source.id);
      if (invoiceLineId !== line.id) released.push(line);
    }
    await this.invoiced(released);
  }
}

/** Records that lines reference. */
function namedBy(lines: readonly Naming[]): LineSource[] {
  return lines.flatMap(({ source, productId }) => [
    ...(source ? [source] : []),
    ...(productId == null ? [] : [{ object: PRODUCT, id: productId }]),
  ]);
}

/** The time entries that lines charge for, in lock order. */
function timeEntriesOf(lines: readonly InvoiceLine[]): { source: LineSource; lineId: string }[] {
  return lines
    .flatMap(({ id, source }) => (source?.object === TIME_ENTRY ? [{ source, lineId: id }] : []))
    .sort((a, b) => (a.source.id < b.source.id ? -1 : 1));
}
