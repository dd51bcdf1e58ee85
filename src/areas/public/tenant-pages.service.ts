import { Injectable } from '@nestjs/common';
import type { Feature } from '#libs/auth/features.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { Problem } from '#libs/kernel/problem.js';
import { Branding } from '#libs/settings/branding.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';

const FIND = `select id, slug, name, plan, currency, epoch::text as epoch from directory.served_tenant($1)`;

/** A tenant that has public pages. */
export type PublicTenantFacts = TenantFacts & { name: string };

/** Public pages of a tenant, found by its slug. */
@Injectable()
export class TenantPages {
  constructor(
    private readonly limits: AddressLimits,
    private readonly branding: Branding,
    private readonly settings: TenantSettings,
    private readonly database: Database,
  ) {}

  /**
   * Works for the tenant with a slug, as the system actor.
   * @param feature area that the tenant must not have disabled
   * @throws Problem 404 for an unknown, suspended or closed tenant, 429.
   */
  async of<T>(
    slug: string,
    { actor, feature }: { actor: string; feature?: Feature },
    work: (tenant: PublicTenantFacts, brand: Brand) => Promise<T>,
  ): Promise<T> {
    const limited = await this.limits.count(currentScope().clientIp ?? '', 'documents');
    if (limited) throw limited;
    const [tenant] = await this.database.systemRead<PublicTenantFacts>(statement(FIND, [slug]));
    if (!tenant) throw nothing();
    return runAsSystem(tenant, actor, currentScope().requestId, async () => {
      if (feature && !(await this.settings.get()).features[feature]) throw nothing();
      return work(tenant, await this.branding.get());
    });
  }
}

const nothing = () => new Problem('not_found', 'There is no such page.');
