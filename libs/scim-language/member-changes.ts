import { isObject } from '#libs/kernel/is-object.js';
import type { Filter } from './filter.js';
import type { Write } from './edit.js';
import type { PatchPath } from './parse-filter.js';
import { invalidValue, mutability } from './scim-error.js';

/** One step in which a PATCH changes the members of a group. Steps are applied in order. */
export type MemberChange =
  | { kind: 'replace'; ids: string[] }
  /** No id is in both lists. */
  | { kind: 'change'; add: string[]; remove: string[] }
  | { kind: 'removeMatching'; filter: Filter };

/** Maximum number of `removeMatching` steps in one PATCH; each is a separate statement. */
const MAX_FILTERS = 100;

/**
 * Reads member ids from the value of an operation or body: a list, one member, or an object with `members`. Each member
 * is an id or an object with `value`. Null and [] mean no members.
 * @throws ScimError `invalidValue` for anything else, so that an unreadable value is never taken as everybody or
 * nobody.
 */
export function readMemberIds(value: unknown): string[] {
  if (value === null) return [];
  if (isObject(value) && valueOf(value, 'value') === undefined && valueOf(value, 'members') !== undefined)
    return readMemberIds(valueOf(value, 'members'));
  return (Array.isArray(value) ? (value as unknown[]) : [value]).map(readMemberId);
}

function readMemberId(member: unknown): string {
  const id = isObject(member) ? valueOf(member, 'value') : member;
  if (typeof id !== 'string' || id === '') throw invalidValue('A member must have the id of a user as its "value".');
  const type = isObject(member) ? valueOf(member, 'type') : undefined;
  if (typeof type === 'string' && type.toLowerCase() === 'group')
    throw invalidValue('A group cannot be a member of another group. List its users instead.');
  return id;
}

function valueOf(member: Record<string, unknown>, name: string): unknown {
  const key = Object.keys(member).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : member[key];
}

/** Collects changes to members, so that many operations need few statements. */
export class MemberChanges {
  private readonly steps: MemberChange[] = [];
  private replaced = false;
  private added = new Set<string>();
  private removed = new Set<string>();
  private filters = 0;

  /** @throws ScimError `invalidValue`, `mutability`. */
  write(op: Write, { path, filter, sub }: PatchPath, value: unknown): void {
    if (path.length > 1 || sub) throw mutability('Members can be added and removed, but not changed.');
    const ids = readMemberIds(value);
    if (filter) this.remove({ path, filter, sub }, undefined);
    else if (op === 'replace') {
      this.replaced = true;
      this.added.clear();
      this.removed.clear();
    }
    for (const id of ids) {
      this.added.add(id);
      this.removed.delete(id);
    }
  }

  /** `named` is undefined when the operation has no value, which removes everything at the path. */
  remove({ path, filter, sub }: PatchPath, named: unknown): void {
    if (path.length > 1 || sub) throw mutability('Members can be added and removed, but not changed.');
    if (filter) return this.removeSelected(filter);
    if (named === undefined) return this.write('replace', { path, filter, sub }, []);
    if (named === null) throw invalidValue('"value" must list the members to remove.');
    this.removeIds(readMemberIds(named));
  }

  /** The collected changes, in order. */
  taken(): MemberChange[] {
    this.settle();
    return this.steps;
  }

  private removeSelected(filter: Filter): void {
    const ids = idsOf(filter);
    if (ids) return this.removeIds(ids);
    if (++this.filters > MAX_FILTERS)
      throw invalidValue(`At most ${MAX_FILTERS} operations may select members by more than their "value".`);
    this.settle();
    this.steps.push({ kind: 'removeMatching', filter });
  }

  private removeIds(ids: readonly string[]): void {
    for (const id of ids) {
      this.added.delete(id);
      this.removed.add(id);
    }
  }

  private settle(): void {
    const [add, remove] = [[...this.added], [...this.removed]];
    if (this.replaced) this.steps.push({ kind: 'replace', ids: add });
    else if (add.length + remove.length > 0) this.steps.push({ kind: 'change', add, remove });
    this.replaced = false;
    this.added = new Set();
    this.removed = new Set();
  }
}

/** The ids, when the filter selects only by `value`, optionally with `type eq "User"`. */
function idsOf(filter: Filter): string[] | null {
  if (filter.kind === 'or') {
    const parts = filter.terms.map(idsOf);
    return parts.includes(null) ? null : (parts as string[][]).flat();
  }
  if (filter.kind === 'and') {
    const others = filter.terms.filter((term) => !isOfUsers(term));
    return others.length === 1 ? idsOf(others[0]!) : null;
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return null;
  return filter.path[0].name === 'value' ? [filter.value] : null;
}

function isOfUsers(filter: Filter): boolean {
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.path[0].name !== 'type') return false;
  return String(filter.value).toLowerCase() === 'user';
}
