/** Letters of the Latin alphabets that have no decomposition in Unicode, as basic letters. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', ŋ: 'ng', ŧ: 't', ĸ: 'k' },
  ...{ ə: 'e', ǝ: 'e', ɛ: 'e', ɔ: 'o', ɖ: 'd', ɗ: 'd', ɓ: 'b', ƙ: 'k', ƴ: 'y', ɣ: 'g', ɲ: 'n', ƒ: 'f', ʋ: 'v' },
  ...{ ɨ: 'i', ʉ: 'u', ɍ: 'r', ɇ: 'e', ɉ: 'j', ⱥ: 'a', ⱦ: 't', ƀ: 'b', ƶ: 'z', ǥ: 'g', ȼ: 'c', ʒ: 'z', ʃ: 's' },
};

/** Text without accents, in basic Latin letters where there is a rule for them; all others stay. */
export function toLatin(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{ASCII}]/gu, (letter) => {
      const lower = letter.toLowerCase();
      const basic = LETTERS[lower] ?? letter;
      return basic === letter || letter === lower ? basic : basic.toUpperCase();
    });
}

/** Whether a text has letters or digits for which {@link toLatin} has no rule. */
export function isBeyondLatin(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replace(/[\p{ASCII}\p{Lm}]/gu, ''));
}
