import { addFields, listOf, text, type ModelClass } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';
import { sortTerm } from './list-query.js';

const CONTAINS = 'name[contains]';
const ALPHABET = new Intl.Collator('en');

/** Adds name filters and sorting to the query of a short list that is read completely. */
export function asksForNames(query: ModelClass, usualOrder: string): void {
  addFields(query, [
    [
      'sort',
      {
        kind: listOf(sortTerm(['name', '-name']), { min: 1, max: 1 }),
        description: `Order, \`-\` for descending; ${usualOrder} if not given.`,
        optional: true,
      },
    ],
    [
      CONTAINS,
      {
        kind: text({ min: 1, max: 200 }),
        description: 'Only items whose name contains the text, in any case.',
        optional: true,
      },
    ],
  ]);
}

/** The items that match a query extended by {@link asksForNames}, in the requested order. */
export function byName<T extends { id: string; name: string }>(all: readonly T[], query: object): readonly T[] {
  const { sort, [CONTAINS]: wanted } = query as { sort?: string[]; [CONTAINS]?: string };
  const found = wanted === undefined ? all : all.filter(({ name }) => fold(name).includes(fold(wanted)));
  if (!sort) return found;
  const sign = sort[0] === 'name' ? 1 : -1;
  return [...found].sort((a, b) => sign * (ALPHABET.compare(a.name, b.name) || (a.id < b.id ? -1 : 1)));
}
