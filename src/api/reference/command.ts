import type { DocumentedOperation } from '#libs/http/openapi/references.js';
import type { MediaType } from '#libs/http/openapi/parts.js';
import type { Schemas } from './schemas.js';

/** The header that carries the credential of an operation, by the name of its security scheme. */
const CREDENTIALS: Record<string, string> = {
  apiKey: 'x-api-key: $KEY',
  scimToken: 'authorization: Bearer $SCIM_TOKEN',
  operatorKey: 'authorization: Bearer $OPERATOR_KEY',
};

/** A command of curl that calls an operation. Ids in the path and credentials are variables of the shell. */
export function commandOf({ path, method, operation }: DocumentedOperation, schemas: Schemas): string {
  const required = operation.parameters.filter((each) => each.required);
  const sample = (schema: object | undefined) => schemas.example(schema ?? {});
  const query = required
    .filter((each) => each.in === 'query')
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(sample(schema)))}`);
  const url = `$BASE${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${variable(name)}`)}`;
  const credential = operation.security.flatMap((each) => Object.keys(each)).find((name) => name in CREDENTIALS);
  const headers = required
    .filter((each) => each.in === 'header')
    .map(({ name, schema }) => `${name}: ${String(sample(schema))}`);
  const lines = [
    `curl -sS${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${[url, ...(query.length > 0 ? [query.join('&')] : [])].join('?')}"`,
    ...(credential === undefined ? [] : [`-H "${CREDENTIALS[credential]!}"`]),
    ...headers.map((each) => `-H ${quoted(each)}`),
    ...bodyOf(operation.requestBody?.content, schemas),
  ];
  return lines.join(' \\\n  ');
}

/** The example of a body: the one of the document, otherwise one made of the required fields. */
export function bodyExample({ example, schema }: MediaType, schemas: Schemas): unknown {
  if (example !== undefined) return example;
  const { properties = {}, required = [], examples } = schemas.whole(schema);
  if (examples) return examples[0];
  return Object.fromEntries(required.map((name) => [name, schemas.example(properties[name] ?? {})]));
}

function bodyOf(content: Record<string, MediaType> | undefined, schemas: Schemas): string[] {
  const [first] = Object.entries(content ?? {});
  if (!first) return [];
  const [type, media] = first;
  const body = bodyExample(media, schemas);
  if (type === 'application/x-www-form-urlencoded')
    return Object.entries(body as object).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`);
  return [`-H ${quoted(`content-type: ${type}`)}`, `-d ${quoted(JSON.stringify(body))}`];
}

/** `entryId` becomes `ENTRY_ID`. */
const variable = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
