import { Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { Database } from '#libs/database/database.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { TenantSettings } from './tenant-settings.js';

/** How the tenant in scope appears on its pages and in its mails. */
@Injectable()
export class Branding {
  constructor(
    private readonly settings: TenantSettings,
    private readonly database: Database,
  ) {}

  async get(): Promise<Brand> {
    const { branding, general } = await this.settings.get();
    const name = branding.displayName ?? (await tenantName(this.database));
    return { name, color: branding.primaryColor, logo: null, locale: general.locale, timezone: general.timezone };
  }
}
