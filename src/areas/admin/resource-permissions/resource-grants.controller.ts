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
  'For who has the permission resource-permissions:manage there, and who has the level manage on the record by exception.';

@Controller(resourceGrants.path)
export class ResourceGrantsController {
  constructor(
    private readonly grants: ResourceGrantsService,
    private readonly effective: EffectiveRights,
  ) {}

  @Route({
    id: 'admin.resource_permissions.list',
    summary: 'List exceptions to roles, or explain what a member may do',
    description:
      'With `effective=true`, `membershipId`, `object` and `objectId`: the levels of the member on the record, and what ' +
      'decided about each permission. The guards themselves are asked.',
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
    summary: 'Make exceptions to roles, or change them',
    description:
      `For one record or for all of a type in a workspace. ${BY_MANAGER} Nobody allows more than their own level, or ` +
      'themselves anything. Of several each has a result of its own.',
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
      answer: { data: [{ ok: true, grant: resourceGrants.example, created: true, error: null }] },
    },
  })
  @Post()
  grant(@Body() input: GrantResourcePermissions) {
    return this.grants.grant(input);
  }

  @Route({
    id: 'admin.resource_permissions.revoke',
    summary: 'Take an exception back',
    description: `By its id, or by what it is about and whom it is for. ${BY_MANAGER}`,
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
