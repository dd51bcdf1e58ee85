import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { roles } from './role.js';
import {
  ChangedRole,
  DeletedRole,
  DeleteRoleQuery,
  type NewRole,
  RolePage,
  type RolePatch,
  RolePending,
  RoleQuery,
} from './role.requests.js';
import { RoleChangesService } from './role-changes.service.js';
import { RolesService } from './roles.service.js';

@Controller(roles.path)
export class RolesController {
  constructor(
    private readonly roles: RolesService,
    private readonly changes: RoleChangesService,
  ) {}

  @Route({
    id: 'admin.roles.list',
    summary: 'List system roles and custom roles',
    permission: 'roles:read',
    query: RoleQuery,
    answer: RolePage,
    problems: ['cursor_invalid'],
    example: {
      answer: {
        data: [{ ...roles.example, permissions: null }],
        page: { limit: 50, hasMore: false, nextCursor: null },
        catalogue: null,
      },
    },
  })
  @Get()
  list(@Query() query: RoleQuery) {
    return this.roles.list(query);
  }

  @Route({
    id: 'admin.roles.get',
    summary: 'Read a role and its permissions',
    permission: 'roles:read',
    answer: roles.view,
    record: true,
    problems: ['not_found'],
    example: { answer: roles.example },
  })
  @Get(':roleId')
  get(@Param('roleId') id: string) {
    return this.roles.get(id);
  }

  @Route({
    id: 'admin.roles.create',
    summary: 'Create a role',
    description:
      'You can only include permissions that you hold yourself. For privileged permissions, the gate `role.grant_privileged` can require approval; the response is then a `pendingApproval`.',
    permission: 'roles:manage',
    protected: true,
    body: roles.create,
    answer: [roles.view, RolePending],
    problems: ['grant_exceeds_rights', 'gate_denied', 'duplicate', 'limit_reached'],
    example: {
      body: { name: 'Sales', permissions: ['deals:read', 'deals:write@own'] },
      answer: { ...roles.example, description: null, memberCount: 0 },
    },
  })
  @Post()
  create(@Body() input: NewRole) {
    return this.changes.create(input);
  }

  @Route({
    id: 'admin.roles.update',
    summary: 'Change a role and the rights of its members',
    description: 'Takes effect with the next request of each member.',
    permission: 'roles:manage',
    protected: true,
    body: roles.update,
    answer: ChangedRole,
    record: true,
    problems: ['not_found', 'grant_exceeds_rights', 'gate_denied', 'system_role', 'duplicate', 'approval_pending'],
    example: {
      body: { add: ['deals:close'] },
      answer: {
        ...roles.example,
        permissions: ['deals:close', 'deals:read', 'deals:write@own'],
        version: 2,
        affectedMembers: 4,
        pendingApproval: null,
      },
    },
  })
  @Patch(':roleId')
  update(@Param('roleId') id: string, @Body() patch: RolePatch) {
    return this.changes.update(id, patch);
  }

  @Route({
    id: 'admin.roles.delete',
    summary: 'Delete a role',
    description:
      'A role in use needs a replacement, which replaces it for members, open invitations, workspaces and identity providers. For a privileged replacement, the gate `role.grant_privileged` can require approval; the response then contains `pendingApproval`.',
    permission: 'roles:manage',
    protected: true,
    query: DeleteRoleQuery,
    answer: DeletedRole,
    problems: ['not_found', 'grant_exceeds_rights', 'gate_denied', 'system_role', 'in_use', 'approval_pending'],
    example: { answer: { id: roles.example['id'], deleted: true, reassigned: 4, pendingApproval: null } },
  })
  @Delete(':roleId')
  remove(@Param('roleId') id: string, @Query() { replacementRoleId }: DeleteRoleQuery) {
    return this.changes.remove(id, replacementRoleId);
  }
}
