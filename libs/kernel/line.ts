/** What no single line holds: controls, line and paragraph separators, and marks that change the direction of what follows. */
const BREAKS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** A character that is seen: no blank, control, format mark or filler, and no accent without a letter. */
const SEEN = /[^\p{Z}\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Scripts in which a joiner changes how a word is written. */
const JOINING = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');
/** Fillers take the room of a letter. */
const FILLERS = '\\u115f\\u1160\\u3164\\uffa0';
/**
 * Marks without width, other than joiners in scripts that need them and between emoji, the selectors behind emoji and
 * ideographs, and the letters of flags.
 */
const UNSEEN = new RegExp(
  [
    `(?<=[${JOINING}])[\\u200c\\u200d]`,
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=[\\p{Emoji}\\p{Ideographic}])[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
    '(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]',
    '(?<=[\\u{1f3f4}\\u{e0020}-\\u{e007e}])[\\u{e0020}-\\u{e007f}]',
    `[${FILLERS}]`,
    '(\\p{Default_Ignorable_Code_Point})',
  ].join('|'),
  'gu',
);

/** Whether a text stays on its line and in its direction. */
export function isOneLine(text: string): boolean {
  return !BREAKS.test(text);
}

/** Whether there is anything to see. */
export function isVisible(text: string): boolean {
  return SEEN.test(text);
}

/** The text without marks that nobody sees, so that two names that look the same are the same. */
export function withoutUnseen(text: string): string {
  return /\p{Default_Ignorable_Code_Point}/u.test(text)
    ? text.replace(UNSEEN, (mark, unseen?: string) => (unseen === undefined ? mark : ''))
    : text;
}

/** A name from outside in a form that can be kept: on one line, without marks that nobody sees. */
export function oneLineOf(text: string): string {
  return withoutUnseen(text.replace(new RegExp(`${BREAKS.source}+`, 'gu'), ' ').replace(/^ +| +$/g, ''));
}
