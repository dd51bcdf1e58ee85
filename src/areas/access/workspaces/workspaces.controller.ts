import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import {
  AddedWorkspaceMembers,
  AddWorkspaceMembers,
  RemovedWorkspaceMembers,
  RemoveWorkspaceMembersQuery,
  WorkspaceMemberPage,
  WorkspaceMemberQuery,
  type WorkspaceMemberView,
} from './workspace-member.requests.js';
import { WorkspaceMembersService } from './workspace-members.service.js';
import { workspaces } from './workspace.js';
import { type NewWorkspace, type WorkspacePatch, WorkspaceQuery } from './workspace.requests.js';
import { WorkspacesService } from './workspaces.service.js';

const MEMBER: WorkspaceMemberView = {
  membership: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
    name: 'Ana Silva',
    email: 'ana@acme.example',
    status: 'active',
  },
  workspaceRole: 'lead',
  addedAt: '2026-11-21T09:15:02.114Z',
  addedBy: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Back office' },
  source: 'manual',
};
const BY_MANAGER = 'Allowed for the lead of the workspace, and with the scope `workspaces:manage` within its reach.';
const OF_MANAGERS = {
  permission: 'workspaces:read',
  besides: [
    {
      scope: 'workspaces:manage' as const,
      when: 'Always; the lead of the workspace needs it only as a scope of the credential.',
    },
  ],
  withinReach: true,
} as const;
const route = routesOf(workspaces, 'admin.workspaces', { permission: 'workspaces:read', withinReach: true });

@Controller(workspaces.path)
export class WorkspacesController {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly members: WorkspaceMembersService,
  ) {}

  @route.list({
    summary: 'List workspaces',
    description: 'Lists all workspaces; with a limited reach, only open ones and your own.',
    query: WorkspaceQuery,
    example: { answer: { data: [workspaces.example], page: { limit: 50, hasMore: false, nextCursor: null } } },
  })
  list(@Query() query: object) {
    return this.workspaces.objects.list(query);
  }

  @route.create({
    summary: 'Create a workspace',
    description:
      'You become its lead unless you specify another one. With a limited reach, it must be part of a workspace that you manage.',
    permission: 'workspaces:manage',
    status: 200,
    record: false,
    problems: ['grant_exceeds_rights', 'duplicate'],
    example: { body: { name: 'Sales EMEA', key: 'EMEA' }, answer: workspaces.example },
  })
  create(@Body() input: NewWorkspace) {
    return this.workspaces.create(input);
  }

  @Route({
    id: 'admin.workspaces.get',
    summary: 'Read a workspace',
    permission: 'workspaces:read',
    withinReach: true,
    answer: workspaces.view,
    record: true,
    problems: ['not_found'],
    example: { answer: workspaces.example },
  })
  @Get(':workspaceId')
  get(@Param('workspaceId') id: string) {
    return this.workspaces.objects.get(id);
  }

  @Route({
    ...OF_MANAGERS,
    id: 'admin.workspaces.update',
    summary: 'Change or archive a workspace',
    description: BY_MANAGER,
    body: workspaces.update,
    answer: workspaces.view,
    record: true,
    problems: ['not_found', 'grant_exceeds_rights', 'not_by_oneself', 'tree_cycle', 'record_locked', 'in_use'],
    example: { body: { visibility: 'closed' }, answer: { ...workspaces.example, visibility: 'closed', version: 2 } },
  })
  @Patch(':workspaceId')
  update(@Param('workspaceId') id: string, @Body() patch: WorkspacePatch) {
    return this.workspaces.update(id, patch);
  }

  @Route({
    id: 'admin.workspaces.list_members',
    summary: 'List the members of a workspace',
    permission: 'workspaces:read',
    withinReach: true,
    query: WorkspaceMemberQuery,
    answer: WorkspaceMemberPage,
    problems: ['not_found', 'cursor_invalid'],
    example: { answer: { data: [MEMBER], page: { limit: 50, hasMore: false, nextCursor: null } } },
  })
  @Get(':workspaceId/members')
  listMembers(@Param('workspaceId') id: string, @Query() query: WorkspaceMemberQuery) {
    return this.members.list(id, query);
  }

  @Route({
    ...OF_MANAGERS,
    id: 'admin.workspaces.add_members',
    summary: 'Add members to a workspace or change their role in it',
    description: `${BY_MANAGER} Several members get individual results; those already in the workspace stay.`,
    body: AddWorkspaceMembers,
    answer: AddedWorkspaceMembers,
    problems: ['not_found', 'not_by_oneself', 'blocked', 'duplicate', 'record_locked', 'version_mismatch'],
    example: {
      body: { email: 'ana@acme.example', workspaceRole: 'lead' },
      answer: {
        data: [{ ok: true, member: MEMBER, error: null }],
        page: { limit: 1, hasMore: false, nextCursor: null },
      },
    },
  })
  @Post(':workspaceId/members')
  addMembers(@Param('workspaceId') id: string, @Body() input: AddWorkspaceMembers) {
    return this.members.add(id, input);
  }

  @Route({
    ...OF_MANAGERS,
    id: 'admin.workspaces.remove_members',
    summary: 'Remove members from a workspace',
    description: `${BY_MANAGER} When the lead is removed, another lead or the longest-standing member takes over.`,
    query: RemoveWorkspaceMembersQuery,
    answer: RemovedWorkspaceMembers,
    problems: ['not_found', 'managed_by_scim', 'record_locked'],
    example: { answer: { removed: 1, reassigned: 12, jobIds: ['019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b31'] } },
  })
  @Delete(':workspaceId/members')
  removeMembers(@Param('workspaceId') id: string, @Query() query: RemoveWorkspaceMembersQuery) {
    return this.members.remove(id, query);
  }
}
