import { LinearPattern, PatternError } from './linear-pattern.js';

const matches = (pattern: string, text: string) => new LinearPattern(pattern).matches(text);

describe('a pattern', () => {
  test.each([
    ['abc', ['abc'], ['ab', 'abcd', 'xabc', '']],
    ['^abc$', ['abc'], ['abcd']],
    ['a\\$', ['a$'], ['a', 'a\\']],
    ['a\\\\$', ['a\\'], ['a\\$']],
    ['', [''], ['a']],
    ['a|bc|', ['a', 'bc', ''], ['b', 'abc']],
    ['(a|b)*c', ['c', 'abbac'], ['abd']],
    ['(?:ab)+', ['ab', 'abab'], ['', 'aba']],
    ['a?b{2}c{1,3}d{2,}', ['bbcdd', 'abbcccddd'], ['bcdd', 'bbccccdd', 'bbcd']],
    ['a{0}b', ['b'], ['ab']],
    ['.', ['x', '€', '😀'], ['', 'xx', '\n']],
    ['[a-c_-]+', ['a-_c'], ['d', '']],
    ['[^0-9]', ['a', '\n'], ['5']],
    ['[\\d\\-]+', ['1-2'], ['a']],
    ['[\\]\\\\]', [']', '\\'], ['[']],
    ['\\d\\w\\s\\D\\W\\S', ['1_ a!x'], ['a_ a!x', '1_ 1!x']],
    ['\\.\\+\\*', ['.+*'], ['aaa']],
    ['\\t\\n', ['\t\n'], ['tn']],
    ['(a*)*b', ['b', 'aab'], ['aa']],
    ['\\p{L}+', ['Žofie', '名'], ['a1']],
    ['(?i)ab', ['AB', 'aB'], ['abc']],
    ['[A-Z]{2}-\\d{4}', ['AB-1234'], ['ab-1234', 'AB-123']],
  ])('%s', (pattern, fitting, others) => {
    for (const text of fitting) expect([text, matches(pattern, text)]).toEqual([text, true]);
    for (const text of others) expect([text, matches(pattern, text)]).toEqual([text, false]);
  });

  test.each([
    '(',
    ')',
    'a)',
    '[',
    '[]',
    '[a',
    '[z-a]',
    '[a-\\d]',
    '*',
    'a**',
    'a{2}{3}',
    'a{3,2}',
    'a{1001}',
    '(?=a)',
    '(?<!a)b',
    '(a)\\1',
    '\\',
    '(a{100}){100}',
    '(a?){1000}',
    'x'.repeat(201),
  ])('is refused: %s', (pattern) => {
    expect(() => new LinearPattern(pattern)).toThrow(PatternError);
  });

  test.each(['(a+)+b', '(a|a)*b', '(a|aa)+b', '(.*)*b', 'a*a*a*a*a*a*a*a*b', '(a?){60}a{60}', '([a-z]+)*[A-Z]'])(
    'never takes long: %s',
    (pattern) => {
      const started = performance.now();
      expect(matches(pattern, 'a'.repeat(500))).toBe(false);
      expect(performance.now() - started).toBeLessThan(2_000);
    },
  );
});
