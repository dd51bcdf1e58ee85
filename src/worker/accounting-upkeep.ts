import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { RequestRollup } from '#libs/accounting/request-rollup.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { Loop, type Work } from '#libs/webhooks/loop.js';
import { TenantFactsReader } from '#libs/webhooks/tenant-facts.js';

const EVERY_MS = 3_600_000;

/** Rolls up the figures of requests, tenant by tenant. */
@Injectable()
export class AccountingUpkeep implements OnModuleDestroy {
  private closing = false;
  private readonly loop = new Loop('The roll-up of request figures', { busyMs: EVERY_MS, idleMs: EVERY_MS }, () =>
    this.sweep(),
  );

  constructor(
    private readonly rollup: RequestRollup,
    private readonly tenants: TenantFactsReader,
  ) {}

  start(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    this.closing = true;
    return this.loop.stop();
  }

  /** Rolls up what is due of every tenant; safe in several processes at once. */
  async sweep(): Promise<Work> {
    for await (const tenant of this.tenants.all()) {
      if (this.closing) break;
      await runAsSystem(tenant, 'accounting', uuidv7(), () => this.rollup.rollUp(tenant.id));
    }
    return 'none';
  }
}
