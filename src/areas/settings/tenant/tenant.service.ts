import { Injectable } from '@nestjs/common';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { type TenantView, viewOf } from '#libs/tenants/tenant.dto.js';

/** The tenant as its members see it. */
@Injectable()
export class TenantService {
  constructor(private readonly tenants: TenantReader) {}

  async read(): Promise<TenantView> {
    return viewOf(await this.tenants.current());
  }
}
