import { Injectable } from '@nestjs/common';
import { limitsOf } from '#libs/access/limits.js';
import { Problem } from '#libs/kernel/problem.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { HANDOFF_SUBJECT, type ShownHandoff } from './handoff.js';
import { handoffList } from './handoff-list.js';
import { type HandedDeal, HandoffRecords } from './handoff-records.js';
import type { CreateSalesHandoff, SalesHandoffPage } from './handoff.requests.js';
import type { HandoffTemplate } from './handoff-template.js';
import { HandoffTemplatesService } from './handoff-templates.service.js';

const READ = 'handoffs:read';
/** Lists handoffs, and creates handoffs and their templates. */
@Injectable()
export class SalesHandoffService {
  constructor(
    private readonly handoffs: HandoffRecords,
    private readonly templates: HandoffTemplatesService,
    private readonly deals: DealsService,
  ) {}

  async list({ include = [], ...query }: Record<string, unknown> & { include?: string[] }): Promise<SalesHandoffPage> {
    const { repository, objects } = this.handoffs;
    const guard = limitsOf(HANDOFF_SUBJECT, READ);
    const now = objects.now();
    const { data, page } = await repository.list(toListRequest(handoffList, query, now), guard);
    const { definition } = this.deals.records;
    return {
      data: await this.handoffs.show(data),
      templates: include.includes('templates') ? await this.templates.list() : [],
      page,
      stats: await repository.stats(guard, now),
      warnings: await repository.warnings(limitsOf(definition, definition.permissions.read)),
    };
  }

  /** @throws Problem 400, 403, 409 `handoff_exists`, `deal_not_won`, `limit_reached`. */
  create({ type = 'handoff', ...input }: CreateSalesHandoff): Promise<ShownHandoff | ShownObject<HandoffTemplate>> {
    return type === 'handoff' ? this.createHandoff(input) : this.templates.create(input);
  }

  private async createHandoff(input: Omit<CreateSalesHandoff, 'type'>): Promise<ShownHandoff> {
    return this.handoffs.unit(async (transaction) => {
      const deal = await this.visible(input.dealId!);
      const locked = await this.deals.records.rows.lockPlainly(transaction, deal.id);
      requireReady(locked, input.early === true);
      const template =
        input.templateId === undefined
          ? await this.templates.choose(locked)
          : await this.templates.named(input.templateId);
      const row = await this.handoffs.start(transaction, locked, template, input);
      return (await this.handoffs.show([row]))[0]!;
    });
  }

  private async visible(dealId: string): Promise<HandedDeal> {
    const deal = await this.deals.records.find(dealId);
    if (!deal) throw Problem.unknownReference('/dealId');
    return deal;
  }
}

/** @throws Problem 409 `deal_not_won`. */
function requireReady({ status, forecastCategory }: HandedDeal, isEarly: boolean): void {
  if (status === 'won' || (isEarly && status === 'open' && forecastCategory === 'commit')) return;
  const detail = 'The deal is not won. With `early`, its forecast category must be `commit`.';
  throw new Problem('deal_not_won', detail);
}
