import { cut } from '#libs/kernel/cut.js';
import type { Attribute } from './attribute.js';
import { type Filter, holdsWithoutValue, OPERATORS, type Operator, type Operand } from './filter.js';
import { readBoolean } from './read-boolean.js';
import { type AttributePath, type ResourceSchema, subAttribute } from './resource-schema.js';
import { invalidFilter, invalidPath } from './scim-error.js';
import { type Token, Tokens } from './tokens.js';

/** Maximum nesting depth of brackets and `not`. */
export const MAX_DEPTH = 50;
/** Maximum number of comparisons in a filter. */
export const MAX_TERMS = 500;

/** The target of a PATCH operation. */
export interface PatchPath {
  path: AttributePath;
  /** Selects elements of the attribute at `path`; null for the whole attribute. */
  filter: Filter | null;
  /** The sub-attribute of the selected elements; null for whole elements and without a filter. */
  sub: Attribute | null;
}

/**
 * Parses a filter for one resource type. Attributes of the `others` are accepted too; resources of this type have no
 * value there. `Source:` RFC 7644 section 3.4.2.1.
 * @throws ScimError `invalidFilter`.
 */
export function parseFilter(schema: ResourceSchema, text: string, others: readonly ResourceSchema[] = []): Filter {
  const tokens = new Tokens(text, (detail) => invalidFilter(`Invalid filter. ${detail}`));
  const foreign = new Set<AttributePath>();
  return new FilterParser(tokens, foreign).filter((name) => {
    const own = schema.resolve(name);
    if (own) return own;
    const path = others.map((other) => other.resolve(name)).find((each) => each !== null) ?? null;
    if (path) foreign.add(path);
    return path;
  });
}

/** `userName`, `name.familyName`, `emails[type eq "work"]`, `emails[type eq "work"].value`. @throws ScimError `invalidPath`. */
export function parsePath(schema: ResourceSchema, text: string): PatchPath {
  const tokens = new Tokens(text, (detail) => invalidPath(`Invalid path. ${detail}`));
  return new FilterParser(tokens).patchPath((name) => schema.resolve(name));
}

type Resolve = (name: string) => AttributePath | null;

/** Recursive descent over the grammar of RFC 7644 figure 1, with limits on depth and size. */
class FilterParser {
  private depth = 0;
  private terms = 0;

  constructor(
    private readonly tokens: Tokens,
    /** Attributes that the resource type does not have. */
    private readonly foreign: ReadonlySet<AttributePath> = new Set(),
  ) {}

  filter(resolve: Resolve): Filter {
    const filter = this.disjunction(resolve);
    this.tokens.expect('end');
    return filter;
  }

  patchPath(resolve: Resolve): PatchPath {
    const path = this.attribute(resolve);
    if (this.tokens.peek().kind !== '[') {
      this.tokens.expect('end');
      return { path, filter: null, sub: null };
    }
    const filter = this.brackets(path);
    const sub = this.suffix(path);
    this.tokens.expect('end');
    return { path, filter, sub };
  }

  private disjunction(resolve: Resolve): Filter {
    const terms = [this.conjunction(resolve)];
    while (this.tokens.takeWord(['or'])) terms.push(this.conjunction(resolve));
    return terms.length === 1 ? terms[0]! : { kind: 'or', terms };
  }

  private conjunction(resolve: Resolve): Filter {
    const terms = [this.term(resolve)];
    while (this.tokens.takeWord(['and'])) terms.push(this.term(resolve));
    return terms.length === 1 ? terms[0]! : { kind: 'and', terms };
  }

  private term(resolve: Resolve): Filter {
    const negated = this.tokens.takeWord(['not']) !== null;
    if (!negated && this.tokens.peek().kind !== '(') return this.condition(resolve);
    this.tokens.expect('(');
    const term = this.nested(() => this.disjunction(resolve));
    this.tokens.expect(')');
    return negated ? { kind: 'not', term } : term;
  }

  private condition(resolve: Resolve): Filter {
    const path = this.attribute(resolve);
    const condition = this.conditionOn(path);
    if (!this.foreign.has(path)) return condition;
    return { kind: 'constant', holds: condition.kind === 'compare' && holdsWithoutValue(condition) };
  }

  private conditionOn(path: AttributePath): Filter {
    if (this.tokens.peek().kind !== '[') return this.comparison(path);
    const filter = this.brackets(path);
    const sub = this.suffix(path);
    // Entra's syntax, which RFC 7644 does not define: the comparison applies to the element that the brackets select.
    const terms = sub ? [filter, this.comparison([sub])] : [filter];
    return { kind: 'element', path, filter: terms.length === 1 ? filter : { kind: 'and', terms } };
  }

