import { type Context, type Emitter, Liquid, LiquidError, type Parser, RenderTag } from 'liquidjs';
import type { TagToken, Template, TopLevelToken } from 'liquidjs';
import { shortened } from '#libs/kernel/cut.js';
import { isOneLine } from '#libs/kernel/line.js';
import { type Conventions, formattingFilters } from './filters.js';
import { activeContent, escapedHtml, forbiddenStyle, withoutRawHtml } from './markup.js';
import {
  type Format,
  type Inspection,
  MAX_BODY,
  MAX_CONTENT,
  MAX_NESTING,
  MAX_PARTIALS,
  MAX_PIECES,
  MAX_SUBJECT,
  PARTIAL_KEY,
  type Rendering,
  type RenderOutcome,
  type TemplateFault,
  type TemplateText,
  TIME_MS,
} from './template.js';
import { schemaFault, variableFaults } from './variables-schema.js';

const TAGS = new Set(['#', 'assign', 'break', 'case', 'comment', 'continue', 'for', 'if', 'raw', 'render', 'unless']);
/** Filters of LiquidJS that the language has, besides those of {@link formattingFilters}. None leaves out the escaping. */
const FILTERS = new Set(
  (
    'abs append at_least at_most capitalize ceil compact concat default divided_by downcase first floor join last map ' +
    'minus modulo plus prepend remove replace reverse round size slice sort sort_natural split strip sum times ' +
    'truncate truncatewords uniq upcase where'
  ).split(' '),
);
/** Values that LiquidJS makes during one rendering: characters, and items of lists. */
const MEMORY = 2_000_000;
const MAX_WARNINGS = 50;
const PLAIN: Conventions = { locale: 'en', timeZone: 'UTC', currency: 'EUR' };

class TooCostly extends Error {}

/** Text that grows to {@link MAX_CONTENT} characters at most. */
class BoundedText implements Emitter {
  buffer = '';

  write(text: unknown): void {
    this.buffer += String(text);
    if (this.buffer.length > MAX_CONTENT) throw new TooCostly(`It makes more than ${MAX_CONTENT} characters.`);
  }
}

/** The language for one template: what it includes is only what is given. */
class Language {
  readonly liquid: Liquid;
  readonly included = new Set<string>();
  readonly warnings = new Set<string>();
  private pieces = 0;

  constructor(format: Format, partials: Rendering['partials'] = [], conventions = PLAIN) {
    this.liquid = new Liquid({
      templates: Object.assign(Object.create(null) as object, Object.fromEntries(partials)),
      relativeReference: false,
      cache: true,
      ownPropertyOnly: true,
      strictFilters: true,
      outputEscape: (value: unknown) => (format === 'html' ? escapedHtml(textOf(value)) : textOf(value)),
      parseLimit: MAX_BODY * (MAX_PARTIALS + 1),
      renderLimit: 4 * TIME_MS, // of any time; the thread is ended after so much time of its own
      memoryLimit: MEMORY,
    });
    const { tags, filters } = this.liquid;
    for (const tag of Object.keys(tags)) if (!TAGS.has(tag)) delete tags[tag];
    for (const filter of Object.keys(filters)) if (!FILTERS.has(filter)) delete filters[filter];
    this.liquid.registerTag('render', partialTag(this.included));
    const own = formattingFilters(conventions, (warning) => this.warnings.add(warning));
    for (const [name, filter] of Object.entries(own)) this.liquid.registerFilter(name, filter);
    this.limitPieces();
  }

  parse(source: string): Template[] {
    refuseDeep(source);
    return this.liquid.parse(source);
  }

  /** Included templates get the same data, but not what the template assigns. */
  render(templates: Template[], data: Record<string, unknown>): string {
    const globals = Object.assign(Object.create(null) as object, data);
    return String(this.liquid.renderSync(templates, Object.create(null) as object, { globals }));
  }

  /** The variables of a template that the data lack, even as null. */
  unknownVariables(templates: Template[], data: Record<string, unknown>): string[] {
    const used = this.liquid.globalVariableSegmentsSync(templates, { partials: true });
    const paths = used.map((segments) =>
      segments.slice(0, segments.findIndex((each) => typeof each !== 'string') >>> 0),
    );
    const unknown = paths.filter((path) => path.length > 0 && isUnknown(path.map(String), data));
    return [...new Set(unknown.map((path) => path.join('.')))];
  }

  /** Every tag that has contents renders them by this method of the renderer, each time that it repeats them. */
  private limitPieces(): void {
    const { renderer } = this.liquid;
    const render = renderer.renderTemplates.bind(renderer);
    renderer.renderTemplates = (templates: Template[], context: Context, emitter: Emitter = new BoundedText()) => {
      this.pieces += templates.length + 1;
      if (this.pieces > MAX_PIECES) throw new TooCostly(`It renders more than ${MAX_PIECES} pieces.`);
      return render(templates, context, emitter) as IterableIterator<unknown>;
    };
  }
}

