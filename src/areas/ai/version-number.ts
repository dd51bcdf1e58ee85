import { integer, text, type Kind } from '#libs/http/field.js';

export const versionNumber = () => integer({ min: 1, max: 2_147_483_647 });

const pathText = text({ min: 1, max: 40, pattern: /^[0-9a-z-]+$/ });

/** A version number in a path. Other text means an unknown version. */
export const versionInPath: Kind = {
  ...pathText,
  check: (value) =>
    pathText.check(value).length > 0 ? [{ code: 'invalid_id', detail: 'The value must be a number.' }] : [],
};

/** The number in a path segment; null if the text is not a number. */
export function versionOfPath(value: string): number | null {
  return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : null;
}
