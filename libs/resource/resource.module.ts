import { Global, Module } from '@nestjs/common';
import { Sights } from '#libs/http/idempotency/replays.js';
import { Branding } from '#libs/settings/branding.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { Commits } from './records/commits.js';
import { CustomFields } from './records/custom-fields.js';
import { FileUses } from './files/file-uses.js';
import { GaplessSeries } from './records/gapless-series.js';
import { Gates } from './gates/gates.js';
import { NumberSeries } from './records/number-series.js';
import { RecordSubjects } from './access/record-subjects.js';
import { RecordSights } from './access/record-sights.js';
import { ResourceKit } from './resource-kit.js';
import { ResourceRegistry } from './resource-registry.js';
import { SampleData } from './sample/sample-data.js';

/** Dependencies of resource services. */
@Global()
@Module({
  providers: [
    Branding,
    Commits,
    CustomFields,
    FileUses,
    GaplessSeries,
    Gates,
    NumberSeries,
    RecordSights,
    RecordSubjects,
    ResourceRegistry,
    ResourceKit,
    SampleData,
    TenantSettings,
    { provide: Sights, useExisting: RecordSights },
  ],
  exports: [
    Branding,
    Commits,
    CustomFields,
    FileUses,
    GaplessSeries,
    Gates,
    RecordSights,
    RecordSubjects,
    ResourceKit,
    ResourceRegistry,
    SampleData,
    Sights,
    TenantSettings,
  ],
})
export class ResourceModule {}
