import { Injectable } from '@nestjs/common';
import { PLANS } from '#libs/auth/plans.js';
import { Database } from '#libs/database/database.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { onceFor } from '#libs/http/idempotency/once-for.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Actor, currentScope, type TenantFacts } from '#libs/tenancy/scope.js';
import { factsOfNew, isSlugTaken, type NewTenant, TenantFounding } from '#libs/tenants/tenant-founding.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { type TenantView, viewOf } from '#libs/tenants/tenant.dto.js';
import { FoundersService } from './founders.service.js';
import { DEFAULT_CURRENCY, type FoundedTenant, type FoundTenant, type SlugAnswer } from './founding.dto.js';
import { FoundingRepository } from './founding.repository.js';

/** The birth of tenants. */
@Injectable()
export class FoundingService {
  constructor(
    private readonly database: Database,
    private readonly founders: FoundersService,
    private readonly founding: TenantFounding,
    private readonly tenants: TenantReader,
    private readonly repository: FoundingRepository,
    private readonly addresses: AddressLimits,
  ) {}

  /**
   * Founds a tenant for an owner, once: whoever asks again, for the same slug and owner, gets the tenant that is there. An
   * idempotency key belongs to the tenant that is founded with it.
   * @throws Problem 401, 409 `slug_taken`, 429.
   */
  async found(authorization: string | undefined, input: FoundTenant): Promise<FoundedTenant> {
    const { actor } = await this.founders.operator(authorization);
    const secret = authorization!; // it has just been one of an operator
    const there = await this.repository.findFor(input.slug, input.ownerEmail);
    if (there) return this.again(there, secret);
    try {
      return await this.foundBy(actor, secret, input);
    } catch (error) {
      if (!isSlugTaken(error)) throw error;
      currentScope().tenant = null;
      const since = await this.repository.findFor(input.slug, input.ownerEmail); // somebody was faster
      if (since) return this.again(since, secret);
      throw new Problem('slug_taken', `The slug ${input.slug} is taken.`);
    }
  }

  /** Whether a slug is free. Who tries many of them is stopped. @throws Problem 429. */
  async isAvailable(slug: string): Promise<SlugAnswer> {
    const limited = await this.addresses.count(currentScope().clientIp ?? '', 'unauthenticated');
    if (limited) throw limited;
    return { available: (await this.repository.find(slug)) === null };
  }

  private foundBy(actor: Actor, secret: string, input: FoundTenant): Promise<FoundedTenant> {
    const { slug, name, plan, ownerEmail, currency = DEFAULT_CURRENCY, locale, timezone } = input;
    const general = { ...(locale !== undefined && { locale }), ...(timezone !== undefined && { timezone }) };
    const wanted: NewTenant = { slug, name, plan, ownerEmail, currency, limits: PLANS[plan], general };
    return onceFor({ tenant: factsOfNew(wanted), secret }, () => {
      currentScope().actor = actor;
      return this.database.transaction(async () => ({
        ...viewOf(await this.founding.found(wanted, null)),
        created: true,
      }));
    });
  }

  private again(tenant: TenantFacts, secret: string): Promise<FoundedTenant> {
    return onceFor({ tenant, secret }, async () => ({ ...(await this.present(tenant)), created: false }));
  }

  private async present(tenant: TenantFacts): Promise<TenantView> {
    currentScope().tenant = tenant;
    return viewOf(await this.tenants.current());
  }
}
