import { getMetadataStorage, validateSync } from 'class-validator';
import { MAX_VIOLATIONS, type Violation } from '#libs/kernel/problem.js';
import { escapePointer, faultsOf, fieldsOf, unknownField, unknownMembers, type ModelClass } from './field.js';
import { whichParameter } from './hints.js';

rememberRules();

/**
 * Has class-validator look for the rules of a class once. It goes through the rules of every class there is for each
 * object otherwise, so that a body would cost more with each further model. It is always called with the same options.
 */
function rememberRules(): void {
  const storage = getMetadataStorage();
  const search = storage.getTargetValidationMetadatas.bind(storage);
  const found = new Map<unknown, ReturnType<typeof search>>();
  storage.getTargetValidationMetadatas = (target, ...options) => {
    let rules = found.get(target);
    if (!rules) found.set(target, (rules = search(target, ...options)));
    return rules;
  };
}

/**
 * Everything that is wrong with a body, each with a JSON pointer; empty when it is an instance of the class.
 * class-validator finds the properties at fault, the fields say what the fault is.
 */
export function bodyViolations(model: ModelClass, body: unknown): Violation[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return [{ pointer: '', code: 'invalid_type', detail: 'The body must be a JSON object.' }];
  const fields = fieldsOf(model);
  // Only known members: class-validator finds its rules through `constructor`, which a body could bring along.
  const instance = Object.create(model.prototype as object) as Record<string, unknown>;
  for (const [member, value] of Object.entries(body)) if (fields.has(member)) instance[member] = value;
  const failed = fields.size > 0 ? validateSync(instance, { forbidUnknownValues: true }) : [];
  return [
    ...unknownMembers(body, fields).map((member) => ({
      pointer: `/${escapePointer(member)}`,
      ...unknownField(member, fields.keys()),
    })),
    ...failed.flatMap(({ property, value }) =>
      faultsOf(fields.get(property)!, value).map(({ at = '', code, detail }) => ({
        pointer: `/${escapePointer(property)}${at}`,
        code,
        detail,
      })),
    ),
  ].slice(0, MAX_VIOLATIONS);
}

/** The values of query parameters, or what is wrong with them. Only parameters that are present cost anything. */
export function readQuery(
  model: ModelClass,
  query: Record<string, unknown>,
): { values: Record<string, unknown>; violations: Violation[] } {
  const fields = fieldsOf(model);
  const values: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [parameter, given] of Object.entries(query)) {
    if (violations.length >= MAX_VIOLATIONS) break; // each costs a search for what is near
    const spec = parameter.endsWith('.*')
      ? undefined
      : (fields.get(parameter) ?? fields.get(parameter.replace(/\.[a-zA-Z]\w{0,39}$/, '.*')));
    const text = spec?.repeatable && Array.isArray(given) ? given.join(',') : given;
    const named = parameter.slice(0, 200).toWellFormed();
    if (!spec) {
      const detail = `The operation has no such parameter.${whichParameter(parameter, namesOf(fields))}`;
      violations.push({ parameter: named, code: 'unknown_parameter', detail });
    } else if (typeof text !== 'string') {
      violations.push({ parameter: named, code: 'repeated_parameter', detail: 'The parameter may occur once.' });
    } else {
      const value = spec.kind.parse(text);
      const faults = value === undefined ? spec.kind.check(text) : faultsOf(spec, value);
      const typed =
        value === undefined && faults.length === 0
          ? [{ code: 'invalid_type', detail: 'The value has another form.' }]
          : faults;
      violations.push(...typed.map(({ code, detail }) => ({ parameter: named, code, detail })));
      values[parameter] = value;
    }
  }
  for (const [parameter, spec] of fields)
    if (!spec.optional && !(parameter in query))
      violations.push({ parameter, code: 'required', detail: 'The parameter is required.' });
  return { values, violations: violations.slice(0, MAX_VIOLATIONS) };
}

/** Names of parameters; those that follow a pattern are none. */
function namesOf(fields: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  return new Set([...fields.keys()].filter((parameter) => !parameter.endsWith('.*')));
}
