import { Injectable } from '@nestjs/common';
import { rounded } from '#libs/kernel/fraction.js';
import { addDays } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { type Measurement, Measurements } from '#libs/measures/measurements.js';
import { count, type Metric } from '#libs/measures/metric.js';
import { type CataloguedMetric, MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { type Window, windowsAt } from '#libs/measures/period.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { Overview } from './overview.dto.js';

/** Counts of the overview that the catalogue does not have. */
const own = { direction: 'higher', unit: 'count', measure: count() } as const;
const ofHealth = (key: string, health: string): Metric => ({
  ...own,
  key,
  group: 'delivery',
  name: key,
  formula: `Projects under delivery control whose reported health is ${health}.`,
  of: 'work.project',
  where: { underDeliveryControl: 'true', health },
});
const OWN_COUNTS: readonly Metric[] = [
  ofHealth('healthUnknown', 'unknown'),
  ofHealth('onTrack', 'on_track'),
  ofHealth('atRisk', 'at_risk'),
  ofHealth('offTrack', 'off_track'),
  {
    ...own,
    key: 'active_candidates',
    group: 'talent',
    name: 'Active candidates',
    formula: 'Number of candidates in the state `active` now.',
    of: 'talent.candidate',
    where: { status: 'active' },
  },
];
/** Metrics of the catalogue that the overview shows. */
const CATALOGUED: ReadonlySet<string> = new Set([
  'pipeline_value',
  'won_value',
  'overdue_amount',
  'receivable',
  'headcount',
  'open_jobs',
]);
const SECOND_FACTOR = 'mfa_coverage';
const JOINERS = 'joiners';
const JOINING_DAYS = 30;

/** What the overview says about records. */
export type RecordSections = Pick<Overview, 'delivery' | 'sales' | 'finance' | 'people' | 'talent'>;

/** Counts records for the overview, each as its list shows them to the caller. */
@Injectable()
export class OverviewRecords {
  constructor(
    private readonly catalogue: MetricCatalogue,
    private readonly measurements: Measurements,
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
  ) {}

  /** Sections that the caller may not read, or whose records have no workspace when one is given, are absent. */
  async read(workspaceId: string | undefined): Promise<RecordSections> {
    const { today, current } = await this.periods();
    const metrics = this.metrics().filter(({ source }) => workspaceId === undefined || source.workspaceFilter !== null);
    const [joiners, others] = [true, false].map((is) => metrics.filter(({ key }) => (key === JOINERS) === is));
    const measured = await this.measure(others!, current, today, workspaceId);
    const next = await this.measure(joiners!, upcoming(today), today, workspaceId);
    const counted = (key: string) => measured.get(key)?.[0]?.sample;
    const amounts = (key: string) => measured.get(key)?.[0]?.amounts;
    const [unknown, onTrack, atRisk, offTrack] = ['healthUnknown', 'onTrack', 'atRisk', 'offTrack'].map(counted);
    const [openValue, wonThisMonth] = ['pipeline_value', 'won_value'].map(amounts);
    const [overdue, receivable] = ['overdue_amount', 'receivable'].map(amounts);
    const [headcount, joinersNext30d] = [counted('headcount'), next.get(JOINERS)?.[0]?.sample];
    const [openJobs, activeCandidates] = ['open_jobs', 'active_candidates'].map(counted);
    return {
      ...(onTrack !== undefined && {
        delivery: { byHealth: { unknown: unknown!, onTrack, atRisk: atRisk!, offTrack: offTrack! } },
      }),
      ...(openValue && { sales: { openValue, wonThisMonth: wonThisMonth! } }),
      ...(overdue && { finance: { overdue, receivable: receivable! } }),
      ...(headcount !== undefined && { people: { headcount, joinersNext30d: joinersNext30d! } }),
      ...((openJobs ?? activeCandidates) !== undefined && {
        talent: {
          ...(openJobs !== undefined && { openJobs }),
          ...(activeCandidates !== undefined && { activeCandidates }),
        },
      }),
    };
  }

  /** Share of active members with a second factor, in percent; undefined if the caller may not read members. */
  async secondFactor(): Promise<number | null | undefined> {
    const metric = this.catalogue.readable().find(({ key }) => key === SECOND_FACTOR);
    if (!metric) return undefined;
    const { today, current } = await this.periods();
    const value = (await this.measure([metric], current, today, undefined)).get(SECOND_FACTOR)![0]!.value;
    return value === null ? null : rounded(value);
  }

  private async periods(): Promise<{ today: string; current: Window }> {
    const { general } = await this.settings.get();
    return windowsAt(this.clock.now(), 'month', 'previous', general);
  }

  private metrics(): CataloguedMetric[] {
    const counts = OWN_COUNTS.map((metric) => this.catalogue.prepared(metric));
    return [
      ...this.catalogue.readable().filter(({ key }) => CATALOGUED.has(key) || key === JOINERS),
      ...counts.filter(({ source }) => source.isReadable()),
    ];
  }

  private measure(
    metrics: readonly CataloguedMetric[],
    window: Window,
    today: string,
    workspaceId: string | undefined,
  ): Promise<Map<string, Measurement[]>> {
    return this.measurements.of({
      metrics,
      windows: [window],
      workspaceIds: workspaceId === undefined ? null : [workspaceId],
      now: this.clock.now().toISOString(),
      today,
    });
  }
}

/** The days after today in which somebody joins soon. */
function upcoming(today: string): Window {
  const [first, last] = [addDays(today, 1), addDays(today, JOINING_DAYS)];
  const instant = (day: string) => `${day}T00:00:00Z`;
  return { first, last, starts: instant(first), ends: instant(addDays(last, 1)), yearAgo: first };
}
