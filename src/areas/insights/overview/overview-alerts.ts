import type { SeatCount } from '#libs/members/seats.js';
import { POSTURE_CHECKS, type StoredResult } from '#src/areas/assurance/assurance.area.js';
import type { SloView } from '#src/areas/service-levels/service-levels.area.js';
import { type OverviewAlert, SEVERITIES } from './overview.dto.js';

type Results = Readonly<Record<string, StoredResult>>;
/** An alert of the overview of AI work. */
interface AiAlert {
  severity: OverviewAlert['severity'];
  message: string;
}

/** The most severe first; otherwise in the given order. */
export function bySeverity(alerts: readonly OverviewAlert[]): OverviewAlert[] {
  const rank = ({ severity }: OverviewAlert) => -SEVERITIES.indexOf(severity);
  return alerts.toSorted((a, b) => rank(a) - rank(b));
}

/** Objectives whose budget is spent or burning fast. */
export function sloAlerts(slos: readonly SloView[]): OverviewAlert[] {
  return slos.flatMap(({ key, name, status }) => {
    if (status !== 'burning_fast' && status !== 'exhausted') return [];
    const isSpent = status === 'exhausted';
    return {
      code: isSpent ? 'slo_exhausted' : 'slo_burning_fast',
      severity: isSpent ? 'warning' : 'critical',
      message: isSpent ? `The error budget of “${name}” is spent.` : `The error budget of “${name}” is burning fast.`,
      path: `/api/admin/slo?key=${encodeURIComponent(key)}`,
    };
  });
}

export function deliveryAlerts(exhausted: number): OverviewAlert[] {
  if (exhausted === 0) return [];
  const message = `${exhausted} ${exhausted === 1 ? 'delivery' : 'deliveries'} failed in all attempts.`;
  return [{ code: 'dead_deliveries', severity: 'warning', message, path: '/api/admin/outbox?status=exhausted' }];
}

/** Keys of the checks that failed, or passed only in part. */
export function openFindings(results: Results): string[] {
  return Object.keys(results).filter((key) => ['fail', 'warning'].includes(results[key]!.status));
}

/** Checks that failed and are critical by default. */
export function findingAlerts(results: Results): OverviewAlert[] {
  return POSTURE_CHECKS.filter(({ key, severity }) => severity === 'critical' && results[key]?.status === 'fail').map(
    ({ title }) => ({
      code: 'security_check_failing',
      severity: 'critical',
      message: `The critical security check “${title}” fails.`,
      path: '/api/admin/security/posture?status=fail',
    }),
  );
}

export function reviewAlerts(overdue: number): OverviewAlert[] {
  if (overdue === 0) return [];
  const message = `${overdue} ${overdue === 1 ? 'access review is' : 'access reviews are'} overdue.`;
  return [
    { code: 'access_review_overdue', severity: 'warning', message, path: '/api/admin/compliance/access-reviews' },
  ];
}

export function seatAlerts({ used, limit }: SeatCount): OverviewAlert[] {
  if (limit === null || used < limit) return [];
  const message = `All ${limit} seats of the plan are taken.`;
  return [{ code: 'seats_exhausted', severity: 'warning', message, path: '/api/admin/memberships' }];
}

export function aiAlerts(alerts: readonly AiAlert[]): OverviewAlert[] {
  return alerts.map(({ severity, message }) => ({ code: 'ai', severity, message, path: '/api/ai/overview' }));
}
