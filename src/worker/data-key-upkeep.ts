import { Injectable, Logger, Module } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { logFailure } from '#libs/database/log-failure.js';
import { statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Resealing } from '#libs/sealing/resealing.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { Upkeep } from '#libs/worker/upkeep.js';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { SEALED_COLUMNS } from '#src/areas/sealed-columns.js';

const EVERY_MS = 60_000;
/** Tenants of one round. */
const BATCH = 100;

/** Random, so that a tenant that fails does not delay the others. */
const ROTATED = `select tenant_id as "tenantId", max(version) as newest from data.data_keys
  group by tenant_id having count(*) > 1 order by random() limit ${BATCH}`;

/** Seals values again after `data-key rotate`, and removes data keys that no value uses any more. */
@Injectable()
export class DataKeyUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly logger = new Logger('data keys');

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantFactsReader,
    private readonly resealing: Resealing,
  ) {
    super('The sealing with new data keys', EVERY_MS);
  }

  /** One round over tenants with several data keys. */
  async sweep(): Promise<Work> {
    const rotated = await this.database.systemRead<{ tenantId: string; newest: number }>(statement(ROTATED));
    const facts = await this.tenants.findAll(rotated.map(({ tenantId }) => tenantId));
    for (const { tenantId, newest } of rotated) {
      const tenant = facts.get(tenantId);
      if (!tenant) continue;
      await runAsSystem(tenant, 'data key rotation', uuidv7(), () => this.sealAgain(newest)).catch((error: unknown) =>
        logFailure(this.logger, `Values of the tenant ${tenantId} could not be sealed again`, error),
      );
    }
    return 'none';
  }

  private async sealAgain(newest: number): Promise<void> {
    let used = 0;
    for (const column of SEALED_COLUMNS) used += await this.resealing.seal(column, newest);
    await this.resealing.removeUnused(newest, used);
  }
}

/** Rotation of data keys, in the worker. */
@Module({ imports: [WorkerBaseModule], providers: [Resealing, DataKeyUpkeep] })
export class DataKeyWorkerModule extends WorkerPart {
  constructor(upkeep: DataKeyUpkeep) {
    super(upkeep);
  }
}
