import fc from 'fast-check';
import { cut, piecesOf, shortened } from './cut.js';

it.each([
  ['abc', 2, 'ab'],
  ['abc', 3, 'abc'],
  ['😀😀😀', 2, '😀😀'],
  ['a😀', 1, 'a'],
  ['ab', 0, ''],
  ['ae\u0301', 2, 'a'],
  ['x🇩🇪🇫🇷', 4, 'x🇩🇪'],
  ['x👩‍👩‍👧', 3, 'x'],
  ['a\r\nb', 2, 'a'],
  [`a${'\u0301'.repeat(50)}`, 45, `a${'\u0301'.repeat(44)}`],
])('cuts %j at %i', (text, max, made) => {
  expect(cut(text, max)).toBe(made);
});

it('keeps text well formed and within its bound, and loses nothing in pieces', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (text, max) => {
      const made = cut(text, max);
      expect(text.startsWith(made) && made.isWellFormed()).toBe(true);
      expect([...made].length).toBeLessThanOrEqual(max);
      expect(cut(made, max)).toBe(made);
      expect([...piecesOf(text, max)].join('')).toBe(text);
    }),
  );
});

it('marks what it leaves out', () => {
  expect(shortened('abcdef', 6)).toBe('abcdef');
  expect(shortened('ab defg', 4)).toBe('ab…');
});
