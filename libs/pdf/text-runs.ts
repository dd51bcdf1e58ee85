import { type FontFamily, hasCharacter } from './fonts.js';

/** A piece of text in one font. */
export interface FontRun {
  text: string;
  font: FontFamily;
}

/** Shown for characters that no font has. */
const UNKNOWN = '\ufffd';
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
/** Characters that join, vary or space what precedes them, and stay in its font. */
const JOINED = /^[\p{Mn}\p{Me}\u200b-\u200d\ufe0e\ufe0f]$/u;
const INVISIBLE = /^[\u200b-\u200d\ufe0e\ufe0f]$/u;
const HANGUL = /^[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]$/u;
const EAST_ASIAN = /^[\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{20000}-\u{3ffff}]$/u;
/** All of it is in the first font. */
const PLAIN = /^[\n\u0020-\u007e\u00a0-\u017f\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac]*$/u;
/** Longer words can be broken anywhere. */
const LONG_WORD = /[^\s\u200b]{40,}/gu;
const PIECE = /[^]{1,10}/gu;

/** Splits text by the fonts that have its characters. `locale` decides between forms of Han. */
export function fontRuns(text: string, locale: string): FontRun[] {
  const clean = text.normalize('NFC').replaceAll(CONTROLS, '').replaceAll(LONG_WORD, breakable);
  if (PLAIN.test(clean)) return [{ text: clean, font: 'latin' }];
  const runs: FontRun[] = [];
  for (const character of clean) {
    const last = runs.at(-1);
    const isJoined = JOINED.test(character);
    const font = isJoined && last ? last.font : familyOf(character, locale);
    const isKnown = font !== null && (!isJoined || hasCharacter(font, character.codePointAt(0)!));
    const shown = isKnown ? character : INVISIBLE.test(character) ? '' : UNKNOWN;
    if (shown === '') continue;
    const family = isKnown ? font : 'wide';
    if (last?.font === family) last.text += shown;
    else runs.push({ text: shown, font: family });
  }
  return runs.length > 0 ? runs : [{ text: '', font: 'latin' }];
}

/** Null if no font has a character. */
function familyOf(character: string, locale: string): FontFamily | null {
  const point = character.codePointAt(0)!;
  if (point === 10 || point === 9) return 'latin';
  const families = orderOf(character, locale);
  return families.find((family) => hasCharacter(family, point)) ?? null;
}

function orderOf(character: string, locale: string): FontFamily[] {
  if (HANGUL.test(character)) return ['korean'];
  if (!EAST_ASIAN.test(character)) return ['latin', 'wide', 'chinese'];
  return /^ko\b/i.test(locale) ? ['korean', 'chinese'] : ['chinese', 'korean'];
}

function breakable(word: string): string {
  return word.match(PIECE)!.join('\u200b');
}
