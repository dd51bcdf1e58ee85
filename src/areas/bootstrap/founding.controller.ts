import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Route } from '#libs/http/route.js';
import { TENANT_EXAMPLE } from '#libs/tenants/tenant-records.js';
import { TenantView } from '#libs/tenants/tenant.dto.js';
import { FoundedTenant, FoundTenant, SlugAnswer, SlugQuery } from './founding.dto.js';
import { FoundingService } from './founding.service.js';

@Controller('api/bootstrap')
export class FoundingController {
  constructor(private readonly founding: FoundingService) {}

  @Route({
    id: 'bootstrap.tenants.create',
    summary: 'Found a tenant',
    description:
      'For operators, with a key made by `platform operator-key create` as `Authorization: Bearer`. Makes the tenant, its owner and the workspace General in one transaction. Asking again for the same slug and owner answers the tenant that is there, unchanged; for another owner it is 409 `slug_taken`.',
    permission: 'public',
    status: 201,
    body: FoundTenant,
    answer: FoundedTenant,
    problems: ['unauthenticated', 'slug_taken', 'rate_limit_exceeded', 'unavailable'],
    example: { answer: { ...TENANT_EXAMPLE, created: true } },
    tag: 'bootstrap',
  })
  @Post('tenants')
  found(@Body() input: FoundTenant, @Req() { headers }: FastifyRequest) {
    return this.founding.found(headers.authorization, input);
  }

  @Route({
    id: 'bootstrap.tenants.get',
    summary: 'Read a tenant',
    description: 'For operators, with their key.',
    permission: 'public',
    answer: TenantView,
    record: true,
    problems: ['unauthenticated', 'not_found', 'rate_limit_exceeded', 'unavailable'],
    example: { answer: TENANT_EXAMPLE },
    tag: 'bootstrap',
  })
  @Get('tenants/:id')
  read(@Param('id') id: string, @Req() { headers }: FastifyRequest) {
    return this.founding.read(headers.authorization, id);
  }

  @Route({
    id: 'bootstrap.slug.get',
    summary: 'Ask whether a slug is free',
    permission: 'public',
    query: SlugQuery,
    answer: SlugAnswer,
    problems: ['rate_limit_exceeded', 'unavailable'],
    tag: 'bootstrap',
  })
  @Get('slug-available')
  slugAvailable(@Query() { slug }: SlugQuery) {
    return this.founding.isAvailable(slug);
  }
}
