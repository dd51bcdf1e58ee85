import { Injectable } from '@nestjs/common';
import { brokenUnique } from '#libs/database/failures.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';
import { PostureRepository } from './posture.repository.js';
import { PostureService } from './posture.service.js';

const EVERY_MS = 3_600_000;

/** Runs the security checks of every tenant that has had no run for a day. */
@Injectable()
export class PostureUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly repository: PostureRepository,
    private readonly posture: PostureService,
    tenants: TenantFactsReader,
    private readonly clock: Clock,
  ) {
    super('The daily security checks', EVERY_MS, 'posture', tenants);
  }

  /** Another worker may have run them meanwhile: PostgreSQL accepts one daily run per day. */
  protected async keepUp(): Promise<void> {
    const yesterday = new Date(this.clock.nowMs() - DAY_MS).toISOString();
    if (!(await this.repository.isDue(yesterday))) return;
    try {
      await this.posture.run({}, 'schedule');
    } catch (error) {
      if (brokenUnique(error) !== 'posture_runs_day_key') throw error;
    }
  }
}
