import { Injectable } from '@nestjs/common';
import { type Guard, guarded } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TaxRate } from './tax-rate.entity.js';

const USABLE = `select id, name, percent from data.finance_tax_rates t
  where tenant_id = $1 and id = any($2::uuid[]) and archived_at is null and deleted_at is null`;

@Injectable()
export class TaxRatesRepository extends ResourceRepository<TaxRate> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, TaxRate);
  }

  /** Those of the rates that a new document can use and the guard lets through. */
  usable(ids: readonly string[], guard: Guard | null): Promise<Pick<TaxRate, 'id' | 'name' | 'percent'>[]> {
    return this.database.read(guarded(USABLE, [currentTenant().id, ids], guard));
  }
}
