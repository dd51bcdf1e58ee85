import { Global, Module } from '@nestjs/common';
import { TenantFounding } from './tenant-founding.js';
import { TenantLife } from './tenant-life.js';
import { TenantReader } from './tenant-reader.js';
import { TenantRecords } from './tenant-records.js';

/** The services that create and change tenants. */
@Global()
@Module({
  providers: [TenantFounding, TenantLife, TenantReader, TenantRecords],
  exports: [TenantFounding, TenantLife, TenantReader],
})
export class TenantsModule {}
