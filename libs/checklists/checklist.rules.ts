import { isDeepStrictEqual } from 'node:util';
import type { BusinessDays } from '#libs/kernel/business-days.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import type { ItemRole, TemplateItem } from './template-item.js';
import type { ChangeChecklistItem, Checklist, StartedItem } from './checklist.js';

/** Members by the role that they have for a checklist. */
export type RoleHolders = Partial<Record<ItemRole, string | null>>;

/** The items of a checklist that starts at a date. */
export function startedItems(
  items: readonly TemplateItem[],
  startDate: string,
  days: BusinessDays,
  holders: RoleHolders,
): StartedItem[] {
  return items.map(({ assignee, ...item }) => ({
    ...item,
    ...(assignee?.role ? { role: assignee.role } : {}),
    assigneeId: assignee?.membershipId ?? (assignee?.role && holders[assignee.role]) ?? null,
    dueDate: item.offsetDays === null ? null : days.add(startDate, item.offsetDays),
    status: 'pending',
    note: null,
    link: null,
    fileId: null,
    reason: null,
    changedAt: null,
    changedBy: null,
  }));
}

/** The items after a member has got a role: those that are open and nobody's become theirs. */
export function assignedItems(items: readonly StartedItem[], role: ItemRole, assigneeId: string): StartedItem[] {
  const isFree = (item: StartedItem) => item.role === role && item.assigneeId === null && !isSettled(item);
  return items.map((item) => (isFree(item) ? { ...item, assigneeId } : item));
}

/** The items after their checklist has moved: the open ones keep their distance from its date in business days. */
export function movedItems(
  { items, startDate }: Pick<Checklist, 'items' | 'startDate'>,
  to: string,
  days: BusinessDays,
): StartedItem[] {
  return items.map((item) => {
    if (isSettled(item) || item.dueDate === null) return item;
    const offsetDays = item.offsetDays ?? days.between(startDate, item.dueDate);
    return { ...item, offsetDays, dueDate: days.add(to, offsetDays) };
  });
}

/** The items after all open ones were skipped. */
export function closedItems(
  items: readonly StartedItem[],
  reason: string,
  stamp: { at: string; by: ActorStamp },
): StartedItem[] {
  const skipped = { status: 'skipped', reason, changedAt: stamp.at, changedBy: stamp.by } as const;
  return items.map((item) => (isSettled(item) ? item : { ...item, ...skipped }));
}

/**
 * The items after a change of one.
 * @throws Problem 404 for an unknown key; 400 if a reason or the evidence is missing; 409 `blocked` if an item that comes
 * first is open, or one that depends on it is done.
 */
export function changedItems(
  items: readonly StartedItem[],
  key: string,
  change: ChangeChecklistItem,
  stamp: { at: string; by: ActorStamp },
): StartedItem[] {
  const before = items.find((item) => item.key === key);
  if (!before) throw Problem.notFound();
  const changed: StartedItem = { ...before, ...change };
  if (isDeepStrictEqual(changed, before)) return [...items];
  const after: StartedItem = { ...changed, changedAt: stamp.at, changedBy: stamp.by };
  const isExcused = after.status === 'skipped' || after.status === 'blocked';
  if (!isExcused) after.reason = null;
  else if (after.reason === null) throw missing('/reason', 'Say why the item is skipped or blocked.');
  if (after.status === 'done') {
    refuseOpen(items, after);
    requireEvidence(after);
  }
  if (!isSettled(after)) refuseUnder(items, after);
  return items.map((item) => (item === before ? after : item));
}

/** Whether a change skips a required item, which not everybody may do. */
export function skipsRequired(items: readonly StartedItem[], key: string, { status }: ChangeChecklistItem): boolean {
  return status === 'skipped' && items.some((item) => item.key === key && item.required);
}

/** Whether each required item is done or skipped. */
export function isComplete(items: readonly StartedItem[]): boolean {
  return items.every((item) => !item.required || isSettled(item));
}

/** Whether an item is done or skipped. */
export function isSettled({ status }: StartedItem): boolean {
  return status === 'done' || status === 'skipped';
}

function refuseOpen(items: readonly StartedItem[], { dependsOn }: StartedItem): void {
  const open = items.filter((item) => dependsOn.includes(item.key) && !isSettled(item)).map((item) => item.key);
  if (open.length > 0) throw new Problem('blocked', `These items come first: ${open.join(', ')}.`);
}

function refuseUnder(items: readonly StartedItem[], { key }: StartedItem): void {
  const done = items.filter((item) => item.dependsOn.includes(key) && item.status === 'done').map((item) => item.key);
  if (done.length > 0) throw new Problem('blocked', `These items depend on it; open them first: ${done.join(', ')}.`);
}

function requireEvidence({ evidence, note, link, fileId }: StartedItem): void {
  if (evidence === 'note' && !note?.trim()) throw missing('/note', 'A note is required when the item is done.');
  if (evidence === 'link' && link === null) throw missing('/link', 'A link is required when the item is done.');
  if (evidence === 'file' && fileId === null)
    throw missing('/fileId', 'An attachment is required when the item is done.');
}

function missing(pointer: string, detail: string): Problem {
  return Problem.validation([{ pointer, code: 'required', detail }]);
}
