import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { checkFilter, payloadFilter } from './payload-filter-check.js';

const LEAF = { field: 'status', op: 'eq', value: 'won' };
const leaves = (count: number) => Array.from({ length: count }, () => LEAF);
const faults = (value: unknown) => checkFilter(value, '/filter').map(({ pointer, code }) => `${pointer} ${code}`);

describe('a sound filter', () => {
  it.each([
    LEAF,
    { field: 'account.tier', op: 'in', value: ['gold', 7, true] },
    { field: 'lostReason', op: 'eq', value: null },
    { field: 'customFields.regionCode', op: 'exists', value: false },
    { field: 'valueMinor', op: 'gte', value: 100_000 },
    { field: 'closeDate', op: 'lt', value: '2026-12-01' },
    { field: 'name', op: 'starts_with', value: 'Acme' },
    { and: leaves(20) },
    { or: [{ and: [{ not: LEAF }] }, LEAF] },
  ])('has no faults: %j', (filter) => {
    expect(checkFilter(filter, '/filter')).toEqual([]);
    expect(new Ajv2020({ strict: false }).validate(payloadFilter().schema, filter)).toBe(true);
  });
});

describe('a faulty filter', () => {
  it.each<[unknown, string[]]>([
    [null, ['/filter invalid_type']],
    ['status', ['/filter invalid_type']],
    [[LEAF], ['/filter invalid_type']],
    [{}, ['/filter/field required', '/filter/op required', '/filter/value required']],
    [{ field: 'status', op: 'eq' }, ['/filter/value required']],
    [{ ...LEAF, op: 'ne' }, ['/filter/op invalid_value']],
    [{ ...LEAF, op: 'toString' }, ['/filter/op invalid_value']],
    [{ ...LEAF, field: '' }, ['/filter/field too_short']],
    [{ ...LEAF, field: 7 }, ['/filter/field invalid_type']],
    [{ ...LEAF, field: 'data..status' }, ['/filter/field invalid_format']],
    [{ ...LEAF, field: '__proto__.x' }, ['/filter/field invalid_format']],
    [{ ...LEAF, field: 'a'.repeat(101) }, ['/filter/field too_long']],
    [{ ...LEAF, 'a/b~': 1 }, ['/filter/a~1b~0 unknown_field']],
    [{ ...LEAF, and: [LEAF] }, ['/filter/field', '/filter/op', '/filter/value'].map((each) => `${each} unknown_field`)],
    [{ and: [LEAF], or: [LEAF] }, ['/filter/or unknown_field']],
    [{ and: LEAF }, ['/filter/and invalid_type']],
    [{ or: [] }, ['/filter/or too_few']],
    [{ or: leaves(21) }, ['/filter/or too_many']],
    [{ or: [LEAF, 1, null] }, ['/filter/or/1 invalid_type', '/filter/or/2 invalid_type']],
    [{ not: [LEAF] }, ['/filter/not invalid_type']],
    [
      { and: [{ or: [LEAF, { ...LEAF, op: 'like' }] }, { not: {} }] },
      [
        '/filter/and/0/or/1/op invalid_value',
        '/filter/and/1/not/field required',
        '/filter/and/1/not/op required',
        '/filter/and/1/not/value required',
      ],
    ],
    [{ or: [{ and: leaves(11) }, { and: leaves(10) }] }, ['/filter too_many']],
    [{ not: { not: { not: { not: LEAF } } } }, ['/filter/not/not/not too_deep']],
  ])('is told where and why: %j', (filter, expected) => {
    expect(faults(filter)).toEqual(expected);
  });

  it.each<[string, unknown, string[]]>([
    ['eq', ['won'], ['/filter/value invalid_type']],
    ['eq', {}, ['/filter/value invalid_type']],
    ['eq', 'a\0', ['/filter/value invalid_characters']],
    ['eq', 'x'.repeat(501), ['/filter/value too_long']],
    ['eq', Infinity, ['/filter/value invalid_type']],
    ['in', 'won', ['/filter/value invalid_type']],
    ['in', [], ['/filter/value too_few']],
    ['in', Array(51).fill(1), ['/filter/value too_many']],
    [
      'in',
      ['a', {}, null, '\ud800'],
      ['/1 invalid_type', '/2 not_nullable', '/3 invalid_characters'].map((each) => `/filter/value${each}`),
    ],
    ['exists', 'true', ['/filter/value invalid_type']],
    ['exists', null, ['/filter/value invalid_type']],
    ['gt', true, ['/filter/value invalid_type']],
    ['gte', null, ['/filter/value invalid_type']],
    ['lt', [1], ['/filter/value invalid_type']],
    ['lte', NaN, ['/filter/value invalid_type']],
    ['starts_with', '', ['/filter/value too_short']],
    ['starts_with', 7, ['/filter/value invalid_type']],
  ])('has a value that its operator does not take: %s %j', (op, value, expected) => {
    expect(faults({ field: 'status', op, value })).toEqual(expected);
  });

  it('is refused however deep it is', () => {
    let deep: object = LEAF;
    for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? { not: deep } : { and: [deep] };
    expect(faults(deep)).toEqual(['/filter/and/0/not/and/0 too_deep']);
  });
});

describe('checking', () => {
  const part = fc.oneof(fc.constantFrom<unknown>(...leaves(1), 'eq', 'in', 'exists', 'status'), fc.anything());
  const garbage = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 6 },
      part,
      fc.record({ field: part, op: part, value: part }, { requiredKeys: [] }),
      fc.record({ and: fc.oneof(part, fc.array(tie('node'))), or: fc.array(tie('node')) }, { requiredKeys: [] }),
      fc.record({ not: tie('node') }),
    ),
  })).node;

  it('takes no field from an object that cannot be a text', () => {
    const faults = checkFilter({ field: { toString: 0 }, op: 'eq', value: 'me' }, '');
    expect(faults).toEqual([expect.objectContaining({ pointer: '/field' })]);
  });

  it('never throws, and every fault is at a place that is there, or that would have to be', () => {
    fc.assert(
      fc.property(garbage, (value) => {
        for (const { pointer, code, detail } of checkFilter(value, '')) {
          expect(detail).not.toBe('');
          const path = pointer!.split('/').slice(1);
          const found = code === 'required' ? path.slice(0, -1) : path;
          expect(leadsSomewhere(value, found)).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

function leadsSomewhere(value: unknown, [token, ...rest]: string[]): boolean {
  if (token === undefined) return true;
  const member = Object.keys(value as object).find((key) => escaped(key) === token);
  return member !== undefined && leadsSomewhere((value as Record<string, unknown>)[member], rest);
}

function escaped(member: string): string {
  return member.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}
