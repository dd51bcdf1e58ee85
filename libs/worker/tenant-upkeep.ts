import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import type { Work } from './loop.js';
import type { TenantFactsReader } from './tenant-facts.js';
import { Upkeep } from './upkeep.js';

/** A periodic task for each tenant in turn. */
export abstract class TenantUpkeep extends Upkeep {
  /** @param actor name of the platform's actor in scopes and audit entries */
  protected constructor(
    name: string,
    everyMs: number,
    private readonly actor: string,
    private readonly tenants: TenantFactsReader,
  ) {
    super(name, everyMs);
  }

  async sweep(): Promise<Work> {
    for await (const tenant of this.tenants.all()) {
      if (this.stopping) break;
      await runAsSystem(tenant, this.actor, uuidv7(), () => this.keepUp(tenant));
    }
    return 'none';
  }

  /** The work for one tenant, in its scope. */
  protected abstract keepUp(tenant: TenantFacts): Promise<void>;
}
