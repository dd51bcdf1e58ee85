import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { Database } from '#libs/database/database.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { TokenLimits } from '#libs/http/token-limits.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Suppression, Suppressions } from '#libs/mail/suppressions.js';
import { Branding } from '#libs/settings/branding.js';
import { currentScope, runAsSystem } from '#libs/tenancy/scope.js';
import type { MailSubscription } from './mail-subscription.dto.js';

/** Whether mails are ended, and in whose look that is shown. */
interface Shown {
  shown: MailSubscription;
  brand: Brand;
}

/** Ends mails for whoever has the link of one. */
@Injectable()
export class MailSubscriptionsService {
  constructor(
    private readonly suppressions: Suppressions,
    private readonly limits: TokenLimits,
    private readonly branding: Branding,
    private readonly database: Database,
  ) {}

  /** @throws Problem 404, 429. */
  read(token: string): Promise<Shown> {
    return this.of(token, (suppression) => this.suppressions.has(suppression));
  }

  /** Harmless if repeated. @throws Problem 404, 429. */
  end(token: string): Promise<Shown> {
    return this.of(token, async (suppression) => {
      await this.database.aside([this.suppressions.suppress(suppression)]);
      return true;
    });
  }

  private async of(token: string, work: (suppression: Suppression) => Promise<boolean>): Promise<Shown> {
    await this.limits.admit('unsubscribe', hash('sha256', token, 'buffer'));
    const found = await this.suppressions.byToken(token);
    if (!found) throw await this.limits.failure(new Problem('not_found', 'There is no such link.'));
    const { tenant, ...suppression } = found;
    return runAsSystem(tenant, 'unsubscribe link', currentScope().requestId, async () => {
      const isEnded = await work(suppression);
      const shown = { tenantName: await tenantName(this.database), group: suppression.group, isEnded };
      return { shown, brand: await this.branding.get() };
    });
  }
}
