import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Principal } from '#libs/auth/principal.js';
import { every, type Guard, not, NOTHING, some } from './guard.js';
import { type Pieces, piecesOf, piecesOfPlace, type Subject } from './pieces.js';

/** The predicates of a principal, compiled when they are first asked for; they stand and fall with the principal. */
const compiled = new WeakMap<Principal, Map<string, Guard | null>>();

/** The rows that a decision lets through; null for all. */
export function composed({ denied, reach, reached, allowed, confined }: Pieces): Guard | null {
  const base = reach === 'tenant' ? null : (some(reached, allowed) ?? NOTHING);
  if (base === NOTHING) return base;
  return every(confined, base, denied && not(denied));
}

/** The rows of a type that the caller may use a permission on; null for all. The platform itself is not limited. */
export function limitsOf(subject: Subject, permission: string): Guard | null {
  return limited(subject, permission, '', piecesOf);
}

/** The rows of a type that the caller could have put where they are; null for all. */
export function limitsOfPlace(subject: Subject, permission: string): Guard | null {
  return limited(subject, permission, 'place ', piecesOfPlace);
}

/** Whether the caller may use a permission on no record of a type at all. */
export function isClosed(subject: Subject, permission: string): boolean {
  return limitsOf(subject, permission) === NOTHING;
}

/** As {@link limitsOf}, but null also for who does not hold the permission at all, where something else has let them in. */
export function limitsIfHeld(subject: Subject, permission: string): Guard | null {
  const limits = limitsOf(subject, permission);
  return limits === NOTHING ? null : limits;
}

function limited(subject: Subject, permission: string, kind: string, parts: typeof piecesOf): Guard | null {
  const caller = callerOrNull();
  if (!caller) return null;
  const { permissions, authority } = caller;
  if (permissions.reach(permission) === 'tenant' && !authority.exceptions.has(subject.type)) return null;
  let known = compiled.get(caller);
  if (!known) compiled.set(caller, (known = new Map<string, Guard | null>()));
  const key = `${kind}${subject.type} ${permission}`;
  let guard = known.get(key);
  if (guard === undefined) known.set(key, (guard = composed(parts(caller, subject, permission))));
  return guard;
}
