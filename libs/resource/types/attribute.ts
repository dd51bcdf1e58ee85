import { Column, type ColumnType } from 'typeorm';
import type { Permission } from '#libs/auth/permissions.js';
import { fieldsOf, type FieldSpec, type Kind, type ModelClass } from '#libs/http/field.js';
import type { Reference } from './definition.js';
import { type Filter, filter } from '../lists/list-query.js';

/** Options of a record type's field, besides its kind and meaning. */
export interface AttributeOptions {
  example?: unknown;
  /** `shown` if it can be null only in responses, `given` if only in bodies. */
  nullable?: boolean | 'shown' | 'given';
  /** Value in a new record if the body omits the field. */
  default?: unknown;
  /** The service sets the field if the create body omits it. */
  optional?: boolean;
  /** Can only be set at creation. */
  once?: boolean;
  /** The kind in bodies, if it differs from the stored and shown kind. */
  given?: Kind;
  /** Lists can filter by it. `contains` also matches parts of a text; a {@link Filter} replaces the default. */
  filter?: true | 'contains' | Filter;
  /** Lists can sort by it. */
  sort?: true;
  /** Unique among the tenant's records outside the trash; a duplicate gets 409 `duplicate`. */
  unique?: true;
  /** The target of the id, or of each id of the list. */
  names?: Reference;
  /** Members whom it names are told that the record is assigned to them. */
  assigns?: true;
  /** The permission needed to see and set it. */
  restricted?: Permission;
  /** False if administrators see it but events and audit entries omit it. */
  told?: false;
  /** Whether it is personal data, or belongs to a specially protected category. */
  privacy?: 'personal' | 'sensitive';
}

/** The declaration of a record type's field. */
export interface AttributeSpec extends AttributeOptions {
  kind: Kind;
  about: string;
  isStored: boolean;
  isShown: boolean;
  isSet: boolean;
}

const ATTRIBUTES = Symbol('attributes');

/** Fields of a record type by name, in the order of their declaration. */
export function attributesOf(type: ModelClass): ReadonlyMap<string, AttributeSpec> {
  return (type as { [ATTRIBUTES]?: Map<string, AttributeSpec> })[ATTRIBUTES] ?? new Map<string, AttributeSpec>();
}

type Quality = 'isStored' | 'isShown' | 'isSet';

/** Some fields of a type, by name. */
export class Fields {
  constructor(private readonly all: ReadonlyMap<string, AttributeSpec>) {}

  get names(): string[] {
    return [...this.all.keys()];
  }

  has(name: string): boolean {
    return this.all.has(name);
  }

  of(quality: Quality): Fields {
    return this.filter((attribute) => attribute[quality]);
  }

  without(quality: Quality): Fields {
    return this.filter((attribute) => !attribute[quality]);
  }

  /** The fields that one of the bodies contains. */
  in(bodies: (ModelClass | undefined)[]): Fields {
    return this.filter((_, name) => bodies.some((body) => body && fieldsOf(body).has(name)));
  }

  besides(others: Fields): Fields {
    return this.filter((_, name) => !others.has(name));
  }

  with(option: keyof AttributeOptions): Fields {
    return this.filter((attribute) => attribute[option] !== undefined);
  }

  lacking(option: keyof AttributeOptions): Fields {
    return this.filter((attribute) => attribute[option] === undefined);
  }

  map<T>(make: (attribute: AttributeSpec) => T): Record<string, T> {
    return Object.fromEntries([...this.all].map(([name, attribute]) => [name, make(attribute)]));
  }

  private filter(wanted: (attribute: AttributeSpec, name: string) => boolean): Fields {
    return new Fields(new Map([...this.all].filter(([name, attribute]) => wanted(attribute, name))));
  }
}

/** A field that callers set: a column, and a member of bodies and responses. `about` tells callers what to send. */
export function Attribute(kind: Kind, about: string, options: AttributeOptions = {}): PropertyDecorator {
  return declare({ ...options, kind, about, isStored: true, isShown: true, isSet: true });
}

/** A field that only the platform sets: a column shown in responses. */
export function ReadOnly(
  kind: Kind,
  about: string,
  options: Omit<AttributeOptions, 'given' | 'once' | 'optional'> = {},
): PropertyDecorator {
  return declare({ ...options, kind, about, isStored: true, isShown: true, isSet: false });
}

