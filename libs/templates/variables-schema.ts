import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { shortened } from '#libs/kernel/cut.js';
import { isObject } from '#libs/kernel/is-object.js';
import { LinearPattern, PatternError } from '#libs/kernel/linear-pattern.js';

/** A subset of JSON Schema 2020-12 without references and combinations, so that a check takes linear time. */
const KEYWORDS = new Set(
  (
    '$schema additionalProperties const default description enum examples exclusiveMaximum exclusiveMinimum format ' +
    'items maxItems maxLength maximum minItems minLength minimum multipleOf pattern properties required title type'
  ).split(' '),
);
const MAX_DEPTH = 10;
const MAX_FOUND = 50;

/** Patterns of a schema, matched in linear time anywhere in a text, as JSON Schema says. */
const regExp = Object.assign(
  (source: string) => {
    const pattern = new LinearPattern(`(?s:.*)(?:${source})(?s:.*)`);
    return { test: (text: string) => pattern.matches(text), toString: () => source }; // its key in the compiled code
  },
  { code: 'LinearPattern' },
);

/** What is wrong with the schema of a template's variables; null if nothing is. */
export function schemaFault(schema: object): string | null {
  const outside = unsupported(schema, '', 0);
  if (outside !== null) return outside;
  try {
    compiled(schema);
    return null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    return `It is not a JSON Schema: ${shortened((error as Error).message, 200)}.`; // ajv throws nothing else
  }
}

/** Variables that a schema requires and the data lack, and what else does not match. */
export function variableFaults(schema: object, data: unknown): { missing: string[]; others: string[] } {
  const validate = compiled(schema);
  if (validate(data)) return { missing: [], others: [] };
  const errors = validate.errors!.slice(0, MAX_FOUND);
  const isMissing = ({ keyword }: ErrorObject) => keyword === 'required';
  return {
    missing: errors.filter(isMissing).map(missingName),
    others: errors
      .filter((error) => !isMissing(error))
      .map(({ instancePath, message }) => `The variable \`${nameOf(instancePath) || 'data'}\` ${message}.`),
  };
}

function compiled(schema: object) {
  const ajv = new Ajv2020({
    ...{ allErrors: true, ownProperties: true, validateFormats: false, strictTypes: false, strictRequired: false },
    addUsedSchema: false,
    code: { regExp },
  });
  return ajv.compile(schema);
}

/** The first thing in a schema that is not supported; null if there is none. */
function unsupported(schema: unknown, at: string, depth: number): string | null {
  if (!isObject(schema)) return `${at || 'The schema'} must be an object.`;
  if (depth > MAX_DEPTH) return `The schema may have at most ${MAX_DEPTH} levels.`;
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) return `The keyword ${shortened(unknown, 60)} is not supported.`;
  const { properties = {}, items, additionalProperties = true } = schema;
  if (typeof additionalProperties !== 'boolean') return 'additionalProperties must be true or false.';
  const parts = Object.entries(isObject(properties) ? properties : { properties: null });
  if (items !== undefined) parts.push(['items', items]);
  for (const [name, part] of parts) {
    const found = unsupported(part, `${at}/${shortened(name, 60)}`, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function missingName({ instancePath, params }: ErrorObject): string {
  const { missingProperty } = params as { missingProperty: string }; // of the keyword `required`
  return nameOf(`${instancePath}/${missingProperty}`);
}

/** `/lines/0/name` as `lines.0.name`. */
function nameOf(path: string): string {
  return shortened(path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~'), 200);
}
