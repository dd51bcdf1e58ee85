import { type Severity, type Verdict, WEIGHTS } from './posture-check.js';

export const STATUSES = ['pass', 'warning', 'fail', 'excepted', 'unknown', 'not_applicable'] as const;
export type PostureStatus = (typeof STATUSES)[number];
export const GRADES = ['A', 'B', 'C', 'D', 'F'] as const;
export type Grade = (typeof GRADES)[number];

/** What counts of a check. */
export interface Counted {
  status: PostureStatus;
  severity: Severity;
  credit: number;
}

/** The best score while a critical check fails. */
const CRITICAL_CAP = 59;
const LEAST: readonly [Grade, number][] = [
  ['A', 90],
  ['B', 80],
  ['C', 70],
  ['D', 60],
];
/** Absorbs the error of floating point sums, so that a full score is 100. */
const ROUNDING = 1e-9;

/** The verdict on a check, given whether it has an exception. An exception gives no credit. */
export function counted({ status, credit }: Verdict, severity: Severity, isExcepted: boolean): Counted {
  const isLacking = status === 'fail' || status === 'warning' || status === 'unknown';
  return isExcepted && isLacking ? { status: 'excepted', severity, credit: 0 } : { status, severity, credit };
}

/**
 * The score from 0 to 100: the credit of the applicable checks by weight, rounded down. A failing critical check caps
 * it.
 */
export function scoreOf(checks: readonly Counted[]): number {
  const applicable = checks.filter(({ status }) => status !== 'not_applicable');
  const total = applicable.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0);
  const earned = applicable.reduce((sum, { severity, credit }) => sum + WEIGHTS[severity] * credit, 0);
  const score = total === 0 ? 100 : Math.floor((100 * earned) / total + ROUNDING);
  const isCapped = checks.some(({ status, severity }) => status === 'fail' && severity === 'critical');
  return isCapped ? Math.min(score, CRITICAL_CAP) : score;
}

export function gradeOf(score: number): Grade {
  return LEAST.find(([, least]) => score >= least)?.[0] ?? 'F';
}
