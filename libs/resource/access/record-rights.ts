import { every, type Guard, NOTHING } from '#libs/access/guard.js';
import { limitsIfHeld, limitsOf, limitsOfPerson, limitsOfPlace } from '#libs/access/limits.js';
import type { Subject } from '#libs/access/pieces.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import type { RecordRow } from '../types/record.entity.js';
import { type Marked, MARKS } from '../lists/resource.repository.js';
import type { Marks } from '../lists/table.js';

/** The caller's rights on records of one type, where they can differ between records. */
export class RecordRights {
  /** @param permissions every permission that an operation on a record of the type uses. */
  constructor(
    private readonly subject: Subject,
    private readonly permissions: readonly string[],
  ) {}

  /** Limits rows to those on which the caller may use a permission that they have; null for all rows. */
  limits(permission: string): Guard | null {
    return limitsIfHeld(this.subject, permission);
  }

  /** The conditions of the caller's permissions and of `more`; null if none depends on the record. */
  marks(more: readonly string[] = []): Marks | null {
    const found = new Map<string, Guard>();
    for (const permission of [...this.permissions, ...more]) {
      const limits = limitsOf(this.subject, permission);
      if (limits && limits !== NOTHING) found.set(permission, limits);
    }
    return found.size > 0 ? found : null;
  }

  /**
   * Whether the caller may use a permission on a row that was read with {@link marks}, or that they have just created.
   */
  permits(row: RecordRow, permission: string): boolean {
    const limits = limitsOf(this.subject, permission);
    if (!limits) return true;
    if (limits === NOTHING) return false;
    return (row as Marked)[MARKS]?.[permission] ?? this.permitsMaker(row, permission);
  }

  /** @throws Problem 403 `permission_denied` if the caller's permission does not cover the row. */
  require(row: RecordRow, permission: string): void {
    if (this.limits(permission) && !this.permits(row, permission)) throw beyondReach(permission);
  }

  /** The conditions of the caller's permissions that do not cover a row that was read with {@link marks}. */
  withheld(row: RecordRow): [permission: string, guard: Guard][] {
    return [...(this.marks() ?? [])].filter(([permission]) => !this.permits(row, permission));
  }

  /** The condition that new rows of the caller must satisfy; null for none. */
  limitsOfNew(permission: string): Guard | null {
    return every(this.limits(permission), this.limitsOfMoved(permission), this.limitsOfGiven(permission));
  }

  /** The condition that rows must satisfy after the caller changes their workspace; null for none. */
  limitsOfMoved(permission: string): Guard | null {
    return this.limits(permission) && limitsOfPlace(this.subject, permission);
  }

  /** The condition that rows must satisfy after the caller changes the person whom they are about; null for none. */
  limitsOfGiven(permission: string): Guard | null {
    return this.subject.reach?.person ? this.limits(permission) && limitsOfPerson(this.subject, permission) : null;
  }

  private permitsMaker({ ownerId }: RecordRow, permission: string): boolean {
    const caller = callerOrNull();
    return caller?.permissions.reach(permission) !== 'own' || ownerId === caller.membershipId;
  }
}

/** The 403 for a record that the caller may see, but that their permission does not cover. */
export function beyondReach(permission: string): Problem {
  return new Problem('permission_denied', `The permission ${permission} does not reach this record.`, {
    extensions: { requiredPermission: permission },
  });
}
