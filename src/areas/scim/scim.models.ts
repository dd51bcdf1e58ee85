import {
  addFields,
  anyObject,
  Field,
  fieldsOf,
  type FieldSpec,
  integer,
  type JsonSchema,
  listOf,
  text,
} from '#libs/http/field.js';
import type { Attribute } from '#libs/scim-language/attribute.js';
import { GROUPS, type ResourceSchema, USERS } from '#libs/scim-language/resource-schema.js';
import { URN } from '#libs/scim-language/urn.js';

/** Models of SCIM messages for the API document, derived from the schemas that `/Schemas` serves. */

const MAX_COUNT = 2_147_483_647;
const uris = () => listOf(text({ max: 500 }), { max: 20 });

/** A SCIM error. `Source:` RFC 7644 section 3.12. */
export class ScimErrorModel {
  @Field(uris(), { description: 'URI of the message.', example: [URN.error] })
  schemas!: string[];

  @Field(text({ max: 3 }), { description: 'HTTP status, as text.', example: '400' })
  status!: string;

  @Field(text({ max: 40 }), {
    description: 'SCIM error type (RFC 7644), for some errors.',
    example: 'invalidFilter',
    optional: true,
  })
  scimType?: string;

  @Field(text({ max: 4_000 }), { description: 'Explanation for people.', example: 'There is no attribute "nick".' })
  detail!: string;
}

/** A user: a membership of the tenant, as identity providers see it. */
export class ScimUser {}
addFields(
  ScimUser,
  fieldsOfResource(USERS, () => true),
);

/** The attributes of a user that a provider can write. */
export class ScimUserBody {}
addFields(ScimUserBody, fieldsOfResource(USERS, isWritable));

/** A group as identity providers see it. */
export class ScimGroup {}
addFields(
  ScimGroup,
  fieldsOfResource(GROUPS, () => true),
);

/** The attributes of a group that a provider can write. */
export class ScimGroupBody {}
addFields(ScimGroupBody, fieldsOfResource(GROUPS, isWritable));

/** A page of resources. `Source:` RFC 7644 section 3.4.2, RFC 9865. */
export class ScimListResponse {
  @Field(uris(), { description: 'URI of the message.', example: [URN.listResponse] })
  schemas!: string[];

  @Field(integer({ min: 0, max: MAX_COUNT }), { description: 'How many there are in all.', example: 1 })
  totalResults!: number;

  @Field(integer({ min: 0, max: 1_000 }), { description: 'How many are on this page.', example: 1 })
  itemsPerPage!: number;

  @Field(integer({ min: 1, max: MAX_COUNT }), {
    description: 'Place of the first of them, counted from 1; not for pages by cursor.',
    example: 1,
    optional: true,
  })
  startIndex?: number;

  @Field(text({ max: 2_000 }), { description: 'Cursor of the next page, if there is one.', optional: true })
  nextCursor?: string;

