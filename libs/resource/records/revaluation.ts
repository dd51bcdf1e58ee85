import { fieldsOf, type ModelClass } from '#libs/http/field.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Input } from '../types/decisions.js';

/** Names of amounts in minor units, and of rates of exchange. */
const AMOUNT = /Minor$|^(rate|exchangeRate)$/;

/**
 * Refuses a patch that changes a currency without sending the amounts in it: their minor units would mean other sums.
 * `before` is the record as the API shows it. An amount is in the currency of the object that contains it; without
 * one, in that of the record or of the record's part that names one. Amounts may be sent in their documented forms: in
 * major units, or as lines.
 * @throws Problem 400 `required` for each amount.
 */
export function refuseRevaluation(model: ModelClass, before: Input, patch: Input, baseCurrency: string): void {
  const pointers = new Set<string>();
  const isOther = (was: unknown, is: unknown) => is !== undefined && (was ?? baseCurrency) !== (is ?? baseCurrency);
  const add = (found: readonly string[]) => found.forEach((each) => pointers.add(each));
  if (isOther(before['currency'], patch['currency'])) add(unsent(model, before, patch, patch));
  for (const [name, { kind }] of fieldsOf(model)) {
    if (!kind.model || !fieldsOf(kind.model).has('currency')) continue;
    const [was, is] = [before[name], patch[name]] as (Input | null | undefined)[];
    if (is === undefined || !isOther(was?.['currency'], is === null ? null : is['currency'])) continue;
    add(unsent(model, before, patch, patch));
    if (is !== null && was) add(unsent(kind.model, was, is, patch).map((each) => `/${name}${each}`));
  }
  if (pointers.size > 0)
    throw Problem.validation(
      [...pointers].map((pointer) => ({
        pointer,
        code: 'required',
        detail: 'A change of the currency changes what this amount is worth: send it as well.',
      })),
    );
}

/** Pointers to the amounts of `before` that `patch` does not replace; `whole` is the patch of the record. */
function unsent(model: ModelClass, before: Input, patch: Input, whole: Input): string[] {
  const lines = patch['lineItems'] ?? before['lineItems'];
  const isSum = Array.isArray(lines) && lines.length > 0;
  return [...fieldsOf(model).keys()]
    .filter((name) => patch[name] === undefined && whole[name.replace(/Minor$/, '')] === undefined)
    .filter((name) => !(isSum && AMOUNT.test(name)) && isAmount(name, before[name]))
    .map((name) => `/${name}`);
}

/** Whether a value is an amount other than zero, or contains one without naming its currency. */
function isAmount(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => isAmount('', each));
  if (typeof value === 'object' && value !== null)
    return !('currency' in value) && Object.entries(value).some(([key, each]) => isAmount(key, each));
  return AMOUNT.test(name) && value !== null && value !== undefined && value !== 0;
}
