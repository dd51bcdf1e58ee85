import { Injectable } from '@nestjs/common';
import { CredentialUses } from '#libs/auth/credential-uses.js';
import { permissionsOf } from '#libs/auth/permissions.js';
import { Clock } from '#libs/kernel/clock.js';
import { daysOf, lastDays } from '#libs/kernel/day-span.js';
import { KeyFigures } from '#libs/request-counts/key-figures.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { ApiKeyUsage } from './api-key.requests.js';
import { ApiKeysService } from './api-keys.service.js';

const DAYS = 30;

/** What keys were used for. */
@Injectable()
export class ApiKeyUsageService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly figures: KeyFigures,
    private readonly accounts: RequestAccounts,
    private readonly uses: CredentialUses,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 404. */
  async read(id: string): Promise<ApiKeyUsage> {
    await Promise.all([this.uses.flush(), this.accounts.flushTenant(currentTenant().id)]);
    const { scopes, lastUsedAt } = await this.keys.get(id);
    const span = lastDays(DAYS, this.clock.now().toISOString());
    const found = new Map((await this.figures.byDay(span, [id])).map((each) => [each.date, each]));
    const data = daysOf(span).map((day) => {
      const { reads = 0, writes = 0, rateLimited = 0, errors4xx = 0, errors5xx = 0 } = found.get(day) ?? {};
      return { day, reads, writes, rateLimited, errors: errors4xx + errors5xx };
    });
    const scopesUsed = await this.figures.permissions(span, [id]);
    const used = new Set(scopesUsed);
    return {
      ...onePage(data),
      scopesUsed,
      scopesUnused: scopes.filter((scope) => !permissionsOf(scope).some((each) => used.has(each))),
      lastUsedAt,
      requests30d: data.reduce((sum, { reads, writes }) => sum + reads + writes, 0),
    };
  }
}
