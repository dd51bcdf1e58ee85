import { Injectable } from '@nestjs/common';
import { brokenUnique } from '#libs/database/failures.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { Upkeep } from '#libs/worker/upkeep.js';
import { PostureRepository } from './posture.repository.js';
import { PostureService } from './posture.service.js';

const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Runs the security checks of every tenant that has had no run for a day. */
@Injectable()
export class PostureUpkeep extends Upkeep {
  private closing = false;

  constructor(
    private readonly repository: PostureRepository,
    private readonly posture: PostureService,
    private readonly tenants: TenantFactsReader,
    private readonly clock: Clock,
  ) {
    super('The daily security checks', EVERY_MS);
  }

  override stop(): Promise<void> {
    this.closing = true;
    return super.stop();
  }

  async sweep(): Promise<Work> {
    for await (const tenant of this.tenants.all()) {
      if (this.closing) break;
      await runAsSystem(tenant, 'posture', uuidv7(), () => this.runIfDue());
    }
    return 'none';
  }

  /** Another worker may have run them meanwhile: PostgreSQL accepts one daily run per day. */
  private async runIfDue(): Promise<void> {
    const yesterday = new Date(this.clock.nowMs() - DAY_MS).toISOString();
    if (!(await this.repository.isDue(yesterday))) return;
    try {
      await this.posture.run({}, 'schedule');
    } catch (error) {
      if (brokenUnique(error) !== 'posture_runs_day_key') throw error;
    }
  }
}
