import { storable, storableText } from './storable.js';

it.each([
  ['plain äöü 😀', 'plain äöü 😀'],
  ['a\0b', 'a\uFFFDb'],
  ['a\uD83D', 'a\uFFFD'],
  ['\uDE00\uD83Db', '\uFFFD\uFFFDb'],
])('makes %j storable', (text, made) => {
  expect(storableText(text)).toBe(made);
});

it('leaves no half of a character where it cuts', () => {
  expect(storableText('ab😀d', 3)).toBe('ab😀');
  expect(storableText('ab😀d', 2)).toBe('ab');
});

it('reaches everything inside of a value, and keeps its shape', () => {
  const value = { text: 'a\0', list: ['\uD83D', 1, null, true, { 'k\0': undefined }], ['__proto__']: '\0' };
  const made = storable(value);
  expect(made).toEqual({
    text: 'a\uFFFD',
    list: ['\uFFFD', 1, null, true, { 'k\uFFFD': undefined }],
    ['__proto__']: '\uFFFD',
  });
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
});
