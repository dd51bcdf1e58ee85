import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#libs/kernel/is-object.js';

type Json = Record<string, unknown>;

/** A JSON merge patch (RFC 7396) applied to a value: null takes a member away, lists are replaced as a whole. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    const member = value === null ? undefined : merged(result[key], value);
    if (member === undefined || (isObject(member) && Object.keys(member).length === 0)) delete result[key];
    else result[key] = member;
  }
  return result;
}

/** Paths of all values that are no objects, members parted by dots. */
export function pathsOf(value: object): string[] {
  return [...leavesOf(value)].map(([path]) => path);
}

/** Paths of the values that differ. */
export function changedPaths(before: object, after: object): string[] {
  const old = new Map(leavesOf(before));
  const now = new Map(leavesOf(after));
  const paths = new Set([...old.keys(), ...now.keys()]);
  return [...paths].filter((path) => !isDeepStrictEqual(old.get(path), now.get(path))).sort();
}

function* leavesOf(value: object, place = ''): Generator<[path: string, value: unknown]> {
  for (const [key, member] of Object.entries(value))
    if (isObject(member)) yield* leavesOf(member, `${place}${key}.`);
    else yield [`${place}${key}`, member];
}
