import { explainFilter, type FilterCondition, matchesFilter, type PayloadFilter } from './payload-filter.js';

const DEAL = {
  status: 'won',
  valueMinor: 250_000,
  isStale: false,
  lostReason: null,
  tags: ['vip', 'renewal'],
  scores: [3, 7],
  none: [],
  account: { tier: 'gold', region: { code: 'EMEA' } },
  contacts: [{ role: 'buyer' }],
  updatedAt: '2026-11-21T09:15:02.114Z',
  closeDate: '2026-12-18',
};

const condition = (field: string, op: string, value: unknown) => ({ field, op, value }) as FilterCondition;

describe('a condition', () => {
  it.each([
    ['status', 'eq', 'won', true],
    ['status', 'eq', 'Won', false],
    ['valueMinor', 'eq', 250_000, true],
    ['valueMinor', 'eq', '250000', false],
    ['isStale', 'eq', false, true],
    ['lostReason', 'eq', null, true],
    ['noSuchField', 'eq', null, true],
    ['status', 'eq', null, false],
    ['account.tier', 'eq', 'gold', true],
    ['account.region.code', 'in', ['APAC', 'EMEA'], true],
    ['account.region.code', 'in', ['APAC'], false],
    ['status', 'exists', true, true],
    ['isStale', 'exists', true, true],
    ['lostReason', 'exists', true, false],
    ['lostReason', 'exists', false, true],
    ['noSuchField', 'exists', false, true],
    ['account.noSuchField.code', 'exists', false, true],
    ['account', 'exists', true, true],
    ['none', 'exists', true, true],
    ['valueMinor', 'gt', 249_999, true],
    ['valueMinor', 'gt', 250_000, false],
    ['valueMinor', 'gte', 250_000, true],
    ['valueMinor', 'lt', 250_000, false],
    ['valueMinor', 'lte', 250_000, true],
    ['valueMinor', 'gt', '0', false],
    ['lostReason', 'lt', 1, false],
    ['lostReason', 'gte', 'a', false],
    ['isStale', 'gte', 0, false],
    ['status', 'starts_with', 'wo', true],
    ['status', 'starts_with', 'on', false],
    ['valueMinor', 'starts_with', '25', false],
    ['closeDate', 'starts_with', 2026, false],
    ['status', 'no_such_operator', 'won', false],
  ])('%s %s %p: %p', (field, op, value, expected) => {
    expect(matchesFilter(condition(field, op, value), DEAL)).toBe(expected);
  });

  it.each([
    ['tags', 'eq', 'vip', true],
    ['tags', 'eq', 'new', false],
    ['tags', 'in', ['new', 'renewal'], true],
    ['tags', 'starts_with', 're', true],
    ['scores', 'gt', 6, true],
    ['scores', 'lt', 3, false],
    ['none', 'eq', null, false],
  ])('on a list looks for one item that is so: %s %s %p: %p', (field, op, value, expected) => {
    expect(matchesFilter(condition(field, op, value), DEAL)).toBe(expected);
  });

  it.each([
    ['updatedAt', 'gte', '2026-11-21T09:15:02Z', true],
    ['updatedAt', 'lt', '2026-11-21T09:15:02Z', false],
    ['updatedAt', 'lt', '2026-11-21T09:15:03Z', true],
    ['updatedAt', 'gt', '2026-11-21T11:15:02.113+02:00', true],
    ['updatedAt', 'lte', '2026-11-21T11:15:02.114+02:00', true],
    ['closeDate', 'gt', '2026-12-01', true],
    ['closeDate', 'lt', '2026-12-01', false],
    ['closeDate', 'gt', '2026-11-21T09:15:02Z', true],
  ])('compares instants and days in time: %s %s %s: %p', (field, op, value, expected) => {
    expect(matchesFilter(condition(field, op, value), DEAL)).toBe(expected);
  });

  it.each(['constructor', 'toString', 'status.length', 'tags.length', 'contacts.role', 'constructor.name'])(
    'finds nothing at %s: it is inherited, or inside of a text or a list',
    (field) => {
      expect(matchesFilter(condition(field, 'exists', true), DEAL)).toBe(false);
    },
  );
});

describe('a filter', () => {
  const yes = condition('status', 'eq', 'won');
  const no = condition('status', 'eq', 'lost');

  it.each<[PayloadFilter, boolean]>([
    [{ and: [yes, yes] }, true],
    [{ and: [yes, no] }, false],
    [{ or: [no, yes] }, true],
    [{ or: [no, no] }, false],
    [{ not: no }, true],
    [{ not: yes }, false],
    [{ and: [yes, { or: [no, { not: no }] }] }, true],
  ])('%j: %p', (filter, expected) => {
    expect(matchesFilter(filter, DEAL)).toBe(expected);
  });

  it('is explained condition by condition, also where it was decided before', () => {
    const filter: PayloadFilter = {
      or: [yes, { not: condition('account.tier', 'exists', false) }, condition('account.size', 'gt', 10)],
    };
    expect(explainFilter(filter, DEAL)).toEqual({
      matches: true,
      conditions: [
        { ...yes, pointer: '/or/0', present: true, found: 'won', held: true },
        {
          field: 'account.tier',
          op: 'exists',
          value: false,
          pointer: '/or/1/not',
          present: true,
          found: 'gold',
          held: false,
        },
        { field: 'account.size', op: 'gt', value: 10, pointer: '/or/2', present: false, found: null, held: false },
      ],
    });
  });

  it('tells an empty field from one that is not there when it is explained', () => {
    const explained = explainFilter(
      { and: [condition('lostReason', 'eq', null), condition('nothing', 'eq', null)] },
      DEAL,
    );
    expect(explained.conditions.map(({ present, found }) => ({ present, found }))).toEqual([
      { present: true, found: null },
      { present: false, found: null },
    ]);
  });

  it('is explained in a few words, however much the event has there', () => {
    const data = {
      text: 'x'.repeat(100_000),
      pairs: '😀'.repeat(1_000),
      list: Array(10_000).fill('y'.repeat(1_000)),
      object: { a: { b: 'c' } },
      mixed: [{ a: 1 }, [1, 2], null, 4],
    };
    const filter = { and: Object.keys(data).map((field) => condition(field, 'exists', true)) };
    const [text, pairs, list, object, mixed] = explainFilter(filter, data).conditions.map(({ found }) => found);
    expect(text).toBe('x'.repeat(500));
    expect(pairs).toBe('😀'.repeat(500));
    expect(list).toEqual(Array(50).fill('y'.repeat(500)));
    expect(object).toEqual({});
    expect(mixed).toEqual([{}, [], null, 4]);
  });

  it('does not follow a filter beyond its levels', () => {
    let deep: PayloadFilter = condition('status', 'eq', 'won');
    for (let level = 0; level < 100_000; level++) deep = { and: [deep] };
    expect(matchesFilter(deep, DEAL)).toBe(false);
  });
});
