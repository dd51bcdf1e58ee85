import { Injectable, Logger } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { isUnavailable } from '#libs/database/failures.js';
import { logFailure } from '#libs/database/log-failure.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Asked, type PostureCheck, unknown, type Verdict } from './posture-check.js';
import { limitsOf, type PostureCheckSetting } from './posture-check-setting.js';

/** Runs checks on the live data of the tenant in scope. */
@Injectable()
export class PostureAssessor {
  private readonly logger = new Logger('posture');

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * The verdicts by key. A check whose query fails is `unknown`. Must not run inside a transaction, which a failing
   * query would abort.
   * @throws Problem 503 `unavailable`.
   */
  async measure(
    checks: readonly PostureCheck[],
    settings: ReadonlyMap<string, PostureCheckSetting>,
  ): Promise<Map<string, Verdict>> {
    const verdicts = new Map<string, Verdict>();
    for (const check of checks) verdicts.set(check.key, await this.verdictOf(check, settings.get(check.key)));
    return verdicts;
  }

  /** The verdict on one check, inside a transaction. */
  measureWithin(transaction: Transaction, check: PostureCheck, setting: PostureCheckSetting): Promise<Verdict> {
    return this.orUnknown(check, () => transaction.savepoint(() => this.judge(check, setting)));
  }

  private verdictOf(check: PostureCheck, setting: PostureCheckSetting | undefined): Promise<Verdict> {
    return this.orUnknown(check, () => this.judge(check, setting));
  }

  private async judge(check: PostureCheck, setting: PostureCheckSetting | undefined): Promise<Verdict> {
    const nowMs = this.clock.nowMs();
    const asked: Asked = {
      tenantId: currentTenant().id,
      now: new Date(nowMs).toISOString(),
      limits: limitsOf(check, setting),
      daysAgo: (days) => new Date(nowMs - days * DAY_MS).toISOString(),
    };
    const [row] = await this.database.read(check.read(asked));
    return check.judge(row!, asked);
  }

  private async orUnknown(check: PostureCheck, work: () => Promise<Verdict>): Promise<Verdict> {
    try {
      return await work();
    } catch (error) {
      if (isUnavailable(error)) throw error;
      logFailure(this.logger, `The check ${check.key} failed`, error);
      return unknown('The check could not be run');
    }
  }
}
