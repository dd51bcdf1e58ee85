/** The characteristics of an attribute, as `/Schemas` shows them. `Source:` RFC 7643 section 7. */
export interface Attribute {
  name: string;
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'binary' | 'complex';
  multiValued: boolean;
  description: string;
  required: boolean;
  canonicalValues?: readonly string[];
  caseExact: boolean;
  mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  returned: 'always' | 'never' | 'default' | 'request';
  uniqueness: 'none' | 'server' | 'global';
  referenceTypes?: readonly string[];
  subAttributes?: readonly Attribute[];
}

export interface Schema {
  id: string;
  name: string;
  description: string;
  attributes: readonly Attribute[];
}

type Characteristics = Partial<Omit<Attribute, 'name' | 'type' | 'description'>>;

const PLAIN = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const;

const kind =
  (type: Attribute['type'], preset: Characteristics = {}) =>
  (name: string, description: string, differing: Characteristics = {}): Attribute => ({
    name,
    type,
    description,
    ...PLAIN,
    ...preset,
    ...differing,
  });

export const text = kind('string');
export const flag = kind('boolean');
export const instant = kind('dateTime', { caseExact: true });
export const reference = kind('reference', { caseExact: true });
export const complex = kind('complex');
export const binary = kind('binary', { caseExact: true });

/** A multi-valued attribute with the usual sub-attributes. `Source:` RFC 7643 section 2.4. */
export function plural(
  name: string,
  description: string,
  value: Attribute,
  types: { description: string; canonicalValues?: readonly string[] } = {
    description: "A label indicating the attribute's function.",
  },
): Attribute {
  const { description: label, ...canonical } = types;
  return complex(name, description, {
    multiValued: true,
    subAttributes: [
      value,
      text('display', 'A human-readable name, primarily used for display purposes.'),
      text('type', label, canonical),
      PRIMARY,
    ],
  });
}

export const PRIMARY = flag(
  'primary',
  "A Boolean value indicating the 'primary' or preferred attribute value for this attribute. " +
    "The primary attribute value 'true' MUST appear no more than once.",
);
