import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { checkVersions, schemaVersions } from './payload-versions.js';

const events = new EventCatalogue();
const thing = { subjectType: 'test.thing', exampleUrl: '/' };
const event = { description: 'Something happened.', data: {}, example: {}, ...thing };
events.add({ ...event, type: 'test.thing.made', version: 1, deprecatedAt: '2026-11-01T00:00:00.000Z' });
events.add({ ...event, type: 'test.thing.made', version: 2, downgrade: (data) => data });

describe('the versions that an endpoint asks for', () => {
  it.each<[unknown, string[]]>([
    [{}, []],
    [{ 'test.thing.made': 2, 'no.such.type': 1_000 }, []],
    ['x', [' invalid_type']],
    [[2], [' invalid_type']],
    [{ 'a/b': 0, c: 1, d: 1.5, e: '2', f: null }, ['/a~1b', '/d', '/e', '/f'].map((at) => `${at} invalid_type`)],
    [{ a: 1_001 }, ['/a invalid_type']],
    [Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [n, 1])), [' too_many']],
  ])('are whole numbers by type: %j', (value, expected) => {
    const faults = schemaVersions().check(value);
    expect(faults.map(({ at = '', code }) => `${at} ${code}`)).toEqual(expected);
  });

  it('are declared', () => {
    const check = (versions: Record<string, number>) =>
      checkVersions(events, versions, '/schemaVersions').map(({ pointer, code }) => `${pointer} ${code}`);
    expect(check({ 'test.thing.made': 1 })).toEqual([]);
    expect(check({ 'test.thing.made': 2 })).toEqual([]);
    expect(check({ 'test.thing.made': 3, 'test.*': 1, toString: 1 })).toEqual([
      '/schemaVersions/test.thing.made unknown_version',
      '/schemaVersions/test.* unknown_event_type',
      '/schemaVersions/toString unknown_event_type',
    ]);
  });
});
