import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ReservedNumbers } from '#libs/resource/records/number-series.js';
import { CHECK_NOW, rehearse } from '#libs/resource/records/rehearsal.js';
import { sent } from '#libs/resource/records/sent.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { RecordView } from '#libs/resource/types/record.dto.js';
import { faultOf, type ImportPlan, type PreparedRow } from './import-inputs.js';
import type { ImportedRecord, RowFault } from './import-rows.js';

/** What became of the rows of a part. */
export interface Written {
  records: ImportedRecord[];
  created: number;
  faults: RowFault[];
}

/** A refusal, and whose it is, if that is known. */
class Refused extends Error {
  constructor(
    readonly problem: Problem,
    readonly index: number,
  ) {
    super();
  }
}

/** Why a row fails whose record has changed since it was looked up. */
const MOVED = 'The record has been changed since it was looked up; import the row again.';

/**
 * Writes rows with the rights of the caller, as the API does: with all checks and hooks of their type, an audit entry
 * and an event each. Rows of a part are written together; if one is refused, those before and behind it are written
 * without it, so a refusal undoes only its row.
 */
@Injectable()
export class ImportWriter {
  constructor(private readonly kit: ResourceKit) {}

  /** Numbers for the new records of a part. Outside of transactions. */
  async numbersFor({ resource }: ImportPlan, rows: readonly PreparedRow[]): Promise<ReservedNumbers | null> {
    const count = rows.filter(({ existing, faults }) => !existing && faults.length === 0).length;
    return count === 0 ? null : this.kit.numbers.reserve(resource.definition.type, count);
  }

  /** Finds out what {@link write} would do, and does nothing. */
  async rehearse(transaction: Transaction, plan: ImportPlan, rows: readonly PreparedRow[]): Promise<Written> {
    const numbers = this.kit.numbers.imagined(plan.resource.definition.type);
    return rehearse(transaction, () => this.write(transaction, plan, rows, numbers));
  }

  async write(
    transaction: Transaction,
    plan: ImportPlan,
    rows: readonly PreparedRow[],
    numbers: ReservedNumbers | null,
  ): Promise<Written> {
    const written: Written = { records: [], created: 0, faults: rows.flatMap(({ faults }) => faults) };
    if (numbers) this.kit.numbers.use(numbers);
    const valid = rows.filter(({ faults }) => faults.length === 0);
    await transaction.merging(() => this.together(transaction, plan, valid, numbers, written));
    return written;
  }

  private async together(
    transaction: Transaction,
    plan: ImportPlan,
    rows: readonly PreparedRow[],
    numbers: ReservedNumbers | null,
    written: Written,
  ): Promise<void> {
    if (rows.length === 0) return;
    const next = numbers?.next;
    try {
      const records = await transaction.savepoint(async () => {
        const done: ImportedRecord[] = [];
        for (const [index, row] of rows.entries()) done.push(await this.one(transaction, plan, row, index));
        if (rows.length === 1) await transaction.query(CHECK_NOW);
        return done;
      });
      written.records.push(...records);
      written.created += records.filter(({ before }) => before === null).length;
    } catch (thrown) {
      if (numbers) numbers.next = next!;
      const [problem, index] = this.refusalOf(plan, thrown);
      const rest = (from: number, end: number) =>
        this.together(transaction, plan, rows.slice(from, end), numbers, written);
      if (index === null && rows.length > 1) {
        const middle = Math.ceil(rows.length / 2);
        await rest(0, middle);
        await rest(middle, rows.length);
        return;
      }
      const at = index ?? 0;
      await rest(0, at);
      written.faults.push(...faultsOf(plan, rows[at]!.row, problem));
      await rest(at + 1, rows.length);
    }
  }

  private async one(
    transaction: Transaction,
    plan: ImportPlan,
    { row, body, existing }: PreparedRow,
    index: number,
  ): Promise<ImportedRecord> {
    const { service } = plan.resource;
    try {
      const { id, version } = existing
        ? await service.update(existing.id, { ...body })
        : await service.create(sent(body));
      return { row, recordId: id, version, before: existing && valuesBefore(existing, body) };
    } catch (thrown) {
      const error = service.translate(thrown);
      // What the database refuses may be about an earlier row, whose writes were sent with this one.
      if (!transaction.hasFailed && error instanceof Problem && error.status < 500) throw new Refused(error, index);
      throw thrown;
    }
  }

  /** @throws what is no refusal of a row. */
  private refusalOf({ resource }: ImportPlan, thrown: unknown): [Problem, index: number | null] {
    if (thrown instanceof Refused) return [thrown.problem, thrown.index];
    const error = resource.service.translate(thrown);
    if (!(error instanceof Problem) || error.status >= 500) throw thrown;
    return [error, null];
  }
}

function faultsOf({ columns }: ImportPlan, row: number, { code, detail, more }: Problem): RowFault[] {
  const { errors = [] } = more;
  if (errors.length > 0) return errors.map((each) => faultOf(row, columns, each));
  const field = more.extensions?.['field'];
  const pointer = typeof field === 'string' ? `/${field}` : '';
  return [faultOf(row, columns, { pointer, code, detail: code === 'version_mismatch' ? MOVED : detail })];
}

/** What the fields that a body changes had before. */
function valuesBefore(view: RecordView, body: Record<string, unknown>): Record<string, unknown> {
  const shown = view as unknown as Record<string, unknown>; // by the names of its fields
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => {
      if (field !== 'customFields') return [field, shown[field] ?? null];
      const keys = Object.keys(value ?? {});
      return [field, Object.fromEntries(keys.map((key) => [key, view.customFields[key] ?? null]))];
    }),
  );
}
