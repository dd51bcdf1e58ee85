import { canCollide, canRepeat, faultOf, type Numbering, numberOf, RESETS } from './number-pattern.js';

const of = (pattern: string, resets: Numbering['resets'] = 'never'): Numbering => ({ pattern, resets });

it.each([
  [of('INV-{YYYY}-{seq:5}', 'yearly')],
  [of('{YY}{MM}/{seq:3}', 'monthly')],
  [of('R1-{seq:2}')],
  [of('{seq:9}')],
  [of('ÄÖ-{YYYY}-{seq:4}')],
  [of('СЧЁТ {seq:4}')],
])('takes %j', (numbering) => {
  expect(faultOf(numbering)).toBeNull();
});

it.each([
  [of('INV-{YYYY}'), /needs the counter/],
  [of('{seq:5}-{seq:4}'), /the counter/],
  [of('{seq:5}-{seq:5}'), /more than once/],
  [of('{seq:0}'), /Only letters/],
  [of('{seq}'), /Only letters/],
  [of('INV-{DD}-{seq:5}'), /Only letters/],
  [of(' {seq:5}'), /Only letters/],
  [of('A\u0308{seq:5}'), /Only letters/],
  [of('😀{seq:5}'), /Only letters/],
  [of('{YYYY}{seq:5}'), /separate/],
  [of('R1{seq:5}'), /separate/],
  [of('INV-{seq:5}', 'yearly'), /year/],
  [of('INV-{YYYY}-{seq:5}', 'monthly'), /MM/],
  [of('INV-{MM}-{seq:5}', 'monthly'), /year/],
])('refuses %j', (numbering, fault) => {
  expect(faultOf(numbering)).toMatch(fault);
});

it.each([
  ['another word', of('INV-{seq:5}'), of('RE-{seq:5}', 'never'), false],
  ['more digits of the same count', of('INV-{seq:3}'), of('INV-{seq:5}'), false],
  ['a count that restarts', of('INV-{YYYY}-{seq:5}'), of('INV-{YYYY}-{seq:5}', 'yearly'), true],
  ['a year of two digits', of('INV-{YYYY}-{seq:5}', 'yearly'), of('INV-{YY}-{seq:5}', 'yearly'), false],
  ['year and count changed places', of('{YYYY}-{seq:4}'), of('{seq:4}-{YYYY}'), true],
  ['month for year', of('{YY}-{seq:4}'), of('{MM}-{seq:4}'), true],
  ['another fixed number', of('S1-{seq:4}'), of('S2-{seq:4}'), false],
  ['a fixed number for the year', of('26-{seq:4}'), of('{YY}-{seq:4}'), true],
])('knows whether %s can repeat a number', (_, one, other, expected) => {
  expect([canCollide(one, other), canCollide(other, one)]).toEqual([expected, expected]);
});

it('knows that two series with one pattern repeat numbers', () => {
  const pattern = 'INV-{YYYY}-{seq:5}';
  expect([canCollide(of(pattern), of(pattern)), canRepeat(of(pattern), of(pattern))]).toEqual([false, true]);
  expect(canRepeat(of(pattern), of('CN-{YYYY}-{seq:5}'))).toBe(false);
});

it('never gives a number twice over numberings that do not collide', () => {
  const patterns = [
    'A-{seq:1}',
    'A-{YY}-{seq:1}',
    'A-{seq:1}-{YY}',
    'A-{YY}{MM}-{seq:2}',
    '{MM}.{YY}.{seq:1}',
    'A-26-{seq:1}',
  ];
  const numberings = patterns.flatMap((pattern) => RESETS.map((resets) => of(pattern, resets)));
  const fine = numberings.filter((each) => faultOf(each) === null);
  const numbers = (numbering: Numbering) =>
    ['2026-01-31', '2026-12-01', '2012-01-01'].flatMap((date) =>
      Array.from({ length: 130 }, (_, index) => numberOf(numbering.pattern, date, index + 1)),
    );
  for (const one of fine)
    for (const other of fine) {
      if (one.pattern === other.pattern || canCollide(one, other)) continue;
      const seen = new Set(numbers(one));
      expect({ one, other, twice: numbers(other).filter((each) => seen.has(each)) }).toMatchObject({ twice: [] });
    }
});
