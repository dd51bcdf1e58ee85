import { escapePointer, fieldsOf } from '#libs/http/field.js';
import { readQuery } from '#libs/http/validation.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Input } from '../types/decisions.js';
import type { ResourceDefinition } from '../types/definition.js';
import { model } from '../types/record.dto.js';
import { ACTIONS, recordQuery } from './list-shape.js';

/** Parameters of a list that say how its pages are read. */
const PAGING = new Set(['limit', 'cursor', 'count']);

/**
 * The parameters of a list, without those of its pages, that a body contains as texts in the member `/query`.
 * @throws Problem 400 with everything that is wrong.
 */
export function readStoredQuery(definition: ResourceDefinition, query: Readonly<Record<string, string>>): Input {
  const known = [...fieldsOf(recordQuery('StoredQuery', definition))].filter(([name]) => !PAGING.has(name));
  const { values, violations } = readQuery(model('StoredQuery', Object.fromEntries(known)), query);
  const included = values['include'] as string[] | undefined; // as the model says
  if (included?.includes(ACTIONS))
    violations.push({
      parameter: 'include',
      code: 'not_applicable',
      detail: 'What can be done is not part of a record.',
    });
  if (violations.length > 0) throw Problem.validation(violations.map(inQuery));
  return values;
}

/** Runs work of a list on such a query; what is wrong with a parameter is at its place in the body. */
export async function withStoredQuery<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || !error.more.errors) throw error;
    throw Problem.validation(error.more.errors.map(inQuery));
  }
}

function inQuery({ parameter, pointer, ...violation }: Violation): Violation {
  return { ...violation, pointer: parameter === undefined ? pointer! : `/query/${escapePointer(parameter)}` };
}
