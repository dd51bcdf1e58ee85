import { Field, flag, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';
import { ShortListQuery } from '#libs/resource/lists/page-query.js';

const word = text({ max: 128 });
const words = listOf(word, { max: 10_000 });
export const REACHES = ['own', 'workspace', 'tenant'] as const;
export const ACCESSES = ['public', 'credential', 'scim_token'] as const;

export class OperationQuery extends ShortListQuery {
  @Field(text({ min: 1, max: 64 }), { description: 'Only those of this area.', example: 'sales', optional: true })
  area?: string;

  @Field(text({ min: 1, max: 128 }), {
    description: 'Only those that ask for this permission, always or in some cases.',
    example: 'deals:write',
    optional: true,
  })
  permission?: string;

  @Field(flag(), { description: 'Only those that you may call, or may not.', optional: true })
  allowed?: boolean;
}

export class ConditionalScope {
  @Field(word, {
    description: 'The scope. `*:read` stands for reading the type that the request names, `*` for what it leads to.',
    example: 'deals:close',
  })
  scope!: string;

  @Field(text({ max: 500 }), { description: 'When it is asked for.', example: 'If the change wins the deal.' })
  when!: string;
}

export class Refusal {
  @Field(word, { description: 'Code of the problem.', example: 'permission_denied' })
  code!: string;

  @Field(text({ max: 500 }), {
    description: 'What is missing.',
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

  @Field(text({ max: 500 }), { description: 'Path, parameters in braces.', example: '/api/v1/sales/deals' })
  path!: string;

  @Field(text({ max: 500 }), { description: 'What it does.', example: 'Create a deal' })
  summary!: string;

  @Field(oneOf(ACCESSES), {
    description: 'Who can call it: everybody, API keys and sessions, or identity providers.',
    example: 'credential',
  })
  access!: (typeof ACCESSES)[number];

  @Field(words, { description: 'Scopes that it asks for.', example: ['deals:write'] })
  scopes!: string[];

  @Field(words, { description: 'Scopes that are enough for a part of what it does.', example: [] })
  partialScopes!: string[];

  @Field(listOf(nested(ConditionalScope), { max: 1_000 }), { description: 'Scopes that it asks for in some cases.' })
  conditionalScopes!: ConditionalScope[];

  @Field(flag(), { description: 'Whether it takes an `Idempotency-Key`.', example: true })
  idempotent!: boolean;

  @Field(flag(), {
    description: 'Whether it is protected: it takes a key with `allowProtected`, or a fresh second factor.',
    example: false,
  })
  protected!: boolean;

  @Field(words, { description: 'Members of the body that make it a protected operation.', example: [] })
  protectedMembers!: string[];

  @Field(flag(), {
    description: 'Whether a gate of the tenant can deny it or have it wait for approval.',
    example: true,
  })
  gated!: boolean;

  @Field(oneOf(['read', 'write', 'scim']), {
    description: 'Limit that it counts against; null for those without one.',
    nullable: true,
    example: 'write',
  })
  rateClass!: string | null;

  @Field(flag(), {
    description: 'Whether you may call it. Single records may still be out of reach, see `reach`.',
    example: true,
  })
  allowed!: boolean;

  @Field(nested(Refusal), { description: 'Why you may not.', nullable: true })
  refusal!: Refusal | null;

  @Field(oneOf(REACHES), {
    description:
      'How far your permission for it reaches: the tenant, your workspaces, or what is your own. Null where it needs none, or you lack it.',
    nullable: true,
    example: 'tenant',
  })
  reach!: string | null;
}

export class OperationList {
  @Field(listOf(nested(DiscoveredOperation), { max: 10_000 }), { description: 'The operations, by path and method.' })
  data!: DiscoveredOperation[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;
}

export class ScopesQuery {
  @Field(listOf(text({ min: 1, max: 128 }), { min: 1, max: 200, unique: true }), {
    description: 'Operation ids, separated by commas.',
    example: ['sales.deals.create', 'sales.deals.list'],
  })
  operations!: string[];
}

export class OperationScope extends ConditionalScope {
  @Field(word, { description: 'The operation that asks for it.', example: 'sales.deals.update' })
  operation!: string;
}

export class NeededScopes {
  @Field(words, { description: 'The operations that were asked about.', example: ['sales.deals.create'] })
  operations!: string[];

  @Field(words, { description: 'The fewest scopes with which they can be called.', example: ['deals:write'] })
  scopes!: string[];

  @Field(listOf(nested(OperationScope), { max: 10_000 }), {
    description: 'Scopes that are needed as well in some cases.',
  })
  conditional!: OperationScope[];

  @Field(words, { description: 'Which of them are protected operations, always or for some input.', example: [] })
  protected!: string[];

  @Field(words, {
    description: 'Which of the scopes you do not hold for the whole tenant, so that you cannot give them to a key.',
    example: [],
  })
  missing!: string[];
}

export class RoleReach {
  @Field(word, { description: 'Built-in role.', example: 'member' })
  role!: string;

  @Field(oneOf(REACHES), { description: 'How far the permission of the role reaches.', example: 'workspace' })
  reach!: string;
}

export class DiscoveredPermission {
  @Field(word, { description: 'Permission, also the name of the scope.', example: 'deals:read' })
  permission!: string;

  @Field(text({ max: 500 }), { description: 'What it allows.', example: 'Read deals' })
  meaning!: string;

  @Field(oneOf(['low', 'medium', 'high']), { description: 'How much harm it can do.', example: 'low' })
  risk!: string;

  @Field(listOf(nested(RoleReach), { max: 100 }), { description: 'Built-in roles that have it.' })
  roles!: RoleReach[];

  @Field(words, { description: 'Operations that ask for it always.', example: ['sales.deals.list'] })
  operations!: string[];

  @Field(oneOf(REACHES), {
    description: 'How far yours reaches; null if you do not have it.',
    nullable: true,
    example: 'tenant',
  })
  reach!: string | null;
}

export class DiscoveredPermissionList {
  @Field(listOf(nested(DiscoveredPermission), { max: 10_000 }), { description: 'The permissions, by name.' })
  data!: DiscoveredPermission[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;
}

export class AreaGroup {
  @Field(word, { description: 'Name of the group, a tag of the OpenAPI document.', example: 'sales deals' })
  name!: string;

  @Field(text({ max: 1_000 }), { description: 'What it is about.', example: 'Opportunities on their way.' })
  about!: string;

  @Field(words, { description: 'Its operations.', example: ['sales.deals.list'] })
  operations!: string[];
}

export class AreaLinks {
  @Field(text({ max: 200 }), { description: 'The area.', example: '/api/discovery/areas/sales' })
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
    description: 'Whether the tenant has it on, by the setting `features`. All areas are part of every plan.',
    example: 'enabled',
  })
  status!: 'enabled' | 'disabled';

  @Field(integer({ min: 0, max: 10_000 }), { description: 'Number of operations.', example: 92 })
  operations!: number;

  @Field(integer({ min: 0, max: 10_000 }), { description: 'Number of those that you may call.', example: 92 })
  allowed!: number;

  @Field(words, { description: 'Types of records and objects.', example: ['sales.deal'] })
  types!: string[];

  @Field(nested(AreaLinks), { description: 'Where to go on.' })
  links!: AreaLinks;
}

export class AreaList {
  @Field(listOf(nested(DiscoveredArea), { max: 1_000 }), { description: 'The areas, by key.' })
  data!: DiscoveredArea[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;
}

export class AreaDetail extends DiscoveredArea {
  @Field(listOf(nested(AreaGroup), { max: 1_000 }), { description: 'Groups of operations.' })
  groups!: AreaGroup[];
}
