import { Module } from '@nestjs/common';
import { ScimGrantsService } from './grants/scim-grants.service.js';
import { ScimLocations } from './scim-locations.service.js';

/** SCIM services for other areas. */
@Module({
  providers: [ScimGrantsService, ScimLocations],
  exports: [ScimGrantsService, ScimLocations],
})
export class ScimRecordsModule {}
