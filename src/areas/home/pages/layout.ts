import { Problem } from '#libs/kernel/problem.js';
import { BLOCKS } from '../block-keys.js';
import type { BlockPlace } from './home-page.js';
import type { BlockChoice } from './home-page.dto.js';

/** All blocks in order: the chosen ones by position, then the others in their usual order. */
export function arranged(choices: readonly BlockChoice[]): BlockPlace[] {
  const chosen = choices
    .map(({ key, hidden = false, position }, index) => ({ key, hidden, position: position ?? index }))
    .sort((a, b) => a.position - b.position);
  const others = BLOCKS.filter((key) => !chosen.some((each) => each.key === key)).map((key) => ({
    key,
    hidden: false,
  }));
  return [...chosen, ...others].map(({ key, hidden }, position) => ({ key, hidden, position }));
}

/** @throws Problem 400 if a list has the same value twice; `path` leads to the list, `member` to the value in an item. */
export function refuseTwice(values: readonly string[], path: string, member: string): void {
  const errors = values.flatMap((value, index) =>
    values.indexOf(value) < index
      ? [{ pointer: `${path}/${index}/${member}`, code: 'not_unique', detail: 'The list holds a value twice.' }]
      : [],
  );
  if (errors.length > 0) throw Problem.validation(errors);
}
