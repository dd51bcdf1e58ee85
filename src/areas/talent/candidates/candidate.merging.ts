import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import { mergedTexts } from '#libs/resource/carrying.js';
import type { Candidate } from './candidate.entity.js';

const MAX = 10;

/** What a candidate takes over from one that is merged into them: addresses that are new. */
export function addressesOf(into: Candidate, from: Candidate): Partial<Candidate> {
  const email = into.email ?? from.email;
  const others = from.email === null ? from.emails : [from.email, ...from.emails];
  const emails = mergedTexts(into.emails, others, MAX + 1).filter((each) => fold(each) !== fold(email ?? ''));
  return { email, emails: emails.slice(0, MAX), phones: mergedTexts(into.phones, from.phones, MAX) };
}

/** 400 for a candidate that nobody can be merged into. */
export function intoFault(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/intoId', code, detail }]);
}
