// `libs/access` says which rows a principal may see or change. `libs/auth` says who that is.
import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Principal } from '#libs/auth/principal.js';
import { every, type Guard, not, NOTHING, some } from './guard.js';
import { type Pieces, piecesOf, piecesOfPerson, piecesOfPlace, type Subject } from './pieces.js';

/** Guards cached per principal, compiled on first use. */
const compiled = new WeakMap<Principal, Map<string, Guard | null>>();

/** The guard for a decision; null when it allows all rows. */
export function composed({ denied, reach, reached, allowed, confined }: Pieces): Guard | null {
  const base = reach === 'tenant' ? null : (some(reached, allowed) ?? NOTHING);
  if (base === NOTHING) return base;
  return every(confined, base, denied && not(denied));
}

/** The rows of a type on which the caller may use a permission; null for all. The platform itself is not restricted. */
export function limitsOf(subject: Subject, permission: string): Guard | null {
  return limited(subject, permission, '', piecesOf);
}

/** The rows of a type whose workspace the caller may put records in; null for all. */
export function limitsOfPlace(subject: Subject, permission: string): Guard | null {
  return limited(subject, permission, 'place ', piecesOfPlace);
}

/** The rows of a type about persons for whom the caller may put records in; null for all. */
export function limitsOfPerson(subject: Subject, permission: string): Guard | null {
  return limited(subject, permission, 'person ', piecesOfPerson);
}

/** Whether the caller may not use a permission on any record of a type. */
export function isClosed(subject: Subject, permission: string): boolean {
  return limitsOf(subject, permission) === NOTHING;
}

/** As {@link limitsOf}, but also null for a caller without the permission, who was authorized by other means. */
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
