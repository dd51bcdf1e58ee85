import { listText } from '#libs/kernel/list-text.js';
import { isObject } from '#libs/kernel/is-object.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { KnownOperation } from '../operations/operation-catalogue.js';
import { HEADER_ARGUMENTS } from '../tools/tool-schema.js';

type Members = Record<string, unknown>;

/** A request to the API. */
export interface ToolRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  payload: string | undefined;
}

/**
 * Builds the request of a tool call. The API validates its content.
 * @throws Problem 400 for arguments that cannot be converted to a request.
 */
export function requestOf({ path, method }: KnownOperation, given: Members): ToolRequest {
  const violations: Violation[] = [];
  const wrong = (pointer: string, code: string, detail: string) => violations.push({ pointer, code, detail });
  const known = ['path', 'query', 'body', ...Object.keys(HEADER_ARGUMENTS)];
  for (const name of Object.keys(given))
    if (!known.includes(name)) wrong(`/${name}`, 'unknown_field', `The arguments are ${known.join(', ')}.`);
  const part = (name: 'path' | 'query' | 'body'): Members => {
    const value = given[name] ?? {};
    if (isObject(value)) return value;
    wrong(`/${name}`, 'invalid_type', 'The value must be an object.');
    return {};
  };
  const [inPath, query, body] = [part('path'), part('query'), part('body')];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = inPath[name];
    if (typeof value === 'string' && value !== '') return encodeURIComponent(value.toWellFormed());
    wrong(`/path/${name}`, 'required', 'A non-empty string is required.');
    return '';
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const [key, text] of parametersOf(name, value)) search.append(key, text);
  }
  const headers: Record<string, string> = {};
  for (const [argument, header] of Object.entries(HEADER_ARGUMENTS)) {
    const value = given[argument];
    if (value === undefined || value === null) continue;
    if (typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)) headers[header.toLowerCase()] = value;
    else wrong(`/${argument}`, 'invalid_type', 'The value must be a string of printable ASCII characters.');
  }
  if (violations.length > 0) throw Problem.validation(violations);
  const hasBody = given['body'] !== undefined && given['body'] !== null;
  if (hasBody) headers['content-type'] = 'application/json';
  return {
    method: method.toUpperCase() as ToolRequest['method'],
    url: search.size > 0 ? `${filled}?${search.toString()}` : filled,
    headers,
    payload: hasBody ? JSON.stringify(body) : undefined,
  };
}

/** A query parameter as serialized by OpenAPI: lists comma-separated, objects member by member. */
function parametersOf(name: string, value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return [[name, listText(value.map(textOf))]];
  if (isObject(value)) return Object.entries(value).map(([key, each]) => [nameOf(name, key), textOf(each)]);
  return [[name, textOf(value)]];
}

/** Adds the prefix `customFields.` to a member that does not have it. */
function nameOf(name: string, key: string): string {
  return key.startsWith(`${name}.`) ? key : `${name}.${key}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);
}
