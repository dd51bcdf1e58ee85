import { Column } from 'typeorm';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { RecordRow } from '#libs/resource/record.entity.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** A record that may have been merged into another one; `mergedIntoId` is that one. */
export abstract class MergeableRow extends RecordRow {
  @Column('uuid', { name: 'merged_into_id', nullable: true })
  mergedIntoId!: string | null;
}

/** Rows of a type whose records can be merged. */
export abstract class MergeableRepository<R extends MergeableRow> extends ResourceRepository<R> {
  /**
   * The start of a query for the records outside archive and trash that fit a condition over `t`, and for those that others
   * which fit were merged into (`via`). `$1` is the tenant.
   */
  protected surviving(condition: string): string {
    const { name } = this.table;
    return `with recursive line as (
        select t.id, t.merged_into_id, false as via from ${name} t where t.tenant_id = $1 and t.deleted_at is null
          and (t.archived_at is null or t.merged_into_id is not null) and ${condition}
        union select t.id, t.merged_into_id, true from line
          join ${name} t on t.tenant_id = $1 and t.id = line.merged_into_id)
      select t.id from line join ${name} t on t.tenant_id = $1 and t.id = line.id
      where t.deleted_at is null and t.archived_at is null`;
  }

  /** Locks rows such that not even a new reference to one of them can be made before the transaction ends. */
  async lockWhole(transaction: Transaction, ids: string[]): Promise<void> {
    const lock = `select from ${this.table.name} where tenant_id = $1 and id = any($2) order by id for update`;
    await transaction.query(statement(lock, [currentTenant().id, ids]));
  }
}
