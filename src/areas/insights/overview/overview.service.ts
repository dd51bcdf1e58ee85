import { Injectable } from '@nestjs/common';
import { CoverageFigures } from '#libs/request-counts/coverage-figures.js';
import { PerformanceFigures } from '#libs/request-counts/performance-figures.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { reachOf } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { Clock } from '#libs/kernel/clock.js';
import { fractionOf } from '#libs/kernel/fraction.js';
import { Seats } from '#libs/members/seats.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AiOverviewService } from '#src/areas/ai/insight/overview.service.js';
import { OutboxSummaries } from '#src/areas/webhooks/outbox/outbox-summaries.service.js';
import { PostureService } from '#src/areas/assurance/security/posture/posture.service.js';
import type { SloStatus } from '#src/areas/service-levels/service-levels.area.js';
import { SloHealthService } from '#src/areas/service-levels/slo/slo-health.service.js';
import {
  aiAlerts,
  bySeverity,
  deliveryAlerts,
  findingAlerts,
  openFindings,
  reviewAlerts,
  seatAlerts,
  sloAlerts,
} from './overview-alerts.js';
import type { Overview, OverviewAlert, OverviewQuery, PlatformOverview } from './overview.dto.js';
import { OverviewRepository } from './overview.repository.js';
import { OverviewRecords } from './record-sections.js';

/** Statuses of objectives, the worst first. */
const WORST_FIRST: readonly SloStatus[] = ['exhausted', 'burning_fast', 'burning_slow', 'healthy', 'no_data'];

/** A section and its alerts; the section is null if the caller may read none of it. */
interface Part<S> {
  section: S | null;
  alerts: OverviewAlert[];
}
const NOTHING = { section: null, alerts: [] } as const satisfies Part<never>;

/** The health of a tenant on one page. Sections that the caller may not read are absent. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly records: OverviewRecords,
    private readonly repository: OverviewRepository,
    private readonly tenants: TenantReader,
    private readonly seats: Seats,
    private readonly posture: PostureService,
    private readonly ai: AiOverviewService,
    private readonly slos: SloHealthService,
    private readonly outbox: OutboxSummaries,
    private readonly requests: PerformanceFigures,
    private readonly coverage: CoverageFigures,
    private readonly accounts: RequestAccounts,
    private readonly clock: Clock,
  ) {}

  async read({ workspaceId }: OverviewQuery): Promise<Overview> {
    const { name, plan, createdAt } = await this.tenants.current();
    await this.accounts.flushTenant(currentTenant().id);
    const parts = {
      members: await this.members(),
      security: await this.security(),
      ai: await this.aiSection(),
      platform: await this.platform(Date.parse(createdAt)),
      compliance: await this.compliance(),
    };
    const shown = Object.entries(parts).filter(([, { section }]) => section !== null);
    return {
      tenant: { name, plan, createdAt },
      ...Object.fromEntries(shown.map(([key, { section }]) => [key, section])),
      ...(await this.records.read(workspaceId)),
      alerts: bySeverity(Object.values(parts).flatMap(({ alerts }) => alerts)),
      asOf: this.clock.now().toISOString(),
    };
  }

  private async members(): Promise<Part<Overview['members']>> {
    if (!mayRead('members:read')) return NOTHING;
    const seats = await this.seats.read();
    const totals = await this.repository.members(this.clock.now().toISOString());
    return { section: { ...totals, seats }, alerts: seatAlerts(seats) };
  }

  private async security(): Promise<Part<Overview['security']>> {
    if (!mayRead('security:read')) return NOTHING;
    const run = await this.posture.lastRun();
    const coverage = mayRead('members:read') ? await this.records.secondFactor() : undefined;
    const section = {
      postureScore: run?.score ?? null,
      openFindings: run && openFindings(run.results).length,
      assessedAt: run?.at ?? null,
      ...(coverage !== undefined && { mfaCoveragePercent: coverage }),
    };
    return { section, alerts: run ? findingAlerts(run.results) : [] };
  }

  private async aiSection(): Promise<Part<Overview['ai']>> {
    if (!mayRead('ai-jobs:read-all')) return NOTHING;
    const { spend, pendingApprovals, alerts } = await this.ai.read();
    const section = { spendMonthMicros: spend.monthMicros, pendingApprovals: pendingApprovals.count };
    return { section, alerts: aiAlerts(alerts) };
  }

  private async platform(createdMs: number): Promise<Part<PlatformOverview>> {
    const [slo, outbox] = [await this.sloPart(), await this.outboxPart()];
    const section = { ...slo.section, ...outbox.section, ...(await this.requestPart(createdMs)) };
    return {
      section: Object.keys(section).length > 0 ? section : null,
      alerts: [...slo.alerts, ...outbox.alerts],
    };
  }

  private async sloPart(): Promise<Part<Pick<PlatformOverview, 'sloStatus'>>> {
    if (!mayRead('slo:read')) return NOTHING;
    const views = await this.slos.read();
    const sloStatus = WORST_FIRST.find((status) => views.some((view) => view.status === status)) ?? 'no_data';
    return { section: { sloStatus }, alerts: sloAlerts(views) };
  }

  private async outboxPart(): Promise<Part<Pick<PlatformOverview, 'outboxBacklog' | 'deadEntries'>>> {
    if (!mayRead('outbox:read')) return NOTHING;
    const { pending, retrying, in_flight: inFlight, exhausted } = (await this.outbox.read()).byStatus;
    const section = { outboxBacklog: pending + retrying + inFlight, deadEntries: exhausted };
    return { section, alerts: deliveryAlerts(exhausted) };
  }

  private async requestPart(createdMs: number): Promise<Partial<PlatformOverview>> {
    if (!mayRead('usage:read')) return {};
    const nowMs = this.clock.nowMs();
    const spanOf = (ms: number) => ({
      fromMs: Math.floor(Math.max(nowMs - ms, createdMs) / MINUTE_MS) * MINUTE_MS,
      toMs: nowMs + 1,
    });
    const all = { processId: null, route: null };
    const hour = await this.requests.byRoute(spanOf(HOUR_MS), all);
    const day = await this.requests.byRoute(spanOf(DAY_MS), all);
    const responses = hour.reduce((sum, { c2xx, c4xx, c5xx }) => sum + c2xx + c4xx + c5xx, 0);
    const errors = hour.reduce((sum, { c5xx }) => sum + c5xx, 0);
    return {
      errorRate1h: fractionOf(errors, responses),
      coverage1hPercent: await this.coverage.percentOf(spanOf(HOUR_MS)),
      rateLimitedRequests24h: day.reduce((sum, { c429 }) => sum + c429, 0),
    };
  }

  private async compliance(): Promise<Part<Overview['compliance']>> {
    const reviews = mayRead('access-reviews:read') ? await this.repository.reviews() : null;
    const holds = mayRead('retention:read') ? await this.repository.holds() : null;
    if (reviews === null && holds === null) return NOTHING;
    const section = { ...(reviews && { openReviews: reviews.open }), ...(holds !== null && { holds }) };
    return { section, alerts: reviews ? reviewAlerts(reviews.overdue) : [] };
  }
}

/** Sections are about the whole tenant, so a limited permission does not suffice. */
function mayRead(permission: Permission): boolean {
  return reachOf(permission) === 'tenant';
}
