import { type Guard, NOTHING } from '#libs/access/guard.js';
import { limitsOf } from '#libs/access/limits.js';
import { piecesOf, type Subject } from '#libs/access/pieces.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { type Level, LEVELS, levelOf } from '#libs/auth/levels.js';
import type { Reach } from '#libs/auth/reach.js';
import type { RecordRow } from '../types/record.entity.js';
import { type Marked, MARKS } from '../lists/resource.repository.js';
import type { Marks } from '../lists/table.js';

/** Comments on a record have their own level, for all types. */
const COMMENT = 'comments:write';
const TYPE_RULE = 'type rule';

/** How a permission is decided for one record: each part of the decision, and the result. */
export interface PermissionDecision {
  permission: string;
  level: Level;
  /** Whether an exception denies it. */
  denied: boolean;
  /** The reach that the roles grant; null if no role grants the permission. */
  reach: Reach | null;
  /** Whether that reach covers this record. */
  reached: boolean;
  /** Whether an exception allows it. */
  allowed: boolean;
  /** The result for this permission. */
  permitted: boolean;
}

/** What the caller may do with one record, and why. */
export interface Explanation {
  /** Levels of which the caller has every permission. */
  levels: Level[];
  decisions: PermissionDecision[];
  /** Whether a rule of the type hides the record from the caller, as with private projects. */
  concealed: boolean;
}

/** Explains what the caller may do with a record by evaluating the conditions and their parts in the database. */
export class RecordExplainer {
  private readonly permissions: readonly string[];

  constructor(
    private readonly subject: Subject,
    private readonly read: string,
    permissions: readonly string[],
  ) {
    this.permissions = [...new Set([read, COMMENT, ...permissions])];
  }

  /** The conditions to evaluate for the row. `rule` is the type's guard. */
  marks(rule: Guard | null, more: readonly string[] = []): Marks {
    const found = new Map<string, Guard>();
    if (rule) found.set(TYPE_RULE, rule);
    for (const permission of [...this.permissions, ...more]) {
      const { denied, reached, allowed } = piecesOf(currentPrincipal(), this.subject, permission);
      const limits = limitsOf(this.subject, permission);
      const parts = { denied, reached, allowed, limits };
      for (const [name, guard] of Object.entries(parts)) if (guard) found.set(`${permission} ${name}`, guard);
    }
    return found;
  }

  /** The explanation for a row that was read with {@link marks}. */
  explain(row: RecordRow, more: readonly string[] = []): Explanation {
    const marks = (row as Marked)[MARKS] ?? {};
    const concealed = marks[TYPE_RULE] === false;
    const holds = (permission: string) =>
      marks[`${permission} limits`] ?? limitsOf(this.subject, permission) !== NOTHING;
    const visible = !concealed && holds(this.read);
    const decide = (permission: string): PermissionDecision => {
      const { reach } = piecesOf(currentPrincipal(), this.subject, permission);
      return {
        permission,
        level: LEVELS[levelOf(permission) - 1]!,
        denied: marks[`${permission} denied`] ?? false,
        reach,
        reached: marks[`${permission} reached`] ?? reach === 'tenant',
        allowed: marks[`${permission} allowed`] ?? false,
        permitted: visible && holds(permission),
      };
    };
    const own = this.permissions.map(decide);
    const levels = LEVELS.filter((_, rank) =>
      own.every(({ permission, permitted }) => permitted || levelOf(permission) > rank + 1),
    );
    return { levels, decisions: [...own, ...more.map(decide)], concealed };
  }
}
