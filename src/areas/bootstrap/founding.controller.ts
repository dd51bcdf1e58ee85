import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Route } from '#libs/http/route.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import { TENANT_EXAMPLE } from '#libs/tenants/tenant-records.js';
import { TenantView } from '#libs/tenants/tenant.dto.js';
import { FoundersService } from './founders.service.js';
import { FoundedTenant, FoundTenant, SlugAnswer, SlugQuery, SuspendTenant } from './founding.dto.js';
import { FoundingService } from './founding.service.js';
import { TenantOperationsService } from './tenant-operations.service.js';

const OPERATED = [
  'unauthenticated',
  'not_found',
  'invalid_transition',
  'version_mismatch',
  'rate_limit_exceeded',
  'unavailable',
] as const satisfies ProblemCode[];

@Controller('api/bootstrap')
export class FoundingController {
  constructor(
    private readonly founding: FoundingService,
    private readonly operations: TenantOperationsService,
  ) {}

  @Route({
    id: 'bootstrap.tenants.create',
    summary: 'Create a tenant',
    description:
      'For operators, with a key from `platform operator-key create` as `Authorization: Bearer`, and for people with a session without a tenant, who become the owner. People can create a limited number of tenants, of the plans that the operator allows, and then enter the tenant with `POST /api/auth/switch-tenant`. Creates the tenant, its owner and the workspace General in one transaction. Repeating the request with the same slug and owner returns 200 with the existing tenant, unchanged; with another owner it returns 409 `slug_taken`.',
    permission: 'public',
    securitySchemes: ['operatorKey', 'bearerAuth', 'cookieAuth'],
    callers: FoundersService,
    status: 201,
    body: FoundTenant,
    answer: FoundedTenant,
    there: FoundedTenant,
    problems: [
      'unauthenticated',
      'permission_denied',
      'csrf_refused',
      'slug_taken',
      'limit_reached',
      'rate_limit_exceeded',
      'unavailable',
    ],
    example: { answer: { ...TENANT_EXAMPLE, created: true } },
    tag: 'bootstrap',
  })
  @Post('tenants')
  found(@Body() input: FoundTenant, @Req() request: FastifyRequest) {
    return this.founding.found(request, input);
  }

  @Route({
    id: 'bootstrap.tenants.get',
    summary: 'Read a tenant',
    description: 'Requires an operator key.',
    permission: 'public',
    securitySchemes: ['operatorKey'],
    callers: FoundersService,
    answer: TenantView,
    record: true,
    problems: ['unauthenticated', 'not_found', 'rate_limit_exceeded', 'unavailable'],
    example: { answer: TENANT_EXAMPLE },
    tag: 'bootstrap',
  })
  @Get('tenants/:id')
  read(@Param('id') id: string, @Req() { headers }: FastifyRequest) {
    return this.operations.read(headers.authorization, id);
  }

  @Route({
    id: 'bootstrap.tenants.suspend',
    summary: 'Suspend a tenant',
    description:
      'Requires an operator key. From the next request on, requests get 403 `tenant_suspended`; deliveries, automations, AI jobs and mails are deferred.',
    permission: 'public',
    securitySchemes: ['operatorKey'],
    callers: FoundersService,
    body: SuspendTenant,
    answer: TenantView,
    record: true,
    problems: OPERATED,
    example: { answer: { ...TENANT_EXAMPLE, status: 'suspended', suspensionReason: 'Overdue.', version: 2 } },
    tag: 'bootstrap',
  })
  @Post('tenants/:id/suspend')
  suspend(@Param('id') id: string, @Body() input: SuspendTenant, @Req() { headers }: FastifyRequest) {
    return this.operations.suspend(headers.authorization, id, input);
  }

  @Route({
    id: 'bootstrap.tenants.reactivate',
    summary: 'Reactivate a suspended tenant',
    description: 'Requires an operator key. Deferred work resumes.',
    permission: 'public',
    securitySchemes: ['operatorKey'],
    callers: FoundersService,
    answer: TenantView,
    record: true,
    problems: OPERATED,
    example: { answer: { ...TENANT_EXAMPLE, version: 3 } },
    tag: 'bootstrap',
  })
  @Post('tenants/:id/reactivate')
  reactivate(@Param('id') id: string, @Req() { headers }: FastifyRequest) {
    return this.operations.reactivate(headers.authorization, id);
  }

  @Route({
    id: 'bootstrap.slug.get',
    summary: 'Check whether a slug is available',
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
