import { isBeyondLatin, toLatin } from './latin.js';

it.each([
  ['Łukasz Żółć', 'Lukasz Zolc'],
  ['Søren Ærø', 'Soren AEro'],
  ['Æsa Œuvre', 'AEsa OEuvre'],
  ['Işıl Yıldız İnan', 'Isil Yildiz Inan'],
  ['Đorđe', 'Dorde'],
  ['Þór Guðmundsson', 'THor Gudmundsson'],
  ['Nguyễn Đức', 'Nguyen Duc'],
  ['Weiß ẞ', 'Weiss SS'],
  ['Ħal Għaxaq', 'Hal Ghaxaq'],
  ['Əliyev', 'Eliyev'],
  ['Čáslavská Ţîrlea Ștefan', 'Caslavska Tirlea Stefan'],
  ['Ŋuyen ŧ ĸ', 'NGuyen t k'],
  ['ﬁ ﬂ ĳ', 'fi fl ij'],
])('%s is written %s', (text, basic) => {
  expect(toLatin(text)).toBe(basic);
  expect(isBeyondLatin(toLatin(text))).toBe(false);
});

it('every letter of the Latin alphabets of Europe, Turkey, Azerbaijan and Vietnam has a rule', () => {
  const blocks = [
    [0x00c0, 0x017f],
    [0x0180, 0x0183],
    [0x01a0, 0x01b0],
    [0x01cd, 0x01ed],
    [0x01f8, 0x021b],
    [0x1e00, 0x1e9b],
    [0x1ea0, 0x1ef9],
  ] as const;
  const rare = new Set('ƂƃơƢƣƤƥƦƧƨƩƪƫƬƭƮȜȝ×÷');
  for (const [first, last] of blocks)
    for (let point = first; point <= last; point++) {
      const letter = String.fromCodePoint(point);
      if (rare.has(letter)) continue;
      expect([letter, toLatin(letter)]).toEqual([letter, expect.stringMatching(/^[\x20-\x7e\u02bc\u02be\u00b7]+$/)]);
    }
});

it.each(['Ковалёв', '山田太郎', 'محمد', 'Ελένη', 'Anna Мария', 'שרה'])('there is no rule for %s', (text) => {
  expect(isBeyondLatin(toLatin(text))).toBe(true);
});
