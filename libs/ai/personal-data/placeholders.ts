import { PERSONAL_DATA_KINDS } from './kinds.js';

/** `TEXT` is for text that looks like a placeholder but is not one. */
const NAMES = [...PERSONAL_DATA_KINDS.map((kind) => kind.toUpperCase()), 'TEXT'];

/** A placeholder for personal data, e.g. `[EMAIL_1]`. */
export const PLACEHOLDER = new RegExp(`\\[(?:${NAMES.join('|')})_\\d{1,9}\\]`, 'g');
