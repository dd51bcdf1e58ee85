import { type Failure, inputJudge, isWellFormed, type JudgedCall } from './judged-inputs.js';
import { invalidTexts, invalidValues, withMember } from './invalid-values.js';
import {
  exampleBody,
  exampleOf,
  type Json,
  type Operation,
  parametersIn,
  type Schema,
  typeOf,
  withoutNull,
} from './operations.js';
import { pathWith, type Running, startRunning } from './running.js';

/**
 * Every invalid value of every parameter and member is refused, in the place where it stands. The guard is asked in the
 * process, because what it says depends only on the declaration of the route; `validation.spec.ts` proves that it
 * stands before each operation, and that a refused call writes nothing.
 */
const platform: Running = await startRunning();
afterAll(() => platform.close());
const judge = inputJudge(platform.app);
const operations = platform.operations.filter(({ open, alias, scim }) => !open && !alias && !scim);
const withBody = operations.filter(({ body }) => body !== null);

/** A call that the guard lets pass: examples of what is required. */
function goodCall(operation: Operation): JudgedCall & { query: Record<string, string>; path: Record<string, string> } {
  const path: Record<string, string> = {};
  pathWith(operation, (name) => {
    const { schema } = parametersIn(operation, 'path').find((each) => each.name === name)!;
    return (path[name] = String(exampleOf(schema)));
  });
  const query = Object.fromEntries(
    parametersIn(operation, 'query').flatMap(({ name, required, schema }) =>
      required ? [[name, String([exampleOf(schema)].flat()[0])]] : [],
    ),
  );
  if (!operation.body) return { path, query };
  const body = exampleBody(operation.body);
  // What an action of a command needs besides, which the schema of all its actions cannot require.
  for (const { pointer, code } of judge(operation, { path, query, body }))
    if (code === 'required') addExample(body, operation.body, pointer!.slice(1).split('/'));
  return { path, query, body };
}

/** Adds the example of a member, which may be one of a nested object. */
function addExample(body: Json, schema: Schema, [name, ...rest]: string[]): void {
  const member = schema.properties![name!]!;
  if (rest.length === 0) body[name!] = exampleOf(member);
  else addExample((body[name!] ??= {}) as Json, withoutNull(member), rest);
}

/** What a wrong call was answered, if that is not exactly failures at one place. */
function misjudged(failures: Failure[], what: string, isThere: (failure: Failure) => boolean): object[] {
  const isRefused = failures.length > 0 && failures.every((each) => isThere(each) && isWellFormed(each));
  return isRefused ? [] : [{ what, failures }];
}

it.each(operations)('$name accepts its example and judges every parameter', (operation) => {
  const call = goodCall(operation);
  expect(judge(operation, call)).toEqual([]);
  const wrong: object[] = [];
  for (const { name, schema } of parametersIn(operation, 'query').filter(({ name }) => name !== 'cursor')) {
    const { [name]: _, ...besides } = call.query;
    const withValue = (value: string | string[]) => judge(operation, { ...call, query: { ...besides, [name]: value } });
    for (const { name: what, value } of invalidTexts(schema))
      wrong.push(...misjudged(withValue(String(value)), `${name}: ${what}`, ({ parameter }) => parameter === name));
    if (typeOf(schema) !== 'array')
      wrong.push(
        ...misjudged(
          withValue(['1', '2']),
          `${name} twice`,
          ({ parameter, code }) => parameter === name && code === 'repeated_parameter',
        ),
      );
  }
  for (const { name, schema } of parametersIn(operation, 'path'))
    for (const { name: what, value } of invalidTexts(schema))
      wrong.push(
        ...misjudged(
          judge(operation, { ...call, path: { ...call.path, [name]: String(value) } }),
          `${name}: ${what}`,
          ({ parameter, code }) => parameter === name && code === 'invalid_id',
        ),
      );
  expect(wrong).toEqual([]);
});

it.each(withBody)('$name judges every member', (operation) => {
  const call = goodCall(operation);
  const members = Object.entries(operation.body!.properties!);
  const ask = (body: Json) => judge(operation, { ...call, body });
  const wrong: object[] = [];
  for (const [name, member] of members)
    for (const { name: what, value } of invalidValues(member))
      wrong.push(
        ...misjudged(
          ask(withMember(call.body ?? {}, name, value)),
          `${name}: ${what}`,
          ({ pointer }) => pointer === `/${name}` || pointer!.startsWith(`/${name}/`),
        ),
      );
  expect(wrong).toEqual([]);
  const invalid = members.flatMap(([name, member]) => {
    const [first] = invalidValues(member);
    return first ? [[name, first.value] as const] : [];
  });
  expect(new Set(ask(Object.fromEntries(invalid)).map(({ pointer }) => pointer))).toEqual(
    new Set(invalid.map(([name]) => `/${name}`)),
  );
});

it.each(withBody.filter(({ body }) => (body!.required ?? []).length > 0))(
  '$name reports every missing member',
  (operation) => {
    const failures = judge(operation, { ...goodCall(operation), body: {} });
    expect(failures.map(({ pointer, code }) => [pointer, code])).toEqual(
      operation.body!.required!.map((each) => [`/${each}`, 'required']),
    );
  },
);

it.each(operations.filter(({ body, method }) => body === null && method !== 'GET'))(
  '$name accepts an empty body',
  (operation) => {
    expect(judge(operation, { ...goodCall(operation), body: {} })).toEqual([]);
  },
);
