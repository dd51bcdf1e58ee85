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

it.each([
  '=1',
  '\r=1',
  '\n@SUM(1)',
  '\r\n=cmd()',
  ' =1',
  '\u00a0+1',
  '\u2003-1',
  '\u3000@a',
  '\ufeff=1',
  '\u200b=1',
  '\u2060\u202e=1',
  '\u0000=1',
  '＝1',
  '＋1',
  '－1',
  '＠a',
  '\ufeff ＝1',
  '\ttext',
  "'quoted",
])('writes %j so that no spreadsheet calculates it', (value) => {
  expect(tableOf(['a'], [[value]]).replace(/^a\r\n"?/, '')).toMatch(/^'/);
});

it.each(['text', ' text', 'a=1', '\u00e4 = b', '1-2', ' 5'])('writes %j as it is', (value) => {
  expect(tableOf(['a'], [[value]])).toBe(`a\r\n${value}\r\n`);
});

it('joins lists and writes a header also without rows', () => {
  expect(csvOf(['a', 'b'], [{ a: ['x', 'y'], b: null }])).toBe('a,b\r\nx; y,\r\n');
  expect(csvOf(['a', 'b'], [])).toBe('a,b\r\n');
});
