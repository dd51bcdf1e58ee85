import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { EffectiveRights } from './effective-rights.js';
import { resourceGrants } from './resource-grant.js';
import {
  EffectivePermissions,
  GrantedResourcePermissions,
  GrantPage,
  GrantQuery,
  GrantResourcePermissions,
  RevokedResourcePermissions,
  RevokeQuery,
} from './resource-grant.requests.js';
import { ResourceGrantsService } from './resource-grants.service.js';

const TAG = 'admin resource permissions';
const BY_MANAGER =
  'Allowed with the permission `resource-permissions:manage` there, or with the level `manage` on the record by exception.';

@Controller(resourceGrants.path)
export class ResourceGrantsController {
  constructor(
    private readonly grants: ResourceGrantsService,
    private readonly effective: EffectiveRights,
  ) {}

  @Route({
    id: 'admin.resource_permissions.list',
    summary: 'List exceptions to roles, or explain the rights of a member',
    description:
      'With `effective=true`, `membershipId`, `object` and `objectId`, returns the levels of the member on the record and the rule that decided on each permission. The result comes from the guards that also protect the API.',
    permission: 'resource-permissions:read',
    withinReach: true,
    query: GrantQuery,
    answer: [GrantPage, EffectivePermissions],
    problems: ['cursor_invalid'],
    tag: TAG,
    example: { answer: { data: [resourceGrants.example], page: { limit: 50, hasMore: false, nextCursor: null } } },
  })
  @Get()
  list(@Query() { effective, ...query }: Record<string, unknown>): Promise<object> {
    return effective === true ? this.effective.of(query) : this.grants.list(query);
  }

  @Route({
    id: 'admin.resource_permissions.grant',
    summary: 'Grant or change exceptions to roles',
    description:
      `For one record, or for all records of a type in a workspace. ${BY_MANAGER} You cannot grant more than your own level, or anything to yourself. ` +
      'Several exceptions get individual results.',
    permission: 'any',
    besides: [{ scope: 'resource-permissions:manage', when: 'Unless the caller manages the record.' }],
    body: GrantResourcePermissions,
    answer: GrantedResourcePermissions,
    problems: ['permission_denied', 'grant_exceeds_rights', 'not_by_oneself'],
    tag: TAG,
    example: {
      body: {
        object: 'sales.deal',
        objectId: resourceGrants.example['objectId'],
        principal: resourceGrants.example['principal'],
        level: 'edit',
        reason: resourceGrants.example['reason'],
      },
      answer: {
        data: [{ ok: true, grant: resourceGrants.example, created: true, changed: true, error: null }],
        page: { limit: 1, hasMore: false, nextCursor: null },
      },
    },
  })
  @Post()
  grant(@Body() input: GrantResourcePermissions) {
    return this.grants.grant(input);
  }

  @Route({
    id: 'admin.resource_permissions.revoke',
    summary: 'Revoke an exception',
    description: `Identified by its id, or by its records and principal. ${BY_MANAGER}`,
    permission: 'any',
    besides: [{ scope: 'resource-permissions:manage', when: 'Unless the caller manages the record.' }],
    query: RevokeQuery,
    answer: RevokedResourcePermissions,
    problems: ['permission_denied', 'not_by_oneself', 'not_found'],
    tag: TAG,
    example: { answer: { deleted: 1 } },
  })
  @Delete()
  revoke(@Query() query: Record<string, unknown>) {
    return this.grants.revoke(query);
  }
}
