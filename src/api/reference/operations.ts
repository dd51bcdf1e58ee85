import type { Answer, MediaType, Parameter } from '#libs/http/openapi/parts.js';
import type { DocumentedOperation } from '#libs/http/openapi/references.js';
import { escaped } from '#libs/http/pages/markup.js';
import { bodyExample, commandOf } from './command.js';
import { type Fields, type Row } from './fields.js';
import { blocks, inline } from './markdown.js';
import type { Schema, Schemas } from './schemas.js';

/** A parameter that filters a list with an operator, such as `valueMinor[gte]`. */
const WITH_OPERATOR = /^(\w+)\[(\w+)\]$/;

/** Writes one operation as HTML. */
export class OperationWriter {
  constructor(
    private readonly schemas: Schemas,
    private readonly fields: Fields,
  ) {}

  write(documented: DocumentedOperation, aliases: readonly string[]): string {
    const { path, method, operation } = documented;
    const { operationId, summary = operationId, description = '', parameters, requestBody, responses } = operation;
    const also = aliases.map((each) => `<code>${escaped(each)}</code>`).join(', ');
    const [bodyType, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    return [
      `<section class="operation" id="${operationId}">`,
      `<h2><a href="#${operationId}">${inline(summary)}</a></h2>`,
      `<p class="path">${badge(method)} <code>${escaped(path)}</code></p>`,
      description === summary ? '' : blocks(description),
      `<p class="facts">${[`<code>${operationId}</code>`, ...factsOf(operation), ...(also === '' ? [] : [`also ${also}`])].join(' · ')}</p>`,
      `<div class="copied"><pre>${escaped(commandOf(documented, this.schemas))}</pre></div>`,
      ...this.parameters(parameters),
      body ? `<h3>Body <small>${bodyType}</small></h3>${this.fields.of(body.schema as Schema)}` : '',
      `<h3>Responses</h3>${this.responses(responses)}`,
      '</section>',
    ]
      .filter((each) => each !== '')
      .join('\n');
  }

  /** An event as it arrives at an endpoint. */
  event(name: string, description: string, { example, schema }: MediaType): string {
    const { properties } = this.schemas.whole(schema);
    const sample = bodyExample({ example, schema }, this.schemas);
    return [
      `<section class="operation" id="${name}"><h2><a href="#${name}">${name}</a></h2>`,
      blocks(description),
      this.fields.table([{ name: 'data', schema: properties?.['data'] ?? {} }]),
      `${this.sample('Example of a body', sample)}</section>`,
    ].join('\n');
  }

  private parameters(parameters: readonly Parameter[]): string[] {
    const within = (place: string) => parameters.filter((each) => each.in === place);
    const operators = Map.groupBy(
      within('query').filter(({ name }) => WITH_OPERATOR.test(name)),
      ({ name }) => WITH_OPERATOR.exec(name)![1]!,
    );
    const [filters, others] = [true, false].map((isFilter) =>
      within('query').filter(({ name }) => !WITH_OPERATOR.test(name) && operators.has(name) === isFilter),
    );
    const filterRows = filters!.map((each) => ({
      ...rowOf(each),
      more: (operators.get(each.name) ?? []).map(operatorOf).join(''),
    }));
    return [
      this.group('Path', within('path').map(rowOf)),
      this.group('Query', others!.map(rowOf)),
      this.folded(`Filters: ${filterRows.length} fields`, filterRows),
      this.folded('Headers', within('header').map(rowOf)),
    ];
  }

  private group(title: string, rows: readonly Row[]): string {
    return rows.length === 0 ? '' : `<h3>${title}</h3>${this.fields.table(rows)}`;
  }

  private folded(title: string, rows: readonly Row[]): string {
    return rows.length === 0 ? '' : `<details><summary>${title}</summary>${this.fields.table(rows)}</details>`;
  }

  private responses(responses: Record<string, Answer>): string {
    const all = Object.entries(responses);
    const isProblem = ([status]: [string, Answer]) => Number(status[0]) >= 4;
    const good = all.filter((each) => !isProblem(each)).map(([status, answer]) => this.response(status, answer));
    const problems = all.filter(isProblem).map(([status, answer]) => `<li>${this.problem(status, answer)}</li>`);
    const errors =
      problems.length === 0 ? '' : `<details><summary>Errors</summary><ul>${problems.join('\n')}</ul></details>`;
    return good.join('\n') + errors;
  }

  private response(status: string, { description, content = {} }: Answer): string {
    const [[type, media] = []] = Object.entries(content);
    const title = `<span class="status">${status}</span> ${inline(description)}`;
    if (!type || !media) return `<p>${title}</p>`;
    const schema = media.schema as Schema;
    const sample = type.endsWith('json')
      ? this.sample(
          'Example of a response',
          bodyExample({ schema: media.schema, example: media.example ?? this.schemas.example(schema) }, this.schemas),
        )
      : '';
    return `<p>${title}: <span class="type">${this.fields.type(schema)}</span> <small>${type}</small></p>${sample}`;
  }

  private problem(status: string, { description, content = {} }: Answer): string {
    const [media] = Object.values(content);
    const { properties } = this.schemas.whole(media?.schema ?? {});
    const codes = (properties?.['code']?.enum ?? []) as string[];
    const links = codes.map((code) => `<a href="/docs/errors#${code}"><code>${code}</code></a>`);
    return `<span class="status">${status}</span> ${links.length === 0 ? inline(description) : links.join(', ')}`;
  }

  private sample(title: string, value: unknown): string {
    return `<details><summary>${title}</summary><div class="copied"><pre>${escaped(JSON.stringify(value, null, 2))}</pre></div></details>`;
  }
}

/** The method in its colour. */
export const badge = (method: string): string => `<b class="method ${method}">${method.toUpperCase()}</b>`;

const rowOf = ({ name, schema = {}, required = false, description }: Parameter): Row => ({
  name,
  schema: schema,
  required,
  description,
});

const operatorOf = ({ name, description = '' }: Parameter): string =>
  ` <code class="operator" title="${escaped(description)}">[${WITH_OPERATOR.exec(name)![2]!}]</code>`;

/** Scopes and other conditions of a call. */
function factsOf(operation: DocumentedOperation['operation']): string[] {
  const scopes = (name: `x-${string}`) =>
    ((operation[name] ?? []) as string[]).map((each) => `<code>${escaped(each)}</code>`);
  const required = scopes('x-required-scopes');
  const partial = scopes('x-partial-scopes');
  const conditional = (operation['x-conditional-scopes'] ?? []) as { scope: string; when: string }[];
  return [
    ...(required.length > 0 ? [`scope ${required.join(', ')}`] : []),
    ...(partial.length > 0 ? [`for a part ${partial.join(', ')}`] : []),
    ...conditional.map(({ scope, when }) => `<code>${escaped(scope)}</code> besides: ${inline(when)}`),
    ...(operation['x-protected'] === true ? ['protected: needs a credential that allows protected operations'] : []),
    ...(operation.security.length === 0 ? ['no credential'] : []),
  ];
}
