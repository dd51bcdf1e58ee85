import fc from 'fast-check';

/** Filters as data, a reference evaluation after RFC 7644 section 3.4.2.2, and users to test them with. */
export type Model =
  | { all: Model[] }
  | { any: Model[] }
  | { not: Model }
  | { attribute: string; present: true }
  | { attribute: string; operator: string; value: string | boolean | null }
  /** `brackets[inner]`, or with the sub-attribute comparison that Entra appends. */
  | { brackets: string; inner: Model; suffix?: Model };

export interface Person {
  [attribute: string]: unknown;
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const TEXTS = [
  'a',
  'A',
  'ab',
  'aB',
  'b',
  'ÄB',
  'äb',
  'a\u0308b',
  'a%',
  'a_',
  '\\',
  'a"',
  "'",
  'ß',
  'SS',
  '😀',
  '\uff5e',
  'true',
];
const INSTANTS = ['2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.001Z', '2026-11-21T09:15:02.500Z'];
const LISTS = ['emails', 'roles', 'addresses', 'groups'];
const EXACT = new Set(['externalId', `${ENTERPRISE}:manager.value`, 'id', 'groups.value', 'x509Certificates.value']);
const FLAGS = new Set(['active', 'emails.primary', 'roles.primary', 'addresses.primary']);
const SUBS: Record<string, string[]> = {
  emails: ['value', 'type', 'display', 'primary'],
  roles: ['value', 'type', 'display', 'primary'],
  addresses: ['country', 'type', 'primary'],
  groups: ['value', 'display'],
};
const PLAIN = [
  'userName',
  'externalId',
  'displayName',
  'title',
  'active',
  'name.familyName',
  'name.givenName',
  `${ENTERPRISE}:department`,
  `${ENTERPRISE}:manager.value`,
];

const text = () => fc.constantFrom(...TEXTS);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const identity = ({ value, type, ...rest }: Person) =>
  JSON.stringify([value, type, value === undefined ? rest : null])
    .normalize('NFC')
    .toLowerCase();
const elements = (extra: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .uniqueArray(fc.record({ ...extra, type: maybe(text()), primary: maybe(fc.constant(false)) }).map(filled), {
      maxLength: 3,
      selector: identity,
    })
    .map((list) => list.filter((each) => Object.keys(each).length > 0))
    // At most one element is primary.
    .chain((list) =>
      fc.nat({ max: 5 }).map((at) => list.map((each, i) => (i === at ? { ...each, primary: true } : each))),
    );

/** Attributes of a person besides a unique name; ids and times are assigned by the store. */
export function person(): fc.Arbitrary<Person> {
  const parts = {
    externalId: maybe(text()),
    displayName: maybe(text()),
    title: maybe(text()),
    active: fc.boolean(),
    name: fc.record({ familyName: maybe(text()), givenName: maybe(text()) }).map(filled),
    emails: elements({ value: text(), display: maybe(text()) }),
    roles: elements({ value: text(), display: maybe(text()) }),
    addresses: elements({ country: maybe(text()) }),
    [ENTERPRISE]: fc
      .record({ department: maybe(text()), manager: maybe(text().map((value) => ({ value }))) })
      .map(filled),
  };
  return fc.record(parts).map(filled);
}

/** Without empty members. */
function filled(members: object): Person {
  const isEmpty = (value: unknown) => value === undefined || JSON.stringify(value) === '{}';
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));
}

function compared(attribute: string, ids: readonly string[]): fc.Arbitrary<Model> {
  const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'];
  const is = (operator: fc.Arbitrary<string>, value: fc.Arbitrary<string | boolean | null>) =>
    fc.record({ attribute: fc.constant(attribute), operator, value });
  const equality = fc.constantFrom('eq', 'ne');
  if (FLAGS.has(attribute)) return is(equality, fc.constantFrom(true, false, null));
  const values =
    attribute.endsWith('id') || attribute === 'groups.value'
      ? fc.constantFrom(...ids, 'nobody')
      : fc.oneof(
          { weight: 9, arbitrary: text() },
          { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 3 }) },
        );
  return fc.oneof(
    { weight: 8, arbitrary: is(fc.constantFrom(...operators), values) },
    { weight: 1, arbitrary: is(equality, fc.constant(null)) },
    { weight: 1, arbitrary: fc.record({ attribute: fc.constant(attribute), present: fc.constant(true as const) }) },
  );
}

