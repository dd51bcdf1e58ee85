import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { fromTenThousandths, toTenThousandths } from '#libs/lines/decimal.js';
import type { NamedRate } from '#libs/lines/document-lines.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { type ShownTaxRate, type TaxRate, type TaxRateAction, taxRates } from './tax-rate.js';
import { kindsOf, usableRates } from './tax-rate.queries.js';

/** Taxes that document lines can reference. */
@Injectable()
export class TaxRatesService implements Decisions<TaxRate, ShownTaxRate, TaxRateAction>, OnModuleInit {
  readonly constraints = { finance_tax_rates_percent_fixed: fixed };
  readonly records: Records<TaxRate, ShownTaxRate, TaxRateAction>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly deals: DealsService,
  ) {
    this.records = Records.of(taxRates, kit, this);
  }

  onModuleInit(): void {
    this.deals.taxRatesFrom((ids) => this.choose(ids));
  }

  /** The rates among these ids that the caller can use; unknown and archived ones are omitted. */
  async choose(ids: readonly string[]): Promise<Map<string, NamedRate>> {
    if (ids.length === 0) return new Map();
    const query = usableRates(ids, this.records.visible());
    const found = await this.kit.database.read<Pick<TaxRate, 'id' | 'name' | 'percent'>>(query);
    return new Map(found.map(({ id, name, percent }) => [id, { name, percent: fromTenThousandths(percent) }]));
  }

  /** The kinds of rates that documents use, also of archived ones. */
  async kindsOf(ids: readonly string[]): Promise<Map<string, TaxRate['kind']>> {
    if (ids.length === 0) return new Map();
    const found = await this.kit.database.read<Pick<TaxRate, 'id' | 'kind'>>(kindsOf(ids));
    return new Map(found.map(({ id, kind }) => [id, kind]));
  }

  derive({ archivedAt, percent }: TaxRate): Partial<ShownTaxRate> {
    return { status: archivedAt === null ? 'active' : 'archived', percent: fromTenThousandths(percent) };
  }

  draft(input: Partial<TaxRate>): Draft<TaxRate> {
    return scaled(input) as Draft<TaxRate>; // the rest has defaults
  }

  edit(row: TaxRate, patch: Partial<TaxRate>): Partial<TaxRate> {
    const changes = scaled(patch);
    if (row.usedAt !== null && changes.percent !== undefined && changes.percent !== row.percent) throw fixed();
    return changes;
  }
}

function scaled({ percent, ...others }: Partial<TaxRate>): Partial<TaxRate> {
  return percent === undefined ? others : { ...others, percent: Number(toTenThousandths(percent)) };
}

function fixed(): Problem {
  return new Problem(
    'record_locked',
    'Documents use the rate: its percent is fixed. Make a new rate and archive this.',
  );
}
