import fc from 'fast-check';
import {
  explainFilter,
  FILTER_OPERATORS,
  type FilterCondition,
  matchesFilter,
  type PayloadFilter,
} from './payload-filter.js';

describe('matching', () => {
  it('is what a naive reading says', () => {
    fc.assert(
      fc.property(sound(), data(), (filter, event) => {
        expect(matchesFilter(filter, event)).toBe(naive(filter, event));
        const { matches, conditions } = explainFilter(filter, event);
        expect(matches).toBe(naive(filter, event));
        for (const each of conditions) {
          expect(at(filter, each.pointer)).toEqual({ field: each.field, op: each.op, value: each.value });
          expect(each.held).toBe(naive(at(filter, each.pointer) as PayloadFilter, event));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('never throws, whatever it is given', () => {
    const garbage = fc.oneof(
      fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
      fc.letrec<{ node: unknown }>((tie) => ({
        node: fc.oneof(
          fc.record({ field: fc.anything(), op: fc.constantFrom(...FILTER_OPERATORS), value: fc.anything() }),
          fc.record({ and: fc.oneof(fc.array(tie('node')), fc.anything()) }),
          fc.record({ or: fc.oneof(fc.array(tie('node')), fc.anything()) }),
          fc.record({ not: fc.oneof(tie('node'), fc.anything()) }),
        ),
      })).node,
    );
    fc.assert(
      fc.property(garbage, fc.oneof(data(), fc.anything()), (filter, event) => {
        expect(typeof matchesFilter(filter as PayloadFilter, event as object)).toBe('boolean');
      }),
      { numRuns: 3_000 },
    );
  });
});

function scalar() {
  return fc.constantFrom<unknown>(0, 1, 2, -1.5, '', 'a', 'ab', 'b', '2026-11-21T09:15:02Z', '2026-11-21', true, false);
}

function data(): fc.Arbitrary<object> {
  const value = fc.oneof(scalar(), fc.constant(null), fc.array(scalar(), { maxLength: 3 }));
  return fc.record({ a: value, b: value, c: fc.oneof(value, fc.record({ d: value })) }, { requiredKeys: [] });
}

/** Valid filters of up to four levels. */
function sound(levels = 4): fc.Arbitrary<PayloadFilter> {
  const field = fc.constantFrom('a', 'b', 'c', 'c.d', 'c.e');
  const leaf = fc.oneof(
    fc.record({ field, op: fc.constant('eq'), value: fc.oneof(scalar(), fc.constant(null)) }),
    fc.record({ field, op: fc.constant('in'), value: fc.array(scalar(), { minLength: 1, maxLength: 3 }) }),
    fc.record({ field, op: fc.constant('exists'), value: fc.boolean() }),
    fc.record({
      field,
      op: fc.constantFrom('gt', 'gte', 'lt', 'lte'),
      value: fc.constantFrom<unknown>(0, 1, 'a', 'ab'),
    }),
    fc.record({ field, op: fc.constant('starts_with'), value: fc.constantFrom('a', 'ab', '2026') }),
  ) as fc.Arbitrary<FilterCondition>;
  if (levels === 1) return leaf;
  const some = fc.array(sound(levels - 1), { minLength: 1, maxLength: 2 });
  return fc.oneof(
    leaf,
    some.map((and) => ({ and })),
    some.map((or) => ({ or })),
    sound(levels - 1).map((not) => ({ not })),
  );
}

/** Instants have only one form here, so strings can be compared directly. */
function naive(filter: PayloadFilter, event: object): boolean {
  if ('and' in filter) return !filter.and.some((each) => !naive(each, event));
  if ('or' in filter) return filter.or.map((each) => naive(each, event)).includes(true);
  if ('not' in filter) return naive(filter.not, event) ? false : true;
  const { field, op, value: wanted } = filter;
  const there = at(event, `/${field.replaceAll('.', '/')}`) ?? null;
  const items: unknown[] = Array.isArray(there) ? there : [there];
  const sameKind = (item: unknown) => typeof item === typeof wanted && item !== null;
  const tests: Record<string, () => boolean> = {
    eq: () => items.includes(wanted),
    in: () => items.some((item) => (wanted as unknown[]).includes(item)),
    exists: () => (there === null) !== wanted,
    gt: () => items.some((item) => sameKind(item) && item! > wanted!),
    gte: () => items.some((item) => sameKind(item) && item! >= wanted!),
    lt: () => items.some((item) => sameKind(item) && item! < wanted!),
    lte: () => items.some((item) => sameKind(item) && item! <= wanted!),
    starts_with: () =>
      items.some((item) => typeof item === 'string' && item.slice(0, String(wanted).length) === wanted),
  };
  return tests[op]!();
}

/** The value at a JSON pointer. */
function at(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce(
      (part: unknown, key) => (Object(part) === part ? (part as Record<string, unknown>)[key] : undefined),
      value,
    );
}
