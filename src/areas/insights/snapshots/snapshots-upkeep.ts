import { Injectable, Logger } from '@nestjs/common';
import { logFailure } from '#libs/database/log-failure.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';
import { SnapshotRecorder } from './snapshot-recorder.js';

/** Values of the current state are those of the end of the day only if they are read soon after. */
const EVERY_MS = 600_000;

/** Records the metrics of every tenant once a day. */
@Injectable()
export class SnapshotsUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly logger = new Logger('worker');

  constructor(
    private readonly recorder: SnapshotRecorder,
    tenants: TenantFactsReader,
  ) {
    super('The recording of metrics', EVERY_MS, 'insights', tenants);
  }

  /** A failure for one tenant does not delay others. */
  protected async keepUp({ slug }: TenantFacts): Promise<void> {
    try {
      await this.recorder.record();
    } catch (error) {
      logFailure(this.logger, `Metrics of the tenant ${slug} could not be recorded`, error);
    }
  }
}
