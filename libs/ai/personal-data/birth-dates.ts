import type { Recogniser } from './kinds.js';
import { byLabel } from './labels.js';

const MONTH = String.raw`\p{L}{3,10}\.?`;
const DATE = [
  String.raw`\d{4}[-\/.]\d{1,2}[-\/.]\d{1,2}`,
  String.raw`\d{1,2}[-\/. ]{1,2}\d{1,2}[-\/. ]{1,2}\d{2,4}`,
  String.raw`\d{1,2}(?:st|nd|rd|th|\.)? ?(?:of )?${MONTH},? ?\d{2,4}`,
  String.raw`${MONTH} ?\d{1,2}(?:st|nd|rd|th)?,? ?\d{2,4}`,
  String.raw`\d{8}`,
].join('|');

const LABELLED = {
  words: String.raw`date ?of ?birth|birth ?da(?:y|te)|\bdob\b|\bborn(?: on)?\b|geburtsdatum|\bgeb\.|geboren(?: am)?|n[ée]e? le\b|date ?de ?naissance|fecha ?de ?nacimiento|data ?di ?nascita|geboortedatum`,
  value: `(?:${DATE})(?!\\d)`,
  fields: /birth ?da(y|te)|date ?of ?birth|\bdob\b|\bborn\b|geburtsdatum/,
  form: new RegExp(`^(?:${DATE})(?:T[\\d:.Z+-]{5,20})?$`, 'iu'),
};

/** Dates of birth with a label: nothing else distinguishes them from other dates. */
export const birthDates: Recogniser = (text, label) => byLabel(text, label, LABELLED, () => true);