/** Valid filters; `ids` are the ids of some users and groups. */
export function model(ids: readonly string[], depth = 3): fc.Arbitrary<Model> {
  const names = [
    ...PLAIN,
    'id',
    ...LISTS.flatMap((list) => SUBS[list]!.map((sub) => `${list}.${sub}`)),
    'emails',
    'roles',
  ];
  const times = (operators: string[], values: string[]) =>
    fc.record({
      attribute: fc.constantFrom('meta.created', 'meta.lastModified'),
      operator: fc.constantFrom(...operators),
      value: fc.constantFrom(...values),
    });
  const time = fc.oneof(
    times(['eq', 'ne', 'gt', 'ge', 'lt', 'le'], INSTANTS),
    times(['co', 'sw', 'ew'], ['2026-11-20T', '00:00', '.500Z']),
  );
  const whole = fc
    .constantFrom(...LISTS, 'name', ENTERPRISE)
    .map((attribute) => ({ attribute, present: true as const }));
  const brackets = fc.constantFrom(...LISTS).chain((list) => {
    const inner = fc
      .constantFrom(...SUBS[list]!)
      .chain((sub) => compared(`${list}.${sub}`, ids).map((each) => ({ ...each, attribute: sub })));
    const suffix = fc.option(inner, { nil: undefined });
    return fc.record(
      { brackets: fc.constant(list), inner: joined(inner, 2), suffix },
      { requiredKeys: ['brackets', 'inner'] },
    );
  });
  const leaf = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names).chain((name) => compared(name, ids)) },
    { weight: 1, arbitrary: time },
    { weight: 1, arbitrary: whole },
    { weight: 3, arbitrary: brackets },
  );
  return joined(leaf, depth);
}

function joined(leaf: fc.Arbitrary<Model>, depth: number): fc.Arbitrary<Model> {
  if (depth === 0) return leaf;
  const below = joined(leaf, depth - 1);
  const several = fc.array(below, { minLength: 2, maxLength: 3 });
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: fc.record({ all: several }) },
    { weight: 1, arbitrary: fc.record({ any: several }) },
    { weight: 1, arbitrary: fc.record({ not: below }) },
  );
}

/** Serialises a model; `odd` varies case and whitespace and writes booleans as strings. */
export function written(filter: Model, odd: boolean): string {
  const word = (name: string) => (odd ? name.toUpperCase() : name);
  if ('all' in filter) return filter.all.map((each) => `(${written(each, odd)})`).join(` ${word('and')} `);
  if ('any' in filter) return filter.any.map((each) => `(${written(each, odd)})`).join(` ${word('or')} `);
  if ('not' in filter) return `${word('not')}${odd ? '' : ' '}(${written(filter.not, odd)})`;
  if ('brackets' in filter) {
    const { suffix } = filter;
    return `${word(filter.brackets)}[${written(filter.inner, odd)}]${suffix ? `.${written(suffix, odd)}` : ''}`;
  }
  if ('present' in filter) return `${word(filter.attribute)} ${word('pr')}`;
  const value = odd && typeof filter.value === 'boolean' ? (filter.value ? 'True' : 'False') : filter.value;
  return `${word(filter.attribute)}${odd ? '   ' : ' '}${word(filter.operator)} ${JSON.stringify(value)}`;
}

/** The result of the filter for a person. */
export function means(filter: Model, person: Person, within = ''): boolean {
  if ('all' in filter) return filter.all.every((each) => means(each, person, within));
  if ('any' in filter) return filter.any.some((each) => means(each, person, within));
  if ('not' in filter) return !means(filter.not, person, within);
  if ('brackets' in filter) {
    const list = (person[filter.brackets] ?? []) as Person[];
    const inside = `${filter.brackets}.`;
    return list.some(
      (each) => means(filter.inner, each, inside) && (!filter.suffix || means(filter.suffix, each, inside)),
    );
  }
  const values = valuesAt(person, filter.attribute);
  if ('present' in filter) return values.some((value) => value !== null);
  const { operator, value: wanted } = filter;
  const isExact = EXACT.has(`${within}${filter.attribute}`);
  const compare = (value: unknown) => holds(operator, plain(value, isExact), plain(wanted, isExact));
  return values.some(compare);
}

/** All values of an attribute, one per list element; null where it is missing. */
function valuesAt(person: Person, attribute: string): unknown[] {
  const [schema, path] = attribute.startsWith(`${ENTERPRISE}:`)
    ? [person[ENTERPRISE] as Person | undefined, attribute.slice(ENTERPRISE.length + 1)]
    : [person, attribute];
  const [name, sub] = attribute === ENTERPRISE ? [ENTERPRISE] : path.split('.');
  const value = schema?.[name!];
  if (Array.isArray(value)) {
    if (value.length === 0) return [null];
    return (value as Person[]).map((each) => (sub === undefined ? (each['value'] ?? each) : (each[sub] ?? null)));
  }
  if (sub === undefined) return [value ?? null];
  return [(value as Person | undefined)?.[sub] ?? null];
}

function plain(value: unknown, isExact: boolean): unknown {
  return typeof value === 'string' && !isExact ? value.normalize('NFC').toLowerCase() : value;
}

function holds(operator: string, value: unknown, wanted: unknown): boolean {
  if (operator === 'eq') return value === wanted;
  if (operator === 'ne') return value !== wanted;
  if (typeof value !== 'string' || typeof wanted !== 'string') return false;
  if (operator === 'co') return value.includes(wanted);
  if (operator === 'sw') return value.startsWith(wanted);
  if (operator === 'ew') return value.endsWith(wanted);
  const order = byCodePoint(value, wanted);
  return operator === 'gt' ? order > 0 : operator === 'ge' ? order >= 0 : operator === 'lt' ? order < 0 : order <= 0;
}

function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