/** What can be said of a template without its data. Never throws. */
export function inspect(template: TemplateText): Inspection {
  const { format, body, subject, styles, variablesSchema } = template;
  const faults: TemplateFault[] = [];
  const language = new Language(format);
  attempt(faults, 'body', () => {
    language.parse(body);
    refuseActive(format, body);
  });
  if (subject !== null) attempt(faults, 'subject', () => void subjectLanguage().parse(subject));
  const style = styles === null ? null : forbiddenStyle(styles);
  if (styles !== null && format !== 'html')
    faults.push({ at: 'styles', code: 'not_with_format', detail: 'Only templates in HTML have styles.' });
  else if (style !== null)
    faults.push({ at: 'styles', code: 'forbidden_style', detail: `Styles cannot contain \`${style}\`.` });
  const schema = variablesSchema && schemaFault(variablesSchema);
  if (schema) faults.push({ at: 'variablesSchema', code: 'schema_invalid', detail: schema });
  return { partials: [...language.included], faults };
}

/** Renders a template. Never throws. */
export function render({ template, partials, data, ...conventions }: Rendering): RenderOutcome {
  const { format, subject, body, styles, variablesSchema } = template;
  const faults: TemplateFault[] = [];
  const language = new Language(format, partials, conventions);
  const heading = subjectLanguage(conventions);
  const rendered = attempt(faults, 'body', () => {
    const templates = language.parse(body);
    const text = language.render(templates, data);
    refuseActive(format, text);
    return { text, unknown: language.unknownVariables(templates, data) };
  });
  const line =
    subject === null
      ? null
      : attempt(faults, 'subject', () => {
          const templates = heading.parse(subject);
          const text = heading.render(templates, data);
          return { text: oneLine(text), unknown: heading.unknownVariables(templates, data) };
        });
  const variables = attempt(faults, 'variablesSchema', () =>
    variablesSchema ? variableFaults(variablesSchema, data) : { missing: [], others: [] },
  );
  if (faults.length > 0 || !rendered || !variables) return { faults };
  const unknown = new Set([...rendered.unknown, ...(line?.unknown ?? [])]);
  const warnings = [
    ...[...unknown]
      .filter((name) => !variables.missing.includes(name))
      .map((name) => `The variable \`${shortened(name, 100)}\` is not in the data.`),
    ...variables.others,
    ...language.warnings,
    ...heading.warnings,
  ];
  return {
    rendered: {
      subject: line?.text ?? null,
      content: finished(format, rendered.text, styles),
      missingVariables: variables.missing,
      warnings: [...new Set(warnings)].slice(0, MAX_WARNINGS),
    },
  };
}

/** Subjects are plain text, and include nothing. */
function subjectLanguage(conventions?: Conventions): Language {
  const language = new Language('text', [], conventions);
  delete language.liquid.tags['render'];
  return language;
}

function finished(format: Format, text: string, styles: string | null): string {
  if (format === 'markdown') return withoutRawHtml(text);
  return styles === null ? text : `<style>\n${styles}\n</style>\n${text}`;
}

function refuseActive(format: Format, html: string): void {
  const found = format === 'html' ? activeContent(html) : null;
  if (found !== null) throw new ActiveContent(`The HTML contains ${found}.`);
}

/** Parsing and rendering call themselves for each tag in a tag. */
function refuseDeep(source: string): void {
  let depth = 0;
  for (const [, end] of source.matchAll(/\{%-?\s*(end)?(?:case|for|if|unless)\b/g)) {
    depth += end ? -1 : 1;
    if (depth > MAX_NESTING) throw new TooCostly(`Tags can stand in each other ${MAX_NESTING} levels deep.`);
  }
}

class ActiveContent extends Error {}

/** Does a part of the work; what it throws becomes a fault at a member of the template. */
function attempt<T>(faults: TemplateFault[], at: TemplateFault['at'], work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    faults.push({ at, ...faultOf(error) });
    return null;
  }
}

function faultOf(error: unknown): Omit<TemplateFault, 'at'> {
  const cause = LiquidError.is(error) ? ((error as { originalError?: unknown }).originalError ?? error) : error;
  if (cause instanceof ActiveContent) return { code: 'active_content', detail: cause.message };
  if (cause instanceof TooCostly) return { code: 'template_too_costly', detail: cause.message };
  const message = error instanceof Error ? error.message : '';
  if (cause instanceof RangeError || / limit exceeded/.test(message))
    return { code: 'template_too_costly', detail: 'Rendering it takes too much time or memory.' };
  const code = LiquidError.is(error) && error.name === 'RenderError' ? 'template_failed' : 'template_invalid';
  return { code, detail: shortened(`The template cannot be used: ${message.split('\n')[0]!}.`, 300) };
}

/** `{% render 'key' %}`; adds each key to `included`. Keys are written out, so that what a template includes is known. */
function partialTag(included: Set<string>) {
  return class extends RenderTag {
    constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, rest, liquid, parser);
      const { file } = this as unknown as { file: unknown }; // private in the library's declaration
      if (typeof file !== 'string' || !PARTIAL_KEY.test(file))
        throw new Error('render needs the key of a template in quotes');
      included.add(file);
    }
  };
}

/** A value as text. Objects have none. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function oneLine(text: string): string {
  const line = shortened(text.replaceAll(/\s+/g, ' ').trim(), MAX_SUBJECT);
  return isOneLine(line) ? line : line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
}

/** Whether no value stands at a path. What follows a list, a text or null is not known. */
function isUnknown([name, ...rest]: string[], value: unknown): boolean {
  if (name === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const member: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined; // an object
  return member === undefined ? name !== 'size' : isUnknown(rest, member);
}
