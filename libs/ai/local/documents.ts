import { cut } from '#libs/kernel/cut.js';
import type { ContextRecord, ModelTask } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { factsOf, nameOf, valueAt } from './facts.js';
import { statementsOf } from './letters.js';
import { bestSentences, Passages } from './ranking.js';
import { sentencesOf } from './words.js';

type Variables = Record<string, string | number | boolean>;

const PLACEHOLDER = /\{\{ {0,3}([\w.-]{1,120}) {0,3}\}\}/g;
const MAX_MISSING = 100;
const PER_SECTION = 5;
const MAX_ANSWERS = 4;

interface DocumentInput {
  title?: string;
  template?: string;
  sections?: string[];
  instructions?: string;
  variables?: Variables;
}

/** A document from a template, or from headings with the related facts. Missing facts are listed. */
export function draftDocument({ input, records }: ModelTask): LocalAnswer {
  const { title, template, sections, instructions = '', variables = {} } = input as DocumentInput;
  const missing = new Set<string>();
  const fill = (text: string) => filled(text, variables, records, missing);
  const body = template === undefined ? fromHeadings(sections ?? [], instructions, records, missing) : fill(template);
  const named =
    title === undefined ? records.map(nameOf).join(', ') || sentencesOf(body)[0] || 'Document' : fill(title);
  return { json: { title: cut(named, 500), body, missing: [...missing].slice(0, MAX_MISSING) } };
}

/** A prompt with placeholders is a template; any other prompt is a question about the context and the records. */
export function generateText({ input, records }: ModelTask): LocalAnswer {
  const { prompt, context = '', variables = {} } = input as { prompt: string; context?: string; variables?: Variables };
  if (prompt.search(PLACEHOLDER) !== -1) return { text: filled(prompt, variables, records, new Set()) };
  const texts = [...sentencesOf(context), ...records.flatMap(statementsOf)];
  if (texts.length === 0) return { text: bestSentences(prompt, MAX_ANSWERS).join(' ') };
  const found = new Passages(texts).relevant(prompt, MAX_ANSWERS);
  return { text: found.length > 0 ? found.join(' ') : bestSentences(texts.join('\n'), MAX_ANSWERS, prompt).join(' ') };
}

/**
 * `{{name}}` is a variable; `{{deal.name}}` is a field of the record whose type ends in `deal`. Unknown placeholders
 * remain and are reported.
 */
function filled(text: string, variables: Variables, records: readonly ContextRecord[], missing: Set<string>): string {
  return text.replaceAll(PLACEHOLDER, (placeholder, path: string) => {
    const value = Object.hasOwn(variables, path) ? String(variables[path]) : fromRecords(path, records);
    if (value === null) missing.add(path);
    return value ?? placeholder;
  });
}

function fromRecords(path: string, records: readonly ContextRecord[]): string | null {
  const [type = '', ...rest] = path.split('.');
  const named = records.find(({ object }) => object.split('.').at(-1) === type || object.replace('.', '_') === type);
  if (named && rest.length > 0) return valueAt(named, rest.join('.'));
  return records.length === 1 ? valueAt(records[0]!, path) : null;
}

function fromHeadings(
  sections: readonly string[],
  instructions: string,
  records: readonly ContextRecord[],
  missing: Set<string>,
): string {
  const passages = new Passages([...sentencesOf(instructions), ...records.flatMap(statementsOf)]);
  const facts = records.flatMap((record) => factsOf(record).map(({ label, value }) => `${label}: ${value}`));
  if (sections.length === 0) return [...sentencesOf(instructions), ...facts.map((fact) => `- ${fact}`)].join('\n');
  return sections
    .map((heading) => {
      const found = passages.relevant(heading, PER_SECTION);
      if (found.length === 0) missing.add(heading);
      return [`## ${heading}`, ...found.map((passage) => `- ${passage}`)].join('\n');
    })
    .join('\n\n');
}
