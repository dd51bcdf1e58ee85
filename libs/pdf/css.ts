import type { Element } from './html-tree.js';

/** Properties by name, as written. */
export type Declarations = Map<string, string>;

interface Part {
  tag: string | null;
  classes: string[];
}

interface Rule {
  /** The element itself first, then ancestors. */
  parts: Part[];
  weight: number;
  declarations: Declarations;
}

export interface StyleSheet {
  rules: Rule[];
  /** What `@page` says. */
  page: Declarations;
}

const MAX_RULES = 500;
const MAX_PARTS = 5;
/** Longer values have no effect. */
const MAX_VALUE = 200;
const PART = /^([a-z][a-z0-9]*|\*)?((?:\.[\w-]+)*)$/i;

/**
 * A small part of CSS: rules for elements, classes and their descendants, and `@page`. Everything else, such as rules
 * for screens and other selectors, has no effect.
 */
export function styleSheet(css: string): StyleSheet {
  const rules: Rule[] = [];
  const page: Declarations = new Map();
  let text = css.replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ');
  text = text.replaceAll(/@media\s+print\s*\{((?:[^{}]*\{[^{}]*\})*[^{}]*)\}/gi, '$1');
  text = text.replaceAll(/@media[^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/gi, ' ');
  for (const [, selectors = '', body = ''] of text.matchAll(/([^{}]*)\{([^{}]*)\}/g)) {
    const declarations = declarationsOf(body);
    if (/^\s*@page\s*$/i.test(selectors)) for (const [name, value] of declarations) page.set(name, value);
    if (selectors.includes('@')) continue;
    for (const selector of selectors.split(',')) {
      const parts = partsOf(selector);
      if (!parts || rules.length >= MAX_RULES) continue;
      const weight = parts.reduce((sum, { tag, classes }) => sum + classes.length * 100 + (tag ? 1 : 0), 0);
      rules.push({ parts, weight, declarations });
    }
  }
  return { rules: rules.sort((a, b) => a.weight - b.weight), page };
}

/** What a style sheet and the attribute `style` say of an element. */
export function declared(sheet: StyleSheet, element: Element): Declarations {
  const all: Declarations = new Map();
  const classes = classesOf(element);
  for (const { parts, declarations } of sheet.rules)
    if (matches(parts, element, classes)) for (const [name, value] of declarations) all.set(name, value);
  const own = element.attributes['style'];
  if (own) for (const [name, value] of declarationsOf(own)) all.set(name, value);
  return all;
}

function declarationsOf(body: string): Declarations {
  const found: Declarations = new Map();
  for (const line of body.split(';', 200)) {
    const at = line.indexOf(':');
    const value = line.slice(at + 1).trim();
    if (at > 0 && value.length <= MAX_VALUE)
      found.set(line.slice(0, at).trim().toLowerCase(), value.replace(/\s*!\s*important$/i, ''));
  }
  return found;
}

function partsOf(selector: string): Part[] | null {
  const words = selector.trim().split(/\s+/);
  if (words.length > MAX_PARTS) return null;
  const parts: Part[] = [];
  for (const word of words.reverse()) {
    const [, tag, classes] = PART.exec(word) ?? [];
    if (word === '' || (tag === undefined && !classes)) return null;
    parts.push({
      tag: tag && tag !== '*' ? tag.toLowerCase() : null,
      classes: classes ? classes.slice(1).split('.') : [],
    });
  }
  return parts;
}

function matches([own, ...ancestors]: Part[], element: Element, classes: ReadonlySet<string>): boolean {
  if (!own || !matchesPart(own, element, classes)) return false;
  let above = element.parent;
  for (const part of ancestors) {
    while (above && !matchesPart(part, above, classesOf(above))) above = above.parent;
    if (!above) return false;
    above = above.parent;
  }
  return true;
}

function matchesPart({ tag, classes }: Part, element: Element, own: ReadonlySet<string>): boolean {
  return (tag === null || tag === element.name) && classes.every((each) => own.has(each));
}

function classesOf({ attributes }: Element): ReadonlySet<string> {
  const { class: names } = attributes;
  return names ? new Set(names.split(/\s+/, 20)) : NONE;
}

const NONE: ReadonlySet<string> = new Set();
