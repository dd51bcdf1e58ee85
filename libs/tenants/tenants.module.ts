import { Global, Module } from '@nestjs/common';
import { TenantFounding } from './tenant-founding.js';
import { TenantLife } from './tenant-life.js';
import { TenantOnboarding } from './tenant-onboarding.js';
import { TenantReader } from './tenant-reader.js';
import { TenantRecords } from './tenant-records.js';

/** The services that create and change tenants. */
@Global()
@Module({
  providers: [TenantFounding, TenantLife, TenantOnboarding, TenantReader, TenantRecords],
  exports: [TenantFounding, TenantLife, TenantOnboarding, TenantReader],
})
export class TenantsModule {}
