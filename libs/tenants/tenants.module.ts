import { Global, Module } from '@nestjs/common';
import { TenantFounding } from './tenant-founding.js';
import { TenantLife } from './tenant-life.js';
import { TenantReader } from './tenant-reader.js';
import { TenantRecords } from './tenant-records.js';

/** What makes and changes tenants, for all who do. */
@Global()
@Module({
  providers: [TenantFounding, TenantLife, TenantReader, TenantRecords],
  exports: [TenantFounding, TenantLife, TenantReader],
})
export class TenantsModule {}
