import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { DeliveryRepository } from './delivery.repository.js';
import type { SettledAttempt } from './leased-delivery.js';

/** How long a result is kept while the database cannot be reached. Then the delivery is attempted again. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 250;

interface Waiting {
  attempt: SettledAttempt;
  done: () => void;
}

/**
 * Writes the results of attempts, those of one tenant that come at once in one statement: while a statement runs, further
 * results of the tenant wait for the next one.
 */
@Injectable()
export class Settlements {
  private readonly logger = new Logger('webhooks');
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly repository: DeliveryRepository) {}

  /** Resolves when the result is written, or cannot be; never rejects. */
  add(tenant: TenantFacts, attempt: SettledAttempt): Promise<void> {
    return new Promise((done) => {
      const line = this.waiting.get(tenant.id);
      if (line) return void line.push({ attempt, done });
      this.waiting.set(tenant.id, [{ attempt, done }]);
      setImmediate(() => void this.writeAll(tenant));
    });
  }

  private async writeAll(tenant: TenantFacts): Promise<void> {
    for (let batch = this.next(tenant.id); batch.length > 0; batch = this.next(tenant.id)) {
      await this.write(
        tenant,
        batch.map(({ attempt }) => attempt),
      );
      for (const { done } of batch) done();
    }
    this.waiting.delete(tenant.id);
  }

  private next(tenantId: string): Waiting[] {
    return this.waiting.get(tenantId)!.splice(0);
  }

  private async write(tenant: TenantFacts, attempts: SettledAttempt[]): Promise<void> {
    const giveUpMs = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        const settled = await runAsSystem(tenant, 'webhooks', uuidv7(), () => this.repository.settle(attempts));
        const lost = attempts.length - settled.size;
        if (lost > 0) this.logger.warn(`${lost} attempts took longer than their leases; they will be made again`);
        return;
      } catch (error) {
        const mayPass = error instanceof Problem && error.code === 'unavailable' && performance.now() < giveUpMs;
        if (!mayPass) return this.logger.error(`${attempts.length} attempts could not be recorded: ${String(error)}`);
        await pause(RETRY_MS);
      }
    }
  }
}
