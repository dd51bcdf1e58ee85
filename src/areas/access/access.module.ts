import { Module } from '@nestjs/common';
import { AccessMetricsModule } from './access-metrics.module.js';
import { AccessReviewsModule } from './access-reviews/access-reviews.module.js';
import { ApiKeysRecordsModule } from './api-keys/api-keys-records.module.js';
import { InvitationsRecordsModule } from './invitations/invitations-records.module.js';
import { ResourcePermissionsModule } from './resource-permissions/resource-permissions.module.js';
import { ScimConfigurationsModule } from './scim-configurations/scim-configurations.module.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { MembershipsController } from './memberships/memberships.controller.js';
import { RolesController } from './roles/roles.controller.js';
import { WorkspacesController } from './workspaces/workspaces.controller.js';
import { ApiKeyRules } from './api-keys/api-key-rules.js';
import { ApiKeyUsageService } from './api-keys/api-key-usage.service.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { MembershipChangesService } from './memberships/membership-changes.service.js';
import { MembershipsRepository } from './memberships/memberships.repository.js';
import { MembershipsService } from './memberships/memberships.service.js';
import { RoleChangesService } from './roles/role-changes.service.js';
import { RolesService } from './roles/roles.service.js';
import { WorkspaceMembersRepository } from './workspaces/workspace-members.repository.js';
import { WorkspaceMembersService } from './workspaces/workspace-members.service.js';
import { WorkspacesService } from './workspaces/workspaces.service.js';

/** Who is in the tenant, what they may do, and the units that they work in; how they come in and how access is reviewed. */
@Module({
  imports: [
    AccessMetricsModule,
    AccessReviewsModule,
    ApiKeysRecordsModule,
    InvitationsRecordsModule,
    ResourcePermissionsModule,
    ScimConfigurationsModule,
  ],
  controllers: [ApiKeysController, InvitationsController, MembershipsController, RolesController, WorkspacesController],
  providers: [
    ApiKeyRules,
    ApiKeyUsageService,
    ApiKeysService,
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
export class AccessModule {}
