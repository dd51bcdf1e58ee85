import { percentOf } from '#libs/kernel/fraction.js';
import { type Collector, collector } from '../collector.js';
import {
  breachesOf,
  type Commitment,
  type Correction,
  DEFAULT_SLOS,
  type Measurement,
  type SlaBreach,
  type SloTerms,
  sumOf,
} from '#src/areas/service-levels/service-levels.area.js';

const folder = 'service';
const FRAMEWORKS = { soc2: ['A1.1', 'CC7.2'], iso27001: ['A.8.6', 'A.8.16'], gdpr: ['Art. 32(1)(b)'] };

interface RawObjective {
  sloId: string;
  key: string;
  version: number;
  definition: Omit<SloTerms, 'key'>;
  updatedAt: string | null;
  countedTo: string | null;
  good: number | null;
  bad: number | null;
}

function objectiveOf({ sloId, key, version, definition, updatedAt, countedTo, good, bad }: RawObjective) {
  const { name, indicator, objectivePercent, windowDays, enabled, ownerId } = definition;
  const total = good === null || bad === null ? null : good + bad;
  const facts = { sloId, key, version, name, indicator, objectivePercent, windowDays, enabled, ownerId, updatedAt };
  return { ...facts, countedTo, good, total, sliPercent: total === null ? null : percentOf(good!, total) };
}

interface RawMonth {
  month: string;
  version: number;
  isLatest: boolean;
  report: Measurement;
  correction: Correction | null;
  storedAt: string;
}

interface Month {
  month: string;
  version: number;
  isLatest: boolean;
  storedAt: string;
  correctionReason: string | null;
  commitments: readonly Commitment[];
  apiAvailabilityPercent: number | null;
  badMinutes: number;
  webhooksDeliveredPercent: number | null;
  coveragePercent: number | null;
  maintenanceMinutes: number;
  breaches: readonly SlaBreach[];
}

function monthOf({ report, correction, ...facts }: RawMonth): Month {
  const [api, webhooks] = [sumOf(report.hours.api), sumOf(report.hours.webhooks)];
  const { minutes, uncoveredMinutes, maintenanceMinutes } = report.coverage;
  return {
    ...facts,
    correctionReason: correction?.reason ?? null,
    commitments: report.commitments,
    apiAvailabilityPercent: percentOf(api.good, api.total),
    badMinutes: api.badMinutes,
    webhooksDeliveredPercent: percentOf(webhooks.good, webhooks.total),
    coveragePercent: percentOf(minutes - uncoveredMinutes, minutes),
    maintenanceMinutes,
    breaches: breachesOf(report),
  };
}

/** How reliable the service was, against its objectives and commitments. */
export const SERVICE: readonly Collector[] = [
  collector<RawObjective, ReturnType<typeof objectiveOf>>({
    folder,
    controlId: 'service-objectives',
    control: 'Objectives for the reliability of the service are set, measured and met.',
    title: 'Service-level objectives',
    type: 'verification',
    source: 'Objectives of the tenant, with the stored counts of their windows up to the last full day (UTC).',
    frameworks: FRAMEWORKS,
    columns: [
      'sloId',
      'key',
      'version',
      'name',
      'indicator',
      'objectivePercent',
      'windowDays',
      'enabled',
      'ownerId',
      'updatedAt',
      'countedTo',
      'good',
      'total',
      'sliPercent',
    ],
    // Whole days only: counts of the running day change when they are read.
    query: `
      select o.id as "sloId", o.key, o.version, o.definition, o.updated_at as "updatedAt", p.day as "countedTo", c.good, c.bad
      from (
          select id, key, version, definition, updated_at from data.slos where tenant_id = $1 and archived_at is null
          union all
          select d.id, d.key, 1, d.definition, null from (${DEFAULT_SLOS}) d
          where not exists (select from data.slos s where s.tenant_id = $1 and s.id = d.id)) o
        left join lateral (
          select date_trunc('day', counted_to, 'UTC') as day from data.slo_progress
          where tenant_id = $1 and slo_id = o.id and (o.definition ->> 'enabled')::boolean) p on true
        left join lateral (
          select coalesce(sum(good), 0)::bigint as good, coalesce(sum(bad), 0)::bigint as bad from data.slo_counts
          where tenant_id = $1 and slo_id = o.id and grain = 'hour' and at < p.day
            and at >= p.day - (o.definition ->> 'windowDays')::integer * interval '1 day') c on p.day is not null`,
    order: 'key',
    show: objectiveOf,
    finding: ({ enabled, objectivePercent, sliPercent }) => {
      if (!enabled) return 'The objective is not measured.';
      return sliPercent !== null && sliPercent < objectivePercent ? 'The objective was missed.' : null;
    },
  }),
  collector<RawMonth, Month>({
    folder,
    controlId: 'service-levels',
    control: 'The committed service levels are kept, and corrections of their reports are on record.',
    title: 'Service-level reports of closed months',
    type: 'verification',
    source: 'Stored reports of the months that the period touches, with all versions. The latest version is judged.',
    frameworks: FRAMEWORKS,
    columns: [
      'month',
      'version',
      'isLatest',
      'storedAt',
      'correctionReason',
      'commitments',
      'apiAvailabilityPercent',
      'badMinutes',
      'webhooksDeliveredPercent',
      'coveragePercent',
      'maintenanceMinutes',
      'breaches',
    ],
    query: `
      select r.month, r.version, r.version = max(r.version) over (partition by r.month) as "isLatest", r.report, r.correction,
        r.stored_at as "storedAt"
      from data.sla_reports r
      where r.tenant_id = $1 and (r.month || '-01')::timestamp at time zone 'UTC' < $3
        and ((r.month || '-01')::timestamp + interval '1 month') at time zone 'UTC' > $2`,
    order: 'month, version',
    show: monthOf,
    finding: ({ isLatest, breaches, commitments, coveragePercent }) => {
      if (!isLatest) return null;
      if (breaches.length > 0) return 'A commitment was not kept.';
      return commitments.length > 0 && coveragePercent === 0 ? 'Nothing was measured.' : null;
    },
  }),
];
