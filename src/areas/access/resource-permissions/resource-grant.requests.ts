import { type Level, LEVELS } from '#libs/auth/levels.js';
import { Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { ProblemDocument } from '#libs/http/problems/problem.dto.js';
import { member } from '#libs/resource/types/envelope.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { model, ONE_PAGE, PageInfo, pageOf } from '#libs/resource/types/record.dto.js';
import {
  EFFECTS,
  GrantPrincipal,
  PRINCIPAL_TYPES,
  type ResourceGrant,
  resourceGrants,
  typeKey,
} from './resource-grant.js';

type ResourceGrantView = Omit<ResourceGrant, 'tenantId'>;

export const GrantPage = pageOf(resourceGrants.view);

/** Query for the list or, with `effective`, for the rights of one member on one record. */
export class GrantQuery extends listQuery('GrantListQuery', resourceGrants.list!) {
  @Field(flag(), {
    description: 'Explain the rights of the member `membershipId` on the record `objectId` of type `object`.',
    optional: true,
  })
  effective?: boolean;

  @Field(member(), {
    description:
      'Member whose rights are explained; in the list, only exceptions for this member directly. `me` is the caller.',
    optional: true,
  })
  membershipId?: string;
}

/** One step of a decision. */
export class DecisionStep {
  @Field(text({ max: 100 }), { description: 'Permission decided on.', example: 'deals:write' })
  permission!: string;

  @Field(oneOf(LEVELS), { description: 'Level of the permission.', example: 'edit' })
  level!: Level;

  @Field(oneOf(['type_rule', 'deny_grant', 'role', 'allow_grant', 'default']), {
    description:
      'Kind of rule that decided: a rule of the type, a denial, a role, an allowance, or `default` without any of these.',
    example: 'role',
  })
  rule!: string;

  @Field(text({ max: 300 }), {
    description: 'Ids of the exceptions, or keys of the roles with their reach.',
    example: 'manager@tenant',
    nullable: true,
  })
  source!: string | null;

  @Field(oneOf(EFFECTS), { description: 'Decision about the permission.', example: 'allow' })
  effect!: 'allow' | 'deny';
}

export class EffectivePermissions {
  @Field(id(), { description: 'The member.' })
  membershipId!: string;

  @Field(typeKey, { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'The record.' })
  objectId!: string;

  @Field(listOf(oneOf(LEVELS), { max: 4 }), {
    description: 'Levels of the member on the record, not considering narrower scopes of API keys.',
    example: ['view', 'comment'],
  })
  levels!: Level[];

  @Field(listOf(nested(DecisionStep), { max: 100 }), { description: 'Decision about each permission.' })
  trace!: DecisionStep[];
}

/** An exception to grant. */
export class NewResourceGrant {
  @Field(typeKey, { description: 'Type of the records.', example: 'sales.deal', optional: true })
  object?: string;

  @Field(id(), { description: 'The record. Send this or `workspaceId`.', optional: true, nullable: true })
  objectId?: string | null;

  @Field(id(), {
    description: 'Workspace whose records of the type are covered; ignored if a record is given.',
    optional: true,
    nullable: true,
  })
  workspaceId?: string | null;

  @Field(nested(GrantPrincipal), { description: 'Principal that it is for.', optional: true })
  principal?: GrantPrincipal;

  @Field(oneOf(LEVELS), { description: 'Level; defaults to `view`.', example: 'edit', optional: true })
  level?: Level;

  @Field(oneOf(EFFECTS), { description: 'Effect; defaults to `allow`.', example: 'allow', optional: true })
  effect?: 'allow' | 'deny';

  @Field(instant(), { description: 'Time at which it expires; defaults to never.', optional: true, nullable: true })
  expiresAt?: string | null;

  @Field(text({ min: 1, max: 1_000 }), { description: 'Reason for the exception.', optional: true, nullable: true })
  reason?: string | null;
}

export class GrantResourcePermissions extends NewResourceGrant {
  @Field(listOf(nested(NewResourceGrant), { min: 1, max: 100 }), {
    description: 'Several exceptions, instead of or in addition to the single one.',
    optional: true,
  })
  grants?: NewResourceGrant[];
}

export class GrantedResourcePermission {
  @Field(flag(), { description: 'True if the exception is in force.', example: true })
  ok!: boolean;

  @Field(nested(resourceGrants.view), { description: 'The exception.', nullable: true })
  grant!: ResourceGrantView | null;

  @Field(flag(), { description: 'True if it was created; false if there was one already.', example: true })
  created!: boolean;

  @Field(flag(), { description: 'True if it was created or changed; false if it was so already.', example: true })
  changed!: boolean;

  @Field(nested(ProblemDocument), { description: 'Reason for the refusal; null if there was none.', nullable: true })
  error!: ProblemDocument | null;
}

export class GrantedResourcePermissions {
  @Field(listOf(nested(GrantedResourcePermission), { max: 101 }), { description: 'One result for each, in order.' })
  data!: GrantedResourcePermission[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}

export const RevokeQuery = model('RevokeResourcePermissionsQuery', {
  id: {
    kind: id(),
    description: 'Id of the exception. Alternatively, identify it by its records and principal.',
    optional: true,
  },
  object: { kind: typeKey, description: 'Type of the records.', optional: true },
  objectId: { kind: id(), description: 'The record.', optional: true },
  workspaceId: { kind: id(), description: 'The workspace.', optional: true },
  principalType: { kind: oneOf(PRINCIPAL_TYPES), description: 'Type of the principal that it is for.', optional: true },
  principalId: { kind: id(), description: 'Id of the principal that it is for.', optional: true },
});

export class RevokedResourcePermissions {
  @Field(integer({ min: 0, max: 100 }), { description: 'Number of exceptions revoked.', example: 1 })
  deleted!: number;
}
