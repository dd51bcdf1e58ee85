import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { fromTenThousandths, toTenThousandths } from '#libs/lines/decimal.js';
import type { NamedRate } from '#libs/lines/document-lines.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import type { TaxRateView } from './tax-rate.dto.js';
import type { TaxRate } from './tax-rate.entity.js';
import { taxRateResource } from './tax-rate.resource.js';
import { TaxRatesRepository } from './tax-rates.repository.js';

type Input = Record<string, unknown>;

@Injectable()
export class TaxRatesService extends ResourceService<TaxRate, TaxRateView, 'archive'> {
  protected override readonly constraints = { finance_tax_rates_percent_fixed: fixed };

  constructor(
    kit: ResourceKit,
    private readonly rates: TaxRatesRepository,
    private readonly deals: DealsService,
  ) {
    super(taxRateResource, kit, rates);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.deals.taxRatesFrom((ids) => this.choose(ids));
  }

  /** The rates with these ids that the caller can use now; those that do not exist for them or are archived are missing. */
  async choose(ids: readonly string[]): Promise<Map<string, NamedRate>> {
    if (ids.length === 0) return new Map();
    const found = await this.rates.usable(ids, this.visible());
    return new Map(found.map(({ id, name, percent }) => [id, { name, percent: fromTenThousandths(percent) }]));
  }

  protected override derive(row: TaxRate): Partial<TaxRateView> {
    return {
      status: row.archivedAt === null ? 'active' : 'archived',
      percent: fromTenThousandths(row.percent),
    };
  }

  protected override async draft(input: Input): Promise<Draft<TaxRate>> {
    return super.draft(scaled(input));
  }

  protected override edit(row: TaxRate, patch: Input): Partial<TaxRate> {
    const changes = scaled(patch) as Partial<TaxRate>;
    if (row.usedAt !== null && changes.percent !== undefined && changes.percent !== row.percent) throw fixed();
    return changes;
  }
}

function scaled(input: Input): Input {
  const { percent } = input;
  return percent === undefined ? input : { ...input, percent: Number(toTenThousandths(percent as number)) };
}

function fixed(): Problem {
  return new Problem(
    'record_locked',
    'Documents use the rate: its percent is fixed. Make a new rate and archive this.',
  );
}
