import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentTenant, stamp } from '#libs/tenancy/scope.js';
import { SloEvents } from './slo-events.js';
import { factsOf, type Measured, roundedOrNull, roundedRates, SloFigures } from './slo-figures.js';
import { serviceSlos, type Slo } from './slo.js';
import { SloCounters } from './slo-counters.js';
import { SloRepository } from './slo.repository.js';

const OPENED = `select alerting_since as "alertingSince" from data.slo_progress where tenant_id = $1 and slo_id = $2`;
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
    const slos = await this.repository.all();
    await this.counters.catchUp(Object.values(serviceSlos(currentTenant().id)));
    for (const measured of await this.figures.measure(slos))
      if (isOn(measured) !== (measured.alertingSince !== null)) await this.turn(measured);
  }

  /** Closes the alert of a locked objective, if one is open, because it will not be measured any more as it is. */
  async close(transaction: Transaction, slo: Slo): Promise<void> {
    const since = await this.openedAt(transaction, slo);
    if (since === null) return;
    const [measured] = await this.figures.measure([slo]);
    this.record(transaction, measured!, { since, recoveredAt: stamp(this.clock) });
  }

  private async turn(measured: Measured): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const slos = await this.repository.lock(transaction);
      if (!slos.some(({ id, version }) => id === measured.slo.id && version === measured.slo.version)) return; // changed
      const since = await this.openedAt(transaction, measured.slo);
      if (isOn(measured) === (since !== null)) return; // another worker was faster
      const now = stamp(this.clock);
      this.record(transaction, measured, { since: since ?? now, recoveredAt: since === null ? null : now });
    });
  }

  private async openedAt(transaction: Transaction, { id }: Slo): Promise<string | null> {
    const query = statement(OPENED, [currentTenant().id, id]);
    const [row] = await transaction.query<{ alertingSince: string | null }>(query);
    return row?.alertingSince ?? null;
  }

  private record(
    transaction: Transaction,
    { slo, figures }: Measured,
    { since, recoveredAt }: { since: string; recoveredAt: string | null },
  ): void {
    this.events.record(transaction, slo, {
      verb: recoveredAt === null ? 'burn_rate_alert' : 'burn_rate_recovered',
      before: null,
      after: {
        ...factsOf(slo),
        burnRates: roundedRates(figures),
        budgetUsedPercent: roundedOrNull(figures.budgetUsedPercent),
        alertingSince: since,
        recoveredAt,
      },
      save: statement(SAVE, [currentTenant().id, slo.id, recoveredAt === null ? since : null]),
    });
  }
}

function isOn({ slo, figures }: Measured): boolean {
  return slo.alerting && figures.burnsFast;
}
