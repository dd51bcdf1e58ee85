import { currentScope, type Scope } from '#libs/tenancy/scope.js';

/** Log details of a call in addition to method, path and status. */
export interface Notes {
  /** Name of the user or group. */
  subject: string | null;
  /** Problems of a successful call. */
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

/** Adds a remark for administrators about a successful call, such as skipped members. */
export function noteForLog(remark: string): void {
  notesOfCall().remarks.push(remark);
}

/** The notes of a scope's call. */
export function notesOf(scope: Scope): Notes {
  return notes.get(scope) ?? { subject: null, remarks: [] };
}