/** A field that responses show and `derive` of the service computes. Not a column. */
export function Derived(
  kind: Kind,
  about: string,
  options: Pick<AttributeOptions, 'example' | 'nullable' | 'filter' | 'sort' | 'restricted' | 'told' | 'privacy'> = {},
): PropertyDecorator {
  return declare({ ...options, kind, about, isStored: false, isShown: true, isSet: false });
}

/** A field that callers set and see, but that is stored in other columns or on another scale. `derive` shows it. */
export function Mapped(kind: Kind, about: string, options: Omit<AttributeOptions, 'default'> = {}): PropertyDecorator {
  return declare({ ...options, kind, about, isStored: false, isShown: true, isSet: true });
}

/** A member of bodies from which the service derives other fields. */
export function WriteOnly(
  kind: Kind,
  about: string,
  options: Pick<AttributeOptions, 'example' | 'nullable' | 'once' | 'restricted' | 'privacy'> & {
    required?: true;
  } = {},
): PropertyDecorator {
  const { required = false, ...others } = options;
  return declare({ ...others, kind, about, optional: !required, isStored: false, isShown: false, isSet: true });
}

/** Each column is named after its field, in snake case. */
function declare(attribute: AttributeSpec): PropertyDecorator {
  return (prototype, property) => {
    const name = String(property);
    const type = prototype.constructor as ModelClass & { [ATTRIBUTES]?: Map<string, AttributeSpec> };
    if (!Object.hasOwn(type, ATTRIBUTES)) type[ATTRIBUTES] = new Map(attributesOf(type)); // with those that it inherits
    type[ATTRIBUTES]!.set(name, attribute);
    const { isStored, kind } = attribute;
    if (isStored)
      Column({ type: columnTypeOf(kind), name: snake(name), nullable: canBeEmpty(attribute) })(prototype, property);
  };
}

/** The field in create bodies. */
export function inputOf({ kind, given, about, example, nullable: empty, ...rest }: AttributeSpec): FieldSpec {
  const nullable = empty === true || empty === 'given';
  const optional = nullable || rest.optional === true || 'default' in rest;
  // The example has the shown kind.
  return { kind: given ?? kind, description: about, example: given ? undefined : example, nullable, optional };
}

/** The field in responses, which contain every field that the caller may see. */
export function outputOf(attribute: AttributeSpec): FieldSpec {
  const { kind, about, example, restricted } = attribute;
  return { kind, description: about, example, nullable: canBeEmpty(attribute), optional: restricted !== undefined };
}

/** The filter of a field: by range for ordered kinds, otherwise by equality. */
export function filterFor(attribute: AttributeSpec): Filter {
  const { kind, filter: wanted } = attribute;
  const nullable = canBeEmpty(attribute);
  if (typeof wanted === 'object') return wanted;
  if (wanted === 'contains') return filter.text(Number(kind.schema['maxLength']), nullable);
  const { type, format } = kind.schema;
  const isOrdered = type === 'integer' || type === 'number' || format === 'date' || format === 'date-time';
  return isOrdered ? filter.ordered(kind, nullable) : filter.exact(kind, nullable);
}

/** The value of a field in the example of its type. */
export function exampleOf({ example, default: usual }: AttributeSpec): unknown {
  return example ?? usual ?? null;
}

/** Whether it can be empty. */
function canBeEmpty({ nullable = false }: AttributeSpec): boolean {
  return nullable === true || nullable === 'shown';
}

const INT_MAX = 2_147_483_647;

/** Type of the column that holds values of a kind. */
function columnTypeOf({ schema, model }: Kind): ColumnType {
  const { type, format, minimum, maximum } = schema as Record<string, unknown>;
  if (model || type === 'array' || type === 'object') return 'jsonb';
  if (format === 'uuid') return 'uuid';
  if (format === 'date') return 'date';
  if (format === 'date-time') return 'timestamptz';
  if (type === 'boolean') return 'boolean';
  if (type === 'number') return 'numeric';
  if (type === 'integer') return Number(maximum) > INT_MAX || Number(minimum) < -INT_MAX ? 'bigint' : 'integer';
  return 'text';
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
