import { auditStatement } from '#libs/audit/audit-entry.js';
import { factsOf, type TenantRecord } from '#libs/auth/tenant-directory.js';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Sealer } from '#libs/sealing/sealer.js';
import { currentScope, runAsSystem } from '#libs/tenancy/scope.js';

const NEWEST = `select max(version) as version from data.data_keys where tenant_id = $1`;
const VERSIONS = `select version, created_at as "createdAt", unused_since as "unusedSince" from data.data_keys
  where tenant_id = $1 order by version`;

/** A version of the data key of a tenant. */
export interface DataKeyVersion {
  version: number;
  createdAt: string;
  /** Time since which no value uses it; null while values do, and for the newest. */
  unusedSince: string | null;
}

/**
 * Gives tenants new versions of their data keys. The worker seals old values again. Every rotation is one transaction
 * with its audit row, under the system actor `actorName`. Requires the `system` role.
 */
export class DataKeyRotation {
  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly actorName: string,
  ) {}

  async versions(tenantId: string): Promise<DataKeyVersion[]> {
    return this.database.systemRead<DataKeyVersion>(statement(VERSIONS, [tenantId]));
  }

  /** Adds a version for one tenant. Returns false if another process was faster, or the tenant has no data key. */
  rotate(tenant: TenantRecord): Promise<boolean> {
    return runAsSystem(factsOf(tenant), this.actorName, uuidv7(), () =>
      this.database.transaction(async (transaction) => {
        const [newest] = await transaction.query<{ version: number | null }>(statement(NEWEST, [tenant.id]));
        const from = newest!.version;
        if (from === null) return false;
        const added = await transaction.query(this.sealer.newKey(tenant.id, from + 1));
        if (added.length === 0) return false;
        const fact = {
          action: 'core.data_key.rotated',
          target: { type: 'core.tenant', id: tenant.id, name: tenant.name },
          outcome: 'success',
          riskLevel: 'medium',
          changes: { version: { from, to: from + 1 } },
        } as const;
        transaction.write(auditStatement(currentScope(), fact, this.clock.now().toISOString()));
        return true;
      }),
    );
  }

  /** Adds a version for each of the tenants; returns the number of new keys. */
  async rotateAll(tenants: readonly TenantRecord[]): Promise<number> {
    let count = 0;
    for (const tenant of tenants) if (await this.rotate(tenant)) count++;
    return count;
  }
}
