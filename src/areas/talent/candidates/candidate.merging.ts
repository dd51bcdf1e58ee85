import { Problem } from '#libs/kernel/problem.js';
import type { Candidate } from './candidate.entity.js';

/** What a candidate takes over from one that is merged into them: addresses that are new. */
export function addressesOf(into: Candidate, from: Candidate): Partial<Candidate> {
  const email = into.email ?? from.email;
  const known = [...new Set([...into.emails, ...(from.email === null ? [] : [from.email]), ...from.emails])];
  const emails = known.filter((each) => each.toLowerCase() !== email?.toLowerCase()).slice(0, 10);
  return { email, emails, phones: [...new Set([...into.phones, ...from.phones])].slice(0, 10) };
}

/** 400 for a candidate that nobody can be merged into. */
export function intoFault(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/intoId', code, detail }]);
}
