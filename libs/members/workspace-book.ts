import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const OPEN = `select id from data.workspaces
  where tenant_id = $1 and id = any($2::uuid[]) and archived_at is null order by id for share`;

/** The workspaces that members can join. */
@Injectable()
export class WorkspaceBook {
  /** Whether the workspace exists and is not archived. Locks it until the transaction ends. */
  async isOpen(transaction: Transaction, id: string): Promise<boolean> {
    return (await this.open(transaction, [id])).has(id);
  }

  /**
   * Checks that all of `ids` can be joined by a member who already belongs to `joined`.
   * @throws Problem 400 `unknown_reference` at `pointer`/index for a workspace that is archived or does not exist.
   */
  async requireOpen(
    transaction: Transaction,
    ids: readonly string[],
    joined: ReadonlySet<string>,
    pointer: string,
  ): Promise<void> {
    const fresh = ids.filter((id) => !joined.has(id));
    if (fresh.length === 0) return;
    const open = await this.open(transaction, fresh);
    const unknown = ids.flatMap((id, index) => (open.has(id) || joined.has(id) ? [] : [index]));
    if (unknown.length > 0)
      throw Problem.validation(
        unknown.map((index) => ({
          pointer: `${pointer}/${index}`,
          code: 'unknown_reference',
          detail: 'The workspace does not exist or is archived.',
        })),
      );
  }

  private async open(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
    const rows = await transaction.query<{ id: string }>(statement(OPEN, [currentTenant().id, ids]));
    return new Set(rows.map(({ id }) => id));
  }
}
