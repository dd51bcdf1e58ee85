import { escapePointer, type FieldSpec, type Kind, text } from '#libs/http/field.js';
import type { CustomHeaders } from '#libs/webhooks/lanes/endpoint-secrets.js';

type Fault = ReturnType<Kind['check']>[number];

const MAX_HEADERS = 10;
/** A token of RFC 9110 section 5.6.2. */
const NAME = text({ min: 1, max: 100, pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/ });
/** Characters that every HTTP implementation accepts: visible ASCII, with spaces in between. */
const VALUE = text({ min: 1, max: 1_024, pattern: /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/ });

/** A merge patch of headers; null removes all. */
type HeaderPatch = Record<string, string | null> | null;

/** Reserved names for the connection, the body or the delivery itself, in lower case; `*` marks a prefix. */
const RESERVED = [
  ...['accept-encoding', 'connection', 'cookie', 'date', 'expect', 'host', 'http2-settings', 'keep-alive'],
  ...['te', 'traceparent', 'tracestate', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'via'],
  ...['content-*', 'proxy-*', 'webhook-*', 'x-service-*'],
];

/** Headers of a new endpoint: values by name. */
export function customHeaders(): Kind {
  return { schema: schemaOf(VALUE.schema), check: (value) => headerFaults(value, false), parse: () => undefined };
}

/** Like {@link customHeaders} in a merge patch, where null removes a header. */
function customHeaderPatch(): Kind {
  const schema = schemaOf({ ...VALUE.schema, type: ['string', 'null'] });
  return { schema, check: (value) => headerFaults(value, true), parse: () => undefined };
}

export const CUSTOM_HEADERS_DESCRIPTION =
  'Further headers of each delivery, such as `authorization`; kept sealed and never shown again. Names that HTTP or the ' +
  'delivery itself uses are refused.';

/** The field of a merge patch. */
export const customHeadersPatch: FieldSpec = {
  kind: customHeaderPatch(),
  description: `${CUSTOM_HEADERS_DESCRIPTION} Headers that are not named stay, null takes one away, or all. They are for one origin: a patch of \`url\` to another has to name each of them.`,
  example: { 'X-Environment': 'production' },
  optional: true,
  nullable: true,
};

/**
 * Applies a merge patch to headers (RFC 7396), whose names are case-insensitive. The result can have too many: see
 * {@link tooManyHeaders}.
 */
export function mergeHeaders(headers: CustomHeaders, patch: HeaderPatch): CustomHeaders {
  const kept = keptHeaders(Object.keys(headers), patch).map((name) => [name, headers[name]!]);
  const set = Object.entries(patch ?? {}).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries([...kept, ...set]) as CustomHeaders;
}

/** The names of the headers that a merge patch keeps. */
export function keptHeaders(names: readonly string[], patch: HeaderPatch): string[] {
  if (patch === null) return [];
  const named = new Set(Object.keys(patch).map((name) => name.toLowerCase()));
  return names.filter((name) => !named.has(name.toLowerCase()));
}

/** The violation for too many headers, which can be detected only after a merge; empty if there is none. */
export function tooManyHeaders(headers: CustomHeaders): Fault[] {
  if (Object.keys(headers).length <= MAX_HEADERS) return [];
  return [{ code: 'too_many', detail: `There may be at most ${MAX_HEADERS} headers.` }];
}

function schemaOf(value: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', maxProperties: MAX_HEADERS, propertyNames: NAME.schema, additionalProperties: value };
}

function headerFaults(value: unknown, nullable: boolean): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
  const entries = Object.entries(value);
  const named = entries.map(([name]) => name.toLowerCase());
  return [
    ...tooManyHeaders(value as CustomHeaders),
    ...entries.flatMap(([name, each], index) => {
      const faults = nameFaults(name, named.indexOf(name.toLowerCase()) < index);
      if (each !== null || !nullable) faults.push(...(each === null ? NOT_NULLABLE : VALUE.check(each)));
      return faults.map((fault) => ({ ...fault, at: `/${escapePointer(name)}` }));
    }),
  ];
}

const NOT_NULLABLE: Fault[] = [{ code: 'not_nullable', detail: 'The header cannot be null.' }];

function nameFaults(name: string, isRepeated: boolean): Fault[] {
  const lower = name.toLowerCase();
  const isReserved = RESERVED.some((each) =>
    each.endsWith('*') ? lower.startsWith(each.slice(0, -1)) : lower === each,
  );
  if (isReserved) return [{ code: 'reserved_name', detail: 'The platform or HTTP itself sets this header.' }];
  if (isRepeated) return [{ code: 'not_unique', detail: 'The header is named twice; case makes no difference.' }];
  return [...NAME.check(name)];
}