  @Field(listOf(anyObject(), { max: 1_000 }), {
    description: 'The resources.',
    example: [{ schemas: [URN.user], id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22', userName: 'ana@acme.example' }],
  })
  Resources!: object[];
}

/** A change to a resource. `Source:` RFC 7644 section 3.5.2. */
export class ScimPatch {
  @Field(uris(), { description: 'URI of the message.', example: [URN.patchOp], optional: true })
  schemas?: string[];

  @Field(listOf(anyObject(), { max: 10_000 }), {
    description:
      'Operations, taken in order, all or none: `{ "op": "add" | "replace" | "remove", "path"?, "value"? }`. `op` and names may be in any case.',
    example: [{ op: 'replace', path: 'active', value: false }],
  })
  Operations!: object[];
}

/** Features of the server. `Source:` RFC 7643 section 5. */
export class ScimServiceProviderConfig {}
addFields(ScimServiceProviderConfig, [
  ...described(),
  ...objects({
    patch: 'Whether PATCH is offered.',
    bulk: 'Whether bulk requests are offered, and how large they may be.',
    filter: 'Whether filters are offered, and how many resources a page may have.',
    changePassword: 'Whether passwords can be changed.',
    sort: 'Whether sorting is offered.',
    etag: 'Whether versions are offered.',
    pagination: 'Which ways of paging are offered.',
  }),
  lists('authenticationSchemes', 'How to authenticate.'),
]);

/** A resource type. `Source:` RFC 7643 section 6. */
export class ScimResourceType {}
addFields(ScimResourceType, [
  ...described(),
  ...words({
    id: 'Id of the type.',
    name: 'Name of the type.',
    description: 'Description of the type.',
    endpoint: 'Path below the base URL.',
    schema: 'URN of its schema.',
  }),
  lists('schemaExtensions', 'Schema extensions that a resource may have.'),
]);

/** A schema. `Source:` RFC 7643 section 7. */
export class ScimSchema {}
addFields(ScimSchema, [
  ...described(),
  ...words({ id: 'URN of the schema.', name: 'Name of the schema.', description: 'Purpose of the schema.' }),
  lists('attributes', 'Its attributes with their characteristics.'),
]);

/** Parameters that select attributes. */
export class ScimReadQuery {
  @Field(text({ max: 4_000 }), {
    description: 'Attributes to show beside those that are always shown, separated by commas.',
    example: 'userName,emails.value',
    optional: true,
  })
  attributes?: string;

  @Field(text({ max: 4_000 }), {
    description: 'Attributes to leave out, separated by commas.',
    example: 'groups',
    optional: true,
  })
  excludedAttributes?: string;
}

/** Filter, sort order and page of a list. */
export class ScimListTerms {
  @Field(text({ max: 16_384 }), {
    description: 'A filter. `Source:` RFC 7644 section 3.4.2.2.',
    example: 'userName eq "ana@acme.example"',
    optional: true,
  })
  filter?: string;

  @Field(text({ max: 200 }), { description: 'Attribute to sort by.', example: 'userName', optional: true })
  sortBy?: string;

  @Field(text({ max: 20 }), { description: '`ascending` or `descending`.', example: 'ascending', optional: true })
  sortOrder?: string;

  @Field(integer({ min: -MAX_COUNT, max: MAX_COUNT }), {
    description: 'Place of the first resource, counted from 1.',
    example: 1,
    optional: true,
  })
  startIndex?: number;

  @Field(integer({ min: -MAX_COUNT, max: MAX_COUNT }), {
    description: 'Most resources on the page; 100 if not given, never more than 200.',
    example: 100,
    optional: true,
  })
  count?: number;

  @Field(text({ max: 2_000 }), {
    description: 'Page by cursor (RFC 9865), for one type of resource: empty for the first page, then `nextCursor`.',
    optional: true,
  })
  cursor?: string;
}

/** Parameters of a list. */
export class ScimListQuery extends ScimListTerms {}
addFields(ScimListQuery, fieldsOf(ScimReadQuery));

function isWritable({ name, mutability }: Attribute): boolean {
  return mutability !== 'readOnly' || name === 'schemas';
}

/**
 * Fields for the attributes of a resource. All are optional, because an attribute may have no value or not be
 * requested.
 */
function fieldsOfResource(schema: ResourceSchema, keep: (attribute: Attribute) => boolean): [string, FieldSpec][] {
  return schema.attributes
    .filter((attribute) => keep(attribute) && attribute.returned !== 'never')
    .map((attribute) => [
      attribute.name,
      { kind: anyObject(schemaOfAttribute(attribute)), description: attribute.description, optional: true },
    ]);
}

function schemaOfAttribute(attribute: Attribute): JsonSchema {
  const single = schemaOfValue(attribute);
  return attribute.multiValued ? { type: 'array', items: single } : single;
}

function schemaOfValue({ type, subAttributes = [] }: Attribute): JsonSchema {
  if (type === 'boolean') return { type: 'boolean' };
  if (type === 'dateTime') return { type: 'string', format: 'date-time' };
  if (type !== 'complex') return { type: 'string' };
  const properties = subAttributes.map((each) => [each.name, schemaOfAttribute(each)] as const);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}

function described(): [string, FieldSpec][] {
  const schemas = { kind: uris(), description: 'URIs of its schemas.', example: [URN.schema] };
  return [['schemas', schemas], ...objects({ meta: 'Type and place of it.' })];
}

function objects(descriptions: Record<string, string>): [string, FieldSpec][] {
  return Object.entries(descriptions).map(([name, description]) => [
    name,
    { kind: anyObject(), description, optional: true, example: {} },
  ]);
}

function words(descriptions: Record<string, string>): [string, FieldSpec][] {
  return Object.entries(descriptions).map(([name, description]) => [
    name,
    { kind: text({ max: 2_000 }), description, optional: true },
  ]);
}

function lists(name: string, description: string): [string, FieldSpec] {
  return [name, { kind: listOf(anyObject(), { max: 100 }), description, optional: true, example: [] }];
}
