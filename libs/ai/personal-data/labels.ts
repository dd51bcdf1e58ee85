import { cut } from '#libs/kernel/cut.js';
import { matching, partIf, type Span } from './kinds.js';
import { PLACEHOLDER } from './placeholders.js';

/** Separators between a label and its value, also in JSON, a table or a form. */
const BETWEEN = String.raw`[\s:=."'#|>-]{0,6}(?:(?:is|no|nr|number|nummer)\b[\s:=."'#|>-]{0,6})?`;

/** A value after a label in running text. The span excludes the label. */
function labelled(words: string, value: string): RegExp {
  return new RegExp(`(?:${words})${BETWEEN}(${value})`, 'iu');
}

/** The name of a field as words in lower case: `dateOfBirth` and `date_of_birth` are `date of birth`. */
export function wordsOf(field: string): string {
  return cut(field, 200)
    .replaceAll(PLACEHOLDER, '')
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .replaceAll(/[_.-]+/g, ' ')
    .toLowerCase();
}

/** The whole text without surrounding white space, if it matches a form. */
function* whole(text: string, form: RegExp): Generator<Span> {
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  if (end > start && form.test(text.slice(start, end))) yield { start, end };
}

/** Values found by a label in the text, or else by the name of the field that contains the text. */
export function* byLabel(
  text: string,
  label: string | null,
  { words, value, fields, form }: { words: string; value: string; fields: RegExp; form: RegExp },
  holds: (value: string) => boolean,
): Generator<Span> {
  if (label !== null && fields.test(label)) {
    const [all] = whole(text, form);
    if (all && holds(text.slice(all.start, all.end))) {
      yield all;
      return;
    }
  }
  yield* matching(text, labelled(words, value), partIf(holds));
}
