import { csvOf, tableOf } from './csv.js';

it('writes a table as in RFC 4180 without formulas', () => {
  expect(
    tableOf(
      ['a', 'b'],
      [
        ['=1+1', -5],
        ['x "y", z', null],
        ['', '-5'],
      ],
    ),
  ).toBe(`a,b\r\n'=1+1,-5\r\n"x ""y"", z",\r\n"",'-5\r\n`);
});

it('joins lists and writes a header also without rows', () => {
  expect(csvOf(['a', 'b'], [{ a: ['x', 'y'], b: null }])).toBe('a,b\r\nx; y,\r\n');
  expect(csvOf(['a', 'b'], [])).toBe('a,b\r\n');
});
