import { Injectable, Logger } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { logFailure } from '#libs/database/log-failure.js';
import { Clock } from '#libs/kernel/clock.js';
import { NIL_UUID, uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { EndpointHealth } from './endpoint-health.js';
import { dueStep, NO_MORE_WARNINGS } from './lane-health.js';
import { DUE_PAGE, type LaneKey, LaneHealthRepository, saveLane } from './lane-health.repository.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';

const ACTOR = 'webhook health';

/**
 * Warns about endpoints that keep failing, and finally disables them. Several processes may run this at once: it checks
 * again under the locks of endpoint and lane, and acts and records in one transaction.
 */
@Injectable()
export class LaneSweep {
  private readonly logger = new Logger('webhooks');
  private closing = false;

  constructor(
    private readonly database: Database,
    private readonly lanes: LaneHealthRepository,
    private readonly tenants: TenantFactsReader,
    private readonly health: EndpointHealth,
    private readonly clock: Clock,
  ) {}

  /** Stops the running sweep at the next opportunity. */
  close(): void {
    this.closing = true;
  }

  /** Checks all failing endpoints. */
  async pass(): Promise<Work> {
    for (let after: LaneKey | undefined = { tenantId: NIL_UUID, endpointId: NIL_UUID }; after && !this.closing;) {
      const due: LaneKey[] = await this.lanes.due(after, this.clock.nowMs());
      for (const lane of due) await this.review(lane);
      after = due.length === DUE_PAGE ? due.at(-1) : undefined;
    }
    return 'none';
  }

  /** A failure with one endpoint must not block the others. */
  private async review({ tenantId, endpointId }: LaneKey): Promise<void> {
    if (this.closing) return;
    try {
      const tenant = await this.tenants.find(tenantId);
      if (tenant) await runAsSystem(tenant, ACTOR, uuidv7(), () => this.act(tenantId, endpointId));
    } catch (error) {
      logFailure(this.logger, `The failing endpoint ${endpointId} could not be dealt with`, error);
    }
  }

  private act(tenantId: string, endpointId: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const enabled = await this.health.lockEnabled(transaction, endpointId);
      const before = (await this.lanes.lock(transaction, endpointId))?.health;
      const step = before ? dueStep(before, this.clock.nowMs()) : null;
      if (!before || step === null) return;
      const after = { ...before, warnings: step === 'disable' ? NO_MORE_WARNINGS : step };
      const save = saveLane(tenantId, endpointId, after);
      if (step !== 'disable') return this.health.announce(transaction, endpointId, 'failing', { save, before, after });
      transaction.write(save);
      if (enabled) await this.health.disable(endpointId, 'failing');
    });
  }
}
