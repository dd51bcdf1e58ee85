import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer, Header, Reference } from '#libs/http/openapi/parts.js';
import { withoutRequired } from '#libs/http/schema.js';
import { documentedOperations, type ReadOperation, resolved } from '#libs/http/openapi/references.js';

const contracts = new WeakMap<OpenAPIObject, Contract>();

/**
 * Validates responses against the OpenAPI document: an undeclared status, a missing or malformed header, or a body that
 * violates its schema fails the test.
 */
export class Contract {
  private readonly ajv: Ajv2020;
  private readonly paths: { pattern: RegExp; item: Map<string, ReadOperation> }[];
  private readonly compiled = new WeakMap<object, ValidateFunction>();
  private readonly compiledTexts = new Map<string, ValidateFunction>();

  /** The contract of a document. Schemas are compiled once, even if several apps use the document. */
  static of(document: OpenAPIObject): Contract {
    let contract = contracts.get(document);
    if (!contract) contracts.set(document, (contract = new Contract(document)));
    return contract;
  }

  private constructor(private readonly document: OpenAPIObject) {
    // Referenced schemas are compiled once, not inlined into each schema. To optimise the code takes longer than to run it.
    this.ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
    formats.default(this.ajv);
    const components = { schemas: document.components?.schemas };
    this.ajv.addSchema({ $id: 'openapi', components });
    this.ajv.addSchema({ $id: 'sparse', components: withoutRequired(components) });
    this.paths = [...Map.groupBy(documentedOperations(document), ({ path }) => path)]
      .sort(([a], [b]) => a.split('{').length - b.split('{').length)
      .map(([path, operations]) => ({
        pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
        item: new Map(operations.map(({ method, operation }) => [method, operation])),
      }));
  }

  /** @throws Error describing how the response violates the contract. */
  check(method: string, path: string, status: number, headers: Headers, body: unknown): void {
    const operation = this.find(method, path);
    if (!operation) return;
    const place = `${operation.operationId} ${status}`;
    const declared = operation.responses[String(status)];
    if (!declared) throw new Error(`${place} is not declared in the OpenAPI document: ${JSON.stringify(body)}`);
    for (const [name, header] of Object.entries(declared.headers ?? {})) this.checkHeader(place, name, header, headers);
    if (!declared.content || method === 'HEAD') return;
    const type = (headers.get('content-type') ?? '').split(';')[0]!;
    const content = declared.content[type] ?? declared.content['*/*'];
    if (!content) throw new Error(`${place} has the undeclared media type ${type}.`);
    // An answer with `fields` lacks what was not asked for, as the parameter says.
    const isSparse = status === 200 && /[?&]fields=/.test(path);
    const validate = isSparse ? this.sparseValidator(content.schema) : this.validator(content.schema);
    if (!validate(body))
      throw new Error(`${place} breaks its schema: ${this.ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`);
    this.checkResults(operation, body);
    const long = unrounded(body, '');
    if (long.length > 0) throw new Error(`${place} has figures with too many decimals: ${long.join(', ')}.`);
  }

  /** Failures of individual records in a batch must use a code that the operation declares. */
  private checkResults({ operationId, responses }: ReadOperation, body: unknown): void {
    const { results } = body as { results?: { problem?: { code: string } | null }[] };
    if (!Array.isArray(results)) return;
    const declared = Object.values(responses).flatMap(codesOf);
    for (const { problem } of results)
      if (problem && !declared.includes(problem.code))
        throw new Error(`${operationId} does not declare ${problem.code}, which it returns for a record.`);
  }

  /** Id of the operation for a call; null when there is none. */
  operationOf(method: string, path: string): string | null {
    return this.find(method, path)?.operationId ?? null;
  }

  private find(method: string, path: string): ReadOperation | undefined {
    const found = this.paths.find(({ pattern }) => pattern.test(path.split('?')[0]!));
    return found?.item.get(method === 'HEAD' ? 'get' : method.toLowerCase());
  }

  private checkHeader(place: string, name: string, declared: Header | Reference, headers: Headers): void {
    const { required, schema } = resolved<Header>(this.document, declared);
    const value = headers.get(name);
    if (value === null) {
      if (required) throw new Error(`${place} has no header ${name}.`);
      return;
    }
    if (schema && !this.validator(schema)(value))
      throw new Error(`${place} has the header ${name}: ${value}, which breaks its schema.`);
  }

  private sparseValidator(schema: object): ValidateFunction {
    const text = JSON.stringify(withoutRequired(schema)).replaceAll('"#/components', '"sparse#/components');
    let validate = this.compiledTexts.get(text);
    if (!validate) this.compiledTexts.set(text, (validate = this.ajv.compile(JSON.parse(text) as object)));
    return validate;
  }

  /** Equal schemas are compiled once, because most operations share those of problems. */
  private validator(schema: object): ValidateFunction {
    let validate = this.compiled.get(schema);
    if (!validate) {
      const text = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components');
      validate = this.compiledTexts.get(text) ?? this.ajv.compile(JSON.parse(text) as object);
      this.compiledTexts.set(text, validate);
      this.compiled.set(schema, validate);
    }
    return validate;
  }
}

/**
 * Decimals of figures by the end of their name: three of percentages, unless callers set them, and as many of shares from
 * 0 to 1.
 */
const DECIMALS = [
  { name: /(?<!\/(tax|discount|progress))Percent$/, most: 3 },
  { name: /(Rate|Ratio)(\dh|LastHour)?$/, most: 5 },
];

/** Figures of a body that are not rounded, with their paths. */
function unrounded(value: unknown, path: string): string[] {
  if (typeof value === 'number') {
    const most = DECIMALS.find(({ name }) => name.test(path))?.most;
    return most === undefined || Number(value.toFixed(most)) === value ? [] : [`${path} ${value}`];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => unrounded(member, `${path}/${name}`));
}

/** Problem codes allowed in a response. */
function codesOf({ content }: Answer): string[] {
  const { properties } = (content?.['application/problem+json']?.schema ?? {}) as {
    properties?: { code?: { enum?: string[] } };
  };
  return properties?.code?.enum ?? [];
}
