import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { currentPrincipal, holds, requirePermission } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { personOf } from '#libs/auth/principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { WorkspaceBook } from './workspace-book.js';

export const SHARES = ['private', 'workspace', 'tenant'] as const;

/** Whom an object of a person is shared with. */
export interface Share {
  shared: (typeof SHARES)[number];
  /** Set if, and only if, it is shared with a workspace. */
  workspaceId: string | null;
}

/** The rows `t` that others share with the caller; with the permission `manage`, all that are shared. */
export function sharedWithCaller(manage: Permission): Guard {
  const { workspaceIds } = currentPrincipal().authority;
  return (add) =>
    holds(manage)
      ? `t.shared <> 'private'`
      : `(t.shared = 'tenant' or t.workspace_id = any(${add(workspaceIds)}::uuid[]))`;
}

/** The rows `t` of the caller. */
export function ownedByCaller(): Guard {
  const person = personOf(currentPrincipal());
  return (add) => `t.owner_id = ${add(person)}`;
}

/** Rules for sharing objects of people, such as views and reports. */
@Injectable()
export class Sharing {
  constructor(private readonly workspaces: WorkspaceBook) {}

  /**
   * Requires that the caller may share an object this way.
   * @param manage the permission to share beyond one's own workspaces
   * @throws Problem 400, 403.
   */
  async check(
    transaction: Transaction,
    { shared, workspaceId }: Share,
    before: Share | null,
    manage: Permission,
  ): Promise<void> {
    if ((shared === 'workspace') !== (workspaceId !== null)) {
      const detail = 'Set workspaceId if, and only if, it is shared with a workspace.';
      throw Problem.validation([
        { pointer: '/workspaceId', code: workspaceId ? 'not_applicable' : 'required', detail },
      ]);
    }
    if (shared === 'tenant' && before?.shared !== 'tenant') requirePermission(manage);
    if (workspaceId === null || workspaceId === before?.workspaceId) return;
    if (!currentPrincipal().authority.workspaceIds.includes(workspaceId)) requirePermission(manage);
    if (await this.workspaces.isOpen(transaction, workspaceId)) return;
    const detail = 'The workspace does not exist or is archived.';
    throw Problem.validation([{ pointer: '/workspaceId', code: 'unknown_reference', detail }]);
  }
}
