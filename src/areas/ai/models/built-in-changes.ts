import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Commits } from '#libs/resource/commits.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import { isBuiltIn } from './built-in.js';
import type { MaybeBuiltIn } from './built-in.dto.js';
import type { ChangeVerb } from './models.events.js';
import type { DeletedAiRecord } from './provider.dto.js';

/** What a tenant keeps of a record that may be built in. */
export interface OwnRecord extends Pick<MaybeBuiltIn, 'id' | 'enabled' | 'version'> {
  name: string;
  updatedAt: string;
}

/** Where these records are. */
export interface OwnRecords<Row> {
  lock(transaction: Transaction, id: string): Promise<Row | null>;
  /** What uses a record, in words. */
  usedBy(transaction: Transaction, row: Row): Promise<string[]>;
  insert(row: Row): Statement;
  save(row: Row): Statement;
  bury(id: string, at: string): Statement;
}

/** How changes of records are made and told of that a tenant has beside one which is built in. */
export abstract class BuiltInChanges<Row extends OwnRecord, View extends object> {
  /** Type key, e.g. `ai.model`. */
  protected abstract readonly type: string;
  protected abstract readonly noun: string;
  protected abstract readonly path: string;
  protected abstract readonly repository: OwnRecords<Row>;
  protected abstract readonly commits: Commits;

  protected abstract present(row: Row): View;

  /** A record of the tenant, locked. @throws Problem 404, 409 `record_locked`, 412. */
  protected async lock(transaction: Transaction, id: string): Promise<Row> {
    if (isBuiltIn(id)) throw new Problem('record_locked', `The built-in ${this.noun} cannot be changed.`);
    const row = await this.repository.lock(transaction, id);
    if (!row) throw Problem.notFound();
    checkPrecondition(row.version);
    return row;
  }

  /** Deletes a record; `changes` are what that changes of it. @throws Problem as {@link lock}, 409 `in_use`. */
  protected async bury(
    transaction: Transaction,
    id: string,
    changes: Partial<Row> & { updatedAt: string },
  ): Promise<DeletedAiRecord> {
    const row = await this.lock(transaction, id);
    const uses = await this.repository.usedBy(transaction, row);
    if (uses.length > 0) throw new Problem('in_use', `The ${this.noun} is used by ${uses.join(', ')}.`);
    this.record(transaction, 'deleted', row, { ...row, ...changes, enabled: false, version: row.version + 1 });
    return { id, deleted: true };
  }

  /** Saves a change, with audit entry and event. */
  protected record(transaction: Transaction, verb: ChangeVerb, before: Row | null, after: Row): View {
    const { id, version, name, updatedAt: at } = after;
    const save =
      verb === 'deleted'
        ? this.repository.bury(id, at)
        : before === null
          ? this.repository.insert(after)
          : this.repository.save(after);
    const view = this.present(after);
    this.commits.add(transaction, {
      save,
      event: `${this.type}.${verb}`,
      subject: { type: this.type, id, reference: null, version, url: `${this.path}/${id}`, name },
      before: before && this.present(before),
      after: view,
      at,
      riskLevel: 'high',
    });
    return view;
  }
}
