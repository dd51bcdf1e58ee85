import { type Kind, text } from '#libs/http/field.js';

const key = text({ min: 1, max: 128, pattern: /^[a-z0-9_.-]+$/ });
const FAULT = { code: 'invalid_id', detail: 'The value must be a key: lower-case letters, digits, `_`, `-` and `.`.' };

/** A path parameter with the key of an area or a type. */
export const keyInPath: Kind = { ...key, check: (value) => (key.check(value).length > 0 ? [FAULT] : []) };
