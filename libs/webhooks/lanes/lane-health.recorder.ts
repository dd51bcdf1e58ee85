import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '#libs/database/database.js';
import { logFailure } from '#libs/database/log-failure.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { EndpointHealth } from './endpoint-health.js';
import { hasRecovered, isBad, isTroubled, type LaneHealth, nextHealth, type Outcome } from './lane-health.js';
import { LaneHealthRepository, saveLane } from './lane-health.repository.js';

const REMEMBERED = 10_000;
const ACTOR = 'webhook delivery';

/** Outcomes of an endpoint that wait for the current transaction, and the promise of their recording. */
interface Batch {
  outcomes: Outcome[];
  recorded: Promise<void>;
}

/**
 * Updates the health of endpoints with the outcomes of attempts. A healthy endpoint causes no writes; for others,
 * outcomes that arrive during a transaction are batched into the next one.
 *
 * If an update is lost because the process stops or the database is unavailable, later outcomes compensate for it.
 */
@Injectable()
export class LaneHealthRecorder {
  private readonly logger = new Logger('webhooks');
  /** Endpoints that this process has marked as troubled. This also applies to attempts that were leased before. */
  private readonly troubled = new LRUCache<string, true>({ max: REMEMBERED });
  private readonly waiting = new Map<string, Batch>();
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly lanes: LaneHealthRepository,
    private readonly health: EndpointHealth,
  ) {}

  /** Resolves when the outcome of an attempt is recorded, or cannot be; never rejects. */
  async record(tenant: TenantFacts, outcome: Outcome): Promise<void> {
    const { endpointId, troubled } = outcome;
    const known = this.troubled.has(endpointId) || this.running.has(endpointId);
    if (!troubled && !known && !isBad(outcome)) return;
    let batch = this.waiting.get(endpointId);
    if (!batch) {
      const outcomes: Outcome[] = [];
      batch = { outcomes, recorded: this.write(tenant, endpointId, outcomes) };
      this.waiting.set(endpointId, batch);
    }
    batch.outcomes.push(outcome);
    await batch.recorded;
  }

  private async write(tenant: TenantFacts, endpointId: string, outcomes: Outcome[]): Promise<void> {
    const before = this.running.get(endpointId) ?? Promise.resolve();
    const written = before.then(() => {
      this.waiting.delete(endpointId); // later outcomes wait for the next one
      return this.apply(tenant, endpointId, outcomes);
    });
    this.running.set(endpointId, written);
    await written;
    if (this.running.get(endpointId) === written) this.running.delete(endpointId);
  }

  private async apply(tenant: TenantFacts, endpointId: string, outcomes: readonly Outcome[]): Promise<void> {
    try {
      const after = await runAsSystem(tenant, ACTOR, uuidv7(), () => this.update(tenant.id, endpointId, outcomes));
      if (after && isTroubled(after)) this.troubled.set(endpointId, true);
      else this.troubled.delete(endpointId);
    } catch (error) {
      logFailure(this.logger, `The health of the endpoint ${endpointId} could not be recorded`, error);
    }
  }

  private update(tenantId: string, endpointId: string, outcomes: readonly Outcome[]): Promise<LaneHealth | null> {
    return this.database.transaction(async (transaction) => {
      const lane = await this.lanes.lock(transaction, endpointId);
      if (!lane) return null;
      const { health: before, nowMs } = lane;
      const after = nextHealth(before, outcomes, nowMs);
      const save = saveLane(tenantId, endpointId, after);
      if (hasRecovered(before, after))
        await this.health.announce(transaction, endpointId, 'recovered', { save, before, after });
      else transaction.write(save);
      return after;
    });
  }
}
