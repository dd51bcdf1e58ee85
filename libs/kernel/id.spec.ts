import { isUuid, timeOf, uuidv7 } from './id.js';

describe('uuidv7', () => {
  it('has the form of RFC 9562 in lower case', () => {
    for (let i = 0; i < 1_000; i++)
      expect(uuidv7()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  describe('at a time', () => {
    let clock: jest.SpyInstance;
    let ms: number;
    beforeEach(() => {
      ms = timeOf(uuidv7()) + 1_000; // ids never go back; little later, because other suites get ids from then on
      clock = jest.spyOn(Date, 'now').mockImplementation(() => ms);
    });
    afterEach(() => clock.mockRestore());

    it('carries the milliseconds in its first 48 bits', () => {
      const id = uuidv7();
      expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(ms);
      expect(timeOf(id)).toBe(ms);
    });

    it('rises within a millisecond, past the end of the counter, and when the clock goes back', () => {
      const ids = Array.from({ length: 10_000 }, () => uuidv7());
      ms -= 60_000;
      ids.push(...Array.from({ length: 100 }, () => uuidv7()));
      expect(ids.toSorted()).toEqual(ids);
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  it('never repeats, also when the pool of random bytes is filled again', () => {
    const ids = Array.from({ length: 50_000 }, () => uuidv7());
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids.map((id) => id.slice(24))).size).toBe(ids.length);
  });
});

describe('isUuid', () => {
  it('takes ids as this platform writes them', () => {
    expect(isUuid(uuidv7())).toBe(true);
    expect(isUuid('123e4567-e89b-42d3-a456-426614174000')).toBe(true);
  });

  it.each([
    '019AA5F4-9A52-7C31-8C1E-0C9A4A3F1B20',
    '019aa5f49a527c318c1e0c9a4a3f1b20',
    '{019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20}',
    '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b2',
    '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20\n',
    '019aa5f4-9a52-7c31-0c1e-0c9a4a3f1b20',
    '00000000-0000-0000-0000-000000000000',
    '',
    null,
    42,
  ])('refuses %j', (value) => {
    expect(isUuid(value)).toBe(false);
  });
});
