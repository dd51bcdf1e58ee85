import { Global, Module } from '@nestjs/common';
import { Sights } from '#libs/http/idempotency/replays.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { Commits } from '#libs/resource/records/commits.js';
import { CustomFields } from '#libs/resource/records/custom-fields.js';
import { GaplessSeries } from '#libs/resource/records/gapless-series.js';
import { Gates } from '#libs/resource/gates/gates.js';
import { NumberSeries } from '#libs/resource/records/number-series.js';
import { RecordSights } from '#libs/resource/access/record-sights.js';
import { ResourceKit } from './resource-kit.js';
import { ResourceRegistry } from './resource-registry.js';

/** What resource services are made of. */
@Global()
@Module({
  providers: [
    Commits,
    CustomFields,
    GaplessSeries,
    Gates,
    NumberSeries,
    RecordSights,
    ResourceRegistry,
    ResourceKit,
    TenantSettings,
    { provide: Sights, useExisting: RecordSights },
  ],
  exports: [
    Commits,
    CustomFields,
    GaplessSeries,
    Gates,
    RecordSights,
    ResourceKit,
    ResourceRegistry,
    Sights,
    TenantSettings,
  ],
})
export class ResourceModule {}
