import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { OperatorKeys } from '#libs/auth/operator-keys.js';
import { AuthRecordsModule } from '#src/areas/auth/auth-records.module.js';
import { ApprovalsRecordsModule } from '#src/areas/home/approvals/approvals-records.module.js';
import { InboxRecordsModule } from '#src/areas/home/notifications/inbox-records.module.js';
import { SalesRecordsModule } from '#src/areas/sales/sales-records.module.js';
import { WorkRecordsModule } from '#src/areas/work/work-records.module.js';
import { BootstrapController } from './bootstrap.controller.js';
import { BootstrapRepository } from './bootstrap.repository.js';
import { BootstrapService } from './bootstrap.service.js';
import { FoundersService } from './founders.service.js';
import { FoundingController } from './founding.controller.js';
import { FoundingRepository } from './founding.repository.js';
import { FoundingService } from './founding.service.js';
import { Navigation } from './navigation.js';
import { StartTypesService } from './start-types.service.js';
import { TenantOperationsService } from './tenant-operations.service.js';

/** Creation of tenants, and the bootstrap document for apps. */
@Module({
  imports: [
    DiscoveryModule,
    AuthRecordsModule,
    ApprovalsRecordsModule,
    InboxRecordsModule,
    SalesRecordsModule,
    WorkRecordsModule,
  ],
  controllers: [BootstrapController, FoundingController],
  providers: [
    BootstrapRepository,
    BootstrapService,
    FoundersService,
    FoundingRepository,
    FoundingService,
    Navigation,
    OperatorKeys,
    StartTypesService,
    TenantOperationsService,
  ],
})
export class BootstrapModule {}
