import { cut } from '#libs/kernel/cut.js';
import { MAX_VIOLATIONS, type Violation } from '#libs/kernel/problem.js';
import { type Fault, faultsOf, fieldsOf, type Kind, objectFaults, spellFields, type ModelClass } from './field.js';
import { whichParameter } from './problems/hints.js';

/**
 * All faults of a body, each with a JSON pointer; empty if it is valid. Then its values are put into the spelling in
 * which they are kept.
 */
export function bodyViolations(model: ModelClass, body: unknown): Violation[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return [{ pointer: '', code: 'invalid_type', detail: 'The body must be a JSON object.' }];
  const faults = objectFaults(model, body);
  if (faults.length === 0) spellFields(model, body as Record<string, unknown>);
  return faults.slice(0, MAX_VIOLATIONS).map(({ at, code, detail }) => ({ pointer: at!, code, detail }));
}

/** The values of query parameters, or their faults. Only processes parameters that are present. */
export function readQuery(
  model: ModelClass,
  query: Record<string, unknown>,
): { values: Record<string, unknown>; violations: Violation[] } {
  const fields = fieldsOf(model);
  const values: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [parameter, given] of Object.entries(query)) {
    if (violations.length >= MAX_VIOLATIONS) break; // each costs a search for similar names
    const spec = parameter.endsWith('.*')
      ? undefined
      : (fields.get(parameter) ?? fields.get(parameter.replace(/\.[a-zA-Z]\w{0,39}$/, '.*')));
    const named = cut(parameter, 200).toWellFormed();
    if (!spec) {
      const detail = `The operation has no such parameter.${whichParameter(parameter, namesOf(fields))}`;
      violations.push({ parameter: named, code: 'unknown_parameter', detail });
    } else if (typeof given !== 'string' && !spec.kind.parseRepeated) {
      violations.push({ parameter: named, code: 'repeated_parameter', detail: 'The parameter may occur once.' });
    } else {
      const texts = given as string | string[];
      const value = typeof texts === 'string' ? spec.kind.parse(texts) : spec.kind.parseRepeated!(texts);
      const faults = value === undefined ? unparsed(spec.kind, texts) : faultsOf(spec, value);
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

/** Faults of a parameter whose text cannot be parsed. */
function unparsed(kind: Kind, texts: string | string[]): Fault[] {
  const faults = kind.parseFaults?.([texts].flat()) ?? [];
  return faults.length > 0 ? faults : kind.check(texts);
}

/** Names of parameters, except pattern parameters. */
function namesOf(fields: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  return new Set([...fields.keys()].filter((parameter) => !parameter.endsWith('.*')));
}
