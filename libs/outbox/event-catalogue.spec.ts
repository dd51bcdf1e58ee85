import { EventCatalogue, type EventData, type EventType, statusOf } from './event-catalogue.js';

const WON = 'test.deal.won';

/** A type whose version 2 renames `status` to `state`, and whose version 3 separates the currency from the value. */
const VERSIONS: Record<1 | 2 | 3, EventType> = {
  1: declaration(1, { deprecatedAt: '2026-01-01T00:00:00Z', sunsetAt: '2027-01-01T00:00:00Z' }),
  2: declaration(2, {
    deprecatedAt: '2026-06-01T00:00:00Z',
    downgrade: ({ state, ...rest }) => ({ ...rest, status: state }),
  }),
  3: declaration(3, { downgrade: ({ value, currency, ...rest }) => ({ ...rest, value: [value, currency].join(' ') }) }),
};

function declaration(version: number, more: Partial<EventType> = {}): EventType {
  const head = { type: WON, version, description: 'A deal was won.', subjectType: 'test.deal', exampleUrl: '/' };
  return { ...head, data: { type: 'object' }, example: { id: String(version) }, ...more };
}

function catalogue(...events: EventType[]): EventCatalogue {
  const made = new EventCatalogue();
  for (const event of events) made.add(event);
  return made;
}

const all = () => catalogue(VERSIONS[1], VERSIONS[2], VERSIONS[3]);

describe('the catalogue', () => {
  it('lists all versions of all types by name, whatever the order in which types are declared', () => {
    const events = catalogue(
      { ...declaration(1), type: 'z.z.z' },
      VERSIONS[1],
      { ...declaration(1), type: 'a.a.a' },
      VERSIONS[2],
    );
    expect(events.all().map(({ type, version }) => `${type} ${version}`)).toEqual([
      'a.a.a 1',
      `${WON} 1`,
      `${WON} 2`,
      'z.z.z 1',
    ]);
  });

  it('finds types and versions, and only those that are declared', () => {
    const events = all();
    expect(events.newest(WON)).toBe(VERSIONS[3]);
    expect(events.find(WON, 2)).toBe(VERSIONS[2]);
    expect(events.find(WON, 4)).toBeUndefined();
    expect(events.find('test.deal.lost', 1)).toBeUndefined();
    expect([events.has(WON), events.has('test.deal'), events.has('toString')]).toEqual([true, false, false]);
    expect(() => events.newest('test.deal.lost')).toThrow('not declared');
  });

  it.each<[string, EventType[], string]>([
    ['is there already', [VERSIONS[1], VERSIONS[1]], 'declared twice'],
    ['leaves one out', [VERSIONS[1], VERSIONS[3]], 'Version 3 of the event type test.deal.won is declared after 1'],
    ['comes before the one before it', [VERSIONS[2], VERSIONS[1]], 'Version 1'],
    ['cannot be turned into the one before it', [VERSIONS[1], declaration(2)], 'has no downgrade'],
    [
      'follows one that is not deprecated',
      [declaration(1), VERSIONS[2]],
      'Version 1 of the event type test.deal.won is not',
    ],
    ['ends before it is deprecated', [declaration(1, { sunsetAt: '2027-01-01T00:00:00Z' })], 'dates'],
    ['is deprecated at no instant', [declaration(1, { deprecatedAt: 'soon' })], 'dates'],
    [
      'ends within 12 months',
      [declaration(1, { deprecatedAt: '2026-01-01T00:00:00Z', sunsetAt: '2026-12-31T23:59:59Z' })],
      'dates',
    ],
  ])('takes no version that %s', (_, events, message) => {
    expect(() => catalogue(...events)).toThrow(message);
  });

  it.each([
    ['two segments', 'sales.won'],
    ['one segment', 'won'],
    ['no name', ''],
    ['a capital letter', 'sales.Deal.won'],
    ['a hyphen', 'sales.deal-line.won'],
    ['a letter beyond ASCII', 'sales.deäl.won'],
    ['an empty segment', 'sales..won'],
    ['a dot before it', '.sales.deal.won'],
    ['a dot after it', 'sales.deal.won.'],
    ['a star', 'sales.deal.*'],
    ['white space', 'sales.deal.won '],
    ['a line end', 'sales.deal.won\n'],
    ['129 characters', `sales.deal.${'n'.repeat(118)}`],
    ['two segments, though of webhooks', 'webhook.pong'],
  ])('takes no type with %s', (_, type) => {
    expect(() => catalogue({ ...declaration(1), type })).toThrow('is no name for an event type');
  });

  it.each(['sales.deal.won', 'a.b_2.c.d', `sales.deal.${'n'.repeat(117)}`, 'webhook.ping', 'webhook.verification'])(
    'takes the type %s',
    (type) => {
      expect(catalogue({ ...declaration(1), type }).has(type)).toBe(true);
    },
  );

  it('takes a type whose first versions are gone', () => {
    expect(catalogue(VERSIONS[2], VERSIONS[3]).newest(WON)).toBe(VERSIONS[3]);
  });

  it('says which versions are deprecated', () => {
    expect(all().all().map(statusOf)).toEqual(['deprecated', 'deprecated', 'current']);
  });
});

describe('rendering in another version', () => {
  const stored: EventData = Object.freeze({ id: '7', state: 'won', value: 5, currency: 'EUR' });

  it('goes down version by version, and leaves what it is given as it is', () => {
    expect(all().render(WON, 3, 2, stored)).toEqual({ id: '7', state: 'won', value: '5 EUR' });
    expect(all().render(WON, 3, 1, stored)).toEqual({ id: '7', status: 'won', value: '5 EUR' });
  });

  it.each([
    ['the stored version', WON, 3, 3, 3],
    ['a later version than it was stored in', WON, 1, 3, 1],
    ['an earlier version', WON, 3, 1, 1],
    ['a version before all versions', WON, 3, 0, 1],
    ['an earlier version of a type that is not declared', 'test.deal.lost', 3, 1, 3],
    ['an earlier version than one that is not declared', WON, 4, 1, 4],
  ])('of an event when %s is wanted', (_, type, storedVersion, wantedVersion, expected) => {
    expect(all().versionFor(type, storedVersion, wantedVersion)).toBe(expected);
    if (expected === storedVersion) expect(all().render(type, storedVersion, wantedVersion, stored)).toBe(stored);
  });

  it('stops at the oldest version that is still declared', () => {
    const events = catalogue(VERSIONS[2], VERSIONS[3]);
    expect(events.versionFor(WON, 3, 1)).toBe(2);
    expect(events.render(WON, 3, 1, stored)).toEqual({ id: '7', state: 'won', value: '5 EUR' });
  });
});

describe('the versions of a new endpoint', () => {
  const events = catalogue(
    VERSIONS[1],
    VERSIONS[2],
    { ...VERSIONS[1], type: 'test.deal.lost' },
    { ...VERSIONS[1], type: 'other.deal.won' },
    { ...VERSIONS[2], type: 'other.deal.won' },
  );

  it.each<[string[], Record<string, number>]>([
    [[WON], { [WON]: 2 }],
    [['test.*'], { [WON]: 2 }],
    [['test.deal.lost'], {}],
    [['*'], { 'other.deal.won': 2, [WON]: 2 }],
    [['other.deal.*', 'test.deal.lost', 'other.*'], { 'other.deal.won': 2 }],
    [['test.deal'], {}],
    [[], {}],
  ])('that subscribes to %j', (patterns, expected) => {
    expect(events.pinnable(patterns)).toEqual(expected);
  });
});
