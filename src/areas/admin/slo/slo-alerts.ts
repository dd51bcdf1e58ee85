import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentTenant, stamp } from '#libs/tenancy/scope.js';
import { SloEvents } from './slo-events.js';
import { factsOf, type Measured, rounded, roundedRates, SloFigures } from './slo-figures.js';
import { isCounted, serviceSlos } from './slo.js';
import { SloCounters } from './slo-counters.js';
import { SloRepository } from './slo.repository.js';

const LOCK = `select alerting_since as "alertingSince" from data.slo_progress
  where tenant_id = $1 and slo_id = $2 for update`;
const SAVE = `update data.slo_progress set alerting_since = $3 where tenant_id = $1 and slo_id = $2`;

/** Opens and closes the alerts of a tenant: one event when a fast burn begins, and one when it ends. */
@Injectable()
export class SloAlerts {
  constructor(
    private readonly repository: SloRepository,
    private readonly figures: SloFigures,
    private readonly counters: SloCounters,
    private readonly events: SloEvents,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Evaluates all objectives. Safe to run in several workers at once. */
  async evaluate(): Promise<void> {
    const slos = (await this.repository.all()).filter(isCounted);
    await this.counters.catchUp(Object.values(serviceSlos(currentTenant().id)));
    for (const measured of await this.figures.measure(slos))
      if (isOn(measured) !== (measured.alertingSince !== null)) await this.turn(measured);
  }

  private async turn(measured: Measured): Promise<void> {
    const { slo, figures } = measured;
    const place = [currentTenant().id, slo.id];
    await this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ alertingSince: string | null }>(statement(LOCK, place));
      if (!row || isOn(measured) === (row.alertingSince !== null)) return; // another worker was faster
      const now = stamp(this.clock);
      const recoveredAt = row.alertingSince === null ? null : now;
      this.events.record(transaction, slo, {
        verb: recoveredAt === null ? 'burn_rate_alert' : 'burn_rate_recovered',
        before: null,
        after: {
          ...factsOf(slo),
          burnRates: roundedRates(figures),
          budgetUsedPercent: rounded(figures.budgetUsedPercent),
          alertingSince: row.alertingSince ?? now,
          recoveredAt,
        },
        save: statement(SAVE, [...place, recoveredAt === null ? now : null]),
      });
    });
  }
}

function isOn({ slo, figures }: Measured): boolean {
  return slo.alerting && figures.burnsFast;
}
