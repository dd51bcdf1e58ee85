import { Body, Controller, Get, Patch, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { TENANT_EXAMPLE } from '#libs/tenants/tenant-records.js';
import { TenantView } from '#libs/tenants/tenant.dto.js';
import { CloseTenant, RenameTenant } from './tenant-bodies.js';
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

  @Route({
    id: 'settings.tenant.update',
    summary: 'Rename the tenant',
    description: 'The slug stays.',
    permission: 'settings:manage',
    body: RenameTenant,
    answer: TenantView,
    record: true,
    example: { answer: { ...TENANT_EXAMPLE, name: 'Acme International', version: 2 } },
    tag: 'settings tenant',
  })
  @Patch()
  rename(@Body() input: RenameTenant) {
    return this.tenant.rename(input);
  }

  @Route({
    id: 'settings.tenant.close',
    summary: 'Close the tenant',
    description:
      'For owners. All access ends for good after 30 days, at `closesAt`: keys, sessions, tokens and invitations. Until then everything works as before, and it can be cancelled. Take out your data in time.',
    permission: 'tenant:close',
    protected: true,
    body: CloseTenant,
    answer: TenantView,
    record: true,
    problems: ['invalid_transition', 'legal_hold'],
    example: { answer: { ...TENANT_EXAMPLE, status: 'closing', closesAt: '2026-12-21T09:15:02.114Z', version: 2 } },
    tag: 'settings tenant',
  })
  @Post('close')
  close(@Body() input: CloseTenant) {
    return this.tenant.close(input);
  }

  @Route({
    id: 'settings.tenant.cancel_closing',
    summary: 'Cancel the closing of the tenant',
    permission: 'tenant:close',
    answer: TenantView,
    record: true,
    problems: ['invalid_transition'],
    example: { answer: { ...TENANT_EXAMPLE, version: 3 } },
    tag: 'settings tenant',
  })
  @Post('cancel-closing')
  cancelClosing() {
    return this.tenant.cancelClosing();
  }
}