  private comparison(path: AttributePath): Filter {
    if (++this.terms > MAX_TERMS) throw this.tokens.fail(`It has more than ${MAX_TERMS} comparisons.`);
    if (path.some(({ returned }) => returned === 'never'))
      throw this.tokens.fail(`"${nameOf(path)}" cannot be compared.`);
    if (this.tokens.takeWord(['pr'])) return { kind: 'present', path };
    const operator = this.tokens.takeWord(OPERATORS);
    if (!operator) throw this.tokens.fail(`An operator must follow "${nameOf(path)}": ${OPERATORS.join(', ')} or pr.`);
    const compared = this.compared(path);
    return { kind: 'compare', path: compared, operator, value: this.operand(compared.at(-1)!, operator) };
  }

  /** A complex attribute is compared by its `value`, if it has one. */
  private compared(path: AttributePath): AttributePath {
    const last = path.at(-1)!;
    if (last.type !== 'complex') return path;
    const value = subAttribute(last, 'value');
    if (!value) throw this.tokens.fail(`"${nameOf(path)}" has sub-attributes; compare one of them.`);
    return [...path, value];
  }

  private operand(attribute: Attribute, operator: Operator): Operand {
    const value = valueOf(this.tokens.take());
    if (value === undefined) throw this.tokens.fail(`A value must follow the operator of "${attribute.name}".`);
    const isEquality = operator === 'eq' || operator === 'ne';
    if (value === null) {
      if (!isEquality) throw this.tokens.fail('Only eq and ne can compare with null.');
      return null;
    }
    if (attribute.type === 'boolean') {
      const flag = readBoolean(value);
      if (flag === null) throw this.tokens.fail(`"${attribute.name}" must be compared with true or false.`);
      if (!isEquality)
        throw this.tokens.fail(`"${attribute.name}" is a boolean and can only be compared with eq and ne.`);
      return flag;
    }
    if (typeof value !== 'string') throw this.tokens.fail(`"${attribute.name}" must be compared with a quoted string.`);
    if (attribute.type === 'binary' && !isEquality)
      throw this.tokens.fail(`"${attribute.name}" is binary and can only be compared with eq and ne.`);
    const byTime = attribute.type === 'dateTime' && operator !== 'co' && operator !== 'sw' && operator !== 'ew';
    return byTime ? this.instant(attribute, value) : value;
  }

  /** In UTC with milliseconds. */
  private instant(attribute: Attribute, value: string): string {
    const ms = INSTANT.test(value) ? Date.parse(value) : NaN;
    const instant = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
    if (!IN_COMMON_ERA.test(instant))
      throw this.tokens.fail(`"${attribute.name}" must be compared with a time such as 2026-11-21T09:15:02Z.`);
    return instant;
  }

  private brackets(path: AttributePath): Filter {
    const attribute = path.at(-1)!;
    if (attribute.type !== 'complex') throw this.tokens.fail(`"${nameOf(path)}" has no sub-attributes to filter by.`);
    this.tokens.expect('[');
    const filter = this.nested(() =>
      this.disjunction((name) => {
        const sub = subAttribute(attribute, name);
        return sub && sub.type !== 'complex' ? [sub] : null;
      }),
    );
    this.tokens.expect(']');
    return filter;
  }

  /** The `.value` after brackets; null when there is none. */
  private suffix(path: AttributePath): Attribute | null {
    const token = this.tokens.peek();
    if (token.kind !== 'word' || !token.text.startsWith('.')) return null;
    this.tokens.take();
    const sub = subAttribute(path.at(-1)!, token.text.slice(1));
    if (!sub) throw this.tokens.fail(`"${nameOf(path)}" has no such sub-attribute.`);
    return sub;
  }

  private attribute(resolve: Resolve): AttributePath {
    const token = this.tokens.take();
    if (token.kind !== 'word') throw this.tokens.fail('An attribute name is missing.');
    const path = resolve(token.text);
    if (!path) throw this.tokens.fail(`Unknown attribute "${cut(token.text, 100)}".`);
    return path;
  }

  private nested<T>(parse: () => T): T {
    if (++this.depth > MAX_DEPTH) throw this.tokens.fail(`It has more than ${MAX_DEPTH} levels.`);
    const parsed = parse();
    this.depth--;
    return parsed;
  }
}

/** Years that PostgreSQL supports as well. */
const IN_COMMON_ERA = /^(?!0000)\d{4}-/;
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/i;

function nameOf(path: AttributePath): string {
  return path.map(({ name }) => name).join('.');
}

/** The value of a token; undefined when it is not a value. */
function valueOf(token: Token): string | number | boolean | null | undefined {
  if (token.kind === 'string') return token.value;
  if (token.kind !== 'word') return undefined;
  try {
    const value: unknown = JSON.parse(token.text.toLowerCase());
    return value as number | boolean | null;
  } catch {
    return undefined;
  }
}
