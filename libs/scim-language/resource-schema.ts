import { type Attribute, complex, instant, reference, type Schema, text } from './attribute.js';
import { ENTERPRISE_SCHEMA, GROUP_SCHEMA } from './schemas.js';
import { USER_SCHEMA } from './user-schema.js';

/**
 * Attributes from the resource to the innermost one: `[emails, value]`, `[urn:…:enterprise:2.0:User, manager, value]`.
 */
export type AttributePath = readonly [Attribute, ...Attribute[]];

const READ_ONLY = { mutability: 'readOnly' } as const;

/** Attributes that every resource has and no schema lists. `Source:` RFC 7643 section 3.1. */
const COMMON: readonly Attribute[] = [
  { ...reference('schemas', 'URIs of the schemas of the resource.', READ_ONLY), multiValued: true, returned: 'always' },
  text('id', 'Unique identifier of the resource, assigned by the service provider.', {
    ...READ_ONLY,
    caseExact: true,
    returned: 'always',
    uniqueness: 'server',
  }),
  text('externalId', 'Identifier of the resource, as defined by the provisioning client.', { caseExact: true }),
  complex('meta', 'Metadata of the resource.', {
    ...READ_ONLY,
    subAttributes: [
      text('resourceType', 'The name of the resource type.', { ...READ_ONLY, caseExact: true }),
      instant('created', 'When the resource was added.', READ_ONLY),
      instant('lastModified', 'When the resource was last changed.', READ_ONLY),
      reference('location', 'The URI of the resource.', READ_ONLY),
      text('version', 'The version of the resource, as its entity tag.', { ...READ_ONLY, caseExact: true }),
    ],
  }),
];

type Index = ReadonlyMap<string, Attribute>;

const indexes = new WeakMap<readonly Attribute[], Index>();

function indexOf(attributes: readonly Attribute[]): Index {
  let index = indexes.get(attributes);
  if (!index) {
    index = new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]));
    indexes.set(attributes, index);
  }
  return index;
}

/** The sub-attribute with a name, ignoring case; null when there is none. */
export function subAttribute(attribute: Attribute, name: string): Attribute | null {
  return indexOf(attribute.subAttributes ?? []).get(name.toLowerCase()) ?? null;
}

/** A resource type: its schemas, and the resolution of names in filters, paths and bodies. */
export class ResourceSchema {
  /** Attributes of the resource: common ones, those of the core schema, and each extension as a complex attribute. */
  readonly attributes: readonly Attribute[];
  private readonly extensionAttributes: readonly Attribute[];

  constructor(
    readonly name: 'User' | 'Group',
    readonly endpoint: '/Users' | '/Groups',
    readonly core: Schema,
    readonly extensions: readonly Schema[],
    /** A multi-valued attribute that is stored as a set of pairs and is never part of a {@link Resource}. */
    readonly pairs: string | null,
  ) {
    this.extensionAttributes = extensions.map(({ id, description, attributes }) =>
      complex(id, description, { subAttributes: attributes }),
    );
    this.attributes = [...COMMON, ...core.attributes, ...this.extensionAttributes];
  }

  /**
   * Resolves a name, ignoring case: `userName`, `name.familyName`, a name prefixed with the URN of its schema, or an
   * attribute of an extension without its URN. Null when it is unknown.
   */
  resolve(name: string): AttributePath | null {
    const lower = name.toLowerCase();
    if (!lower.startsWith('urn:')) return this.resolveShort(lower);
    const core = `${this.core.id.toLowerCase()}:`;
    if (lower.startsWith(core)) return inside(this.attributes, lower.slice(core.length));
    for (const extension of this.extensionAttributes) {
      const id = extension.name.toLowerCase();
      if (lower === id) return [extension];
      if (!lower.startsWith(`${id}:`)) continue;
      const path = inside(extension.subAttributes!, lower.slice(id.length + 1));
      return path && [extension, ...path];
    }
    return null;
  }

  private resolveShort(lower: string): AttributePath | null {
    const own = inside(this.attributes, lower);
    if (own) return own;
    for (const extension of this.extensionAttributes) {
      const path = inside(extension.subAttributes!, lower);
      if (path) return [extension, ...path];
    }
    return null;
  }
}

/** Resolves a name inside a complex attribute, ignoring case: `familyName`, `manager.value`. */
export function pathBelow(attribute: Attribute, name: string): AttributePath | null {
  return inside(attribute.subAttributes ?? [], name.toLowerCase());
}

/** `lower` is a name, or a name with a sub-attribute. */
function inside(attributes: readonly Attribute[], lower: string): AttributePath | null {
  const [first, second, ...more] = lower.split('.');
  const attribute = indexOf(attributes).get(first!);
  if (!attribute || more.length > 0) return null;
  if (second === undefined) return [attribute];
  const sub = subAttribute(attribute, second);
  return sub && [attribute, sub];
}

export const USERS = new ResourceSchema('User', '/Users', USER_SCHEMA, [ENTERPRISE_SCHEMA], null);
export const GROUPS = new ResourceSchema('Group', '/Groups', GROUP_SCHEMA, [], 'members');
