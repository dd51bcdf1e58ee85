import { Module } from '@nestjs/common';
import { ApiKeysRecordsModule } from '../api-keys/api-keys-records.module.js';
import { ResourcePermissionsModule } from '../resource-permissions/resource-permissions.module.js';
import { ScimConfigurationsModule } from '../scim-configurations/scim-configurations.module.js';
import { AccessReviewsController } from './access-reviews.controller.js';
import { AccessReviewsRecordsModule } from './access-reviews-records.module.js';
import { AccessReviewsService } from './access-reviews.service.js';
import { ReviewCommands } from './review-commands.service.js';
import { ReviewCompletion } from './review-completion.service.js';
import { ReviewDecisions } from './review-decisions.service.js';
import { ReviewRemovals } from './review-removals.service.js';

/** Access reviews: campaigns in which people confirm or revoke access. */
@Module({
  imports: [AccessReviewsRecordsModule, ApiKeysRecordsModule, ResourcePermissionsModule, ScimConfigurationsModule],
  controllers: [AccessReviewsController],
  providers: [AccessReviewsService, ReviewCommands, ReviewCompletion, ReviewDecisions, ReviewRemovals],
})
export class AccessReviewsModule {}
