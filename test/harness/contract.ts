import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Reference {
  $ref?: string;
}

interface Answer {
  headers?: Record<string, Reference & { required?: boolean; schema?: object }>;
  content?: Record<string, { schema: object }>;
}

interface Operation {
  operationId: string;
  responses: Record<string, Answer & Reference>;
}

const contracts = new WeakMap<OpenAPIObject, Contract>();

/**
 * Holds answers against the OpenAPI document: an undeclared status, a missing or malformed header, or a body that breaks
 * its schema fails the test.
 */
export class Contract {
  private readonly ajv: Ajv2020;
  private readonly paths: { pattern: RegExp; item: Record<string, Operation> }[];
  private readonly compiled = new WeakMap<object, ValidateFunction>();
  private readonly compiledTexts = new Map<string, ValidateFunction>();

  /** The contract of a document, which compiles a schema once however many apps have the document. */
  static of(document: OpenAPIObject): Contract {
    let contract = contracts.get(document);
    if (!contract) contracts.set(document, (contract = new Contract(document)));
    return contract;
  }

  private constructor(private readonly document: OpenAPIObject) {
    // What is referred to is compiled once, not into each schema that refers to it.
    this.ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false });
    formats.default(this.ajv);
    this.ajv.addSchema({ $id: 'openapi', components: { schemas: document.components?.schemas } });
    this.paths = Object.entries(document.paths)
      .sort(([a], [b]) => a.split('{').length - b.split('{').length)
      .map(([path, item]) => ({
        pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
        item: item as unknown as Record<string, Operation>, // the same object, by the members that are looked at here
      }));
  }

  /** @throws Error saying how the answer breaks the contract. */
  check(method: string, path: string, status: number, headers: Headers, body: unknown): void {
    const operation = this.find(method, path);
    if (!operation) return;
    const place = `${operation.operationId} ${status}`;
    const declared = operation.responses[String(status)];
    if (!declared) throw new Error(`${place} is not declared in the OpenAPI document: ${JSON.stringify(body)}`);
    const answer = this.resolve(declared);
    for (const [name, header] of Object.entries(answer.headers ?? {})) this.checkHeader(place, name, header, headers);
    if (!answer.content || method === 'HEAD') return;
    const type = (headers.get('content-type') ?? '').split(';')[0]!;
    const content = answer.content[type];
    if (!content) throw new Error(`${place} has the undeclared media type ${type}.`);
    const validate = this.validator(content.schema);
    if (!validate(body))
      throw new Error(`${place} breaks its schema: ${this.ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`);
    this.checkResults(operation, body);
  }

  /** What one of many records fails with is a code that the operation declares, as if it had been asked for alone. */
  private checkResults({ operationId, responses }: Operation, body: unknown): void {
    const { results } = body as { results?: { problem?: { code: string } | null }[] };
    if (!Array.isArray(results)) return;
    const declared = Object.values(responses).flatMap((each) => codesOf(this.resolve(each)));
    for (const { problem } of results)
      if (problem && !declared.includes(problem.code))
        throw new Error(`${operationId} does not declare ${problem.code}, which it answers for a record.`);
  }

  /** Id of the operation that answers a call; null when there is none. */
  operationOf(method: string, path: string): string | null {
    return this.find(method, path)?.operationId ?? null;
  }

  private find(method: string, path: string): Operation | undefined {
    const found = this.paths.find(({ pattern }) => pattern.test(path.split('?')[0]!));
    return found?.item[method === 'HEAD' ? 'get' : method.toLowerCase()];
  }

  private checkHeader(place: string, name: string, declared: Reference, headers: Headers): void {
    const { required, schema } = this.resolve<NonNullable<Answer['headers']>[string]>(declared);
    const value = headers.get(name);
    if (value === null) {
      if (required) throw new Error(`${place} has no header ${name}.`);
      return;
    }
    if (schema && !this.validator(schema)(value))
      throw new Error(`${place} has the header ${name}: ${value}, which breaks its schema.`);
  }

  private resolve<T extends object = Answer>(value: T & Reference): T {
    if (!value.$ref) return value;
    const target = value.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], this.document);
    return target as T;
  }

  /** Compiled once for equal schemas: those of the problems are the same for most operations. */
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

/** Codes of the problems that an answer can be. */
function codesOf({ content }: Answer): string[] {
  const { properties } = (content?.['application/problem+json']?.schema ?? {}) as {
    properties?: { code?: { enum?: string[] } };
  };
  return properties?.code?.enum ?? [];
}
