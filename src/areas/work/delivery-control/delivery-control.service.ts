import { Injectable } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { limitsOf } from '#libs/access/limits.js';
import { Clock } from '#libs/kernel/clock.js';
import type { BusinessDays } from '#libs/kernel/business-days.js';
import { type ListRequest, toListRequest } from '#libs/resource/lists/list-query.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { dayOf } from '../days.js';
import { progressOf, readFigures, shownProgress } from '../projects/project.figures.js';
import { type Project, projects } from '../projects/project.js';
import { healthRanks } from '../projects/project.parts.js';
import { slippageOf } from '../projects/project.slippage.js';
import { ProjectsService } from '../projects/projects.service.js';
import { gatesOf, NO_CONTROL } from './delivery-control.js';
import { deliveryList, portfolio } from './delivery-list.js';
import { reasonsOf } from './delivery-reasons.js';
import type { DeliveryItem, DeliveryPage } from './delivery.dto.js';
import { DeliveryRepository, type Details } from './delivery.repository.js';

/** The customer projects of a tenant, with figures computed when they are read. */
@Injectable()
export class DeliveryControlService {
  constructor(
    private readonly repository: DeliveryRepository,
    private readonly projects: ProjectsService,
    private readonly accounts: AccountsService,
    private readonly deals: DealsService,
    private readonly calendars: CalendarsService,
    private readonly clock: Clock,
  ) {}

  async list(query: Record<string, unknown>): Promise<DeliveryPage> {
    const request = this.requestOf(query);
    const guard = this.within('delivery:read');
    const { data, page } = await this.repository.page(request, deliveryList, guard);
    const ids = data.map(({ id }) => id);
    const details = await this.repository.details(ids, request.now, readable(this.accounts));
    const totals = await this.repository.totals(request, guard, readable(this.deals));
    const calendar = await this.calendars.businessDays();
    return {
      summary: {
        byHealth: { unknown: 0, on_track: 0, at_risk: 0, off_track: 0, ...totals.byHealth },
        byControlState: { normal: 0, watch: 0, hold: 0, escalated: 0, ...totals.byControlState },
        lateCount: totals.lateCount,
        valueAtRisk: totals.valueAtRisk,
      },
      data: data.map((row) => itemOf(row, details.get(row.id)!, request.now, calendar)),
      page,
    };
  }

  requestOf(query: Record<string, unknown>): ListRequest {
    return toListRequest(deliveryList, query, this.clock.now().toISOString());
  }

  /** The projects under delivery control on which the caller may use a permission. */
  within(permission: 'delivery:read' | 'delivery:manage'): Guard {
    return every(this.projects.records.visible(), limitsOf(projects, permission), portfolio)!;
  }
}

/** The records of another type that the caller may read; null for all. */
function readable({ records: { definition } }: AccountsService | DealsService): Guard | null {
  return limitsOf(definition, definition.permissions.read);
}

function itemOf(row: Project, details: Details, now: string, calendar: BusinessDays): DeliveryItem {
  const { overdueTasks, openBlockers, lastDue, nextMilestone, account, owner, controlState, stale } = details;
  const control = details.control ?? NO_CONTROL;
  const reading = readFigures(row, now);
  const { id, reference, name, status, workspaceId, targetDate, healthUpdatedAt: lastUpdateAt } = row;
  const about = { row, reading, control, overdueTasks, openBlockers, lastDue };
  return {
    project: { id, reference, name, status, workspaceId, targetDate },
    account,
    owner,
    health: healthRanks.wordOf(row.health),
    healthComputed: reading.healthComputed,
    progressPercent: shownProgress(row, progressOf(row)),
    slippageDays: reading.slippageDays,
    slippageBusinessDays: slippageOf(row, now)?.businessDays(calendar) ?? null,
    budgetUsedPercent: reading.budgetUsedPercent,
    overdueTasks,
    openBlockers,
    nextMilestone,
    lastUpdateAt,
    updateRequestedAt: control.updateRequestedAt,
    gates: gatesOf(control),
    controlState,
    severity: control.severity,
    reasons: reasonsOf({ ...about, stale, today: dayOf(now) }),
  };
}
