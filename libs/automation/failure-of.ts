import { Problem } from '#libs/kernel/problem.js';
import { storableText } from '#libs/kernel/storable.js';
import type { RunFailure } from './automations.js';

const MAX_DETAIL = 1_000;

/** Why an attempt failed, in the form in which it is stored. */
export function failureOf(error: unknown): RunFailure {
  if (error instanceof Problem) return { code: error.code, detail: storableText(error.detail, MAX_DETAIL) };
  const detail = error instanceof Error ? error.message : String(error);
  return { code: 'internal_error', detail: storableText(detail, MAX_DETAIL) };
}
