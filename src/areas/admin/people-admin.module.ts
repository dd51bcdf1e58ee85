import { Module } from '@nestjs/common';
import { MembershipChangesService } from './memberships/membership-changes.service.js';
import { MembershipsController } from './memberships/memberships.controller.js';
import { MembershipsRepository } from './memberships/memberships.repository.js';
import { MembershipsService } from './memberships/memberships.service.js';
import { RoleChangesService } from './roles/role-changes.service.js';
import { RolesController } from './roles/roles.controller.js';
import { RolesService } from './roles/roles.service.js';
import { WorkspaceMembersRepository } from './workspaces/workspace-members.repository.js';
import { WorkspaceMembersService } from './workspaces/workspace-members.service.js';
import { WorkspacesController } from './workspaces/workspaces.controller.js';
import { WorkspacesService } from './workspaces/workspaces.service.js';

/** Who is in the tenant, what they may do, and the units that they work in. */
@Module({
  controllers: [MembershipsController, RolesController, WorkspacesController],
  providers: [
    MembershipChangesService,
    MembershipsRepository,
    MembershipsService,
    RoleChangesService,
    RolesService,
    WorkspaceMembersRepository,
    WorkspaceMembersService,
    WorkspacesService,
  ],
})
export class PeopleAdminModule {}
