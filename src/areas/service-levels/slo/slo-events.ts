import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Commits } from '#libs/resource/records/commits.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { stamp } from '#libs/tenancy/scope.js';
import { ALERT_EXAMPLE, SLO_EXAMPLE, SloAlert, SloFacts } from './slo.dto.js';
import { type Slo, SLO_PATH, SLO_TYPE } from './slo.js';

/** Records changes of objectives, and their alerts. */
@Injectable()
export class SloEvents implements OnModuleInit {
  constructor(
    private readonly commits: Commits,
    private readonly registry: ResourceRegistry,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const common = { type: SLO_TYPE, path: SLO_PATH, hasPath: false } as const;
    this.registry.declareObject({
      ...common,
      told: SloFacts,
      events: { updated: 'A service-level objective was created, changed, archived or restored.' },
      example: SLO_EXAMPLE,
    });
    this.registry.declareObject({
      ...common,
      told: SloAlert,
      events: {
        burn_rate_alert: 'The error budget of an objective is being used fast. Sent once until it recovers.',
        burn_rate_recovered:
          'The error budget of an objective is no longer being used fast, or the objective was disabled, archived or changed so that it is counted anew.',
      },
      example: ALERT_EXAMPLE,
    });
  }

  record(
    transaction: Transaction,
    slo: Slo,
    { verb, before, after, save }: { verb: string; before: object | null; after: object; save: Statement },
  ): void {
    const { id, version, name } = slo;
    this.commits.add(transaction, {
      save,
      event: `${SLO_TYPE}.${verb}`,
      subject: { type: SLO_TYPE, id, reference: null, version, url: SLO_PATH, name },
      before,
      after,
      at: stamp(this.clock),
      riskLevel: 'medium',
    });
  }
}
