import { isObject } from '#libs/kernel/is-object.js';

const REDACTED = '(redacted)';

/** A value without the names of others: actors in it are only those with one of the ids. */
export function redacted<T>(value: T, own: ReadonlySet<string>): T {
  return redactedValue(value, own) as T; // the same shape
}

/** The same for a row as a JSON text. */
export function redactedLine(line: string, own: ReadonlySet<string>): string {
  return JSON.stringify(redactedValue(JSON.parse(line), own));
}

function redactedValue(value: unknown, own: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => redactedValue(each, own));
  if (!isObject(value)) return value;
  if (isActor(value) && !own.has(String(value['id']))) return { ...value, id: null, name: REDACTED };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redactedValue(each, own)]));
}

/** Who made or changed something: `type`, `id` and `name`, and nothing else. */
function isActor(value: Record<string, unknown>): boolean {
  const names = Object.keys(value);
  return names.length === 3 && ['type', 'id', 'name'].every((name) => names.includes(name));
}
