import { currentScope, type Scope } from '#libs/tenancy/scope.js';

/** Log details of a call besides method, path and status. */
export interface Notes {
  /** Name of the user or group that it was about. */
  subject: string | null;
  /** Problems although the call succeeded. */
  remarks: string[];
}

const notes = new WeakMap<Scope, Notes>();

function notesOfCall(): Notes {
  const scope = currentScope();
  let own = notes.get(scope);
  if (!own) notes.set(scope, (own = { subject: null, remarks: [] }));
  return own;
}

/** Sets the subject of the current call. */
export function noteSubject(name: string): void {
  notesOfCall().subject = name;
}

/** Adds what an administrator should know about a call that succeeded, such as members that were left out. */
export function noteForLog(remark: string): void {
  notesOfCall().remarks.push(remark);
}

/** What was noted about the call of a scope. */
export function notesOf(scope: Scope): Notes {
  return notes.get(scope) ?? { subject: null, remarks: [] };
}
