import { escaped } from '#libs/http/pages/markup.js';
import { inline } from './markdown.js';
import type { Schema, Schemas } from './schemas.js';

/** A row of a table of fields or parameters. */
export interface Row {
  name: string;
  schema: Schema;
  required?: boolean;
  description?: string | undefined;
  /** HTML after the name. */
  more?: string;
}

/** Writes schemas of one page as HTML, and collects the models that they name, to be written below. */
export class Fields {
  private readonly models = new Set<string>();

  constructor(private readonly schemas: Schemas) {}

  /** The fields of an object, or what else a value may be. */
  of(schema: Schema): string {
    const { properties, required = [], ...whole } = this.schemas.whole(schema);
    if (whole.anyOf && !properties) return whole.anyOf.map((each) => this.of(each)).join('\n<p>or</p>\n');
    if (!properties) return `<p class="type">${this.type(whole)}</p>`;
    return this.table(
      Object.entries(properties).map(([name, each]) => ({ name, schema: each, required: required.includes(name) })),
    );
  }

  table(rows: readonly Row[]): string {
    const lines = rows.map(({ name, schema, required, description, more = '' }) => {
      const whole = this.schemas.whole(schema);
      const text = description ?? whole.description ?? '';
      const need = required ? ' <b class="need">required</b>' : '';
      const inner = this.nested(schema);
      return `<tr><th><code>${escaped(name)}</code>${more}${need}</th><td><span class="type">${this.type(schema)}</span>${text === '' ? '' : ` ${inline(text)}`}${inner}</td></tr>`;
    });
    return `<table class="fields"><tbody>${lines.join('\n')}</tbody></table>`;
  }

  /** A value in words. A model is a link to its description on the page. */
  type(schema: Schema): string {
    const name = this.schemas.nameOf(schema);
    if (name !== null) return this.link(name);
    const whole = this.schemas.whole(schema);
    if (whole.const !== undefined) return code(whole.const);
    if (whole.enum) return whole.enum.map(code).join(' <i>or</i> ');
    if (whole.anyOf) return [...new Set(whole.anyOf.map((each) => this.type(each)))].join(' <i>or</i> ');
    const types = [whole.type ?? 'any value'].flat();
    return types.map((type) => this.single(type, whole)).join(' <i>or</i> ');
  }

  /** The models that the page has named so far, and those that they name, each once. */
  section(): string {
    const written = new Map<string, string>();
    for (const name of this.models) {
      const model = this.schemas.model(name);
      const { description } = this.schemas.whole(model);
      const text = description ? `<p>${inline(description)}</p>` : '';
      written.set(
        name,
        `<details id="model.${name}"><summary><h3>${name}</h3></summary>${text}${this.of(model)}</details>`,
      );
    }
    if (written.size === 0) return '';
    const sorted = [...written].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, html]) => html);
    return `<section id="models"><h2>Models</h2>\n${sorted.join('\n')}</section>`;
  }

  link(model: string): string {
    this.models.add(model);
    return `<a href="#model.${model}">${model}</a>`;
  }

  private single(type: string, whole: Schema): string {
    if (type === 'array')
      return `list of ${this.type(whole.items ?? {})}${boundsOf(whole.minItems, whole.maxItems, 'items')}`;
    if (type === 'integer' || type === 'number') return `${type}${boundsOf(whole.minimum, whole.maximum)}`;
    if (type === 'object' && typeof whole.additionalProperties === 'object' && !whole.properties)
      return `object of ${this.type(whole.additionalProperties)}`;
    if (type !== 'string') return type;
    return `${escaped(whole.format ?? 'string')}${boundsOf(whole.minLength, whole.maxLength, 'characters')}`;
  }

  /** The fields of an object that has no name, inside the row of its field. */
  private nested(schema: Schema): string {
    if (this.schemas.nameOf(schema) !== null) return '';
    const whole = this.schemas.whole(schema);
    if (whole.properties) return `<details><summary>Fields</summary>${this.of(whole)}</details>`;
    return whole.items ? this.nested(whole.items) : '';
  }
}

const code = (value: unknown): string =>
  `<code>${escaped(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;

function boundsOf(least: number | undefined, most: number | undefined, unit = ''): string {
  const known = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  const low = least === -Number.MAX_SAFE_INTEGER ? undefined : least;
  if (low === undefined && known === undefined) return '';
  const range =
    known === undefined
      ? `${low} or more`
      : low === undefined
        ? `up to ${known}`
        : low === known
          ? `${low}`
          : `${low} to ${known}`;
  return `, ${range}${unit === '' ? '' : ` ${unit}`}`;
}
