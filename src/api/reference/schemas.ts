import { lastName, resolved, targetOf } from '#libs/http/openapi/references.js';

/** A JSON schema as the document uses it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  description?: string;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

/** References in examples are followed to this depth, because models may contain themselves. */
const DEEPEST = 8;

/** Reads the schemas of a document. */
export class Schemas {
  constructor(private readonly document: object) {}

  /** The target of a reference to any component. */
  resolve<T extends object>(value: T | { $ref: string }): T {
    return resolved<T>(this.document, value);
  }

  model(name: string): Schema {
    return targetOf(this.document, `#/components/schemas/${name}`) as Schema;
  }

  /** A schema with everything that it refers to and combines; its own members override those. */
  whole(schema: Schema): Schema {
    const { $ref, allOf = [], ...own } = schema;
    const parts = $ref === undefined ? allOf : [targetOf(this.document, $ref) as Schema, ...allOf];
    const base = parts.map((part) => this.whole(part)).reduce(combined, {});
    return combined(base, own);
  }

  /** The name of the model that a schema is, under whatever description; null for other schemas. */
  nameOf({ $ref, allOf, properties }: Schema): string | null {
    if ($ref === undefined) return allOf?.length === 1 && !properties ? this.nameOf(allOf[0]!) : null;
    const target = targetOf(this.document, $ref) as Schema;
    return this.nameOf(target) ?? (this.isModel(target) ? lastName($ref) : null);
  }

  /** An example of a value. */
  example(schema: Schema, depth = 0): unknown {
    const whole = this.whole(schema);
    if (whole.examples) return whole.examples[0];
    if (whole.const !== undefined) return whole.const;
    if (whole.enum) return whole.enum[0];
    const [first] = whole.anyOf ?? [];
    if (first) return this.example(first, depth);
    if (whole.properties && depth < DEEPEST)
      return Object.fromEntries(
        Object.entries(whole.properties).map(([name, each]) => [name, this.example(each, depth + 1)]),
      );
    return plainExample(whole, () => (depth < DEEPEST ? [this.example(whole.items ?? {}, depth + 1)] : []));
  }

  /** Whether it has fields, or a choice between models. */
  private isModel(schema: Schema): boolean {
    const { properties, anyOf = [] } = this.whole(schema);
    return properties !== undefined || anyOf.filter((each) => this.isModel(each)).length > 1;
  }
}

function plainExample({ type, format, minimum }: Schema, list: () => unknown[]): unknown {
  switch (Array.isArray(type) ? type[0] : type) {
    case 'array':
      return list();
    case 'object':
      return {};
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return minimum ?? 1;
    case 'null':
      return null;
    default:
      return BY_FORMAT[format ?? ''] ?? 'text';
  }
}

const BY_FORMAT: Record<string, string> = {
  uuid: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  'date-time': '2026-11-21T09:15:02.114Z',
  date: '2026-12-18',
};

function combined(base: Schema, own: Schema): Schema {
  const both = { ...base, ...own };
  if (base.properties && own.properties) both.properties = { ...base.properties, ...own.properties };
  if (base.required && own.required) both.required = [...base.required, ...own.required];
  return both;
}
