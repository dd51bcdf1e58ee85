import { Controller, Get } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { TENANT_EXAMPLE } from '#libs/tenants/tenant-records.js';
import { TenantView } from '#libs/tenants/tenant.dto.js';
import { TenantService } from './tenant.service.js';

@Controller('api/settings/tenant')
export class TenantController {
  constructor(private readonly tenant: TenantService) {}

  @Route({
    id: 'settings.tenant.get',
    summary: 'Read the tenant',
    description: 'The tenant that the caller belongs to.',
    permission: 'any',
    answer: TenantView,
    record: true,
    example: { answer: TENANT_EXAMPLE },
    tag: 'settings tenant',
  })
  @Get()
  read() {
    return this.tenant.read();
  }
}
