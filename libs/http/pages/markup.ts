const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (each) => ENTITIES[each]!);

/** HTML that {@link markup} has made, so that all texts in it are escaped. */
class Escaped {
  constructor(readonly text: string) {}
}
export type Markup = Escaped;

/** What can stand in a template: texts are escaped, lists joined, and nothing is nothing. */
type Part = Escaped | string | number | null | undefined | false | readonly Part[];

/** Makes HTML of a template: markup`<p>${text}</p>`. Attributes with values need quotes. */
export function markup(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Escaped(strings.reduce((text, next, index) => text + textOf(parts[index - 1]) + next));
}

function textOf(part: Part): string {
  if (part instanceof Escaped) return part.text;
  if (Array.isArray(part)) return part.map(textOf).join('\n');
  if (typeof part === 'number') return String(part);
  return typeof part === 'string' ? escaped(part) : '';
}

/** A text as it was typed, with its lines and paragraphs. */
export function paragraphs(text: string): Markup {
  const blocks = text.split(/\r?\n[ \t]*\r?\n/).filter((block) => block.trim() !== '');
  return markup`${blocks.map((block) => markup`<p>${block.split(/\r?\n/).map((line, n) => markup`${n > 0 && markup`<br>`}${line}`)}</p>`)}`;
}
