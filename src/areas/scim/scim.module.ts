import { Module } from '@nestjs/common';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkService } from './bulk/bulk.service.js';
import { ScimDiscoveryController } from './discovery/discovery.controller.js';
import { DiscoveryService } from './discovery/discovery.service.js';
import { GroupChanges } from './groups/group-changes.js';
import { GroupEvents } from './groups/group.events.js';
import { GroupMembersRepository } from './groups/group-members.repository.js';
import { GroupsController } from './groups/groups.controller.js';
import { GroupsRepository } from './groups/groups.repository.js';
import { GroupsService } from './groups/groups.service.js';
import { ScimPages } from './list/scim-pages.js';
import { ScimLogService } from './log/scim-log.service.js';
import { MeController } from './me.controller.js';
import { ScimCaller } from './scim-caller.js';
import { ScimConfigGuard } from './scim-config.guard.js';
import { ScimRecordsModule } from './scim-records.module.js';
import { SearchController } from './search/search.controller.js';
import { SearchService } from './search/search.service.js';
import { UserChanges } from './users/user-changes.js';
import { UserEvents } from './users/user.events.js';
import { UsersController } from './users/users.controller.js';
import { UsersRepository } from './users/users.repository.js';
import { UsersService } from './users/users.service.js';

/** SCIM 2.0: provisioning of members and groups by identity providers. */
@Module({
  imports: [ScimRecordsModule],
  controllers: [
    BulkController,
    ScimDiscoveryController,
    GroupsController,
    MeController,
    SearchController,
    UsersController,
  ],
  providers: [
    BulkService,
    DiscoveryService,
    GroupChanges,
    GroupEvents,
    GroupMembersRepository,
    GroupsRepository,
    GroupsService,
    ScimCaller,
    ScimConfigGuard,
    ScimLogService,
    ScimPages,
    SearchService,
    UserChanges,
    UserEvents,
    UsersRepository,
    UsersService,
  ],
})
export class ScimModule {}
