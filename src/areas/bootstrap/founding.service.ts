import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PLANS } from '#libs/auth/plans.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { alreadyThere } from '#libs/http/accepted.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { onceFor } from '#libs/http/idempotency/once-for.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, type TenantFacts } from '#libs/tenancy/scope.js';
import { factsOfNew, isSlugTaken, type NewTenant, TenantFounding } from '#libs/tenants/tenant-founding.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { type TenantView, viewOf } from '#libs/tenants/tenant.dto.js';
import { type Founder, FoundersService } from './founders.service.js';
import { DEFAULT_CURRENCY, type FoundedTenant, type FoundTenant, type SlugAnswer } from './founding.dto.js';
import { FoundingRepository } from './founding.repository.js';

/** Thrown when a person has reached the limit of tenants. */
class TooMany extends Error {}

/** Creates tenants. */
@Injectable()
export class FoundingService {
  private readonly most: number;

  constructor(
    private readonly database: Database,
    private readonly founders: FoundersService,
    private readonly founding: TenantFounding,
    private readonly tenants: TenantReader,
    private readonly repository: FoundingRepository,
    private readonly addresses: AddressLimits,
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'SELF_SERVICE_TENANTS'>,
  ) {
    this.most = settings.SELF_SERVICE_TENANTS;
  }

  /**
   * Creates a tenant for an owner. Repeating the request with the same slug and owner returns the existing tenant. An
   * idempotency key belongs to the tenant created with it.
   * @throws Problem 400, 401, 403, 409 `slug_taken` or `limit_reached`, 429.
   */
  async found(request: FastifyRequest, input: FoundTenant): Promise<FoundedTenant> {
    const founder = await this.founders.founder(request, input);
    const there = await this.find(input.slug, founder);
    if (there) return this.again(there, founder);
    try {
      return await this.foundBy(founder, input);
    } catch (error) {
      if (!isSlugTaken(error) && !(error instanceof TooMany)) throw error;
      currentScope().tenant = null;
      const since = await this.find(input.slug, founder); // created by a concurrent request
      if (since) return this.again(since, founder);
      if (error instanceof TooMany)
        throw new Problem(
          'limit_reached',
          `You can have at most ${this.most} open tenants that you created. Close one first.`,
        );
      throw new Problem('slug_taken', `The slug ${input.slug} is taken.`);
    }
  }

  /** Whether a slug is available, with a rate limit per address. @throws Problem 429. */
  async isAvailable(slug: string): Promise<SlugAnswer> {
    const limited = await this.addresses.count(currentScope().clientIp ?? '', 'slugs');
    if (limited) throw limited;
    return { available: (await this.repository.find(slug)) === null };
  }

  private find(slug: string, { ownerEmail, person }: Founder): Promise<TenantFacts | null> {
    return person ? this.repository.findOwn(slug, person.userId) : this.repository.findFor(slug, ownerEmail);
  }

  private foundBy({ actor, secret, ownerEmail, person }: Founder, input: FoundTenant): Promise<FoundedTenant> {
    const { slug, name, plan, currency = DEFAULT_CURRENCY, locale, timezone } = input;
    const general = { ...(locale !== undefined && { locale }), ...(timezone !== undefined && { timezone }) };
    const common = { slug, name, plan, ownerEmail, currency, limits: PLANS[plan], general };
    const wanted: NewTenant = person ? { ...common, founder: person } : common;
    return onceFor({ tenant: factsOfNew(wanted), secret }, () => {
      currentScope().actor = actor;
      return this.database.transaction(async (transaction) => {
        if (person && !(await this.repository.claim(transaction, person.userId, this.most))) throw new TooMany();
        return { ...viewOf(await this.founding.found(wanted, null)), created: true };
      });
    });
  }

  private again(tenant: TenantFacts, { secret }: Founder): Promise<FoundedTenant> {
    return onceFor({ tenant, secret }, async () => alreadyThere({ ...(await this.present(tenant)), created: false }));
  }

  private async present(tenant: TenantFacts): Promise<TenantView> {
    currentScope().tenant = tenant;
    return viewOf(await this.tenants.current());
  }
}
