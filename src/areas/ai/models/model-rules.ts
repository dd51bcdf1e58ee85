import type { ModelPrice } from '#libs/ai/price.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { type AiModel, MAX_PRICES, type NewPrice } from './model.js';

/**
 * All prices, oldest first. No two prices may begin at the same instant, and none before `earliest`.
 * @param at default start of a price. @throws Problem 400.
 */
export function pricesOf(
  added: readonly NewPrice[],
  known: readonly ModelPrice[],
  at: string,
  earliest: string | null,
): ModelPrice[] {
  const all = [...known];
  const violations: Violation[] = [];
  for (const [index, price] of added.entries()) {
    const from = price.from === undefined ? at : new Date(price.from).toISOString();
    const pointer = `/prices/${index}/from`;
    if (earliest !== null && from < earliest)
      violations.push({ pointer, code: 'out_of_range', detail: 'A price cannot begin in the past.' });
    if (all.some((other) => other.from === from))
      violations.push({ pointer, code: 'not_unique', detail: 'Another price begins then.' });
    const { inputMicrosPer1k, outputMicrosPer1k, cachedMicrosPer1k = inputMicrosPer1k } = price;
    all.push({ from, inputMicrosPer1k, outputMicrosPer1k, cachedMicrosPer1k });
  }
  if (all.length > MAX_PRICES)
    violations.push({ pointer: '/prices', code: 'too_many', detail: `A model can have ${MAX_PRICES} prices.` });
  if (violations.length > 0) throw Problem.validation(violations);
  return all.sort((a, b) => (a.from < b.from ? -1 : 1));
}

type Whole = Pick<AiModel, 'contextTokens' | 'maxOutputTokens' | 'enabled' | 'isDefault'>;

/** Checks members of a model that depend on each other. @throws Problem 400. */
export function checkWhole({ contextTokens, maxOutputTokens, enabled, isDefault }: Whole): void {
  const violations: Violation[] = [];
  if (maxOutputTokens > contextTokens)
    violations.push({ pointer: '/maxOutputTokens', code: 'out_of_range', detail: 'It may be at most contextTokens.' });
  if (isDefault && !enabled)
    violations.push({
      pointer: '/isDefault',
      code: 'invalid_value',
      detail: 'A model that is not used cannot be the default.',
    });
  if (violations.length > 0) throw Problem.validation(violations);
}

export function unknownProvider(): Violation {
  return { pointer: '/provider', code: 'unknown_reference', detail: 'There is no such provider of the tenant.' };
}
