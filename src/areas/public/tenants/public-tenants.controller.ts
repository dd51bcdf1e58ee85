import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PLAN_NAMES, PLANS, seatsOf } from '#libs/auth/plans.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { Route } from '#libs/http/route.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { TENANT_SLUG } from '../slug-param.js';
import { TenantPages } from '../tenant-pages.service.js';
import { PublicPlans, PublicTenant } from './public-tenants.dto.js';

@Controller('api/public')
export class PublicTenantsController {
  constructor(
    private readonly pages: TenantPages,
    private readonly url: PublicUrl,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  @Route({
    id: 'public.plans.list',
    summary: 'List the plans',
    description: 'What each plan allows. The same for everybody; may be cached for an hour.',
    permission: 'public',
    answer: PublicPlans,
    problems: ['rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Get('plans')
  plans(@Res({ passthrough: true }) reply: FastifyReply) {
    void reply.header('cache-control', 'public, max-age=3600');
    return onePage(
      PLAN_NAMES.map((key) => {
        const { read: readsPerMinute, write: writesPerMinute } = PLANS[key];
        return { key, seats: seatsOf(key), readsPerMinute, writesPerMinute };
      }),
    );
  }

  @Route({
    id: 'public.tenants.get',
    summary: 'Read how a tenant appears',
    description:
      'Name, logo and colour of a tenant, and where to sign in. Unknown, suspended and closed tenants are the same 404.',
    permission: 'public',
    params: TENANT_SLUG,
    answer: PublicTenant,
    problems: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    tag: 'public',
  })
  @Get('tenants/:slug')
  tenant(@Param('slug') given: string): Promise<PublicTenant> {
    return this.pages.of(given, { actor: 'public pages' }, ({ slug }, { name, color, logo }) => {
      const signsIn = this.settings.OIDC_ISSUER !== null && this.settings.OIDC_CLIENT_ID !== null;
      return Promise.resolve({
        ...{ slug, name, primaryColor: color, logoUrl: logo && this.url.to(logo) },
        signInUrl: signsIn ? this.url.to(`/api/auth/login?tenant=${slug}`) : null,
        careersUrl: this.url.to(`/api/public/careers/${slug}`),
      });
    });
  }
}
