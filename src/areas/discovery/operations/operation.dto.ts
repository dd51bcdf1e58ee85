import { Field, flag, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';

const word = text({ max: 128 });
const words = listOf(word, { max: 10_000 });
export const REACHES = ['own', 'workspace', 'tenant'] as const;
export const ACCESSES = ['public', 'credential', 'scim_token'] as const;

export class OperationQuery extends PageQuery {
  @Field(text({ min: 1, max: 64 }), { description: 'Only operations of this area.', example: 'sales', optional: true })
  area?: string;

  @Field(text({ min: 1, max: 128 }), {
    description: 'Only operations that require this permission, always or in some cases.',
    example: 'deals:write',
    optional: true,
  })
  permission?: string;

  @Field(flag(), {
    description: 'Only operations that you may call (`true`) or may not call (`false`).',
    optional: true,
  })
  allowed?: boolean;
}

export class ConditionalScope {
  @Field(word, {
    description:
      'The scope. `*:read` stands for the read permission of the type named in the request, `*` for the permission of the operation that it triggers.',
    example: 'deals:close',
  })
  scope!: string;

  @Field(text({ max: 500 }), { description: 'When it is required.', example: 'If the change wins the deal.' })
  when!: string;
}

export class Refusal {
  @Field(word, { description: 'Code of the problem.', example: 'permission_denied' })
  code!: string;

  @Field(text({ max: 500 }), {
    description: 'Reason for the refusal.',
    example: 'The credential needs the scope deals:write.',
  })
  detail!: string;
}

export class DiscoveredOperation {
  @Field(word, { description: 'Operation id, as in the OpenAPI document.', example: 'sales.deals.create' })
  id!: string;

  @Field(word, { description: 'Area.', example: 'sales' })
  area!: string;

  @Field(oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']), { description: 'Method.', example: 'POST' })
  method!: string;

  @Field(text({ max: 500 }), { description: 'Path, with parameters in braces.', example: '/api/v1/sales/deals' })
  path!: string;

  @Field(text({ max: 500 }), { description: 'Summary.', example: 'Create a deal' })
  summary!: string;

  @Field(oneOf(ACCESSES), {
    description: 'Who can call it: everybody, API keys and sessions, or identity providers with a SCIM token.',
    example: 'credential',
  })
  access!: (typeof ACCESSES)[number];

  @Field(words, { description: 'Required scopes.', example: ['deals:write'] })
  scopes!: string[];

  @Field(words, { description: 'Scopes that suffice for part of the operation.', example: [] })
  partialScopes!: string[];

  @Field(listOf(nested(ConditionalScope), { max: 1_000 }), { description: 'Scopes required in some cases.' })
  conditionalScopes!: ConditionalScope[];

  @Field(flag(), { description: 'Whether it accepts an `Idempotency-Key`.', example: true })
  idempotent!: boolean;

  @Field(flag(), {
    description: 'Whether it is protected, which requires a key with `allowProtected` or a recent second factor.',
    example: false,
  })
  protected!: boolean;

  @Field(words, { description: 'Members of the body that make it a protected operation.', example: [] })
  protectedMembers!: string[];

  @Field(flag(), {
    description: 'Whether a gate of the tenant can deny it or require approval.',
    example: true,
  })
  gated!: boolean;

  @Field(oneOf(['read', 'write', 'scim']), {
    description: 'Rate limit that it counts toward; null if none applies.',
    nullable: true,
    example: 'write',
  })
  rateClass!: string | null;

  @Field(flag(), {
    description: 'Whether you may call it. Individual records may still be out of reach, see `reach`.',
    example: true,
  })
  allowed!: boolean;

  @Field(nested(Refusal), { description: 'Why you may not call it; null if you may.', nullable: true })
  refusal!: Refusal | null;

  @Field(oneOf(REACHES), {
    description:
      'Reach of your permission: the whole tenant, your workspaces, or your own records. Null if none is required or you lack it.',
    nullable: true,
    example: 'tenant',
  })
  reach!: string | null;
}

export class OperationList {
  @Field(listOf(nested(DiscoveredOperation), { max: 10_000 }), { description: 'The operations, by path and method.' })
  data!: DiscoveredOperation[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}

export class ScopesQuery {
  @Field(listOf(text({ min: 1, max: 128 }), { min: 1, max: 200, unique: true }), {
    description: 'Operation ids, comma-separated.',
    example: ['sales.deals.create', 'sales.deals.list'],
  })
  operations!: string[];
}

export class OperationScope extends ConditionalScope {
  @Field(word, { description: 'The operation that requires it.', example: 'sales.deals.update' })
  operation!: string;
}

export class NeededScopes {
  @Field(words, { description: 'The requested operations.', example: ['sales.deals.create'] })
  operations!: string[];

  @Field(words, { description: 'The minimal scopes to call them.', example: ['deals:write'] })
  scopes!: string[];

  @Field(listOf(nested(OperationScope), { max: 10_000 }), {
    description: 'Scopes that are also required in some cases.',
  })
  conditional!: OperationScope[];

  @Field(words, { description: 'Those that are protected operations, always or for some input.', example: [] })
  protected!: string[];

  @Field(words, {
    description: 'Scopes that you do not hold for the whole tenant and therefore cannot grant to a key.',
    example: [],
  })
  missing!: string[];
}

export class RoleReach {
  @Field(word, { description: 'Built-in role.', example: 'member' })
  role!: string;

  @Field(oneOf(REACHES), { description: 'Reach of the permission in the role.', example: 'workspace' })
  reach!: string;
}

export class DiscoveredPermission {
  @Field(word, { description: 'Permission, also the name of the scope.', example: 'deals:read' })
  permission!: string;

  @Field(text({ max: 500 }), { description: 'Allowed actions in words.', example: 'Read deals' })
  meaning!: string;

  @Field(oneOf(['low', 'medium', 'high']), { description: 'Risk of misuse.', example: 'low' })
  risk!: string;

  @Field(listOf(nested(RoleReach), { max: 100 }), { description: 'Built-in roles with this permission.' })
  roles!: RoleReach[];

  @Field(words, { description: 'Operations that always require it.', example: ['sales.deals.list'] })
  operations!: string[];

  @Field(oneOf(REACHES), {
    description: 'Reach of your own permission; null if you do not hold it.',
    nullable: true,
    example: 'tenant',
  })
  reach!: string | null;
}

export class DiscoveredPermissionList {
  @Field(listOf(nested(DiscoveredPermission), { max: 10_000 }), { description: 'The permissions, by name.' })
  data!: DiscoveredPermission[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}

export class AreaGroup {
  @Field(word, { description: 'Name of the group, a tag of the OpenAPI document.', example: 'sales deals' })
  name!: string;

  @Field(text({ max: 1_000 }), { description: 'Description.', example: 'Opportunities in a pipeline.' })
  about!: string;

  @Field(words, { description: 'Its operations.', example: ['sales.deals.list'] })
  operations!: string[];
}

export class AreaLinks {
  @Field(text({ max: 200 }), { description: 'This area.', example: '/api/discovery/areas/sales' })
  self!: string;

  @Field(text({ max: 200 }), { description: 'Its operations.', example: '/api/discovery/operations?area=sales' })
  operations!: string;

  @Field(text({ max: 200 }), { description: 'Its types.', example: '/api/discovery/types?area=sales' })
  types!: string;

  @Field(text({ max: 200 }), { description: 'Its tools for AI agents.', example: '/api/discovery/tools?area=sales' })
  tools!: string;
}

export class DiscoveredArea {
  @Field(word, { description: 'Key, first part of operation ids.', example: 'sales' })
  key!: string;

  @Field(word, { description: 'Title.', example: 'Sales' })
  title!: string;

  @Field(oneOf(['enabled', 'disabled', 'not_in_plan']), {
    description: 'Whether the tenant has switched the area on (setting `features`). All areas are part of every plan.',
    example: 'enabled',
  })
  status!: 'enabled' | 'disabled';

  @Field(integer({ min: 0, max: 10_000 }), { description: 'Number of operations.', example: 92 })
  operations!: number;

  @Field(integer({ min: 0, max: 10_000 }), { description: 'Number of those that you may call.', example: 92 })
  allowed!: number;

  @Field(words, { description: 'Types of records and objects.', example: ['sales.deal'] })
  types!: string[];

  @Field(nested(AreaLinks), { description: 'Links to related discovery resources.' })
  links!: AreaLinks;
}

export class AreaList {
  @Field(listOf(nested(DiscoveredArea), { max: 1_000 }), { description: 'The areas, by key.' })
  data!: DiscoveredArea[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}

export class AreaDetail extends DiscoveredArea {
  @Field(listOf(nested(AreaGroup), { max: 1_000 }), { description: 'Groups of operations.' })
  groups!: AreaGroup[];
}
