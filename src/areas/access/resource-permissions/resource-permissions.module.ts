import { Module } from '@nestjs/common';
import { EffectiveRights } from './effective-rights.js';
import { GrantChanges } from './grant-changes.js';
import { GrantRules } from './grant-rules.js';
import { ResourceGrantsController } from './resource-grants.controller.js';
import { ResourceGrantsRepository } from './resource-grants.repository.js';
import { ResourceGrantsService } from './resource-grants.service.js';

/** Exceptions to roles for single records. */
@Module({
  controllers: [ResourceGrantsController],
  providers: [EffectiveRights, GrantChanges, GrantRules, ResourceGrantsRepository, ResourceGrantsService],
  exports: [GrantChanges],
})
export class ResourcePermissionsModule {}
