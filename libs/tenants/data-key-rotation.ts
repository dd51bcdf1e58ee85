import { type Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import type { Sealer } from '#libs/sealing/sealer.js';

/** Tenants that one transaction gives a new key. */
const BATCH = 500;

const NEWEST = `select tenant_id as "tenantId", max(version) as newest from data.data_keys
  where tenant_id > $1 group by tenant_id order by tenant_id limit ${BATCH}`;
const NEWEST_OF_TENANT = `select tenant_id as "tenantId", max(version) as newest from data.data_keys
  where tenant_id = $1 group by tenant_id`;
const VERSIONS = `select version, created_at as "createdAt", unused_since as "unusedSince" from data.data_keys
  where tenant_id = $1 order by version`;

/** A version of the data key of a tenant. */
export interface DataKeyVersion {
  version: number;
  createdAt: string;
  /** Time since which no value uses it; null while values do, and for the newest. */
  unusedSince: string | null;
}

/** Gives tenants new versions of their data keys. The worker seals old values again. Requires the `system` role. */
export class DataKeyRotation {
  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
  ) {}

  async versions(tenantId: string): Promise<DataKeyVersion[]> {
    return this.database.systemRead<DataKeyVersion>(statement(VERSIONS, [tenantId]));
  }

  /** Adds a version for one tenant. */
  async rotate(tenantId: string): Promise<void> {
    await this.addTo(await this.newest(NEWEST_OF_TENANT, tenantId));
  }

  /** Adds a version for each tenant; returns their number. */
  async rotateAll(): Promise<number> {
    let count = 0;
    for (let after = NIL_UUID; ;) {
      const page = await this.newest(NEWEST, after);
      await this.addTo(page);
      count += page.length;
      if (page.length < BATCH) return count;
      after = page.at(-1)!.tenantId;
    }
  }

  private async newest(text: string, value: string): Promise<Newest[]> {
    return this.database.systemRead<Newest>(statement(text, [value]));
  }

  private async addTo(tenants: readonly Newest[]): Promise<void> {
    if (tenants.length === 0) return;
    await this.database.system(tenants.map(({ tenantId, newest }) => this.sealer.newKey(tenantId, newest + 1)));
  }
}

interface Newest {
  tenantId: string;
  newest: number;
}
