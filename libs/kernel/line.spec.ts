import { isOneLine, isVisible, oneLineOf, withoutUnseen } from './line.js';

it.each(['a\nb', 'a\r\nb', 'a\tb', 'a\u0007', 'a\u0085b', 'a\u2028b', 'a\u2029b', '\u202eOwner', 'a\u2066b\u2069'])(
  '%j is not one line',
  (text) => expect(isOneLine(text)).toBe(false),
);

it.each(['Ana', 'José', 'O’Neil–Smith', '李小龙', 'עברית', '👩‍👩‍👧 Family', 'می‌خواهم', 'a\u00a0b'])(
  '%j is one line, visible and kept as it is',
  (text) => expect([isOneLine(text), isVisible(text), withoutUnseen(text)]).toEqual([true, true, text]),
);

it.each(['', ' ', '\u200b', '\u2066\u200b\u2069', '\u00ad\u2060\ufeff', '\u3164', '\u115f\u1160', '\u0301', '\u2800'])(
  '%j shows nothing',
  (text) => expect(isVisible(text)).toBe(false),
);

it.each([
  ['Owner\u200b', 'Owner'],
  ['Ow\u00adner', 'Owner'],
  ['O\u200dwner\u200c', 'Owner'],
  ['Owner\ufe0f\u2060\u200e', 'Owner'],
  ['Owner\u{e0041}', 'Owner'],
  ['\ufeff❤️ x', '❤️ x'],
  ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['葛󠄀城', '葛󠄀城'],
])('%j is kept as %j', (text, kept) => expect(withoutUnseen(text)).toBe(kept));

it('makes a line of a name from outside', () => {
  expect(oneLineOf(' Evil\r\nBcc: x\u200b ')).toBe('Evil Bcc: x');
});
