import { isOneLine, isVisible, withoutUnseen } from '#libs/kernel/line.js';
import { isStorable } from '#libs/kernel/storable.js';

/** Longest text that is one line unless it says otherwise. */
const MAX_LINE = 254;

/** Bounds of a text; lengths in characters. */
export interface TextBounds {
  /** May have several lines although it is short. */
  lines?: boolean;
  min?: number;
  max: number;
  pattern?: RegExp;
  /** The pattern in words, completing "The text must be "; the pattern itself is in the schema. */
  form?: string;
  format?: string;
}

export function isLine({ lines, max }: TextBounds): boolean {
  return !(lines ?? max > MAX_LINE);
}

/** The fault of a value as a text with these bounds; null if there is none. */
export function textFault(bounds: TextBounds, value: unknown): { code: string; detail: string } | null {
  const { min = 0, max, pattern } = bounds;
  const fault = (code: string, detail: string) => ({ code, detail });
  if (typeof value !== 'string') return fault('invalid_type', 'The value must be a string.');
  if (!isStorable(value))
    return fault('invalid_characters', 'The text holds NUL or half of a surrogate pair, which cannot be stored.');
  if (isLine(bounds) && !isOneLine(value))
    return fault('invalid_characters', 'The text is one line, without controls and direction overrides.');
  const length = value.length <= max ? value.length : [...value].length;
  if (length > max) return fault('too_long', `The text may have at most ${max} characters.`);
  const seen = isLine(bounds) ? [...withoutUnseen(value)].length : length;
  if (seen < min) return fault('too_short', `The text must have at least ${min} character${min > 1 ? 's' : ''}.`);
  const mustShow = isNotBlank(pattern) || (pattern !== undefined && min > 0 && isLine(bounds));
  const fits = (isNotBlank(pattern) || (pattern?.test(value) ?? true)) && (!mustShow || isVisible(value));
  return fits ? null : fault('invalid_format', formFault(bounds));
}

function isNotBlank(pattern: RegExp | undefined): boolean {
  return pattern?.source === '\\S';
}

/** The error for a text that does not match. */
function formFault({ pattern, form }: TextBounds): string {
  if (form !== undefined) return `The text must be ${form}.`;
  return isNotBlank(pattern)
    ? 'The text must not be blank.'
    : 'The text does not have the form of this field; the API reference gives its pattern.';
}
