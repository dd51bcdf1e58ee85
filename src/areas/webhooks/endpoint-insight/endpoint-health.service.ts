import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { type EndpointHealth, type HealthChange, type HealthReason } from '#libs/webhooks/lanes/endpoint-health.js';
import { EndpointLetters } from '../endpoints/endpoint-letters.js';
import { EndpointRecords } from '../endpoints/endpoint-records.js';
import type { Endpoint } from '../endpoints/endpoint.js';
import { EndpointsRepository } from '../endpoints/endpoints.repository.js';

/** Reports changes in the health of endpoints to their tenants. */
@Injectable()
export class EndpointHealthService implements EndpointHealth {
  constructor(
    private readonly repository: EndpointsRepository,
    private readonly records: EndpointRecords,
    private readonly letters: EndpointLetters,
    private readonly database: Database,
  ) {}

  async disable(endpointId: string, reason: HealthReason): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const row = await this.repository.lock(transaction, endpointId);
      if (!isEnabled(row)) return;
      const disabled = await this.records.transit(transaction, row, 'disable', reason);
      await this.letters.disabled(transaction, disabled, reason);
    });
  }

  async lockEnabled(transaction: Transaction, endpointId: string): Promise<boolean> {
    return isEnabled(await this.repository.lock(transaction, endpointId));
  }

  async announce(
    transaction: Transaction,
    endpointId: string,
    event: 'failing' | 'recovered',
    change: HealthChange,
  ): Promise<void> {
    const row = await this.repository.find(endpointId);
    if (!isEnabled(row)) return transaction.write(change.save);
    const { before, after } = this.records.announce(transaction, row, event, change);
    if (event === 'failing') await this.letters.failing(transaction, after);
    else await this.letters.recovered(transaction, before);
  }
}

function isEnabled(row: Endpoint | null): row is Endpoint {
  return row?.status === 'enabled' && row.deletedAt === null;
}
